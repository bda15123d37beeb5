#!/usr/bin/env bash
# Which lines of lib/ do its own tests reach? Builds with gcov's counters, runs lib/test, and lists, file by file, the lines
# that none of them reached. Fails below the share that is promised.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build-coverage promised=95

cmake -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DLACP_BUILD_EXPERIMENTS=OFF \
  -DCMAKE_CXX_FLAGS="-Og --coverage -fprofile-update=atomic" >/dev/null
cmake --build "$build"
find "$build" -name '*.gcda' -delete
# Left out: what does not run lib/, and the user of an installed copy, who would need the counters too.
ctest --test-dir "$build" --parallel "$(getconf _NPROCESSORS_ONLN)" --timeout 1800 --output-on-failure \
  --exclude-regex '^(setup|lib\.consumer)$'
gcovr --root . --filter 'lib/(lacp|models|table)/' --object-directory "$build" --exclude-directories '.*CompilerId.*' --exclude-throw-branches --gcov-ignore-parse-errors \
  --fail-under-line "$promised" "$build"
