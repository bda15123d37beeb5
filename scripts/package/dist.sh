#!/usr/bin/env bash
# dist.sh BUILD FOLDER: of a static build, the program as one file, the same with man pages, data sets and experiments as a
# tar.xz, and a wheel. All dates are that of the commit, or SOURCE_DATE_EPOCH: the same sources give the same bytes.
set -euo pipefail
build=$1 folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$("$build/lacp" --version | awk 'NR == 1 { print $2 }')
name=lacp-$version-linux-$(uname -m)
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct 2>/dev/null || stat -c %Y "$here/../../CHANGELOG.md")}"
export SOURCE_DATE_EPOCH
if ldd "$build/lacp" >/dev/null 2>&1; then echo "dist.sh: $build/lacp is not static" >&2 && exit 1; fi

rm -rf "$folder" && mkdir -p "$folder"
strip -o "$folder/$name" "$build/lacp"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$build" --prefix "$stage/$name" --component runtime >/dev/null
cp "$folder/$name" "$stage/$name/bin/lacp"
chmod -R u=rwX,go=rX "$stage/$name"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu --directory "$stage" "$name" |
  xz -9 --threads=1 >"$folder/$name.tar.xz"
"$here/wheel.py" "$folder/$name" "$version" "$folder"
(cd "$folder" && sha256sum -- *)
