#!/usr/bin/env bash
# The licence of every tracked file is known: a pattern in scripts/package/copyright stands for it, and whoever the file itself
# names as its author is named there. Every pattern stands for a file, every licence has a text.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
list=scripts/package/copyright failures=0
fail() { echo "FAILED: $*"; failures=1; }
git rev-parse --git-dir >/dev/null 2>&1 || { echo "skipped: this is no clone, so there are no tracked files" && exit 77; }

patterns=() licences=() holders=() used=()
while IFS='|' read -r pattern licence holder; do
  patterns+=("$pattern") licences+=("$licence") holders+=("$holder") used+=(0)
done < <(awk 'BEGIN { RS = ""; FS = "\n" }
  /^Files:/ {
    field = files = holder = licence = ""
    for (i = 1; i <= NF; ++i) {
      if (match($i, /^[A-Z][a-z]+: /)) { field = substr($i, 1, RLENGTH - 2); $i = substr($i, RLENGTH + 1) }
      if (field == "Files") files = files " " $i
      if (field == "Copyright") holder = holder " " $i
      if (field == "License") licence = $i
    }
    count = split(files, pattern, " ")
    for (i = 1; i <= count; ++i) print pattern[i] "|" licence "|" holder
  }' $list)

declare -A stanza
while IFS= read -r -d '' file; do
  for i in "${!patterns[@]}"; do
    # shellcheck disable=SC2053  # a pattern
    if [[ $file == ${patterns[i]} ]]; then stanza[$file]=$i used[i]=1; fi
  done
  [[ -v stanza[$file] ]] || fail "$file: no pattern in $list stands for it; add one with its copyright and licence"
done < <(git ls-files -z)
while IFS='|' read -r file name; do
  holder="${holders[${stanza[$file]:-0}]}"
  [[ $holder == *"$name"* ]] || fail "$file: names $name, and $list only$holder"
done < <(git grep -aoE 'Copyright (\(c\) )?[12][0-9]{3}[-0-9]*,? [A-Za-z]+( [A-Za-z]+)*' -- ":!$list" |
  sed -E 's/:Copyright [^A-Za-z]*(\(c\))?[^A-Za-z]*/|/')
# Paragraphs of their own there, or printed by files.sh.
texts="$(awk 'BEGIN { RS = ""; FS = "\n" } /^License:/ { print $1 }' $list
  sed -nE "s/.*'.n(License: [^\\]+).n'.*/\1/p" scripts/package/files.sh)"
for i in "${!patterns[@]}"; do
  ((used[i])) || fail "$list: no file matches ${patterns[i]}"
  for licence in ${licences[i]// and / }; do
    grep -qE "^License: $licence$" <<<"$texts" || fail "$list: there is no text of $licence"
  done
done
exit $failures
