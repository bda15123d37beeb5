#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/model/boosted.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

using Rows = std::vector<std::uint32_t>;

Rows rows_from(std::uint32_t begin, std::uint32_t end) {
  Rows rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

/// Two attributes within (−1, 1), the first of which says how far y spreads: σ = 0.2 + |x₀|.
struct Spread {
  arma::mat X;
  arma::vec y, sigma;

  explicit Spread(std::size_t n, std::uint64_t seed = 1) : X(2, n), y(n), sigma(n) {
    Stream stream(seed);
    for (arma::uword i = 0; i < n; ++i) {
      X(0, i) = stream.uniform(-1.0, 1.0), X(1, i) = stream.uniform(-1.0, 1.0);
      sigma(i) = 0.2 + std::abs(X(0, i));
      y(i) = sigma(i) * stream.normal();
    }
  }
};

Boosting boost_all(const arma::mat& X, BoostedObjective& objective, const BoostedOptions& options) {
  return boost(make_bins(X, options.bins), rows_from(0, static_cast<std::uint32_t>(X.n_cols)), {}, {},
               options, objective);
}

std::string checksum(const arma::mat& values) {
  return sha256({reinterpret_cast<const char*>(values.memptr()), values.n_elem * sizeof(double)});
}

constexpr BoostedOptions by_hand = {.rounds = 1, .learning_rate = 1.0, .leaves = 2, .least_rows = 1};

}  // namespace

TEST_CASE("scale by hand: each leaf has the mean of its errors") {
  const arma::mat X = {{1, 2, 3, 4}};
  ScaleObjective objective({1, 1, 3, 3}, 1.0);
  const BoostedTrees log_s(1, boost_all(X, objective, by_hand));
  CHECK(log_s.base() == math::log(2.0));
  const arma::vec F = log_s.predict(X);
  CHECK(math::exp(F(0)) == near(1.0, 1e-9));
  CHECK(math::exp(F(3)) == near(3.0, 1e-9));
  CHECK(objective.loss(rows_from(0, 4), 0) == near(1.0 + 0.5 * math::log(3.0), 1e-9));  // mean log s + e/s
}

TEST_CASE("scale follows the spread, and quantiles those of the normal distribution") {
  const Spread data(10000), fresh(1000, 2);
  const Rows fitted = rows_from(0, 8000), held = rows_from(8000, 10000);
  const BoostedOptions options{.rounds = 200, .leaves = 8, .least_rows = 100};
  const BinnedAttributes bins = make_bins(data.X, options.bins);
  const auto boosted = [&](BoostedObjective& objective) {
    return boost(bins, fitted, held, columns_of(data.X, held), options, objective);
  };
  ScaleObjective errors(arma::abs(data.y), options.learning_rate);
  arma::vec s = BoostedTrees(2, boosted(errors)).predict(fresh.X);
  for (double& value : s) value = math::exp(value);
  const arma::vec mean_error = std::sqrt(2.0 / arma::datum::pi) * fresh.sigma;
  CHECK(correlation_of(s, mean_error) > 0.98);
  CHECK(mean_of(s) == near(mean_of(mean_error), 0.02));

  QuantileObjective low(data.y, {0.05, 0.1, 0.3}, options.learning_rate);
  const arma::mat q = BoostedOutputs(2, boosted(low)).predict(fresh.X);
  const double normal[] = {-1.6449, -1.2816, -0.5244};
  for (arma::uword k = 0; k < 3; ++k) {
    const arma::vec found = q.row(k).t(), expected = normal[k] * fresh.sigma;
    CHECK(correlation_of(found, expected) > 0.9);  // 0.93 to 0.97: stopped early, nearer to a constant
    CHECK(mean_of(found) == near_share(mean_of(expected), 0.06));
  }
}

