#include "lacp/base/model_bytes.hpp"
#include "made_rows.hpp"
#include "models/trees/boosted.hpp"
#include "models/trees/random_trees.hpp"

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

TEST_CASE("through a file; what no fit makes is refused") {
  const Rows rows = made_rows(100, 7);
  const RandomTrees trees = grown(rows, 4);
  const std::string bytes = bytes_of(trees);
  const RandomTrees again = read(bytes, 2);
  CHECK(bytes_of(again) == bytes);
  CHECK(arma::all(again.predict(rows.X) == trees.predict(rows.X)));
  CHECK_THROWS_AS(read(bytes, 3), UserError);
  RandomTrees::Tree tree = tree_of(trees, 0);
  tree.values[0] = std::numeric_limits<float>::infinity();
  const std::string infinite = bytes_of(RandomTrees(trees.thresholds(), 0.0, {tree}));
  CHECK_THROWS_AS(read(infinite, 2), UserError);
}
