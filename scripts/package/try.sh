#!/usr/bin/env bash
# Installs the packages beside this file, as root in a bare Debian, and does with them what users do, in an empty folder, by
# nobody, who has no home and no right to write elsewhere but in /tmp, where nothing may be left. test.sh calls it.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if [[ ${1:-} != as-nobody ]]; then
  # Each command on a line of its own: `set -e` does not notice a failure before &&.
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 install \
    "$here"/packages/*.deb g++ cmake make >/dev/null
  folder="$(mktemp -d)" stamp="$(mktemp)"
  chown nobody "$folder"
  (cd "$folder" && setpriv --reuid=nobody --regid=nogroup --clear-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent \
    ${LACP_MIRROR:+"LACP_MIRROR=$LACP_MIRROR"} "$here/try.sh" as-nobody)
  left="$(find / -xdev -newer "$stamp" -user nobody ! -path "$folder*" ! -path '/proc/*')"
  [[ -z $left ]] || { echo "written outside the working folder: $left" && exit 1; }
  [[ -z "$(dpkg --verify lacp liblacp-dev)" ]]
  exit
fi

lacp --version | head -n 1
for page in fit predict datasets-fetch run; do gzip -t "/usr/share/man/man1/lacp-$page.1.gz"; done
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
for file in datasets/cache/abalone.data datasets/known.yaml results/mine/table.csv results/mine/README.md; do [[ -s $file ]]; done

mkdir example
cd example
awk '/^```cpp/ && !n++ { on = 1; next } /^```/ { on = 0 } on' "$here/README.md" >mine.cpp
{ printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(mine LANGUAGES CXX)' 'add_executable(mine mine.cpp)'
  awk '/^```cmake/ { on = 1; next } /^```/ { on = 0 } on' "$here/README.md"; } >CMakeLists.txt
cmake -B build . >/dev/null
cmake --build build >/dev/null
ln -s /usr/share/lacp/datasets datasets
build/mine
if compgen -G "$here/packages/python3-lacp*" >/dev/null; then
  python3 -B -c 'import numpy, lacp
x = numpy.random.default_rng(1).normal(size=(300, 2))
print(lacp.LacpRegressor().fit(x, x[:, 0]).predict_interval(x).shape)'
fi
