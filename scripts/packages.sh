# What lacp is built with, tested with and compared with, in one table; scripts/setup.sh reads it. The probe is how a
# thing is found on a system whose package manager is not known. "(…)" in a column is advice where there is no package.
# "more" and "web" are for tests that are skipped without them, "fuzz" for `make fuzz`, "cover" for `make coverage`, "deb" for
# `make package`, "peers" for the benchmark beside other libraries, "tex" for the tests and, with "svg", for `make article`.
# shellcheck shell=bash disable=SC2034

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

# Debian's names, without those; ca-certificates serves curl, lmodern the fonts of the tables.
build_packages="$(package_table | grep '^build' | grep -vE "$from_debian_13" | column 4) ca-certificates"
tex_packages="$(package_table | grep '^tex' | column 4) lmodern"
svg_packages="$(package_table | grep '^svg' | column 4)"
test_packages="$(package_table | grep '^test' | column 4)"
# For the other architecture, which the same bytes are expected of: its compiler, and what runs its programs.
cross_packages() {
  case "$(dpkg --print-architecture 2>/dev/null)" in
    arm64) echo g++-x86-64-linux-gnu qemu-user-static ;;
    amd64) echo g++-aarch64-linux-gnu qemu-user-static ;;
  esac
}
more_packages="$(package_table | grep '^more' | column 4) $(cross_packages)"
web_packages="$(package_table | grep '^web' | column 4)"
deb_packages="$(package_table | grep '^deb' | column 4)"
peers_packages="$(package_table | grep '^peers' | column 4)"
cover_packages="$(package_table | grep '^cover' | column 4)"
fuzz_packages="$(package_table | grep '^fuzz' | column 4)"
