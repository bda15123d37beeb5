#!/usr/bin/env bash
# files.sh PROGRAM VERSION FOLDER: writes what a package has besides what was built: man pages from --help, one per command
# (FOLDER/man1), copyright and changelog.Debian.gz. All dates are that of the commit, or SOURCE_DATE_EPOCH.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
source="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
program="$1" version="$2" folder="$3"
epoch="${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CHANGELOG.md")}"
rm -rf "$folder" && mkdir -p "$folder/man1"

# The text on the standard input as a man page: NAME, SYNOPSIS, the lists, and what stands below them.
page() {
  awk -v path="$1" -v date="$(date -d "@$epoch" +%Y-%m-%d)" -v version="${version%%-*}" '
    function plain(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/`/, "\\(ga", text); return text ~ /^[.\x27]/ ? "\\&" text : text }
    function heading(title) { print ".SH " toupper(title); section = title }
    BEGIN {
      name = path; gsub(/ /, "-", name)
      printf ".TH %s 1 %s \"lacp %s\" \"User Commands\"\n", toupper(name), date, version
      heading("name"); printf "%s \\- ", plain(name)
    }
    section == "name" { sub(/^lacp: /, "") }
    /^Usage: / { heading("synopsis"); print ".B " plain(path); $0 = substr($0, 8 + length(path)) }
    /^(Arguments|Options|Commands|Examples):$/ { heading(substr($0, 1, length($0) - 1)); next }
    /^$/ { next }
    section == "Examples" && /^  / { if (/^  [^ ]/) print ".PP"; sub(/^ +/, ""); print plain($0); next }
    /^  [^ ]/ {  # an entry: at most 24 characters of its name, then what it is for
      about = substr($0, 27); entry = substr($0, 3, 24); sub(/ +$/, "", entry)
      if (substr($0, 26, 1) != " " && length($0) > 25) { entry = substr($0, 3); about = "" }
      split(entry, word, " ")
      printf ".TP\n\\fB%s\\fR%s\n", plain(word[1]), word[2] == "" ? "" : " \\fI" plain(substr(entry, length(word[1]) + 2)) "\\fR"
      if (about != "") print plain(about)
      next
    }
    /^[^ ]/ && section !~ /name|synopsis|Exit status|Notes/ { if (sub(/^Exit codes: /, "")) heading("Exit status"); else heading("Notes") }
    { sub(/^ +/, ""); print plain($0) }
    END { heading("see also"); print (path == "lacp" ? ".BR lacp\\-fit (1)," : ".BR lacp (1),"); print "https://arxiv.org/abs/2306.04648" }'
}
pages() {  # of a command and of those below it
  local help command
  help="$("$program" "${@:2}" --help)"
  page "$*" <<<"$help" | gzip -9n >"$folder/man1/$(tr ' ' - <<<"$*").1.gz"
  # shellcheck disable=SC2013  # words
  for command in $(sed '1,/^Commands:$/d; /^$/,$d; /^   /d' <<<"$help" | awk '{ print $1 }'); do pages "$@" "$command"; done
}
pages lacp

indented() { sed -e 's/^$/./' -e 's/^/ /' "$source/$1"; }
{
  cat "$source/scripts/package/copyright"
  printf '\nLicense: BSD-3-Clause\n' && indented LICENSE
  printf '\nLicense: ISC-and-Expat\n' && indented experiments/page/vendor/LICENSE
} >"$folder/copyright"
gzip -9n >"$folder/changelog.Debian.gz" <<END
lacp ($version) stable; urgency=medium

  * What changed is in CHANGELOG.md of the source.

 -- The lacp authors <lacp@example.org>  $(date -Rd "@$epoch")
END
