#!/usr/bin/env bash
#   package.sh installed BUILD  data sets and experiments that are installed are those of the repository
#   package.sh wheel BUILD  a wheel of the program in BUILD has the same bytes when made twice; pip installs it without a network
# What `make static` makes (label `package`):
#   package.sh static       one file that needs no other, of the same bytes when packed twice and naming no folder, computes what the
#                        usual program computes; so does its wheel, with the README's example
#   package.sh sdist        built elsewhere, by pip, the source archive gives the same wheel
#   package.sh systems      the file fits and predicts in a bare Debian 11, 12 and 13, as far as they can be downloaded
# Exit code 77: what is needed is not there; the message says what.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
source="$PWD"
skip() { echo "skipped: $1" && exit 77; }

scratch="$(mktemp -d "${LACP_SCRATCH:-${TMPDIR:-/tmp}}/lacp-package.XXXXXX")"
trap 'rm -rf --one-file-system "$scratch"' EXIT

installed() {  # by name, since these folders are also where users put data and experiments of their own
  cmake -DCMAKE_INSTALL_PREFIX="$scratch/usr" -DCMAKE_INSTALL_COMPONENT=runtime -P "$1/experiments/cmake_install.cmake" >/dev/null
  (cd "$scratch/usr/share/lacp" && find . -type f -printf '%P\n') | sort >"$scratch/found"
  git rev-parse --git-dir >/dev/null 2>&1 || skip "this is no clone, so there are no tracked files"
  git ls-files ':(glob)datasets/*.yaml' ':(glob)datasets/*.csv' ':(glob)experiments/*.yaml' experiments/reference | sort |
    diff - "$scratch/found" || { echo "FAILED: experiments/CMakeLists.txt lists other files (>) than the repository has (<)"; return 1; }
}
if [[ $1 == installed ]]; then installed "$2"; exit; fi

version="$(sed -nE 's/^project\(lacp VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)"
python=/usr/bin/python3  # NumPy and others are packages of Debian's own
try_wheel() {  # in a fresh environment, which stays on the PATH; LACP would mislead whoever looked there first
  pip="$(compgen -G '/usr/share/python-wheels/pip-*.whl')" && "$python" -c 'import numpy, venv' 2>/dev/null ||
    skip "python3-venv or python3-numpy is not installed"
  "$python" -m venv --system-site-packages --without-pip "$scratch/venv"  # unpacking it takes most of the time
  PYTHONPATH="$pip" "$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-index "$1"
  export LACP=/nonexistent PATH="$scratch/venv/bin:$PATH"
  [[ "$(lacp --version | head -n 1)" == "lacp $version" ]] || { echo "FAILED: the wheel's program is not version $version"; return 1; }
  (cd "$scratch" && venv/bin/python -B - "$version" <<'END'
import importlib.metadata, sys
import numpy as np
import lacp
about = importlib.metadata.metadata("lacp")
assert about["Version"] == lacp.__version__ == sys.argv[1], (about["Version"], lacp.__version__)
assert "venv" in lacp.__file__ and "LacpRegressor" in about.get_payload() and len(about.get_all("Classifier")) > 5
X = np.random.default_rng(1).normal(size=(300, 2))
assert lacp.LacpRegressor(method="fixed").fit(X, X[:, 0]).predict_interval(X).shape == (300, 2, 2)
END
  )
}
if [[ $1 == wheel ]]; then
  if command -v dpkg-query >/dev/null; then  # pip builds it, but installs no packages of the system: it names them
    mkdir "$scratch/bin"
    printf '#!/bin/sh\n' >"$scratch/bin/dpkg-query"
    printf '#!/bin/sh\necho apt was called\n' | tee "$scratch/bin/apt-get" >"$scratch/bin/sudo"
    chmod +x "$scratch"/bin/*
    ! said=$(PATH="$scratch/bin:$PATH:" PYTHONPATH=scripts/package "$python" -B -c 'import lacp_build; lacp_build.build_wheel(".")' 2>&1)
    [[ $said == *"missing:"*libfmt-dev* && $said != *"apt was called"* ]] || { echo "FAILED: $said" && exit 1; }
  fi
  if git rev-parse --git-dir >/dev/null 2>&1; then  # sources as pip asks for them, without a date
    for name in once again; do
      mkdir "$scratch/$name"
      env -u SOURCE_DATE_EPOCH scripts/package/lacp_build.py sdist "$scratch/$name"
    done
    cmp "$scratch"/{once,again}/lacp-"$version".tar.gz
  fi
  export SOURCE_DATE_EPOCH=1700000000
  for name in first second; do
    cmake --install "$2" --prefix "$scratch/$name" --component runtime >/dev/null
    scripts/package/lacp_build.py wheel "$scratch/$name" "$scratch/$name"
  done
  cmp "$scratch"/{first,second}/lacp-"$version"-*.whl
  try_wheel "$scratch"/first/*.whl
  cmp "$scratch/first/lib/liblacp_python.so" "$scratch"/venv/lib/python*/site-packages/lacp_program/lib/liblacp_python.so
  exit
