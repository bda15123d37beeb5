#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/model/trees/boosted.hpp"
#include "lacp/model/trees/random_trees.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

std::vector<std::uint32_t> all_rows(std::size_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

RandomTrees grown(const Rows& rows, std::size_t trees, std::uint64_t seed = 1) {
  return RandomTrees::fit(make_bins(rows.X, 255), rows.y, all_rows(rows.y.n_elem), trees, seed);
}

RandomTrees::Tree tree_of(const RandomTrees& trees, std::size_t t) {
  const RandomTrees::View view = trees.tree(t);
  RandomTrees::Tree tree{{view.nodes.begin(), view.nodes.end()}, {}};
  for_nodes(tree.nodes, [&](std::uint32_t place) {
    if (tree.nodes[place].is_leaf(place)) tree.values.push_back(view.value_at[place]);
  });
  return tree;
}

std::string bytes_of(const RandomTrees& trees) {
  ModelWriter out("trees\n", 1);
  write(out, trees);
  return out.whole();
}

RandomTrees read(const std::string& bytes, std::size_t attributes) {
  ModelReader in(bytes, "trees", "trees\n", 1);
  return read_random_trees(in, attributes);
}

}  // namespace

TEST_CASE("a tree knows each row that grew it, and the mean of those that it cannot tell apart") {
  Rows rows = made_rows(200, 1);
  CHECK(arma::abs(grown(rows, 1).predict(rows.X) - rows.y).max() < 1e-5);
  rows.X.col(7) = rows.X.col(3);
  const double mean = 0.5 * (rows.y(3) + rows.y(7));
  for (const arma::uword n : {3u, 7u}) CHECK(grown(rows, 20).predict(rows.X)(n) == doctest::Approx(mean));
  // Rows of the same target need no split.
  rows.y.fill(2.5);
  CHECK(grown(rows, 1).tree(0).nodes.size() == 1);
  CHECK(arma::all(grown(rows, 1).predict(rows.X) == 2.5));
}

TEST_CASE("f is the base and the mean of the trees; cuts are random") {
  const Rows rows = made_rows(150, 2), fresh = made_rows(50, 3);
  const RandomTrees three = grown(rows, 3);
  arma::vec sum(50, arma::fill::zeros);
  for (std::size_t t = 0; t < 3; ++t)
    sum += RandomTrees(three.thresholds(), three.base(), {tree_of(three, t)}).predict(fresh.X);
  CHECK(arma::abs(three.predict(fresh.X) - sum / 3.0).max() < 1e-12);
  CHECK(three.tree(0).nodes.size() > 1);
  CHECK(arma::any(grown(rows, 3, 2).predict(fresh.X) != three.predict(fresh.X)));
  // More of them err less on rows that they have not seen.
  const auto error = [&](std::size_t trees) {
    return mean_of(arma::vec(arma::square(grown(rows, trees).predict(fresh.X) - fresh.y)));
  };
  CHECK(error(40) < error(1));
}

TEST_CASE("trees do not depend on the order of the rows, nor on rows that are not fitted") {
  const Rows rows = made_rows(300, 4);
  const BinnedAttributes bins = make_bins(rows.X, 255);
  std::vector<std::uint32_t> some = all_rows(200), reversed(some.rbegin(), some.rend());
  const std::string bytes = bytes_of(RandomTrees::fit(bins, rows.y, some, 5, 3));
  CHECK(bytes_of(RandomTrees::fit(bins, rows.y, reversed, 5, 3)) == bytes);
  Rows other = rows;
  std::swap(other.y(250), other.y(251));
  CHECK(bytes_of(RandomTrees::fit(bins, other.y, some, 5, 3)) == bytes);
  CHECK(sha256(bytes) == "2983502bf456858d8ed4a995fa951f2869417b92cd8085f9628debf836c5ad97");
}

TEST_CASE("targets in other units, and moved, grow the same trees") {
  // Two attributes that divide rows alike, one upside down.
  Rows rows = made_rows(400, 8);
  rows.X = arma::join_cols(rows.X, -rows.X);
  const arma::vec f = grown(rows, 20).predict(rows.X);
  rows.y = 4.0 * rows.y + 4096.0;  // exact in doubles, but for the last bits
  CHECK(arma::abs(grown(rows, 20).predict(rows.X) - (4.0 * f + 4096.0)).max() < 1e-3);
}

TEST_CASE("rows that nearly repeat are told better than by boosted trees") {
  Stream stream(5);
  const arma::mat points = gaussian(4, 150, stream);
  const arma::vec heights = gaussian(150, 1, stream);
  const auto made = [&](std::size_t n) {
    Rows rows{arma::mat(4, n), arma::vec(n)};
    for (arma::uword i = 0; i < n; ++i) {
      const auto point = static_cast<arma::uword>(stream.below(150));
      rows.X.col(i) = points.col(point) + 1e-3 * gaussian(4, 1, stream);
      rows.y(i) = heights(point);
    }
    return rows;
  };
  const Rows known = made(1500), fresh = made(500);
  const auto error = [&](const arma::vec& f) { return mean_of(arma::vec(arma::square(f - fresh.y))); };
  const BoostedTrees boosted = BoostedTrees::fit(known.X, known.y, {}, stream);
  CHECK(error(grown(known, 20).predict(fresh.X)) < 0.5 * error(boosted.predict(fresh.X)));
}

TEST_CASE("tables of every shape") {
  Stream stream(6);
  for (const auto& [d, n] : {std::pair(1u, 1u), std::pair(3u, 2u), std::pair(70u, 40u)}) {
    const Rows rows{gaussian(d, n, stream), gaussian(n, 1, stream).as_col()};
    CHECK(arma::abs(grown(rows, 3).predict(rows.X) - rows.y).max() < 1e-5);
  }
  const Rows constant{arma::mat(2, 30, arma::fill::ones), gaussian(30, 1, stream).as_col()};
  CHECK(grown(constant, 2).predict(constant.X)(0) == doctest::Approx(mean_of(constant.y)));
}

TEST_CASE("through a file; what no fit makes is refused") {
  const Rows rows = made_rows(100, 7);
  const RandomTrees trees = grown(rows, 4);
  const std::string bytes = bytes_of(trees);
  const RandomTrees again = read(bytes, 2);
  CHECK(bytes_of(again) == bytes);
  CHECK(arma::all(again.predict(rows.X) == trees.predict(rows.X)));
  CHECK_THROWS_AS(read(bytes, 3), UserError);
  RandomTrees::Tree tree = tree_of(trees, 0);
  const auto refuses = [&](const RandomTrees::Tree& bad) {
    CHECK_THROWS_AS(RandomTrees(trees.thresholds(), 0.0, {bad}), std::invalid_argument);
  };
  RandomTrees::Tree short_of_values = tree;
  short_of_values.values.pop_back();
  refuses(short_of_values);
  RandomTrees::Tree backwards = tree;
  backwards.nodes[2].left = 1;
  refuses(backwards);
  RandomTrees::Tree beyond = tree;
  beyond.nodes[0] = CodedNode::inner(1, 2, 0);
  refuses(beyond);
  tree.values[0] = std::numeric_limits<float>::infinity();
  const std::string infinite = bytes_of(RandomTrees(trees.thresholds(), 0.0, {tree}));
  CHECK_THROWS_AS(read(infinite, 2), UserError);
}
