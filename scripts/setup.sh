#!/usr/bin/env bash
# Installs what the build needs, with --tests what `make test` needs too, with --all what all tests need, with
# --peers what the benchmark compares with, with --article, --fuzz, --coverage and --package what those targets of make need. Does nothing
# if all is there.
#
# Debian and its derivatives: missing packages come from apt (root or sudo). mlpack 4 and the headers it needs are not
# in Debian 12; there they are taken from Debian 13, with signatures checked, and unpacked into .deps/ without touching
# the machine's apt sources. Elsewhere, and where nothing may be installed: says what is missing, and goes on once
# the tools and headers are found, however they came.
#
# Lists of packages are words in a string: macOS still has bash 3.2, where empty arrays and `set -u` do not go together.
# shellcheck disable=SC2016,SC2046,SC2086
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

purposes=build all=false
case "${1:-}" in
  --tests) purposes="build|test|tex" ;;
  --all) purposes="build|test|tex" all=true ;;
  --article) purposes="build|tex|svg" ;;
  --peers) purposes="build|peers" ;;
  --fuzz) purposes="build|fuzz" ;;
  --coverage) purposes="build|cover" ;;
  --package) purposes="build|deb" ;;
esac

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

os_release="${LACP_OS_RELEASE:-/etc/os-release}"
os_field() { if [[ -r "$os_release" ]]; then sed -n "s/^$1=//p" "$os_release" | tr -d "\"'"; fi; }
system=" $(os_field ID) $(os_field ID_LIKE) "

# ---- What lacp is built with, tested with and compared with -------------------------------------------------------------
# The probe is how a thing is found on a system whose package manager is not known; none: Debian alone splits it off. "(…)"
# in a column is advice where there is no package. "more" and "web" are for tests that are skipped without them, "fuzz" for
# `make fuzz`, "cover" for `make coverage`, "deb" for `make package`, "peers" for the benchmark beside other libraries,
# "tex" for the tests and, with "svg", for `make article`.

# for | probe | | Debian | Fedora | Arch | Homebrew
package_table() {
  cat <<'TABLE'
build | tool    | c++               | g++                       | gcc-c++                 | gcc                       | (xcode-select --install)
build | tool    | cmake             | cmake                     | cmake                   | cmake                     | cmake
build | tool    | ninja             | ninja-build               | ninja-build             | ninja                     | ninja
build | header  | armadillo         | libarmadillo-dev          | armadillo-devel         | armadillo                 | armadillo
build | header  | fmt/format.h      | libfmt-dev                | fmt-devel               | fmt                       | fmt
build | header  | yaml-cpp/yaml.h   | libyaml-cpp-dev           | yaml-cpp-devel          | yaml-cpp                  | yaml-cpp
build | header  | CLI/CLI.hpp       | libcli11-dev              | cli11-devel             | cli11                     | cli11
build | header  | doctest/doctest.h | doctest-dev               | doctest-devel           | doctest                   | doctest
build | header  | cereal/cereal.hpp | libcereal-dev             | cereal-devel            | cereal                    | cereal
build | header  | mlpack/core.hpp   | libmlpack-dev             | mlpack-devel            | (mlpack from the AUR)     | mlpack
build | header  | ensmallen.hpp     | libensmallen-dev          | ensmallen-devel         | (ensmallen from the AUR)  | ensmallen
build | tool    | curl              | curl                      | curl                    | curl                      | curl
build | tool    | unzip             | unzip                     | unzip                   | unzip                     | unzip
build | tool    | gnuplot           | gnuplot-nox               | gnuplot                 | gnuplot                   | gnuplot
build | tool    | xlsx2csv          | xlsx2csv                  | (pipx install xlsx2csv) | (pipx install xlsx2csv)   | (pipx install xlsx2csv)
build | none    | for curl          | ca-certificates
tex   | none    | for its fonts     | lmodern
tex   | tool    | pdflatex          | texlive-latex-recommended | texlive-latex           | texlive-latexrecommended  | (brew install --cask mactex-no-gui)
svg   | tool    | rsvg-convert      | librsvg2-bin              | librsvg2-tools          | librsvg                   | librsvg
test  | tool    | pdftotext         | poppler-utils             | poppler-utils           | poppler                   | poppler
test  | tool    | python3           | python3                   | python3                 | python                    | python
deb   | tool    | dpkg-shlibdeps    | dpkg-dev                  | (for Debian alone)      | (for Debian alone)        | (for Debian alone)
deb   | tool    | file              | file                      | file                    | file                      | (for Debian alone)
more  | tool    | slurmctld         | slurmctld                 | slurm-slurmctld         | (slurm-llnl from the AUR) | (no Slurm for macOS)
more  | tool    | slurmd            | slurmd                    | slurm-slurmd            | (slurm-llnl from the AUR) | (no Slurm for macOS)
more  | tool    | sbatch            | slurm-client              | slurm                   | (slurm-llnl from the AUR) | (no Slurm for macOS)
more  | tool    | munged            | munge                     | munge                   | munge                     | (no Slurm for macOS)
more  | tool    | clang++           | clang                     | clang                   | clang                     | llvm
more  | module  | sklearn           | python3-sklearn           | python3-scikit-learn    | python-scikit-learn       | scikit-learn
more  | module  | pandas            | python3-pandas            | python3-pandas          | python-pandas             | (pip install pandas)
more  | tool    | lintian           | lintian                   | (for Debian alone)      | (for Debian alone)        | (for Debian alone)
more  | tool    | debootstrap       | debootstrap               | (for Debian alone)      | (for Debian alone)        | (for Debian alone)
web   | tool    | chromium          | chromium                  | chromium                | chromium                  | (brew install --cask chromium)
web   | tool    | chromedriver      | chromium-driver           | chromedriver            | chromium                  | (brew install --cask chromedriver)
fuzz  | tool    | clang++           | clang                     | clang                   | clang                     | llvm
fuzz  | fuzzer  | libFuzzer         | libclang-rt-dev           | compiler-rt             | compiler-rt               | llvm
cover | tool    | gcovr             | gcovr                     | gcovr                   | (pipx install gcovr)      | gcovr
peers | module  | torch             | python3-torch             | python3-torch           | python-pytorch            | pytorch
peers | module  | sklearn           | python3-sklearn           | python3-scikit-learn    | python-scikit-learn       | scikit-learn
peers | module  | xgboost           | python3-xgboost           | (pip install xgboost)   | (pip install xgboost)     | (pip install xgboost)
TABLE
}

