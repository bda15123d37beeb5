#!/usr/bin/env bash
# scripts/setup.sh goes on where it installs nothing, and a second call does no work. Nothing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

failures=0 name="" status=0 message="" purpose=--tests
fail() { echo "FAILED: $name: $*"; failures=$((failures + 1)); }

# try NAME [VARIABLE=VALUE]... : calls setup.sh on the system that `system` wrote last.
try() {
  name="$1" status=0
  message="$(env LACP_OS_RELEASE="$scratch/os-release" "${@:2}" scripts/setup.sh $purpose 2>&1)" || status=$?
}
# expect STATUS TEXT... : that call ended with this status, and its message has each of the texts.
expect() {
  [[ $status -eq $1 ]] || fail "exit code $status instead of $1: $message"
  local text
  for text in "${@:2}"; do [[ "$message" == *"$text"* ]] || fail "'$text' is not in: $message"; done
}
silent() { [[ $status -eq 0 && -z "$message" ]] || fail "exit code $status, and is not silent: $message"; }

echo 'ID=plan9' >"$scratch/os-release"
try "a system that it knows no packages of"
expect 0 "CONTRIBUTING.md"

# A second call must leave apt alone: it would take seconds, and root.
if [[ -r /etc/debian_version ]]; then
  cp /etc/os-release "$scratch/os-release"
  mkdir "$scratch/bin"  # every tool, but a false apt
  for folder in ${PATH//:/ }; do
    tools=("$folder"/*)
    if [[ -e ${tools[0]} ]]; then ln -sf "${tools[@]}" "$scratch/bin/"; fi
  done
  rm -f "$scratch"/bin/apt-get "$scratch"/bin/sudo
  printf '#!/bin/sh\necho apt was called\nexit 1\n' | tee "$scratch/bin/apt-get" >"$scratch/bin/sudo"
  chmod +x "$scratch"/bin/apt-get "$scratch"/bin/sudo
  try "Debian, second call" PATH="$scratch/bin"
  silent

  purpose=--all
  rm -f "$scratch/bin/dpkg-query"
  printf '#!/bin/sh\nfor package; do [ "$package" = slurmd ] || echo "installed $package"; done\n' >"$scratch/bin/dpkg-query"
  chmod +x "$scratch/bin/dpkg-query"
  try "Debian that has no slurmd" PATH="$scratch/bin" LACP_SETUP_STAMP="$scratch/stamp"
  expect 0 "slurmd could not be installed; tests that need them are skipped"
  try "Debian that has no slurmd, second call" PATH="$scratch/bin" LACP_SETUP_STAMP="$scratch/stamp"
  silent

  purpose="--static --check"
  printf '#!/bin/sh\nfor package; do [ "$package" = libfmt-dev ] || echo "installed $package"; done\n' >"$scratch/bin/dpkg-query"
  try "Debian without fmt, where nothing may be installed" PATH="$scratch/bin"
  expect 1 "setup: missing: libfmt-dev (make setup-static"
  [[ $message != *"apt was called"* ]] || fail "$message"
fi

[[ $failures -eq 0 ]] || exit 1
echo "all as expected"
