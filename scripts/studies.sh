#!/usr/bin/env bash
# The studies behind the pages in results/ that take longer than `make reproduce`. Stop one at any time: what is done is not
# done again, but by few_rows. The program is build/lacp, or what LACP names. A task that fails, or a data set that cannot be fetched, is counted.
#   scripts/studies.sh frontier [EXPERIMENTS] [options of lacp run, e.g. --jobs 4]
#       Which intervals should I use? Runs frontier, uacqr, foundation and ibug, or those named. The seconds in
#       their cells add up to 1.8 hours of one thread, and some were measured beside other work: with the fastest run of each data set and
#       method for all its runs it is 1.3 hours.
#   scripts/studies.sh verdict [RUNS, default 50] [DATA SETS, default those of Table 1]
#       The comparison with Table 1 with many more runs than the paper's five, to tell noise from a difference. Keeps manifest, table
#       and runs.csv (every run, with the checksum of its cell) in results/verdict/<protocol>, from which the report is made and which
#       `lacp verify` computes again; the cells stay in build/verdict.
#   scripts/studies.sh ablation [RUNS, default 20]
#       Changes one setting of a protocol at a time: which difference between the paper's text, its released code and Table 1
#       matters, and how much. Writes results/ablation/{ablation.csv,README.md}; the cells stay in build/ablation.
#   scripts/studies.sh few_rows
#       Is it better to calibrate by folds (CV+), or to set rows aside, where rows are few? Fits the first 50, 150, 400, 700 and 1,000
#       rows of runs of the data sets in both ways, and writes scores on the test rows to results/few_rows.csv. A quarter of an hour of two cores.
#   scripts/studies.sh folds [FITS, default 70]
#       How much do intervals cover that were calibrated in folds? Fits this many made tables of each kind and size, and prints the table of
#       "Calibration in folds" in lib/README.md, with the deviations of its means. Ten minutes of two cores.
#   scripts/studies.sh drift [options of scripts/drift.py]
#       What does lacp update do when rows drift? Predicts bike, elec2 and homes in order of time, and calibrates by targets as they
#       become known, in seven ways. Writes results/drift. Six minutes of two cores (--jobs 2).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"

run() { "$lacp" run "$@" || (($? == 1)); } # 1: a task failed

