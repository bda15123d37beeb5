#!/usr/bin/env bash
# Would the tests notice? Breaks one formula at a time in a copy of the sources and checks that a named test fails.
# usage: scripts/mutations.sh [WORD: only mutations whose line has it | --table: only whether the table fits the sources]
# Exit code 0 if every mutant was noticed, 1 if one lived, 2 if the table below does not fit the sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
copy=$PWD/build/mutants only=${1:-}

# what is broken | file below lib/lacp | what stands there | what stands there instead | tests of lib/test that must notice
mutations() {
  cat <<'TABLE'
sign of g in exp              | conformal/paper/classes/transformations.hpp | { return -0.5 * g; } | { return 0.5 * g; } | transformations fixtures
gamma dropped in erc          | conformal/paper/classes/transformations.hpp | 0.5 * math::log(g * g + gamma) | 0.5 * math::log(g * g) | transformations fixtures
rank without the +1           | base/level.cpp | (n + 1) * covered + unit | n * covered + unit | intervals
floor rule one rank lower     | base/level.cpp | n * covered / unit) + 1 | n * covered / unit) | intervals
left-out point not left out   | conformal/intervals.cpp | scores(i) <= here ? next : here | here | intervals
square root dropped           | conformal/paper/classes/scale_family.hpp | options.released.square_root ? 0.5 : 1.0 | false ? 0.5 : 1.0 | objective fixtures
diagonal kept in the sum      | conformal/paper/classes/scale_family.hpp | unit * (u_sum * t_sum - diagonal) | unit * (u_sum * t_sum) | objective fixtures
diagonal kept in the gradient | conformal/paper/classes/scale_family.hpp | et * u_sum - both | et * u_sum | objective fixtures
diagonal counted              | conformal/paper/classes/objective.hpp | options.released.count_diagonal ? n : n - 1 | n | objective fixtures
error fit without chain rule  | conformal/paper/classes/objective.cpp | 2.0 * g_n : 1.0 | 1.0 : 1.0 | fixtures objective
mixture loses a slope         | conformal/paper/classes/transformations.cpp | + weight_[1] + weight_[3] * s * (1.0 - s) | + weight_[1] | transformations sorted_roots
no gradient through g(0)      | model/trainer.cpp | static_cast<float>(by_origin) | 0.0f | fixtures fit_localizer
K off by one                  | model/knn.cpp | taken < grid[g] | taken + 1 < grid[g] | knn
ties by tree order            | model/knn.cpp | nearest_.front() < own) return; | nearest_.front().distance <= own.distance) return; | knn
ties found in half of the tree | model/knn.cpp | (1.0 + rounding); | (1.0 - rounding); | knn
fewest scores one short        | base/level.cpp | (denominator_ - 1) / numerator_ | (denominator_ - 1) / numerator_ - 1 | fit_localizer
thresholds of unsorted scores  | conformal/score.cpp | push_back(arma::sort(scores)) | push_back(scores) | baselines
log loss with its diagonal    | conformal/paper/classes/scale_family.hpp | before[0][i] = x_before; | before[0][i] = log_add(x_before, x[i]); | objective
log loss without its rescaling | conformal/paper/classes/general_class.hpp | if (terms != 0.0) scale(math::exp(top - exponent)) | {} | objective
own score among the pairs     | conformal/paper/classes/general_class.hpp | term[scores.place(m)] = 0.0; | | objective sorted_roots
stops before the root         | conformal/paper/classes/roots.hpp | small_step = 8e-5 | small_step = 8e-3 | sorted_roots
many roots without a slope    | conformal/paper/classes/transformations.cpp | ae + w1 + w3 * s1, inverse | ae + w1, inverse | sorted_roots
above the codomain is empty   | conformal/paper/classes/roots.hpp | high == widest_log) return HUGE_VAL | high == widest_log) return std::nullopt | transformations
folds overlap                 | model/knn.cpp | if (left_out_.begin <= index && index < left_out_.end) return; | | knn
no derivative of ReLU         | model/mlp.cpp | layers_[l - 1].relu ? H + p * points * rows : nullptr | nullptr | centre fixtures
Adam without bias correction  | model/adam.cpp | 1.0 / std::sqrt(1.0 - power2_) | 1.0 | fixtures
vectors go past the columns   | model/kernels/vector_kernels.hpp | (end < p.columns ? end : p.columns) - lanes<V> | end - lanes<V> | kernels
fma rounds twice              | model/kernels/vectors.hpp | (away & even & inexact) | (away & 0) | kernels
NaN lost in ReLU              | model/kernels/kernels.hpp | p.relu && sum <= 0.0f | p.relu && !(sum > 0.0f) | kernels
exp from a rounded table      | base/math.cpp | (t[1] + t[0] * q) | (t[0] * q) | math
deviation by n - 1            | base/sums.hpp | return std::sqrt(squares / static_cast<double>(std::size(values))) | return std::sqrt(squares / static_cast<double>(std::size(values) - 1)) | data
parts of the split overlap    | data/split.cpp | .train = {test_end, train_end} | .train = {order.begin(), train_end} | data
retrains one epoch less       | conformal/paper/training/fit_localizer.cpp | epoch <= result.best_epoch; | epoch < result.best_epoch; | fit_localizer
adapts the wrong way round    | conformal/paper/classes/objective.cpp | (1.0 - theta) / theta | theta / (1.0 - theta) | objective
limit of θ = 1 left out       | conformal/paper/classes/objective.cpp | >= 1e-8 | >= 0.0 | objective
score not in units of fixed   | conformal/paper/training/validation.cpp | of_fixed : found / fixed_[i]; | of_fixed : found; | validation
fixed never chosen            | conformal/paper/training/fit_localizer.cpp | best.value >= Validation::of_fixed | false | adapt
bound itself not covered      | conformal/intervals.hpp | y <= upper_end(f, bounds.above(n)) | y < f + bounds.above(n) | intervals
lower bound not covered       | conformal/intervals.hpp | lower_end(f, bounds.below(n)) <= y | f - bounds.below(n) < y | intervals
beta dropped in knn_error     | conformal/baselines/neighbours.cpp | sigma.t() + beta_ | sigma.t() | baselines
one bin for all               | conformal/baselines/neighbours.cpp | bins->bin.push_back(bin_of(calibration.local(0, i), bins->edges)) | bins->bin.push_back(0) | baselines
crossed quantiles not sorted  | conformal/baselines/cqr.cpp | std::sort(begin, end); | (void)begin, (void)end; | baselines
pinball upside down           | conformal/baselines/cqr.cpp | tau[k] - 1.0 | -tau[k] | baselines
ml loses a sign               | conformal/baselines/ml.cpp | < 0.0 ? -slope : slope | < 0.0 ? slope : slope | baselines
scaling by all rows           | conformal/predictor/centred_parts.cpp | Scaling::fit(X_first, y(first_rows)) | Scaling::fit(X, y) | leaks
centre fitted on all rows     | conformal/predictor/centred_parts.cpp | fit_centre(first.X, first.y, | fit_centre(scaling.attributes(X), scaling.targets(y), | leaks
cells filled from all rows    | table/table_model.cpp | known_means(rows.X.cols(arma::uvec(rows.split.proper)) | known_means(rows.X | leaks
a row sees its own target     | table/table_rows.cpp | of[folds_of_means].without(of[fold[n]]) | of[folds_of_means] | notation
level means from all rows     | table/table_rows.cpp | for (const arma::uword n : training) | for (arma::uword n = 0; n < y.n_elem; ++n) | notation
groups of two digits          | table/notation.cpp | : part.size() == 3; | : part.size() <= 3; | notation
errors of fitted rows         | model/centre.cpp | X.cols(others), y(others) | X, y | cross_fit
validates on fitted rows      | conformal/paper/training/fit_localizer.cpp | validation_columns(rows.second) | validation_columns(rows.first) | validation
last epoch is the best        | conformal/paper/training/fit_localizer.cpp | if (score.value < best.value) | if (true) | validation
epochs counted from one       | conformal/paper/training/fit_localizer.cpp | if (options.selection.released.count_from_zero) result.best_epoch -= 1; | | fit_localizer
a whole level on each side    | conformal/score.cpp | level.half() | level | two_sided
leaves take a slope whole      | model/trees/boosting.cpp | learning_rate_ * static_cast<double>(leaf.sum) | static_cast<double>(leaf.sum) | boosted
folds of rows they have seen   | model/trees/boosted.cpp | folds[k].fitted, folds[k].held, | folds[k].held, folds[k].held, | boosting
trees see all attributes       | model/trees/tree_grower.cpp | drawn_.resize(count); | | boosting
random trees of held rows      | model/stack.cpp | RandomTrees::fit(bins_, y_, fitted, | RandomTrees::fit(bins_, y_, held, | stack
every member is worth its time | model/stack_weights.cpp | 1.0 - with_it / without_it | 1.0 | stack
few rows choose by one fold    | model/trees/boosting.cpp | for (const Booster* one : all) sum += one->loss(round); | for (const Booster* one : all) sum = one->loss(round); | boosting
a leaf counts as one row       | model/trees/forest.cpp | weight_of_tree / (end - begin) | weight_of_tree / 64 | quantile_forest
leaves of a tree are too small | model/trees/tree_grower.cpp | if (leaf.size() < 2 * options_.least_rows) return; | | quantile_forest
a weight below zero            | model/stack_weights.cpp | return !(weight >= 0.0); | return false; | stack
networks see far-out rows      | model/stack.cpp | X(i, n) = std::clamp(X(i, n), low(i), high(i)) | X(i, n) += 0.0 | stack
ends by errors alone           | conformal/baselines/forest_choice.cpp | (1.0 - ends.mix) * all + ends.mix * targets->quantiles(Z, of) | all | forest_score
one threshold for all rows     | conformal/baselines/forest_score.cpp | if (m > least_unit) | if (m > 1e300) | forest_score
a row's own value out of bag   | model/trees/forest.cpp | weights[bags.codes[first + n]] -= own; | | choice
a group's values out of bag    | model/trees/forest_growth.cpp | divide_rows(n, most, groups, drawn).first | divide_rows(n, most, {}, drawn).first | choice
chosen without being sure      | model/choice.cpp | && gain > deviation_of(gains) / std::sqrt(n - 1.0) | | choice
the most frequent code twice   | model/trees/tree_splits.cpp | sum -= histogram.sums[bin] | sum += histogram.sums[bin] | boosting
a fold's model sees its rows    | conformal/predictor/centred_parts.cpp | for (std::size_t i = end; i < begin + n; ++i) | for (std::size_t i = begin; i < begin + n; ++i) | cross_fit
inner ends of CV+              | conformal/predictor/predictor_folds.cpp | begin + static_cast<std::ptrdiff_t>(rank - 1) | begin + static_cast<std::ptrdiff_t>(rank / 2) | cross_fit
sides of folds at alpha        | conformal/predictor/predictor_folds.cpp | each_side ? level.half() : level | level | updates
arrival lost in the file       | conformal/predictor/model_file.cpp | fold.arrived = in.array<std::vector<std::uint64_t>>(); | fold.arrived = in.array<std::vector<std::uint64_t>>(); std::ranges::fill(fold.arrived, 0); | updates
window of the oldest rows      | conformal/predictor/predictor_update.cpp | all.emplace_back(folds[k].arrived[n], n, k) | all.emplace_back(~folds[k].arrived[n], n, k) | updates
drift without its covariance   | conformal/drift.cpp | - 2.0 * level * spread * level_spread + | + | drift
drift of equal values by place | conformal/drift.cpp | 0.5 * static_cast<double>(begin + 1 + end) | static_cast<double>(i + 1) | drift
TABLE
}

say() { printf '%s\n' "$*"; }
trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

while IFS='|' read -r name file from _; do
  if ! grep -qF -- "$(trim "$from")" "lib/lacp/$(trim "$file")"; then
    say "$(trim "$name"): '$(trim "$from")' is no longer in lib/lacp/$(trim "$file"); fix the table in scripts/mutations.sh" && exit 2
  fi
done < <(mutations)
if [[ "$only" == --table ]]; then exit 0; fi

# The sources as they are here, built without a mutation first: a test that fails by itself shows nothing.
mkdir -p "$copy"
for part in CMakeLists.txt CMakePresets.json lib datasets experiments; do cp -R "$part" "$copy/"; done
if [[ -d .deps ]]; then cp -R .deps "$copy/"; fi
cmake -S "$copy" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 \
  -DLACP_TOGETHER=OFF -DLACP_BUILD_EXPERIMENTS=OFF >/dev/null

# verdict TEST...: builds and runs these tests and prints the first that fails, or nothing. A mutant that does not
# compile shows nothing about the tests.
verdict() {
  local test program
  for test in "$@"; do
    program=lib_$(basename "$(dirname lib/test/*/"test_$test.cpp")")_tests
    cmake --build "$copy/build" --target "$program" >"$copy/log" 2>&1 || { cat "$copy/log" >&2 && return 2; }
    if ! (cd "$copy/build" && "lib/test/$program" --source-file="*/test_$test.cpp") >"$copy/log" 2>&1; then echo "lib.$test" && return; fi
  done
}

for test in $(mutations | grep -F -- "$only" | awk -F '|' '{ print $5 }' | xargs -n 1 | sort -u); do
  by=$(verdict "$test")
  if [[ -n "$by" ]]; then say "$by fails without any mutation; fix that first" && exit 2; fi
done

lived=0 tried=0
while IFS='|' read -r name file from to tests; do
  name=$(trim "$name") file=$copy/lib/lacp/$(trim "$file") from=$(trim "$from") to=$(trim "$to")
  read -ra tests <<<"$tests"
  cp "$file" "$copy/kept"
  FROM=$from TO=$to awk '{ from = ENVIRON["FROM"]; line = $0; out = ""
    while (at = index(line, from)) { out = out substr(line, 1, at - 1) ENVIRON["TO"]; line = substr(line, at + length(from)) }
    print out line }' "$copy/kept" >"$file"
  by=$(verdict "${tests[@]}")
  cp "$copy/kept" "$file"
  tried=$((tried + 1))
  if [[ -n "$by" ]]; then say "noticed  $name ($by)"; else say "LIVED    $name (${tests[*]})" && lived=$((lived + 1)); fi
done < <(mutations | grep -F -- "$only")
say "$((tried - lived)) of $tried mutants were noticed"
((tried > 0 && lived == 0))