# One column of the table, for the rows on the standard input.
column() { awk -F ' *[|] *' -v number="$1" '{ print $number }'; }

# Header-only packages that Debian 12 lacks, with the stb headers that Debian's mlpack needs in a matching version.
header_packages="libmlpack-dev libensmallen-dev libstb-dev"
from_debian_13='[|] lib(mlpack|ensmallen)-dev '

# Debian's names of what is for these purposes ("build|test"), without those.
packages_for() { package_table | grep -E "^($1) " | grep -vE "$from_debian_13" | column 4; }

# For the other architecture, which the same bytes are expected of: its compiler, and what runs its programs.
cross_packages() {
  case "$(dpkg --print-architecture 2>/dev/null)" in
    arm64) echo g++-x86-64-linux-gnu qemu-user-static ;;
    amd64) echo g++-aarch64-linux-gnu qemu-user-static ;;
  esac
}

# ---- Debian and derivatives ------------------------------------------------------------------------------------------

may_install() { [[ $EUID -eq 0 ]] || command -v sudo >/dev/null; }
as_root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi; }

lists_updated=false
update_lists() {
  if $lists_updated; then return; fi
  say "updating the lists of packages"
  as_root apt-get -qq -o Acquire::Retries=3 update >&2 || say "some lists could not be updated; going on"
  lists_updated=true
}

try_to_install() {
  say "installing" "$@"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 --no-install-recommends install "$@" >&2
}
apt_install() { try_to_install "$@" || die "apt-get could not install these packages; its messages are above"; }

# Those of the given packages that are not installed.
not_installed() {
  local installed
  installed="$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)"
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed") | xargs
}

headers_at_hand() {
  [[ -r .deps/stamp && "$(<.deps/stamp)" == "$header_packages" && -r .deps/usr/include/mlpack/core.hpp ]] ||
    [[ -z "$(not_installed $header_packages)" ]]
}

# Version 4 or later of mlpack in the machine's own sources?
apt_has_mlpack() {
  local candidate
  candidate="$(LC_ALL=C apt-cache policy libmlpack-dev | sed -n 's/^ *Candidate: //p')"
  [[ -n "$candidate" && "$candidate" != "(none)" ]] && dpkg --compare-versions "$candidate" ge 4
}

