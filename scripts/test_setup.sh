#!/usr/bin/env bash
# What scripts/setup.sh does on systems it does not know, and that a second call does no work. Nothing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

failures=0 name="" status=0 message=""
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect STATUS TEXT... : the last call of `setup` ended with this status, and its message has each of the texts.
purpose=--tests
setup() { status=0; message="$("$@" scripts/setup.sh $purpose 2>&1)" || status=$?; }
expect() {
  [[ $status -eq $1 ]] || fail "$name: exit code $status instead of $1: $message"
  local text
  for text in "${@:2}"; do [[ "$message" == *"$text"* ]] || fail "$name: '$text' is not in: $message"; done
}

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

name="Fedora with everything there"
system 'ID=fedora\n'
setup env LACP_OS_RELEASE="$scratch/os-release"
expect 0
[[ -z "$message" ]] || fail "$name: is not silent: $message"

name="Fedora without gnuplot"
setup env LACP_OS_RELEASE="$scratch/os-release" PATH="$scratch/bin"
expect 1 "tool    gnuplot" "dnf install gnuplot" "run the same command again"

name="Fedora without headers"
setup env LACP_OS_RELEASE="$scratch/os-release" CXX="$no_headers"
expect 1 "dnf install armadillo-devel fmt-devel yaml-cpp-devel cli11-devel doctest-devel cereal-devel"

name="Fedora without clang"
purpose=--fuzz
rm -f "$scratch/bin/clang++"
setup env LACP_OS_RELEASE="$scratch/os-release" PATH="$scratch/bin"
expect 1 "tool    clang++" "dnf install gnuplot clang compiler-rt"

name="Fedora without what draws svg as pdf"
purpose=--article
rm -f "$scratch/bin/rsvg-convert"
setup env LACP_OS_RELEASE="$scratch/os-release" PATH="$scratch/bin"
expect 1 "dnf install gnuplot librsvg2-tools"
purpose=--tests

name="Arch without a compiler"
system 'ID=manjaro\nID_LIKE=arch\n'
setup env LACP_OS_RELEASE="$scratch/os-release" CXX=false
expect 1 "header  armadillo" "pacman -S armadillo" "mlpack from the AUR"

name="macOS without headers"
setup env LACP_OS_RELEASE="$scratch/none" CXX="$no_headers"
expect 1 "brew install armadillo fmt yaml-cpp"

name="a system nobody knows"
system 'ID=plan9\n'
setup env LACP_OS_RELEASE="$scratch/os-release" CXX="$no_headers"
expect 1 "packages that Debian calls libarmadillo-dev libfmt-dev"

# A second call must leave apt alone: it would take seconds, and root.
if [[ -r /etc/debian_version ]]; then
  name="Debian, second call"
  rm -f "$scratch"/bin/apt-get "$scratch"/bin/sudo
  printf '#!/bin/sh\necho apt was called\nexit 1\n' | tee "$scratch/bin/apt-get" >"$scratch/bin/sudo"
  chmod +x "$scratch"/bin/apt-get "$scratch"/bin/sudo
  setup env PATH="$scratch/bin"
  expect 0
  [[ -z "$message" ]] || fail "$name: is not silent: $message"

  name="Debian that has no slurmd" purpose=--all
  rm -f "$scratch/bin/dpkg-query"
  printf '#!/bin/sh\n%s "$@" | grep -v slurmd\n' "$(command -v dpkg-query)" >"$scratch/bin/dpkg-query"
  chmod +x "$scratch/bin/dpkg-query"
  setup env PATH="$scratch/bin" LACP_SETUP_STAMP="$scratch/stamp"
  expect 0 "slurmd could not be installed; tests that need them are skipped"
  setup env PATH="$scratch/bin" LACP_SETUP_STAMP="$scratch/stamp"
  [[ -z "$message" ]] || fail "$name: is not silent the second time: $message"
fi

[[ $failures -eq 0 ]] || exit 1
echo "all as expected"
