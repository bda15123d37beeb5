#!/usr/bin/env bash
# archive.sh FILE [MADE...]: one file for a deposit: the sources and results of a commit (COMMIT, else HEAD), what was made of
# them (article, wheel, static program), a README and checksums of all. Names are sorted, dates are that of the commit: the same
# commit and files give the same bytes. PATHS: of the sources these alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
file=$(realpath -m "$1") made=("${@:2}") paths=()
commit=$(git rev-parse --verify "${COMMIT:-HEAD}^{commit}")
read -r -a paths <<<"${PATHS:-}"
cited() { git show "$commit:CITATION.cff" | sed -nE "s/^$1\"?([^\"]*)\"?\$/\1/p" | head -n 1; }
version=$(cited 'version: ') title=$(cited 'title: ') authors=$(cited '  - name: ')
date=$(git log -1 --format=%ct "$commit")
tag=$(git describe --tags --exact-match "$commit" 2>/dev/null || echo "no tag")
for field in version title; do
  git show "$commit:.zenodo.json" | grep -qF "\"$field\": \"${!field}\"" ||
    { echo "archive.sh: .zenodo.json and CITATION.cff have another $field; make version" >&2 && exit 1; }
done

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
top=$stage/lacp-$version
mkdir -p "$top/source" "$top/made"
git archive "$commit" "${paths[@]}" | tar -x -C "$top/source"
for one in "${made[@]}"; do cp "$one" "$top/made"; done
program=$(cd "$top" && find made -name 'lacp-*-linux-*' ! -name '*.whl' ! -name '*.tar.xz' | sort | head -n 1)
cat >"$top/README.txt" <<END
$title
Version $version, commit $commit ($tag), $(date -ud "@$date" +%F). $authors. $(cited 'license: ').
source: the repository at this commit; its README.md says what it is, results/README.md what was found, results/ has every number.
made: what was made of it: article, wheel for Python, static program for Linux (as far as they are here).
To check it in five minutes:
  sha256sum --check --quiet SHA256SUMS                              every file is as it was deposited
  cd source && install ../${program:-made/lacp} /usr/local/bin/lacp   or make, on Debian 12 or 13: some minutes
  lacp datasets fetch                                               what is missing is left out below
  python3 scripts/check_claims.py \$(command -v lacp) --minutes 2   claims judged, cells computed again, bytes compared
All of it: make reproduce-all (half an hour). What each command does: source/experiments/README.md.
END
(cd "$top" && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS)
chmod -R u=rwX,go=rX "$top"
mkdir -p "$(dirname "$file")"
LC_ALL=C tar --create --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --format=gnu --directory "$stage" "lacp-$version" |
  gzip -9n >"$file"
sha256sum "$file"
