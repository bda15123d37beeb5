#!/usr/bin/env bash
# steps.sh STEP...: lacp on a bare Debian, as root, in a copy of the source. The Containerfile and the tests in a chroot
# (scripts/package/test.sh) take these steps; a file of packages is looked for in build/packages.
#   prepare   what it takes to call make          package   make package
#   install   the packages, with apt              try       do with them what users do, as one who may write nowhere else
#   commands  make test, make reproduce
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source="$PWD"
# Each command on a line of its own: `set -e` does not notice a failure before &&.
apt_install() { DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 install "$@" >/dev/null; }

# In an empty folder, by nobody, who has no home and no right to write elsewhere but in /tmp, where nothing may be left.
try_as_nobody() {
  local program
  lacp --version | head -n 1
  for program in fit predict datasets-fetch run; do gzip -t "/usr/share/man/man1/lacp-$program.1.gz"; done
  # shellcheck disable=SC1091
  source /usr/share/bash-completion/completions/lacp
  COMP_WORDS=(lacp datasets fet) COMP_CWORD=2
  _lacp
  [[ ${COMPREPLY[*]} == fetch ]]

  awk 'NR == 1 || NR % 5' /usr/share/lacp/datasets/concrete.csv >known.csv
  awk 'NR == 1 || NR % 5 == 0' /usr/share/lacp/datasets/concrete.csv >held_out.csv
  lacp fit known.csv --target compressive_strength --model concrete.lacp --quiet
  lacp predict concrete.lacp held_out.csv --output intervals.csv
  lacp evaluate concrete.lacp held_out.csv | head -n 3
  lacp datasets fetch abalone
  lacp datasets add known.csv --target compressive_strength >/dev/null
  printf '%s\n' 'title: Mine' 'runs: 1' 'datasets: [abalone, known, cos]' 'methods: [fixed, exp]' 'levels: [0.1]' \
    'training: {epochs: 2}' >mine.yaml
  lacp run mine.yaml --quiet
  lacp report results/mine --quiet
  for program in datasets/cache/abalone.data datasets/known.yaml results/mine/table.csv results/mine/README.md; do [[ -s $program ]]; done

  mkdir example
  cd example
  awk '/^```cpp/ && !n++ { on = 1; next } /^```/ { on = 0 } on' "$source/lib/README.md" >mine.cpp
  { printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(mine LANGUAGES CXX)' 'add_executable(mine mine.cpp)'
    awk '/^```cmake/ { on = 1; next } /^```/ { on = 0 } on' "$source/lib/README.md"; } >CMakeLists.txt
  cmake -B build . >/dev/null
  cmake --build build >/dev/null
  ln -s /usr/share/lacp/datasets datasets
  build/mine
  if compgen -G "$source/build/packages/python3-lacp*" >/dev/null; then
    python3 -B -c 'import numpy, lacp
x = numpy.random.default_rng(1).normal(size=(300, 2))
print(lacp.LacpRegressor().fit(x, x[:, 0]).predict_interval(x).shape)'
  fi
}

for step in "$@"; do
  case $step in
    prepare)
      apt-get -qq update
      apt_install make git ca-certificates
      ;;
    package) make package ;;
    install)
      apt-get -qq update
      apt_install "$source"/build/packages/*.deb
      ;;
    try)
      apt_install g++ cmake make
      folder="$(mktemp -d)" stamp="$(mktemp)"
      chown nobody "$folder"
      (cd "$folder" && setpriv --reuid=nobody --regid=nogroup --clear-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent \
        ${LACP_MIRROR:+"LACP_MIRROR=$LACP_MIRROR"} "$source/scripts/container/steps.sh" try-as-nobody)
      left="$(find / -xdev -newer "$stamp" -user nobody ! -path "$folder*" ! -path '/proc/*')"
      [[ -z $left ]] || { echo "written outside the working folder: $left" && exit 1; }
      [[ -z "$(dpkg --verify lacp liblacp-dev)" ]]
      rm -rf "$folder" "$stamp"
      ;;
    try-as-nobody)
      cd - >/dev/null
      try_as_nobody
      ;;
    commands)
      make test
      make reproduce
      ;;
    *) echo "there is no step $step" && exit 2 ;;
  esac
done
