#!/usr/bin/env bash
#   test.sh licences     the licence of every tracked file is known: a pattern in scripts/package/copyright stands for it, and
#                        whoever the file itself names as its author is named there. Every pattern stands for a file, every
#                        licence has a text
#   test.sh installed    data sets and experiments that are installed are those of the repository, and none of the user's own
#   test.sh wheel BUILD  a wheel of the program in BUILD has the same bytes when made twice; pip installs it without a network
# What `make static` makes (label `package`):
#   test.sh static       one file that needs no other, of the same bytes when packed twice and naming no folder, computes what the
#                        usual program computes; so does its wheel, with the README's example
#   test.sh sdist        built elsewhere, by pip, the source archive gives the same wheel
#   test.sh systems      the file fits and predicts in a bare Debian 11, 12 and 13, as far as they can be downloaded
# What `make package` makes (label `package`):
#   test.sh lintian      Debian's own check finds no error
#   test.sh twice        built in another folder it has the same bytes, and the name of no folder in it
#   test.sh bare         installed in a bare Debian of this release it does what users do
# Exit code 77: what is needed is not there; the message says what.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source="$PWD"
skip() { echo "skipped: $1" && exit 77; }

licences() {
  list=scripts/package/copyright failures=0
  fail() { echo "FAILED: $*"; failures=1; }
  git rev-parse --git-dir >/dev/null 2>&1 || skip "this is no clone, so there are no tracked files"

  patterns=() licences=() holders=() used=()
  while IFS='|' read -r pattern licence holder; do
    patterns+=("$pattern") licences+=("$licence") holders+=("$holder") used+=(0)
  done < <(awk 'BEGIN { RS = ""; FS = "\n" }
    /^Files:/ {
      field = files = holder = licence = ""
      for (i = 1; i <= NF; ++i) {
        if (match($i, /^[A-Z][a-z]+: /)) { field = substr($i, 1, RLENGTH - 2); $i = substr($i, RLENGTH + 1) }
        if (field == "Files") files = files " " $i
        if (field == "Copyright") holder = holder " " $i
        if (field == "License") licence = $i
      }
      count = split(files, pattern, " ")
      for (i = 1; i <= count; ++i) print pattern[i] "|" licence "|" holder
    }' $list)

  declare -A stanza
  while IFS= read -r -d '' file; do
    for i in "${!patterns[@]}"; do
      # shellcheck disable=SC2053  # a pattern
      if [[ $file == ${patterns[i]} ]]; then stanza[$file]=$i used[i]=1; fi
    done
    [[ -v stanza[$file] ]] || fail "$file: no pattern in $list stands for it; add one with its copyright and licence"
  done < <(git ls-files -z)
  while IFS='|' read -r file name; do
    holder="${holders[${stanza[$file]:-0}]}"
    [[ $holder == *"$name"* ]] || fail "$file: names $name, and $list only$holder"
  done < <(git grep -aoE 'Copyright (\(c\) )?[12][0-9]{3}[-0-9]*,? [A-Za-z]+( [A-Za-z]+)*' -- ":!$list" |
    sed -E 's/:Copyright [^A-Za-z]*(\(c\))?[^A-Za-z]*/|/')
  # Paragraphs of their own there, or printed by files.sh.
  texts="$(awk 'BEGIN { RS = ""; FS = "\n" } /^License:/ { print $1 }' $list
    sed -nE "s/.*'.n(License: [^\\]+).n'.*/\1/p" scripts/package/files.sh)"
  for i in "${!patterns[@]}"; do
    ((used[i])) || fail "$list: no file matches ${patterns[i]}"
    for licence in ${licences[i]// and / }; do
      grep -qE "^License: $licence$" <<<"$texts" || fail "$list: there is no text of $licence"
    done
  done
  return $failures
}
if [[ $1 == licences ]]; then licences; exit; fi

scratch="$(mktemp -d "${LACP_SCRATCH:-${TMPDIR:-/tmp}}/lacp-package.XXXXXX")"
end() {  # nothing is removed below what could not be unmounted
  local folder
  for folder in "$scratch/proc" "$scratch/dev"; do if mountpoint -q "$folder"; then umount -R "$folder"; fi; done
  rm -rf --one-file-system "$scratch"
}
trap end EXIT

installed() {
  local copy="$scratch/source" folder file log
  mkdir -p "$copy/datasets/cache" "$copy/experiments"
  cp -r CMakeLists.txt CMakePresets.json CHANGELOG.md LICENSE lib scripts "$copy"
  cp -r datasets/*.* "$copy/datasets"
  cp -r experiments/* "$copy/experiments"
  if [[ -d .deps ]]; then ln -s "$source/.deps" "$copy/.deps"; fi
  for folder in datasets datasets/cache experiments experiments/reference; do touch "$copy/$folder/mine."{csv,yaml}; done
  log="$(cmake -G Ninja -S "$copy" -B "$copy/build" -DLACP_BUILD_TESTS=OFF 2>&1)" || { echo "$log"; return 1; }
  touch "$copy/build/lacp"  # building it is for others
  cmake -DCMAKE_INSTALL_PREFIX="$scratch/usr" -DCMAKE_INSTALL_COMPONENT=runtime -P "$copy/build/experiments/cmake_install.cmake" >/dev/null
  (cd "$scratch/usr/share/lacp" && find . -type f -printf '%P\n') | sort >"$scratch/found"
  ! grep /mine "$scratch/found" || { echo "FAILED: files of the user's own are installed"; return 1; }
  [[ -s $scratch/found ]] || { echo "FAILED: nothing is installed"; return 1; }
  git rev-parse --git-dir >/dev/null 2>&1 || return 0  # of a tarball, whose files nobody lists
  git ls-files ':(glob)datasets/*.yaml' ':(glob)datasets/*.csv' ':(glob)experiments/*.yaml' experiments/reference | sort |
    diff - "$scratch/found" || { echo "FAILED: experiments/CMakeLists.txt lists other files (>) than the repository has (<)"; return 1; }
}
if [[ $1 == installed ]]; then installed; exit; fi

version="$(sed -nE 's/^project\(lacp VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)"
python=/usr/bin/python3  # NumPy and others are packages of Debian's own
try_wheel() {  # in a fresh environment, which stays on the PATH; LACP would mislead whoever looked there first
  "$python" -c 'import numpy, venv, ensurepip' 2>/dev/null || skip "python3-venv or python3-numpy is not installed"
  "$python" -m venv --system-site-packages "$scratch/venv"
  "$scratch/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir --no-index "$1"
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
  if git rev-parse --git-dir >/dev/null 2>&1; then  # sources as pip asks for them, without a date
    for name in once again; do
      mkdir "$scratch/$name"
      env -u SOURCE_DATE_EPOCH scripts/package/lacp_build.py sdist "$scratch/$name"
    done
    cmp "$scratch"/{once,again}/lacp-"$version".tar.gz
  fi
  export SOURCE_DATE_EPOCH=1700000000
  for name in first second; do
    cmake -DCMAKE_INSTALL_PREFIX="$scratch/$name" -DCMAKE_INSTALL_COMPONENT=runtime -P "$2/experiments/cmake_install.cmake" >/dev/null
    scripts/package/lacp_build.py wheel "$scratch/$name" "$scratch/$name"
  done
  cmp "$scratch"/{first,second}/lacp-"$version"-*.whl
  try_wheel "$scratch"/first/*.whl
  cmp "$2/lacp" "$scratch"/venv/lib/python*/site-packages/lacp_program/bin/lacp
  exit
fi
command -v dpkg-query >/dev/null || skip "packages are made on Debian"
same_tree() {  # the files of this clone, as they are now, in another folder
  mkdir -p "$1"
  git ls-files -z | xargs -0 cp --parents -t "$1"
  echo "gitdir: $(git rev-parse --absolute-git-dir)" >"$1/.git"
  if [[ -d .deps ]]; then cp -a .deps "$1"; fi
}
download_debian() {  # RELEASE FOLDER: fails if it cannot
  [[ $EUID -eq 0 ]] || skip "only root may chroot"
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  local mirror log
  # shellcheck disable=SC2016  # apt's own names
  mirror="$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' | awk '$1 == "Debian" && NF == 2 && !n++ { print $2 }')"
  [[ -n $mirror ]] || skip "apt knows no Debian archive"
  log="$(debootstrap --variant=minbase "$1" "$2" "$mirror" 2>&1)" || { tail -n 3 <<<"$log" && return 1; }
}
bare_debian() {  # chroot into it: `inside COMMAND...`
  unshare --mount true 2>/dev/null || skip "nothing may be mounted here"
  download_debian "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$scratch" || skip "a bare Debian could not be downloaded"
  chmod 755 "$scratch"
  cp /etc/resolv.conf /etc/hosts "$scratch/etc/"
  { grep -lE '^Acquire::(http|Check|Retries)' /etc/apt/apt.conf.d/* || true; } | xargs -r cp -t "$scratch/etc/apt/apt.conf.d/"
  mount -t proc proc "$scratch/proc"
  mount --rbind /dev "$scratch/dev"
  mount --make-rslave "$scratch/dev"
  if [[ -n ${LACP_MIRROR:-} ]]; then cp -r "$LACP_MIRROR" "$scratch/mirror"; fi
}
inside() { chroot "$scratch" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${LACP_MIRROR:+LACP_MIRROR=/mirror} "$@"; }

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
    mkdir -p "$scratch/lib/python"  # the page and its test, without lacp.py beside them
    cp README.md "$scratch" && cp lib/python/test_lacp.py "$scratch/lib/python"
    python3 -B "$scratch/lib/python/test_lacp.py" /nonexistent test_readme
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
  lintian)
    command -v lintian >/dev/null || skip "lintian is not installed"
    make package
    lintian --allow-root --fail-on error build/packages/*.deb
    ;;
  twice)
    make package
    same_tree "$scratch/elsewhere"
    # What a cache of objects holds would hide a difference.
    env -u CMAKE_CXX_COMPILER_LAUNCHER GIT_OPTIONAL_LOCKS=0 make -C "$scratch/elsewhere" package
    for package in build/packages/*.deb; do
      cmp "$package" "$scratch/elsewhere/$package"
      [[ "$(dpkg-deb -f "$package" Version)" == "$version-"* ]]
      mkdir "$scratch/unpacked" && dpkg-deb -R "$package" "$scratch/unpacked"
      ! grep -rlF "$source" "$scratch/unpacked" || { echo "$package names $source" && exit 1; }
      rm -r "$scratch/unpacked"
    done
    ;;
  bare)
    bare_debian
    make package
    mkdir "$scratch/lacp"
    cp -r build/packages scripts/package/try.sh lib/README.md "$scratch/lacp"
    inside /lacp/try.sh
    ;;
esac
