#!/usr/bin/env bash
# Are inputs the same bytes once put into a file of cases and taken out, and is one that fails named?
# usage: check_cases.sh FUZZ_CASES
set -euo pipefail
folder=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")") work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2 && exit 1; }

# Every file is written as `add` would write it.
for file in "$folder"/*.cases; do
  "$1" unpack "$file" "$work/$(basename "$file" .cases)"
  : >"$work/again.cases"
  sed -n 's/^=== //p' "$file" | (cd "$work/$(basename "$file" .cases)" && xargs -d '\n' "$1" add "$work/again.cases") >/dev/null
  cmp "$file" "$work/again.cases"
done

cd "$work"
printf '%b' "$(printf '\\x%02x' {0..255})" >all-bytes
printf 'a \n\n\\\n \t' >blanks
printf 'break\nit\n' >broken
touch nothing new.cases
"$1" add new.cases all-bytes blanks broken nothing | grep -q '4 cases, 4 of them new' || fail "not all were added"
cp blanks blanks-again
"$1" add new.cases blanks-again | grep -q '4 cases, 0 of them new' || fail "the same bytes were added twice"
"$1" unpack new.cases out
for name in all-bytes blanks broken nothing; do cmp "$name" "out/$name"; done
if "$1" add new.cases absent 2>/dev/null; then fail "a file that is not there was added"; fi

if "$1" new.cases >said; then fail "the replay does not fail"; fi
grep -qE '^FAILED new.cases:[0-9]+: broken: as it was told$' said || fail "the case that fails is not named: $(cat said)"
grep -q '^4 kept and 0 costly inputs, 1 failed;' said || fail "$(cat said)"
printf '=== x\n|a\\z\n' >bad.cases
if "$1" bad.cases 2>said; then fail "an escape that is none is read"; fi
grep -q "^bad.cases:2: " said || fail "$(cat said)"