TEST_CASE("slopes of a quantile: τ − 1[y < F] in units of √(τ(1 − τ)), added up") {
  QuantileObjective objective({0, 1, 2, 3, 4}, {0.2, 0.5}, 0.1);
  const Rows all = rows_from(0, 5);
  CHECK(objective.start(all) == std::vector<double>{0.8, 2.0});
  const auto slopes = objective.residuals(all);
  const double unit = 0x1p20;
  CHECK(static_cast<double>(slopes[0]) == near(unit * (-0.8 / 0.4 - 1.0), 1.0));
  CHECK(static_cast<double>(slopes[1]) == near(unit * (0.2 / 0.4 - 1.0), 1.0));
  CHECK(static_cast<double>(slopes[2]) == near(unit * (0.2 / 0.4 + 1.0), 1.0));
  CHECK(objective.loss(all, 0) == near((0.8 * 0.8 + 0.2 * (0.2 + 1.2 + 2.2 + 3.2)) / 5.0, 1e-12));
}

TEST_CASE("each output stops at its own round: noise at none, what can be learnt later") {
  const Spread data(3000);
  const Rows fitted = rows_from(0, 2000), held = rows_from(2000, 3000);
  const BoostedOptions options{.rounds = 150, .patience = 20};
  const BinnedAttributes bins = make_bins(data.X, options.bins);
  QuantileObjective objective(data.y, {0.05, 0.499}, options.learning_rate);  // the median is 0 everywhere
  const Boosting trees = boost(bins, fitted, held, columns_of(data.X, held), options, objective);
  REQUIRE(trees.trees.size() > 10);
  const auto any = [](const OutputTree& tree, std::size_t output) {
    for (std::size_t i = output; i < tree.values.size(); i += 2)
      if (tree.values[i] != 0.0) return true;
    return false;
  };
  CHECK(any(trees.trees.back(), 0));
  CHECK_FALSE(any(trees.trees.back(), 1));
  // At that round the loss on the held-out rows is what a model of fewer or more rounds does not reach.
  const auto loss_of = [&](const arma::mat& F) {
    QuantileObjective again(data.y, {0.05, 0.499}, 1.0);
    again.start(fitted);
    for (arma::uword i = 0; i < held.size(); ++i) {
      const std::vector<double> step = {F(0, i) - trees.base[0], F(1, i) - trees.base[1]};
      again.add({&held[i], 1}, step.data());
    }
    return again.loss(held, 0);
  };
  const double least = loss_of(BoostedOutputs(2, trees).predict(columns_of(data.X, held)));
  for (const std::size_t rounds : {std::size_t{1}, std::size_t{5}, trees.trees.size() - 1}) {
    Boosting fewer = trees;
    fewer.trees.resize(rounds);
    CHECK(loss_of(BoostedOutputs(2, fewer).predict(columns_of(data.X, held))) >= least);
  }
}

TEST_CASE("rows that are not fitted teach nothing") {
  Spread data(1200);
  const Rows fitted = rows_from(0, 800);
  const BinnedAttributes bins = make_bins(data.X, 255);
  const auto fitted_on = [&](const arma::vec& y) {
    ScaleObjective scale(arma::abs(y), 0.1);
    return BoostedTrees(2, boost(bins, fitted, {}, {}, {.rounds = 20}, scale)).predict(data.X);
  };
  const arma::vec before = fitted_on(data.y);
  data.y.tail(400) *= 100.0;
  CHECK(arma::all(fitted_on(data.y) == before));
}

TEST_CASE("errors of zero and of any size have a scale") {
  const Spread data(300);
  ScaleObjective none(arma::vec(300, arma::fill::zeros), 0.1);
  const Boosting constant = boost_all(data.X, none, {.rounds = 20});
  CHECK(constant.base.front() == 0.0);
  CHECK(constant.trees.empty());
  for (const double unit : {1e-300, 1e300}) {
    arma::vec e = arma::abs(data.y) * unit;
    e.head(30).zeros();
    ScaleObjective objective(e, 0.1);
    CHECK(BoostedTrees(2, boost_all(data.X, objective, {.rounds = 50})).predict(data.X).is_finite());
  }
  arma::vec one(300, arma::fill::zeros);
  one(7) = 1.0;
  ScaleObjective single(one, 1.0);
  CHECK(BoostedTrees(2, boost_all(data.X, single, {.rounds = 100})).predict(data.X).is_finite());
}

