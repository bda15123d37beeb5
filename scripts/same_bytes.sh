#!/usr/bin/env bash
# Builds lacp in another way and sees whether it computes the cells whose checksums are stored:
#   scripts/same_bytes.sh FOLDER COMPILER [FLAG ...]   with another compiler or other optimisation
#   scripts/same_bytes.sh FOLDER cross [FLAG ...]      for the other architecture (-O2 if nothing is said), run by qemu-user
# Builds below FOLDER. Exit code 77: what is needed is not installed; the message says what.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
mkdir -p "$1"
folder="$(cd "$1" && pwd)" compiler="$2" flags=("${@:3}") runner=() options=()

skip() { echo "skipped: $1" && exit 77; }

# Unpacks Debian's libraries for another architecture into a folder. Needs no root; changes nothing of the system.
unpack_libraries() {
  local architecture="$1" to="$2" package private
  if [[ -r "$to/stamp" ]]; then return; fi
  rm -rf "$to" && mkdir -p "$to"/apt/{lists,cache}/partial "$to/apt/cache/archives/partial" "$to/packages"
  private=(-qq -o Acquire::Retries=3 -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
           -o "Dir::State::lists=$to/apt/lists" -o "Dir::Cache=$to/apt/cache" -o APT::Sandbox::User= -o Dir::State::status=/dev/null)
  apt-get "${private[@]}" update >&2 || return 1
  (
    cd "$to/packages"
    apt-get "${private[@]}" download libfmt-dev libyaml-cpp-dev zlib1g-dev libpugixml-dev >&2
    # The shared libraries have their version in their name.
    for package in *.deb; do dpkg-deb -f "$package" Depends | grep -oE '\b((libfmt|libyaml-cpp|libpugixml)[0-9.]+[a-z0-9]*|zlib1g)\b'; done |
      sort -u | xargs apt-get "${private[@]}" download >&2
  ) || return 1
  for package in "$to"/packages/*.deb; do dpkg -x "$package" "$to"; done
  rm -rf "$to/apt" "$to/packages"
  touch "$to/stamp"
}

if [[ $compiler == cross ]]; then
  case "$(uname -m)" in
    aarch64) processor=x86_64 architecture=amd64 ;;
    x86_64) processor=aarch64 architecture=arm64 ;;
    *) skip "there is no other architecture for $(uname -m) to be compared with" ;;
  esac
  triple="$processor-linux-gnu"
  compiler="$triple-g++"
  command -v "$compiler" >/dev/null || skip "$compiler is not installed"
  emulator="$(command -v "qemu-$processor-static" || command -v "qemu-$processor")" || skip "qemu-$processor is not installed"
  command -v apt-get >/dev/null || skip "libraries for $architecture are taken from Debian's packages, and there is no apt-get"
  libraries="$folder/libraries"
  unpack_libraries "$architecture" "$libraries" || skip "libraries for $architecture could not be downloaded"
  runner=("$emulator" -L "/usr/$triple" -E "LD_LIBRARY_PATH=$libraries/usr/lib/$triple")
  options=(-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$processor" "-DCMAKE_LIBRARY_ARCHITECTURE=$triple"
           "-DCMAKE_PREFIX_PATH=$libraries/usr" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,$libraries/usr/lib/$triple")
  if ((${#flags[@]} == 0)); then flags=(-O2); fi
fi
command -v "$compiler" >/dev/null || skip "$compiler is not installed"
# Each file by itself, without precompiled headers, so that a missing #include shows. At -O0 that takes little.
if [[ " ${flags[*]} " == *" -O0 "* ]]; then options+=(-DLACP_PRECOMPILE=OFF); fi

cmake -S "$root" -B "$folder/build" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" -DCMAKE_BUILD_TYPE=Release \
      "-DCMAKE_CXX_FLAGS_RELEASE=${flags[*]}" -DLACP_BUILD_TESTS=OFF -DLACP_INSTALL=OFF "${options[@]}" >"$folder/configure.log" ||
  { cat "$folder/configure.log" && exit 1; }
cmake --build "$folder/build" --target lacp

# One run of every method, on made data and on a file; then one task under every kernel, if that takes no minutes.
lacp=("${runner[@]}" "$folder/build/lacp")
"${lacp[@]}" --version
kernels="$(LACP_KERNELS=none "${lacp[@]}" --version 2>&1 | sed -n 's/.*it can run //p' | tr -d ,)" || true
[[ "$kernels" == "scalar portable"* ]] || { echo "the kernels could not be listed" && exit 1; }
compare() { # an experiment, the cells whose names match, and the options that make them
  local name
  name="$(basename "$1" .yaml)"
  rm -rf "${folder:?}/$name"  # cells of methods that are gone
  "${lacp[@]}" run "$root/experiments/$1" --force --runs 1 --results "$folder" "${@:3}" --datasets-folder "$root/datasets"
  diff <(grep -E "$2" "$root/experiments/test/$name.sha256") <("$root/scripts/smoke_checksums.sh" "$folder/$name" | grep -E "$2")
}
compare smoke.yaml '/0/'
compare test/every_method.yaml '/0/'
if ((${#runner[@]} == 0)); then
  for kernel in $kernels; do LACP_KERNELS="$kernel" compare smoke.yaml 'cos/0/exp' --datasets cos --methods exp; done
  # A type that has its name twice breaks such commands, where the optimiser does not hide it.
  "${lacp[@]}" report "$folder/smoke" --quiet
  "${lacp[@]}" fit "$root/datasets/concrete.csv" --target compressive_strength --method fixed --set predictor.kind=knn --model "$folder/m.lacp" --quiet
  "${lacp[@]}" evaluate "$folder/m.lacp" "$root/datasets/concrete.csv" >/dev/null
fi
echo "$compiler ${flags[*]}: the same bytes"