# Downloads the header packages of Debian 13 with a private apt configuration and unpacks them into .deps/. Needs no root.
unpack_headers() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg mirror new="$PWD/.deps.new" package
  [[ -r $keyring ]] || die "$keyring is missing; install debian-archive-keyring"
  # The main archive, not security updates or backports: those have other labels.
  mirror="$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' | awk '$1 == "Debian" && NF == 2 && !n++ { print $2 }')"
  [[ -n "$mirror" ]] || die "apt knows no Debian archive; run 'apt-get update', or install mlpack 4 by hand"
  say "unpacking $header_packages of Debian 13 into .deps/"
  rm -rf "$new" && mkdir -p "$new"/apt/{lists,cache}/partial "$new/apt/cache/archives/partial" "$new/packages"
  echo "deb [signed-by=$keyring] $mirror trixie main" >"$new/apt/sources.list"
  local private=(-qq -o Acquire::Retries=3 -o "Dir::Etc::sourcelist=$new/apt/sources.list" -o Dir::Etc::sourceparts=-
                 -o "Dir::State::lists=$new/apt/lists" -o "Dir::Cache=$new/apt/cache" -o APT::Sandbox::User=)
  apt-get "${private[@]}" update >&2
  (cd "$new/packages" && apt-get "${private[@]}" download $header_packages >&2)
  for package in "$new"/packages/*.deb; do dpkg -x "$package" "$new"; done
  rm -rf "$new/apt" "$new/packages"
  echo "$header_packages" >"$new/stamp"
  rm -rf .deps && mv "$new" .deps
}

set_up_debian() {
  local missing
  missing="$(not_installed $(packages_for "$purposes"))"
  if [[ -z "$missing" ]] && headers_at_hand; then return; fi
  if may_install; then
    update_lists
    if [[ -n "$missing" ]]; then apt_install $missing; fi
  elif [[ -n "$missing" ]]; then
    go_on_if_found "there is neither root nor sudo to install packages"
  fi
  if headers_at_hand; then return; fi
  if may_install && apt_has_mlpack; then apt_install $header_packages; else unpack_headers; fi
}

# What some tests need that are skipped without it. A failure is reported once and remembered.
install_more() {
  local missing more web stamp="${LACP_SETUP_STAMP:-.cache/not-installed}"
  more="$(packages_for more) $(cross_packages)" web="$(packages_for web)"
  missing="$(not_installed $more $web)"
  if [[ -z "$missing" ]] || ! may_install || [[ -r "$stamp" && "$(<"$stamp")" == "$missing" ]]; then return; fi
  update_lists
  # Apart: Ubuntu has no chromium for apt, and should still get the others.
  for missing in "$(not_installed $more)" "$(not_installed $web)"; do
    if [[ -n "$missing" ]]; then try_to_install $missing || true; fi
  done
  missing="$(not_installed $more $web)"
  if [[ -z "$missing" ]]; then return; fi
  say "$missing could not be installed; tests that need them are skipped (to try again: rm $stamp)"
  mkdir -p "$(dirname "$stamp")" && echo "$missing" >"$stamp"
}

# ---- Any other system ------------------------------------------------------------------------------------------------

has_fuzzer() {
  clang++ -fsanitize=fuzzer -x c++ - -o /dev/null 2>/dev/null \
    <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
}

# Those rows of the standard input whose tool or header is not found.
missing_rows() {
  local row kind probe includes="-I.deps/usr/include" compiler="${CXX:-c++}"
  if command -v brew >/dev/null; then includes+=" -I$(brew --prefix)/include"; fi
  while read -r row; do
    kind="$(column 2 <<<"$row")" probe="$(column 3 <<<"$row")"
    case $kind in
      tool) command -v "$probe" >/dev/null ;;
      fuzzer) has_fuzzer ;;
      module) python3 -c "import $probe" 2>/dev/null ;;
      header) $compiler -std=c++20 $includes -E -x c++ - >/dev/null 2>&1 <<<$'#if !__has_include(<'"$probe"$'>)\n#error\n#endif' ;;
    esac || echo "$row"
  done
}

# Stops with the names of what is missing, in the words of this system's package manager.
go_on_if_found() {
  local reason="$1" rows number command packages
  case "$system" in
    *" debian "* | *" ubuntu "*) number=4 command="apt-get install" ;;
    *" fedora "* | *" rhel "*) number=5 command="dnf install" ;;
    *" arch "*) number=6 command="pacman -S" ;;
    "   ") number=7 command="brew install" ;;  # macOS has no os-release
    *) number=4 command="packages that Debian calls" ;;
  esac
  rows="$(package_table | grep -E "^($purposes) " |
    if [[ "$command" == apt-get* ]]; then grep -vE "$from_debian_13"; else cat; fi | missing_rows)"
  if [[ -z "$rows" ]]; then return; fi
  say "$reason, and these were not found:"
  awk -F ' *[|] *' '{ printf "  %-8s%s\n", $2, $3 }' <<<"$rows" >&2
  packages="$(column $number <<<"$rows" | grep -v '^(' | xargs || true)"
  if [[ -n "$packages" ]]; then say "install them: $command $packages"; fi
  column $number <<<"$rows" | grep '^(' | sed 's/^/setup: and /' >&2 || true
  die "then run the same command again; it goes on once they are found"
}

case "$system" in
  *" debian "* | *" ubuntu "*)
    set_up_debian
    if $all; then install_more; fi
    ;;
  *) go_on_if_found "this system's packages are not installed automatically" ;;
esac
