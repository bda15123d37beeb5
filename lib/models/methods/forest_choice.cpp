#include "models/methods/forest_choice.hpp"

#include <array>
#include <map>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"
#include "models/stack/choice.hpp"

namespace lacp {
namespace {

/// Up to this many rows larger leaves of errors are the default.
constexpr std::size_t few_rows = 5000;
/// Of candidates. With fewer trees small leaves seem worse than they are in a forest of full size; with
/// smaller bags more trees have not seen a row, and the choices were as good (2,500 rows against 8,000).
constexpr ForestOptions small = {.trees = 50, .sample = 2500, .rows_in_leaves = 5000};
constexpr std::array mixes = {0.0, 0.25, 0.5, 0.75, 1.0};
constexpr std::array alphas = {0.05, 0.1, 0.32};
/// What may be asked of the forests. Where targets take few values and are predicted well, ends for 0.9 are
/// atoms that cover far more; narrower ones, moved outward, need not.
constexpr std::array powers = {1.0, 1.6, 2.6, 4.5};
/// Fewer rows, or groups, cannot tell.
constexpr std::size_t least_to_choose_power = 200;
/// Parts of training rows by width: a multiple of 2, 3, 4 and 5.
constexpr std::size_t width_parts = 60;

/// All that is asked of candidates, increasing: the ends for each level and power, and those of the middle.
std::vector<double> taus_to_try() {
  std::vector<double> taus = {inner_tau, 1.0 - inner_tau};
  for (const double alpha : alphas)
    for (const double power : powers) {
      const double tau = 0.5 * asked_alpha(Level(alpha), power);
      taus.insert(taus.end(), {tau, 1.0 - tau});
    }
  std::ranges::sort(taus);
  taus.erase(std::unique(taus.begin(), taus.end()), taus.end());
  return taus;
}

/// As much as a fit has time for. With many rows, few trees of many rows each are better than many of few: on
/// CASP 35 of 23,000 rows have a Winkler score and a CRPS that are 3 % below those of 100 of 8,000.
ForestOptions full_size(std::size_t rows, std::size_t attributes) {
  constexpr std::size_t least_sample = 8000, cells_of_tree = 1'800'000, rows_of_trees = 800'000;
  constexpr std::size_t fewest_trees = 35;
  ForestOptions options;
  options.sample = std::clamp(cells_of_tree / attributes, least_sample, options.sample);
  const auto grown = std::min(static_cast<double>(options.sample),
                              std::max(options.sample_share * static_cast<double>(rows), 1.0));
  options.trees = std::clamp(rows_of_trees / static_cast<std::size_t>(grown), fewest_trees, options.trees);
  return options;
}

/// Forests of one kind, by their leaves.
struct Candidates {
  const BinnedAttributes& bins;
  const arma::mat& Z;
  const arma::vec &grown_for, &of;
  std::uint64_t seed;
  const Groups& groups;
  std::size_t jobs;
  std::vector<double> taus = taus_to_try();
  std::map<std::size_t, arma::mat> tried = {};

  BaggedForest grown(ForestOptions options, std::size_t leaf, std::size_t threads) const {
    options.least_rows = leaf;
    return grow_forest(bins, grown_for, of, options, seed, groups, threads);
  }

  /// Quantiles `taus` of the first training rows, out of the same bags whatever the leaves, by a small forest
  /// that is grown when it is asked for.
  const arma::mat& out_of_bag(std::size_t leaf) {
    const auto [found, is_new] = tried.try_emplace(leaf);
    const arma::uword rows = std::min<arma::uword>(small.known, Z.n_cols);
    if (!is_new) return found->second;
    std::vector<std::uint32_t> first(rows);
    std::iota(first.begin(), first.end(), 0u);
    found->second = grown(small, leaf, jobs).out_of_bag(Z.head_cols(rows), taus, first, jobs);
    return found->second;
  }
};

/// Which ends are best for training rows.
class Choice {
 public:
  Choice(const FitInput& input, Candidates& errors, Candidates& targets)
      : errors_(errors), targets_(targets), groups_(input.groups) {
    if (input.y.n_elem > few_rows) standard_.leaf_of_errors = 5;
    const arma::mat& of_errors = errors_.out_of_bag(standard_.leaf_of_errors);
    y_ = input.y.head(of_errors.n_cols);
    f_ = input.f.head(of_errors.n_cols);
    const arma::mat ends = ends_of(standard_);
    for (arma::uword n = 0; n < ends.n_cols; ++n)
      if (ends.col(n).is_finite()) rows_.push_back(n);
  }

  /// Leaves of one row take as long as all others together: only where smaller leaves are better.
  ForestEnds best() {
    if (rows_.empty()) return standard_;
    try_mixes(standard_.leaf_of_errors, 5);
    for (const std::size_t leaf : {20u, 5u}) try_mixes(leaf, 5);
    if (leading().leaf_of_errors == 5) try_mixes(1, 5);
    if (leading().mix > 0.0) try_mixes(leading().leaf_of_errors, 1);
    return tried_[choose(losses_)];
  }