TEST_CASE("the same bytes on every machine") {
  const Spread data(2000);
  const BoostedOptions options{.rounds = 40};
  ScaleObjective scale(arma::abs(data.y), options.learning_rate);
  QuantileObjective low(data.y, {0.025, 0.05, 0.16}, options.learning_rate);
  CHECK(checksum(BoostedTrees(2, boost_all(data.X, scale, options)).predict(data.X)) ==
        "84129d5c01fb2b99fbab643b88aee4c3ce2bff7334fc414edadd13810c1b0757");
  CHECK(checksum(BoostedOutputs(2, boost_all(data.X, low, options)).predict(data.X)) ==
        "0e0bb8e02f0ae079c4cd2e6fa307cc7b6d5dc0ee495e93b4f08a35d1b77e40ec");
}

TEST_CASE("trees of several outputs that no fit makes are refused") {
  const Boosting good{.base = {0.0, 1.0},
                      .trees = {{.nodes = {{.value = 0.5, .attribute = 1, .left = 1}, {}, {.attribute = 1}},
                                 .values = {1, 2, 3, 4}}}};
  const arma::mat X = {{0, 0}, {0.5, 0.6}};
  const arma::mat F = BoostedOutputs(2, good).predict(X);
  CHECK(F(0, 0) == 1.0);
  CHECK(F(1, 0) == 3.0);
  CHECK(F(0, 1) == 3.0);
  CHECK(F(1, 1) == 5.0);
  const auto refused = [&](auto change) {
    Boosting bad = good;
    change(bad);
    CHECK_THROWS_AS(BoostedOutputs(2, bad), std::invalid_argument);
  };
  refused([](Boosting& b) { b.base.clear(); });
  refused([](Boosting& b) { b.base[1] = arma::datum::nan; });
  refused([](Boosting& b) { b.trees[0].nodes[0].attribute = 2; });
  refused([](Boosting& b) { b.trees[0].nodes[2].attribute = 2; });
  refused([](Boosting& b) { b.trees[0].values.pop_back(); });
  refused([](Boosting& b) { b.trees[0].values[0] = arma::datum::inf; });
  CHECK_THROWS_AS(BoostedOutputs(2, good).predict(arma::mat(3, 1)), UserError);
}

TEST_CASE("out of folds: trees of the other rows alone, the same on any number of threads") {
  const Spread data(600);
  BoostedOptions options{.rounds = 40};
  const std::vector<std::size_t> starts = {0, 150, 290, 450, 600};
  const BinnedAttributes bins = make_bins(data.X, options.bins);
  const ScaleObjective objective(arma::abs(data.y), options.learning_rate);
  const auto grown = [&](const BoostedObjective& of, std::size_t jobs) {
    return boost_folds(bins, data.X, starts, options, of, RoundsBy::last_fold, jobs);
  };
  const CrossBoosted once = grown(objective, 1);
  for (const std::size_t jobs : {2u, 9u}) {
    const CrossBoosted again = grown(objective, jobs);
    CHECK(checksum(again.out) == checksum(once.out));
    CHECK(checksum(again.trees.predict(data.X)) == checksum(once.trees.predict(data.X)));
  }
  // The last fold says how many rounds there are; the others do as many.
  options.rounds = once.trees.trees().size();
  CHECK(options.rounds > 0);
  CHECK(options.rounds < 40);
  for (std::size_t fold = 0; fold + 1 < starts.size(); ++fold) {
    Rows others;
    for (std::uint32_t row = 0; row < 600; ++row)
      if (row < starts[fold] || row >= starts[fold + 1]) others.push_back(row);
    ScaleObjective own(arma::abs(data.y), options.learning_rate);
    const BoostedTrees trees(2, boost(bins, others, {}, {}, options, own));
    const arma::mat X = data.X.cols(starts[fold], starts[fold + 1] - 1);
    CHECK(checksum(trees.predict(X)) == checksum(once.out.subvec(starts[fold], starts[fold + 1] - 1)));
  }
}

