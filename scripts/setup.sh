#!/usr/bin/env bash
# Installs what the build needs, with --tests what `make test` needs too, with --all what all tests need, with
# --peers what the benchmark compares with, with --fuzz, --coverage and --static what those targets of make
# need. Does nothing if all is there. With --check after it, names what is missing and installs nothing.
#
# Debian and its derivatives: missing packages come from apt (root or sudo). mlpack 4 and the headers it needs are not
# in Debian 12; there they are taken from Debian 13, with signatures checked, and unpacked into .deps/ without touching
# the machine's apt sources. On other systems nothing is installed, and CMake names what it does not find.
# shellcheck disable=SC2016,SC2046,SC2086  # lists of packages are words in a string
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

purposes=build all=false check=false
if [[ "${2:-}" == --check ]]; then check=true; fi
case "${1:-}" in
  --tests) purposes="build|test|tex" ;;
  --all) purposes="build|test|tex|dist" all=true ;;
  --peers) purposes="build|peers" ;;
  --fuzz) purposes="build|fuzz" ;;
  --coverage) purposes="build|cover" ;;
  --static) purposes="build|dist" ;;
esac

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

os_release="${LACP_OS_RELEASE:-/etc/os-release}"
os_field() { if [[ -r "$os_release" ]]; then sed -n "s/^$1=//p" "$os_release" | tr -d "\"'"; fi; }
system=" $(os_field ID) $(os_field ID_LIKE) "

# What lacp is built with, tested with and compared with. "more" and "web" are for tests that are skipped without them, "tex"
# for those of tables. The same for other systems: CONTRIBUTING.md.
package_table() {
  cat <<'TABLE'
build g++ cmake ninja-build libarmadillo-dev libfmt-dev libyaml-cpp-dev libcli11-dev doctest-dev libcereal-dev
build zlib1g-dev libpugixml-dev curl ca-certificates gnuplot-nox
tex   lmodern texlive-latex-recommended
test  poppler-utils python3 python3-venv python3-numpy python3-pytest
dist  binutils python3 xz-utils
more  slurmctld slurmd slurm-client munge clang python3-sklearn python3-pandas debootstrap
web   chromium chromium-driver
fuzz  clang libclang-rt-dev
cover gcovr
peers python3-torch python3-sklearn libopenblas0-pthread
TABLE
}

# Headers that Debian 12 lacks. What lacp includes of mlpack needs neither ensmallen nor stb.
header_packages="libmlpack-dev"

# What is for these purposes ("build|test"), without those.
packages_for() { package_table | grep -E "^($1) " | cut -c 7-; }

# For the other architecture, which the same bytes are expected of: its compiler, and what runs its programs.
cross_packages() {
  case "$(dpkg --print-architecture 2>/dev/null)" in
    arm64) echo g++-x86-64-linux-gnu qemu-user-static ;;
    amd64) echo g++-aarch64-linux-gnu qemu-user-static ;;
  esac
}

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
  if $check; then
    if ! headers_at_hand; then missing="$missing $header_packages"; fi
    die "missing:" $missing "(make setup-static, in a clone, gets them)"
  fi
  if may_install; then
    update_lists
    if [[ -n "$missing" ]]; then apt_install $missing; fi
  elif [[ -n "$missing" ]]; then
    say "there is neither root nor sudo to install $missing; going on without"
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

case "$system" in
  *" debian "* | *" ubuntu "*)
    set_up_debian
    if $all; then install_more; fi
    ;;
  *) say "nothing is installed on this system; CONTRIBUTING.md lists the packages" ;;
esac
