#!/usr/bin/env bash
# Checks the types of the page's script (experiments/page/*.js, written in JSDoc) with TypeScript. Needs npm; what it
# fetches, at fixed versions, goes to .cache/page. Exit code 77: there is no npm, or no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=.cache/page
command -v npm >/dev/null || { echo "SKIPPED: not installed: npm (Debian: apt-get install npm)"; exit 77; }
wanted="typescript@5.9.3 @types/d3@7.4.3 @observablehq/plot@0.6.17"
if [[ ! -r $place/stamp || "$(<$place/stamp)" != "$wanted" ]]; then
  mkdir -p $place
  # shellcheck disable=SC2086  # several packages
  npm install --fetch-retries 0 --fetch-timeout 60000 --silent --no-save --no-audit --no-fund --ignore-scripts --prefix $place $wanted ||
    { echo "SKIPPED: npm could not fetch $wanted"; exit 77; }
  echo "$wanted" >$place/stamp
fi
$place/node_modules/.bin/tsc --project experiments/page
echo "no type is wrong"
