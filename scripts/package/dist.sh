#!/usr/bin/env bash
# dist.sh BUILD FOLDER: of a static build, the program as one file, the same with data sets, experiments and the
# licences of all that is linked as a tar.xz, and a wheel; in a clone its sources, too, as pip takes them. All dates are that of
# the commit, or SOURCE_DATE_EPOCH: the same sources give the same bytes.
set -euo pipefail
build=$1 folder=$2
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$("$build/lacp" --version | awk 'NR == 1 { print $2 }')
name=lacp-$version-linux-$(uname -m)
here=$(git -C "$top" rev-parse --show-toplevel 2>/dev/null || true)  # a clone of this, or what an archive was unpacked in
if [[ $here == "$top" ]]; then date=$(git -C "$top" log -1 --format=%ct); else date=$(stat -c %Y "$top/CHANGELOG.md"); fi
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$date}
if ldd "$build/lacp" >/dev/null 2>&1; then echo "dist.sh: $build/lacp is not static" >&2 && exit 1; fi
if ldd "$build/liblacp_python.so" | grep -vE 'linux-vdso|lib(c|m)\.so|ld-linux'; then echo "dist.sh: liblacp_python.so needs these" >&2 && exit 1; fi

rm -rf "$folder" && mkdir -p "$folder"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$build" --prefix "$stage/$name" --component runtime --strip >/dev/null
licences=$stage/$name/share/doc/lacp/linked
mkdir "$licences"
# Whose headers were compiled; those of C and C++ name the packages of their libraries, too.
for package in $(ninja -C "$build" -t deps | sed -n 's/^  *\(\/usr\/\)/\1/p' | sort -u | xargs dpkg -S | sed 's/:.*//' | sort -u); do
  cp "/usr/share/doc/$package/copyright" "$licences/$package"
done
for file in "$top"/.deps/usr/share/doc/*/copyright; do
  if [[ -e $file ]]; then cp "$file" "$licences/$(basename "$(dirname "$file")")"; fi
done
# shellcheck disable=SC2013  # words
for file in $(grep -rhoE '/usr/share/common-licenses/[A-Za-z]+[-0-9.]*[0-9]' "$licences" | sort -u); do cp "$file" "$licences"; done
chmod -R u=rwX,go=rX "$stage/$name"

cp "$stage/$name/bin/lacp" "$folder/$name"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu --directory "$stage" "$name" |
  xz -9 --threads=1 >"$folder/$name.tar.xz"
"$top/scripts/package/lacp_build.py" wheel "$stage/$name" "$folder"
if [[ $here == "$top" ]]; then "$top/scripts/package/lacp_build.py" sdist "$folder"; fi
(cd "$folder" && sha256sum -- *)