  /// The default is what is promised.
  double best_power(const ForestEnds& chosen) const {
    if (rows_.empty()) return 1.0;
    const arma::mat ends = ends_of(chosen).cols(arma::uvec(rows_));
    const arma::vec widths = middle_widths(chosen);
    const double m = 0.5 * mean_of(widths);
    std::vector<arma::vec> losses;
    for (const double power : powers) {
      arma::vec sum(rows_.size());
      for (const double alpha : alphas)
        sum += winkler_losses(ends, unit_of(widths, m, m), Level(alpha), power);
      losses.push_back(by_group(std::vector<double>(sum.begin(), sum.end()), groups_of(rows_, groups_)));
      if (losses.front().n_elem < least_to_choose_power) return 1.0;
    }
    return powers[choose(losses)];
  }

  /// Of the middle 68 %, of training rows.
  arma::vec middle_widths(const ForestEnds& chosen) const {
    const arma::mat ends = ends_of(chosen);
    const arma::rowvec widths = ends.row(rank(1.0 - inner_tau)) - ends.row(rank(inner_tau));
    return arma::vec(widths.t()).elem(arma::uvec(rows_));
  }

 private:
  arma::mat ends_of(const ForestEnds& of) const {
    arma::mat ends = errors_.out_of_bag(of.leaf_of_errors);
    ends.each_row() += f_.t();
    return (1.0 - of.mix) * ends + of.mix * targets_.out_of_bag(of.leaf_of_targets);
  }

  void try_mixes(std::size_t leaf_of_errors, std::size_t leaf_of_targets) {
    std::vector<ForestEnds> some;
    for (const double mix : mixes) some.push_back({leaf_of_errors, leaf_of_targets, mix});
    if (tried_.empty()) some.insert(some.begin(), standard_);
    for (const ForestEnds& each : some) {
      if (std::ranges::count(tried_, each) != 0) continue;
      tried_.push_back(each);
      losses_.push_back(losses_of(ends_of(each)));
    }
  }

  /// Of each row, or the sum of each group.
  arma::vec losses_of(const arma::mat& ends) const {
    std::vector<double> all;
    for (const arma::uword n : rows_) {
      double loss = 0.0;
      for (const double alpha : alphas)
        for (const double tau : {0.5 * alpha, 1.0 - 0.5 * alpha}) {
          const double over = y_(n) - ends(rank(tau), n);
          loss += (over > 0.0 ? tau : tau - 1.0) * over / alpha;
        }
      all.push_back(loss);
    }
    return by_group(all, groups_of(rows_, groups_));
  }

  /// Widths, and what is missed by 2/α, of intervals for this level with one threshold for all rows.
  arma::vec winkler_losses(const arma::mat& ends, const arma::vec& unit, const Level& level,
                           double power) const {
    const double tau = 0.5 * asked_alpha(level, power);
    const arma::vec low = ends.row(rank(tau)).t(), high = ends.row(rank(1.0 - tau)).t();
    const arma::vec y = y_.elem(arma::uvec(rows_));
    const arma::vec scores = arma::max(low - y, y - high) / unit;
    const double q = quantile(arma::sort(scores), level);
    arma::vec losses(y.n_elem);
    if (!std::isfinite(q)) return losses;
    for (arma::uword n = 0; n < y.n_elem; ++n) {
      const double below = low(n) - q * unit(n) - y(n), above = y(n) - high(n) - q * unit(n);
      const double width = std::max(high(n) - low(n) + 2.0 * q * unit(n), 0.0);
      losses(n) = width + 2.0 / level.value() * std::max({below, above, 0.0});
    }
    return losses;
  }

  std::size_t rank(double tau) const {
    const std::vector<double>& taus = errors_.taus;
    return static_cast<std::size_t>(std::ranges::lower_bound(taus, tau) - taus.begin());
  }

  const ForestEnds& leading() const {
    const auto best =
        std::ranges::min_element(losses_, {}, [](const arma::vec& each) { return sum_of(each); });
    return tried_[static_cast<std::size_t>(best - losses_.begin())];
  }