frontier() {
  local experiment experiments=(frontier uacqr foundation ibug)
  if (($#)) && [[ $1 != -* ]]; then read -ra experiments <<<"$1" && shift; fi
  for experiment in "${experiments[@]}"; do
    "$lacp" datasets fetch --for "experiments/$experiment.yaml" || (($? == 1)) # 1: one could not be fetched
  done
  for experiment in "${experiments[@]}"; do run "experiments/$experiment.yaml" "$@"; done
  "$lacp" report results
}

verdict() {
  local protocol runs=${1:-50} datasets=${2:-energy_with_y1,concrete,homes,CASP,facebook_1}
  for protocol in release paper; do
    run "experiments/$protocol.yaml" --runs "$runs" --datasets "$datasets" --results build/verdict \
      --set report.role=many_runs "report.base=$protocol"
    mkdir -p "results/verdict/$protocol"
    "$lacp" table "build/verdict/$protocol" --format runs >"results/verdict/$protocol/runs.csv"
    cp "build/verdict/$protocol"/{table.csv,manifest.yaml} "results/verdict/$protocol/"
  done
  "$lacp" report results
}

ablation() {
  local runs=${1:-20}
  # group GROUP DATASETS METHODS NAME PROTOCOL [--set key=value]...
  group() {
    run "experiments/$5.yaml" --datasets "$2" --methods "$3" --runs "$runs" --results "build/ablation/$1/$4" "${@:6}"
  }
  small() { group small energy_with_y1,concrete erc_error_fit,erc,exp,fixed "$@"; }
  facebook() { runs=$((runs / 2)) group facebook facebook_1 erc,exp,fixed "$@"; }
  large() { runs=$((runs / 2)) group large homes,CASP exp,fixed "$@"; }
  both() { small "$@" && facebook "$@"; }

  both release release
  both paper paper

  # The text, made to follow the released code in one respect.
  both paper-g-over-g0 paper --set network.divide_by_origin=true
  both paper-rate-1e-4 paper --set training.learning_rate=0.0001
  small paper-no-root paper --set training.square_root=false
  small paper-fit-g2 paper --set training.squared_error_fit=true
  facebook paper-counts-from-zero paper --set training.selection.count_from_zero=true
  facebook paper-fits-100 paper --set training.selection.fit_rows=100
  facebook paper-impatient paper --set training.selection.patience=1
  facebook paper-floor-quantile paper --set evaluation.quantile=floor_index
  facebook paper-redraws paper --set predictor.redraw_per_part=true

  # The released code, made to follow the text in one respect.
  both release-free-g release --set network.divide_by_origin=false
  both release-counts-from-one release --set training.selection.count_from_zero=false
  both release-rate-1e-3 release --set training.learning_rate=0.001
  both release-validates-fifth release --set training.selection.fit_rows=0
  facebook release-patient release --set training.selection.patience=10
  small release-square-root release --set training.square_root=true
  small release-relu-first release --set network.linear_first=false
  small release-fit-g release --set training.squared_error_fit=false
  small release-fit-g-free-g release --set training.squared_error_fit=false --set network.divide_by_origin=false
  small release-ceiling release --set evaluation.quantile=ceiling
  small release-shuffled release --set training.shuffle=true
  small release-one-predictor release --set predictor.redraw_per_part=false
  group signs energy_with_y1,facebook_1 linear,sigma release release # the methods that know the sign
  group signs energy_with_y1,facebook_1 linear,sigma release-plus-g release --set transformation.minus_g=false

  # What else was in doubt.
  small paper-50-epochs paper --set training.epochs=50
  small paper-gamma-1e-2 paper --set transformation.gamma=0.01
  large paper paper
  large paper-all-points paper --set predictor.points=0
  group small energy erc_error_fit,erc,exp,fixed paper-without-y1 paper # the heating load is an input in Table 1

  "$lacp" ablation build/ablation/{small,facebook,signs,large} --output results/ablation
}

few_rows() {
  local run table rows
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT

  # first PART N FILE: the first N rows of a part, without its name.
  first() { awk -F, -v part="$1" -v n="$2" 'NR == 1 || ($1 == part && n-- > 0)' "$3" | cut -d, -f2-; }

  # scores FOLDS: of a model of the known rows on the test rows, at each level: level, coverage, Winkler score, RMSE.
  scores() {
    "$lacp" fit "$work/known.rows" --target y --calibration-folds "$1" --model "$work/model.$1" --quiet
    "$lacp" evaluate "$work/model.$1" "$work/test.rows" --csv --quiet | awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
      { print $at["level"] "," $at["coverage"] "," $at["winkler"] "," $at["rmse"] }'
  }

  echo "# By lacp of $("$lacp" --version | awk '$1 == "commit" { print $1, $2 }')." >"$work/out"
  echo dataset,rows,run,level,coverage_apart,winkler_apart,rmse_apart,coverage_folds,winkler_folds,rmse_folds,ratio >>"$work/out"
  for run in 0 1; do
    "$lacp" export experiments/frontier.yaml --run $run --output "$work" --quiet \
      --datasets abalone,bike,california,community,concrete,energy,kin8nm,star
    for table in "$work"/*.csv; do
      first test 1000 "$table" >"$work/test.rows"
      for rows in 50 150 400 700 1000; do
        first proper $rows "$table" >"$work/known.rows"
        (($(wc -l <"$work/known.rows") > rows)) || break # the data set has fewer rows
        paste -d, <(scores 0) <(scores 10 | cut -d, -f2-) |
          awk -F, -v key="$(basename "$table" .csv),$rows,$run" '{ printf "%s,%s,%.4f\n", key, $0, $6 / $3 }' >>"$work/out"
      done
      rm "$table"
    done
  done
  mv "$work/out" results/few_rows.csv
}

folds() {
  local fits=${1:-70} method centre name sizes kinds kind rows seed
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT

  # made KIND ROWS SEED: a table. Random numbers of its own, since every awk has others.
  made() {
    awk -v kind="$1" -v n="$2" -v x="$3" '
      function uniform() { x = x * 16807 % 2147483647; return x / 2147483647 }
      function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
      function poisson(mean, p, k) { for (p = uniform(); p > exp(-mean); ++k) p *= uniform(); return k + 0 }
      BEGIN {
        for (i = 0; i < 20; ++i) uniform() # seeds that are near begin alike
        print "a,b,c,y"
        while (n-- > 0) {
          a = uniform(); b = uniform(); c = uniform(); line = 3 * a + 2 * b
          if (kind == "linear") y = line + normal()
          if (kind == "growing") y = line + (0.2 + 2 * a) * normal()
          if (kind == "heavy") y = line + normal() / sqrt((normal() ^ 2 + normal() ^ 2 + normal() ^ 2) / 3)
          if (kind == "counts") y = poisson(exp(line / 3))
          if (kind == "noise") y = normal()
          if (kind == "exact") y = line + 0.001 * normal()
          printf "%.9g,%.9g,%.9g,%.9g\n", a, b, c, y
        }
      }'
  }

  echo "| | rows | mean coverage for .95 / .90 / .68 | deviations of these means |"
  echo "|---|---|---|---|"
  while read -r method centre name sizes kinds; do
    for rows in ${sizes//,/ }; do
      for kind in ${kinds//,/ }; do
        for ((seed = 1; seed <= fits; ++seed)); do
          made "$kind" $((rows + 200)) $seed >"$work/all.csv"
          head -n $((rows + 1)) "$work/all.csv" >"$work/known.csv"
          sed "2,$((rows + 1))d" "$work/all.csv" >"$work/new.csv"
          "$lacp" fit "$work/known.csv" --target y --method "$method" --set "predictor.kind=$centre" --seed $seed \
            --calibration-folds 10 --copies keep --coverage 0.95,0.9,0.68 --model "$work/model" --quiet 2>"$work/said" ||
            { cat "$work/said" >&2 && return 1; }
          "$lacp" evaluate "$work/model" "$work/new.csv" --csv --quiet 2>"$work/said" | awk -F, '
            NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { print $at["level"], $at["coverage"] }'
        done
      done | awk -v name="\`$method\` around $name | $rows" '
        { ++n[$1]; sum[$1] += $2; squares[$1] += $2 * $2 }
        function mean(level) { return sum[level] / n[level] }
        function deviation(level, v) {
          v = (squares[level] / n[level] - mean(level) ^ 2) / (n[level] > 1 ? n[level] - 1 : 1)
          return v > 0 ? sqrt(v) : 0 # below: rounding
        }
        END { printf "| %s | %.3f / %.3f / %.3f | %.3f / %.3f / %.3f |\n", name, mean("0.05"), mean("0.1"), mean("0.32"),
                deviation("0.05"), deviation("0.1"), deviation("0.32") }'
    done
  done <<END
fixed knn KNN 30,40,50 linear,growing,heavy,counts,noise,exact
fixed boosted trees 30,50 linear,growing,heavy,counts,noise,exact
forest stack stack 40,60 linear,growing,heavy,counts
END
}

drift() {
  "$lacp" datasets fetch bike elec2 homes
  LACP="$lacp" python3 scripts/drift.py "$@"
}

case "${1:-}" in
  frontier | verdict | ablation | few_rows | folds | drift) "$@" ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' scripts/studies.sh >&2 && exit 2 ;;
esac
