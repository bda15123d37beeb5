#!/usr/bin/env bash
# Is it better to calibrate by folds (CV+), or to set rows aside, where rows are few? Fits the first 50, 150 and 400 rows of
# runs of the data sets in both ways, and writes scores on the test rows to results/few_rows.csv. Five minutes of two cores.
# usage: LACP=build/lacp scripts/few_rows.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp=${LACP:-build/lacp} out=results/few_rows.csv work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# first PART N FILE: the first N rows of a part, without its name.
first() { awk -F, -v part="$1" -v n="$2" 'NR == 1 || ($1 == part && n-- > 0)' "$3" | cut -d, -f2-; }

# scores FOLDS: of a model of the known rows on the test rows, at each level: level, coverage, Winkler score, RMSE.
scores() {
  "$lacp" fit "$work/known.rows" --target y --calibration-folds "$1" --model "$work/model.$1" --quiet
  "$lacp" evaluate "$work/model.$1" "$work/test.rows" --csv --quiet | awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    { print $at["level"] "," $at["coverage"] "," $at["winkler"] "," $at["rmse"] }'
}

echo dataset,rows,run,level,coverage_apart,winkler_apart,rmse_apart,coverage_folds,winkler_folds,rmse_folds,ratio >"$work/out"
for run in 0 1; do
  "$lacp" export experiments/frontier_boosted.yaml --run $run --output "$work" --quiet \
    --datasets abalone,bike,california,community,concrete,energy,kin8nm,star
  for table in "$work"/*.csv; do
    first test 1000 "$table" >"$work/test.rows"
    for rows in 50 150 400; do
      first proper $rows "$table" >"$work/known.rows"
      paste -d, <(scores 0) <(scores 10 | cut -d, -f2-) |
        awk -F, -v key="$(basename "$table" .csv),$rows,$run" '{ printf "%s,%s,%.4f\n", key, $0, $6 / $3 }' >>"$work/out"
    done
    rm "$table"
  done
done
mv "$work/out" "$out"