TEST_CASE("few rows: all folds choose, and leaves become smaller where that pays") {
  Stream stream(3);
  arma::mat X(1, 200);
  arma::vec steps(200), noise(200);
  for (arma::uword n = 0; n < 200; ++n) {
    X(0, n) = stream.uniform(-1.0, 1.0);
    steps(n) = std::floor(20.0 * X(0, n)) * (n % 2 == 0 ? 1.0 : 1.001);
    noise(n) = stream.normal();
  }
  const std::vector<std::size_t> starts = {0, 40, 80, 120, 160, 200};
  const BoostedOptions options{.rounds = 100};
  const auto error = [&](const arma::vec& y, const arma::vec& f) {
    return std::sqrt(mean_of(arma::vec(arma::square(y - f))));
  };
  const CrossBoosted small = boost_folds(X, steps, starts, options, 1);
  const CrossBoosted large =
      boost_folds(make_bins(X, 255), X, starts, options, SquaredObjective(steps, options.learning_rate),
                  RoundsBy::last_fold, 1);
  CHECK(error(steps, small.out) < 0.7 * error(steps, large.out));
  CHECK(boost_folds(X, noise, starts, options, 1).trees.trees().size() < 20);

  // The rounds are those with the least loss over all folds, which is not that of the last one.
  const BoostedOptions all{.rounds = 100, .least_rows = 2, .patience = 100};
  const arma::vec y = 3.0 * X.row(0).t() + noise;
  std::vector<double> losses(101, 0.0), of_last(101, 0.0);
  for (std::size_t fold = 0; fold < 5; ++fold) {
    const auto begin = static_cast<std::uint32_t>(starts[fold]),
               end = static_cast<std::uint32_t>(starts[fold + 1]);
    Rows others = rows_from(0, begin);
    const Rows held = rows_from(begin, end), behind = rows_from(end, 200);
    others.insert(others.end(), behind.begin(), behind.end());
    SquaredObjective objective(y, all.learning_rate);
    of_last = boost(make_bins(X, 255), others, held, columns_of(X, held), all, objective).held_losses;
    REQUIRE(of_last.size() == 101);
    for (std::size_t round = 0; round < 101; ++round) losses[round] += of_last[round];
  }
  const auto least = [](const std::vector<double>& of) { return std::ranges::min_element(of) - of.begin(); };
  REQUIRE(least(losses) != least(of_last));
  CHECK(static_cast<std::ptrdiff_t>(boost_folds(X, y, starts, all, 1).trees.trees().size()) == least(losses));
}

TEST_CASE("attributes that are mostly one value: the same trees as with all codes") {
  Stream stream(5);
  arma::mat X(6, 500, arma::fill::zeros), dense;
  arma::vec y(500);
  for (arma::uword n = 0; n < 500; ++n) {
    const auto category = static_cast<arma::uword>(stream.uniform(0.0, 6.0));
    X(category, n) = 1.0 + std::floor(stream.uniform(0.0, 3.0));
    y(n) = static_cast<double>(category) * X(category, n) + stream.normal();
  }
  BinnedAttributes bins = make_bins(X, 255);
  REQUIRE(bins.sparse());
  const BoostedOptions options{.rounds = 20};
  SquaredObjective objective(y, 0.1);
  const Rows rows = rows_from(0, 500);
  const BoostedTrees few(6, boost(bins, rows, {}, {}, options, objective));
  bins.first_other.clear(), bins.others.clear();
  bins.by_row.resize(3000);
  for (std::size_t n = 0; n < 500; ++n)
    for (std::size_t a = 0; a < 6; ++a) bins.by_row[n * 6 + a] = bins.of(a)[n];
  REQUIRE(!bins.sparse());
  const BoostedTrees all(6, boost(bins, rows, {}, {}, options, objective));
  CHECK(checksum(few.predict(X)) == checksum(all.predict(X)));
  CHECK(few.trees().size() == 20);
}
