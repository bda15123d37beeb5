#!/usr/bin/env bash
# Changes one setting of a protocol at a time: which difference between the paper's text, its released code and Table 1
# matters, and how much. Writes results/ablation/{ablation.csv,README.md}; what is done is not done again.
# usage: scripts/ablation.sh [RUNS, default 20]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"
runs=${1:-20}
scratch=build/ablation # the cells, which the csv sums up

# run GROUP DATASETS METHODS NAME PROTOCOL [--set key=value]...
run() {
  local group=$1 datasets=$2 methods=$3 name=$4 protocol=$5
  shift 5
  "$lacp" run "experiments/$protocol.yaml" --datasets "$datasets" --methods "$methods" --runs "$runs" \
    --results "$scratch/$group/$name" "$@" || (($? == 1)) # 1: a training diverged, which is counted
}
small() { run small energy_with_y1,concrete erc_error_fit,erc,exp,fixed "$@"; }
facebook() { runs=$((runs / 2)) run facebook facebook_1 erc,exp,fixed "$@"; }
large() { runs=$((runs / 2)) run large homes,CASP exp,fixed "$@"; }
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
run signs energy_with_y1,facebook_1 linear,sigma release release # the methods that know the sign
run signs energy_with_y1,facebook_1 linear,sigma release-plus-g release --set transformation.minus_g=false

# What else was in doubt.
small paper-50-epochs paper --set training.epochs=50
small paper-gamma-1e-2 paper --set transformation.gamma=0.01
large paper paper
large paper-all-points paper --set predictor.points=0
run small energy erc_error_fit,erc,exp,fixed paper-without-y1 paper # the heating load is an input in Table 1

"$lacp" ablation "$scratch"/{small,facebook,signs,large} --output results/ablation