  Candidates &errors_, &targets_;
  const Groups& groups_;
  ForestEnds standard_ = {};
  arma::vec y_, f_;                // of the rows that are known to the forests
  std::vector<arma::uword> rows_;  // those that some trees have not seen
  std::vector<ForestEnds> tried_;  // the default first
  std::vector<arma::vec> losses_;
};

}  // namespace

double asked_alpha(const Level& level, double power) {
  return power == 1.0 ? level.value() : -math::expm1(power * math::log1p(-level.value()));
}

arma::mat ChosenForests::quantiles(const arma::mat& Z, const arma::vec& f, std::span<const double> of) const {
  if (!errors) return targets->forest.quantiles(Z, of);
  arma::mat all = errors->forest.quantiles(Z, of);
  all.each_row() += f.t();
  if (targets) all = (1.0 - ends.mix) * all + ends.mix * targets->forest.quantiles(Z, of);
  return all;
}

arma::mat ChosenForests::out_of_bag(const arma::mat& Z, const arma::vec& f, std::span<const double> of,
                                    std::span<const std::uint32_t> rows, std::size_t jobs) const {
  if (!errors) return targets->out_of_bag(Z, of, rows, jobs);
  arma::mat all = errors->out_of_bag(Z, of, rows, jobs);
  all.each_row() += f.t();
  if (targets) all = (1.0 - ends.mix) * all + ends.mix * targets->out_of_bag(Z, of, rows, jobs);
  return all;
}

ChosenForests choose_forests(const FitInput& input) {
  const arma::mat Z = arma::join_cols(input.X, input.f.t());
  const BinnedAttributes bins = make_bins(Z, BoostedOptions{}.bins, input.jobs);
  const arma::vec errors = input.y - input.f, sizes = arma::abs(errors);
  const auto seed = [&](std::string_view purpose) { return input.stream(purpose).bits(); };
  Candidates of_errors{bins, Z, sizes, errors, seed("forest of errors"), input.groups, input.jobs},
      of_targets{bins, Z, input.y, input.y, seed("forest of targets"), input.groups, input.jobs};
  Choice choice(input, of_errors, of_targets);
  ChosenForests chosen{.ends = choice.best()};
  chosen.ends.power = choice.best_power(chosen.ends);
  const arma::vec widths = arma::sort(choice.middle_widths(chosen.ends));
  if (!widths.empty()) {
    chosen.unit = 0.5 * mean_of(widths);
    for (std::size_t part = 1; part < width_parts; ++part)
      chosen.width_cuts.push_back(widths(part * widths.n_elem / width_parts));
  }
  // Side by side: a thread that has grown its part of one need not wait for the other threads.
  const bool both = chosen.ends.mix > 0.0 && chosen.ends.mix < 1.0;
  const std::size_t half = input.jobs / 2;
  std::vector<std::function<void()>> tasks;
  const auto grow = [&](const Candidates& of, std::size_t leaf, std::size_t threads, auto& forest) {
    tasks.emplace_back([&, leaf, threads] {
      ForestOptions options = full_size(Z.n_cols, Z.n_rows);
      options.known = input.every_row ? Z.n_cols : 0;
      forest = std::make_shared<const BaggedForest>(of.grown(options, leaf, threads));
    });
  };
  if (chosen.ends.mix < 1.0)
    grow(of_errors, chosen.ends.leaf_of_errors, both ? input.jobs - half : input.jobs, chosen.errors);
  if (chosen.ends.mix > 0.0)
    grow(of_targets, chosen.ends.leaf_of_targets, both ? half : input.jobs, chosen.targets);
  do_all(tasks, input.jobs);
  return chosen;
}

void write(ModelWriter& out, const ChosenForests& forests) {
  out.number(std::uint64_t{forests.ends.leaf_of_errors});
  out.number(std::uint64_t{forests.ends.leaf_of_targets});
  out.number(forests.ends.mix);
  out.number(forests.ends.power);
  out.number(forests.unit);
  out.array(forests.width_cuts);
  for (const auto& bagged : {forests.errors, forests.targets})
    if (bagged) {
      write(out, bagged->forest);
      write(out, bagged->bags);
    }
}

ChosenForests read_forests(ModelReader& in, std::size_t inputs) {
  ChosenForests forests;
  forests.ends.leaf_of_errors = in.number<std::uint64_t>();
  forests.ends.leaf_of_targets = in.number<std::uint64_t>();
  forests.ends.mix = in.number<double>();
  forests.ends.power = in.number<double>();
  forests.unit = in.number<double>();
  forests.width_cuts = in.array<std::vector<double>>();
  const auto is_finite = [](double value) { return std::isfinite(value); };
  in.require(forests.ends.mix >= 0.0 && forests.ends.mix <= 1.0 && forests.unit >= 0.0 &&
             std::isfinite(forests.unit));
  in.require(std::ranges::count(powers, forests.ends.power) == 1);
  in.require(forests.width_cuts.empty() || forests.width_cuts.size() == width_parts - 1);
  in.require(std::ranges::all_of(forests.width_cuts, is_finite) &&
             std::ranges::is_sorted(forests.width_cuts));
  const auto bagged = [&] {
    QuantileForest forest = read_forest(in, inputs + 1);
    ForestBags bags = read_bags(in, forest);
    return std::make_shared<const BaggedForest>(BaggedForest{std::move(forest), std::move(bags)});
  };
  if (forests.ends.mix < 1.0) forests.errors = bagged();
  if (forests.ends.mix > 0.0) forests.targets = bagged();
  return forests;
}

}  // namespace lacp
