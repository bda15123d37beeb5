#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each for FUZZ_SECONDS (60), or those named on the command line. An input
# that breaks a target becomes a case of experiments/test/fuzz/<target>.cases, to be committed with its fix; `make test` reads
# all of them again. What else was found stays in build-fuzz/corpus, from where the next call goes on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=("$@")
if [[ $# -eq 0 ]]; then targets=(csv xlsx model); fi
# Leaks are looked for at the end of each input; a small quarantine leaves the memory limit to the reader itself.
export ASAN_OPTIONS="quarantine_size_mb=16:${ASAN_OPTIONS:-}"

cmake --preset fuzz
cmake --build build-fuzz --target "${targets[@]/#/fuzz_}"
failed=()
folder=experiments/test/fuzz programs=build-fuzz/experiments/test/fuzz words=build-fuzz/all.words
# What readers look for: names of methods, columns and metrics, as the sources have them, and what is no plain word.
grep -rhoE '"[a-z][a-z0-9_]+"' lib/{lacp,models,table,datasets} experiments/driver/experiment | sort -u | cat - $folder/all.words >$words
for target in "${targets[@]}"; do
  cases=$folder/$target.cases found=build-fuzz/corpus/$target kept=build-fuzz/kept/$target crashes=build-fuzz/crashes/$target
  rm -rf "$kept" "$crashes"
  mkdir -p "$found" "$crashes" "$kept"
  while read -r name bytes; do base64 -d <<<"$bytes" >"$kept/$name"; done <"$cases"
  # An input has up to a megabyte; more than 256 MB at once, a gigabyte in all or 25 s for one input is a failure.
  $programs/fuzz_"$target" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=1048576 -malloc_limit_mb=256 \
    -rss_limit_mb=1024 -timeout=25 -dict="$words" -artifact_prefix="$crashes/" \
    -print_final_stats=1 "$found" "$kept" || failed+=("$target")
  for crash in "$crashes"/*; do
    if [[ -f $crash ]]; then echo "$(basename "$crash") $(base64 -w 0 "$crash")" >>"$cases"; fi
  done
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "fuzz: broken: ${failed[*]}; the inputs are the last in $folder/<target>.cases" >&2
  exit 1
fi
echo "fuzz: ${targets[*]}: nothing found"
