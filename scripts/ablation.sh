#!/usr/bin/env bash
# Changes one setting of a protocol at a time and collects the sizes: which difference between the paper's text, its
# released code and Table 1 matters, and how much. Writes results/ablation/sizes.csv; what is done is not done again.
# usage: scripts/ablation.sh [RUNS, default 20]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
runs=${1:-20}
out=results/ablation
scratch=build/ablation # the cells: thousands of small files that the csv sums up

# variant NAME PROTOCOL [--set key=value]...
variant() {
  local name=$1 protocol=$2
  shift 2
  build/lacp run "experiments/$protocol.yaml" --datasets "${datasets:-energy_with_y1,concrete}" \
    --methods erc_error_fit,erc,exp,fixed --runs "$runs" --results "$scratch/$name" "$@" || (($? == 1))
  build/lacp table "$scratch/$name/$protocol" >/dev/null
  awk -v name="$name" -v protocol="$protocol" 'NR > 1 { print name "," protocol "," $0 }' \
    "$scratch/$name/$protocol/table.csv" >>"$sizes"
}

mkdir -p "$scratch" "$out"
sizes=$(mktemp "$scratch/sizes.XXXXXX")
for protocol in release paper; do
  variant "$protocol" "$protocol"
done

# The released code, made to follow the text in one respect.
variant release-free-g release --set network.divide_by_origin=false
variant release-square-root release --set training.square_root=true
variant release-relu-first release --set network.linear_first=false
variant release-fit-g release --set training.squared_error_fit=false
variant release-fit-g-free-g release --set training.squared_error_fit=false --set network.divide_by_origin=false
variant release-ceiling release --set evaluation.quantile=ceiling
variant release-shuffled release --set training.shuffle=true
variant release-one-predictor release --set predictor.redraw_per_part=false
variant release-counts-from-one release --set training.selection.count_from_zero=false
variant release-validates-fifth release --set training.selection.fit_rows=0
variant release-rate-1e-3 release --set training.learning_rate=0.001
variant release-plus-g release --set transformation.minus_g=false

# The text, made to follow the released code in one respect.
variant paper-g-over-g0 paper --set network.divide_by_origin=true
variant paper-no-root paper --set training.square_root=false
variant paper-fit-g2 paper --set training.squared_error_fit=true
variant paper-rate-1e-4 paper --set training.learning_rate=0.0001
variant paper-50-epochs paper --set training.epochs=50
variant paper-gamma-1e-2 paper --set transformation.gamma=0.01

# What Table 1 implies.
variant paper-all-points paper --set predictor.points=0
datasets=energy variant paper-energy-without-y1 paper

# The large set on which the text and Table 1 differ most, in five runs.
runs=5 datasets=facebook_1 variant facebook paper
runs=5 datasets=facebook_1 variant facebook-rate-1e-4 paper --set training.learning_rate=0.0001
runs=5 datasets=facebook_1 variant facebook-release release

header=$(head -n 1 "$scratch/paper/paper/table.csv")
{ echo "variant,protocol,$header"; cat "$sizes"; } >"$out/sizes.csv.tmp"
mv "$out/sizes.csv.tmp" "$out/sizes.csv"
rm "$sizes"
awk -f scripts/ablation.awk "$out/sizes.csv" >"$out/README.md"
echo "wrote $out/sizes.csv and $out/README.md"
