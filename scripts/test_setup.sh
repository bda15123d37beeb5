#!/usr/bin/env bash
# What scripts/setup.sh does on systems it does not know, and that a second call does no work. Nothing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
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

# shellcheck disable=SC2059  # the text holds \n
system() { printf "$1" >"$scratch/os-release"; }
no_headers="${CXX:-c++} -nostdinc"  # a compiler that finds none of the system's headers

# A machine with every tool but gnuplot.
mkdir "$scratch/bin"
for folder in ${PATH//:/ }; do
  tools=("$folder"/*)
  if [[ -e ${tools[0]} ]]; then ln -sf "${tools[@]}" "$scratch/bin/"; fi
done
rm -f "$scratch/bin/gnuplot"

system 'ID=fedora\n'
try "Fedora with everything there"
silent
try "Fedora without gnuplot" PATH="$scratch/bin"
expect 1 "tool    gnuplot" "dnf install gnuplot" "run the same command again"
try "Fedora without headers" CXX="$no_headers"
expect 1 "dnf install armadillo-devel fmt-devel yaml-cpp-devel cli11-devel doctest-devel cereal-devel"
purpose=--fuzz
rm -f "$scratch/bin/clang++"
try "Fedora without clang" PATH="$scratch/bin"
expect 1 "tool    clang++" "dnf install gnuplot clang compiler-rt"
purpose=--article
rm -f "$scratch/bin/rsvg-convert"
try "Fedora without what draws svg as pdf" PATH="$scratch/bin"
expect 1 "dnf install gnuplot librsvg2-tools"
purpose=--tests

system 'ID=manjaro\nID_LIKE=arch\n'
try "Arch without a compiler" CXX=false
expect 1 "header  armadillo" "pacman -S armadillo" "mlpack from the AUR"
try "macOS without headers" LACP_OS_RELEASE="$scratch/none" CXX="$no_headers"
expect 1 "brew install armadillo fmt yaml-cpp"
system 'ID=plan9\n'
try "a system nobody knows" CXX="$no_headers"
expect 1 "packages that Debian calls libarmadillo-dev libfmt-dev"

# A second call must leave apt alone: it would take seconds, and root.
if [[ -r /etc/debian_version ]]; then
  cp /etc/os-release "$scratch/os-release"
  rm -f "$scratch"/bin/apt-get "$scratch"/bin/sudo
  printf '#!/bin/sh\necho apt was called\nexit 1\n' | tee "$scratch/bin/apt-get" >"$scratch/bin/sudo"
  chmod +x "$scratch"/bin/apt-get "$scratch"/bin/sudo
  try "Debian, second call" PATH="$scratch/bin"
  silent

  purpose=--all
  rm -f "$scratch/bin/dpkg-query"
  printf '#!/bin/sh\n%s "$@" | grep -v slurmd\n' "$(command -v dpkg-query)" >"$scratch/bin/dpkg-query"
  chmod +x "$scratch/bin/dpkg-query"
  try "Debian that has no slurmd" PATH="$scratch/bin" LACP_SETUP_STAMP="$scratch/stamp"
  expect 0 "slurmd could not be installed; tests that need them are skipped"
  try "Debian that has no slurmd, second call" PATH="$scratch/bin" LACP_SETUP_STAMP="$scratch/stamp"
  silent
fi

[[ $failures -eq 0 ]] || exit 1
echo "all as expected"
