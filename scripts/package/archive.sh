#!/usr/bin/env bash
# archive.sh FOLDER [MADE...]: one file for a deposit: the sources and results of a commit (COMMIT, else HEAD), what was made of
# them (article, wheel, static program), a README and checksums of all. Names are sorted, dates are that of the commit: the same
# commit and files give the same bytes. It is named by the version if the commit has its tag, else by the commit, with a warning.
# PATHS: of the sources these alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(realpath -m "$1") made=("${@:2}") paths=()
commit=$(git rev-parse --verify "${COMMIT:-HEAD}^{commit}")
read -r -a paths <<<"${PATHS:-}"
cited() { git show "$commit:CITATION.cff" | sed -nE "s/^$1\"?([^\"]*)\"?\$/\1/p" | head -n 1; }
version=$(cited 'version: ') title=$(cited 'title: ') authors=$(cited '  - name: ')
date=$(git log -1 --format=%ct "$commit")
if git tag --points-at "$commit" | grep -qx "v$version"; then
  name=lacp-$version what="Version $version, commit $commit"
else
  name=lacp-${commit:0:12} what="Not a release, but commit $commit (its next or last version: $version)"
  echo "archive.sh: the commit has no tag v$version, so the archive is named by the commit; for a release: git tag v$version" >&2
fi
for field in version title; do
  git show "$commit:.zenodo.json" | grep -qF "\"$field\": \"${!field}\"" ||
    { echo "archive.sh: .zenodo.json and CITATION.cff have another $field; make version" >&2 && exit 1; }
done

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
top=$stage/$name
mkdir -p "$top/source" "$top/made"
git archive "$commit" "${paths[@]}" | tar -x -C "$top/source"
for one in "${made[@]}"; do cp "$one" "$top/made"; done
program=$(cd "$top" && find made -name 'lacp-*-linux-*' ! -name '*.whl' ! -name '*.tar.xz' | sort | head -n 1)
if [[ $program ]]; then
  enter="lacp=../$program" how="the static program for Linux"
else
  enter="make && lacp=build/lacp" how="on Debian 12 or 13: some minutes"
fi
line() { printf '  %-66s%s\n' "$1" "$2"; }
cat >"$top/README.txt" <<END
$title
$what, $(date -ud "@$date" +%F). $authors. $(cited 'license: ').
source: the repository at this commit; its README.md says what it is, results/README.md what was found, results/ has every number.
made: what was made of it: article, wheel for Python, static program for Linux (as far as they are here).
To check it in five minutes:
$(line 'sha256sum --check --quiet SHA256SUMS' 'every file is as it was deposited')
$(line "cd source && $enter" "$how")
$(line "\$lacp datasets fetch" 'a set that stays missing makes the check incomplete')
$(line "python3 scripts/check_claims.py \$lacp --minutes 2" 'claims judged, cells computed again, bytes compared')
All of it: make reproduce-all (half an hour). What each command does: source/experiments/README.md.
END
(cd "$top" && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS)
chmod -R u=rwX,go=rX "$top"
mkdir -p "$folder"
file=$folder/$name-archive.tar.gz
LC_ALL=C tar --create --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --format=gnu --directory "$stage" "$name" |
  gzip -9n >"$file"
sha256sum "$file"