fi
command -v dpkg-query >/dev/null || skip "packages are made on Debian"
download_debian() {  # RELEASE FOLDER: fails if it cannot
  [[ $EUID -eq 0 ]] || skip "only root may chroot"
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  local mirror log
  # shellcheck disable=SC2016  # apt's own names
  mirror="$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' | awk '$1 == "Debian" && NF == 2 && !n++ { print $2 }')"
  [[ -n $mirror ]] || skip "apt knows no Debian archive"
  log="$(debootstrap --variant=minbase "$1" "$2" "$mirror" 2>&1)" || { tail -n 3 <<<"$log" && return 1; }
}
file="build/dist/lacp-$version-linux-$(uname -m)"
known_rows() {  # FOLDER
  awk 'NR == 1 || NR % 5' datasets/concrete.csv >"$1/known.csv"
  awk 'NR == 1 || NR % 5 == 0' datasets/concrete.csv >"$1/held_out.csv"
}
# shellcheck disable=SC2016  # for another shell
fit_and_predict='$1 fit known.csv --target compressive_strength --copies drop --model $2.lacp --quiet && $1 predict $2.lacp held_out.csv --quiet --output $2.csv'

case $1 in
  static)
    make all static
    ! ldd "$file" 2>/dev/null || { echo "FAILED: $file needs libraries"; exit 1; }
    ! grep -F "$source" "$file" || { echo "FAILED: $file names $source"; exit 1; }
    scripts/package/dist.sh build-static "$scratch/again"
    diff -r build/dist "$scratch/again"
    tar -C "$scratch" -xf "$file.tar.xz"
    unpacked="$scratch/$(basename "$file")"
    cmp "$file" "$unpacked/bin/lacp"
    for name in libc6-dev libstdc++ libyaml-cpp-dev libfmt-dev libmlpack-dev libcli11-dev zlib1g-dev libpugixml-dev LGPL-2.1; do
      compgen -G "$unpacked/share/doc/lacp/linked/$name*" >/dev/null || { echo "FAILED: the licence of $name is missing"; exit 1; }
    done
    known_rows "$scratch"
    (cd "$scratch"
     sh -c "$fit_and_predict" - "$source/build/lacp" usual
     sh -c "$fit_and_predict" - "$source/$file" static
     cmp usual.lacp static.lacp
     cmp usual.csv static.csv
     gzip -n known.csv held_out.csv  # and what is packed takes no other program
     env -i PATH=/nonexistent "$source/$file" fit known.csv.gz --target compressive_strength --copies drop --model packed.lacp --quiet
     env -i PATH=/nonexistent "$source/$file" predict packed.lacp held_out.csv.gz --quiet --output packed.csv
     cmp usual.csv packed.csv
     "$unpacked/bin/lacp" demo | tail -n 3)
    try_wheel "build/dist/lacp-$version-"*.whl
    lacp demo >/dev/null
    "$python" -c 'import sklearn, pandas' 2>/dev/null || skip "the README's example needs python3-sklearn; all before it is as expected"
    mkdir -p "$scratch/lib/python/test"  # the page and its test, without lacp.py beside them
    cp README.md "$scratch" && cp lib/python/test/test_lacp.py "$scratch/lib/python/test"
    python3 -B "$scratch/lib/python/test/test_lacp.py" /nonexistent test_readme
    ;;
  sdist)
    make static
    tar -C "$scratch" -xf "build/dist/lacp-$version.tar.gz"
    if [[ -d .deps ]]; then cp -a .deps "$scratch/lacp-$version"; fi
    "$python" -c 'import venv, ensurepip' 2>/dev/null || skip "python3-venv is not installed"
    "$python" -m venv "$scratch/venv"
    env -u CMAKE_CXX_COMPILER_LAUNCHER "$scratch/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-cache-dir --no-index --no-deps \
      --wheel-dir "$scratch" "$scratch/lacp-$version"
    cmp build/dist/*.whl "$scratch"/*.whl
    ;;
  systems)
    make static
    first=""
    for release in bullseye bookworm trixie; do
      download_debian "$release" "$scratch/$release" || { echo "$release: could not be downloaded" && continue; }
      cp "$file" "$scratch/$release/usr/local/bin/lacp"
      known_rows "$scratch/$release"
      chroot "$scratch/$release" env -i PATH=/usr/local/bin:/usr/bin:/bin sh -c "cd / && $fit_and_predict" - lacp own
      first=${first:-$release}
      for file_of in own.lacp own.csv; do cmp "$scratch/$release/$file_of" "$scratch/$first/$file_of"; done
      echo "$release: as expected"
    done
    [[ -n $first ]] || skip "no Debian could be downloaded"
    ;;
esac
