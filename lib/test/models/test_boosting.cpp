#include <algorithm>
#include <numeric>
#include <set>

#include "lacp/base/sums.hpp"
#include "made_rows.hpp"
#include "models/trees/boosted.hpp"

using namespace lacp;

namespace {

/// Two attributes, the first of which says how far y spreads, the second where it lies.
Rows spread(std::size_t n) {
  Stream stream(1);
  return made_rows(
      n, stream, [](double x0, double x1, double noise) { return 2.0 * x1 + (0.2 + std::abs(x0)) * noise; });
}

/// What becomes of options where rows are few.
BoostedOptions of_small_trees(BoostedOptions options) {
  options.leaves = 8;
  options.learning_rate *= 2.0;
  return options;
}

/// Runs of rows from each start to the next, each held out in its turn.
std::vector<HeldOut> folds_of(const std::vector<std::size_t>& starts) {
  std::vector<HeldOut> folds;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k)
    folds.emplace_back(starts.back(), starts[k], starts[k + 1]);
  return folds;
}

FoldsOfTrees boosted_folds(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds,
                           const BoostedOptions& options, std::size_t jobs) {
  return boost_folds(X, y, make_bins(X, options.bins), folds, options, 5, jobs);
}

}  // namespace

TEST_CASE("out of folds: trees of the other rows alone, the same on any number of threads") {
  // Trees of few rows are small; of many rows leaves of 2 rows are not tried.
  for (const std::size_t rows : {600u, 1500u, 1501u, 6000u}) {
    const Rows data = spread(rows);
    BoostedOptions options{.rounds = 200};
    const std::vector<HeldOut> folds = folds_of({0, rows / 4, rows / 2, rows - 100, rows});
    const FoldsOfTrees once = boosted_folds(data.X, data.y, folds, options, 1);
    for (const std::size_t jobs : {2u, 9u})
      CHECK(checksum(boosted_folds(data.X, data.y, folds, options, jobs).out) == checksum(once.out));
    if (rows <= 1500) options = of_small_trees(options);
    options.rounds = once.folds.front().trees().size();
    CHECK(options.rounds > 0);
    CHECK(options.rounds < 200);
    const BinnedAttributes bins = make_bins(data.X, options.bins);
    bool found = false;  // by leaves of 20, 5 or 2 rows
    for (const std::size_t least : {20u, 5u, 2u}) {
      arma::vec out;
      options.least_rows = least;
      for (std::size_t k = 0; k < folds.size(); ++k) {
        SquaredObjective objective(data.y, options.learning_rate);
        const BoostedTrees trees(2, boost(bins, folds[k].fitted, {}, options, objective));
        const arma::mat X = columns_of(data.X, folds[k].held);
        out = arma::join_cols(out, trees.predict(X));
        CHECK(checksum(once.folds[k].predict(X)) ==
              checksum(once.out.subvec(folds[k].held.front(), folds[k].held.back())));
      }
      found = found || checksum(out) == checksum(once.out);
    }
    CHECK(found);
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
  const BoostedOptions options{.rounds = 100};
  const auto error = [&](const arma::vec& y, const arma::vec& f) {
    return std::sqrt(mean_of(arma::vec(arma::square(y - f))));
  };
  const std::vector<HeldOut> folds = folds_of({0, 40, 80, 120, 160, 200});
  const FoldsOfTrees small = boosted_folds(X, steps, folds, options, 1);
  arma::vec large;  // with leaves of 20 rows
  for (const HeldOut& fold : folds) {
    SquaredObjective objective(steps, options.learning_rate);
    const BoostedTrees trees(1, boost(make_bins(X, 255), fold.fitted, {}, options, objective));
    large = arma::join_cols(large, trees.predict(columns_of(X, fold.held)));
  }
  CHECK(error(steps, small.out) < 0.7 * error(steps, large));
  CHECK(boosted_folds(X, noise, folds, options, 1).folds.front().trees().size() < 20);
}

TEST_CASE("a tree is split by a share of the attributes, drawn for each") {
  Stream stream(4);
  const arma::mat X = gaussian(10, 400, stream);
  const arma::vec y = arma::sum(X, 0).t();
  const BinnedAttributes bins = make_bins(X, 255);
  const HeldOut none(400, 0, 0);
  const auto grown = [&](double share, std::uint64_t seed) {
    const BoostedOptions options{.columns = share};
    Booster booster(bins, none.fitted, {}, options, SquaredObjective(y, 0.1), 1, seed);
    booster.grow_to(30);
    return booster.cut(30).trees;
  };
  std::set<std::uint32_t> of_all;
  for (const std::vector<TreeNode>& tree : grown(0.3, 1)) {
    std::set<std::uint32_t> of_tree;
    for (const TreeNode& node : tree)
      if (node.left != 0) of_tree.insert(node.attribute);
    CHECK(of_tree.size() <= 3);
    of_all.insert(of_tree.begin(), of_tree.end());
  }
  CHECK(of_all.size() == 10);
  const auto first_value = [&](double share, std::uint64_t seed) {
    return grown(share, seed)[0].back().value;
  };
  CHECK(first_value(0.3, 1) != first_value(0.3, 2));
  CHECK(first_value(1.0, 1) == first_value(1.0, 2));
}

TEST_CASE("boostings that grow together end when the sum of their losses has not gained for a while") {
  const Rows data = spread(400);
  const BinnedAttributes bins = make_bins(data.X, 255);
  const BoostedOptions options{.rounds = 400, .patience = 25};
  const HeldOut first(400, 0, 200);
  SquaredObjective one(data.y, 0.1), two = one;
  Booster without_first(bins, first.fitted, first.held, options, one),
      without_second(bins, first.held, first.fitted, options, two);
  Booster* const all[] = {&without_first, &without_second};
  const ChosenRounds found = grow_together(all, options, 1);
  CHECK(found.rounds > 5);
  for (const Booster* booster : all) CHECK(booster->rounds() == found.rounds + 25);
  for (std::size_t round = 0; round < found.losses.size(); ++round)
    CHECK(found.losses[round] == without_first.loss(round) + without_second.loss(round));
  CHECK(std::ranges::min_element(found.losses) - found.losses.begin() ==
        static_cast<std::ptrdiff_t>(found.rounds));
}

TEST_CASE("attributes that are mostly one value: the same trees as with all codes") {
  Stream stream(5);
  arma::mat X(6, 500, arma::fill::zeros);
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
  std::vector<std::uint32_t> rows(500);
  std::iota(rows.begin(), rows.end(), 0u);
  const BoostedTrees few(6, boost(bins, rows, {}, options, objective));
  bins.first_other.clear(), bins.others.clear();
  bins.by_row.resize(3000);
  for (std::size_t n = 0; n < 500; ++n)
    for (std::size_t a = 0, first = 0; a < 6; first += bins.cuts[a++].size() + 1)
      bins.by_row[n * 6 + a] = static_cast<std::uint16_t>(first + bins.of(a)[n]);
  REQUIRE(!bins.sparse());
  const BoostedTrees all(6, boost(bins, rows, {}, options, objective));
  CHECK(checksum(few.predict(X)) == checksum(all.predict(X)));
  CHECK(few.trees().size() == 20);
}

// Its sums are added in vain and grow from round to round: under a sanitizer this shows that they may
// overflow.
TEST_CASE("a constant attribute between others changes no tree, in however many rounds") {
  constexpr std::size_t n = 1000;
  Stream stream(1);
  arma::mat X = gaussian(6, n, stream);
  const arma::vec y = arma::sign(X.row(1).t()) + 0.1 * gaussian(n, 1, stream);
  X.row(2).ones();
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  const auto predicted = [&](const arma::mat& attributes) {
    const BinnedAttributes bins = make_bins(attributes, 255);
    REQUIRE(!bins.sparse());
    const Boosting grown = boost(bins, rows, {}, {.rounds = 400}, SquaredObjective(y, 0.01));
    return BoostedTrees(attributes.n_rows, grown).predict(attributes);
  };
  const std::string with = checksum(predicted(X));
  X.shed_row(2);
  CHECK(with == checksum(predicted(X)));
}
