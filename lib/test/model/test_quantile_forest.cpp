#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/model/centre.hpp"
#include "lacp/model/trees/forest.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

/// The number of the leaf in which x lies.
std::size_t leaf_of(const QuantileForest& forest, const QuantileForest::Tree& tree, const double* x) {
  std::uint32_t place = 0;
  while (!tree.nodes[place].is_leaf(place)) {
    const CodedNode& node = tree.nodes[place];
    const double threshold = forest.thresholds()[node.attribute()][node.threshold()];
    place = node.left + (x[node.attribute()] <= threshold ? 0 : 1);
  }
  std::size_t leaf = 0, found = 0;
  for_nodes(tree.nodes, [&](std::uint32_t each) {
    if (each == place) found = leaf;
    if (tree.nodes[each].is_leaf(each)) ++leaf;
  });
  return found;
}

std::vector<QuantileForest::Tree> trees_of(const QuantileForest& forest) {
  std::vector<QuantileForest::Tree> trees;
  for (std::size_t t = 0; t < forest.size(); ++t) {
    const auto [nodes, first, codes] = forest.tree(t);
    trees.push_back(
        {{nodes.begin(), nodes.end()}, {first.begin(), first.end()}, {codes.begin(), codes.end()}});
  }
  return trees;
}

const std::vector<double> taus = {0.05, 0.25, 0.5, 0.75, 0.95};

QuantileForest grown(const Rows& rows, const ForestOptions& options, std::size_t jobs = 1) {
  Stream stream(9);
  return grow_forest(make_bins(rows.X, 255), rows.y, rows.y, options, stream.bits(), {}, jobs).forest;
}

/// What a forest is, written out: the weight of a row is the mean over trees of 1 / (rows of the leaf that it
/// shares with x), and a quantile is the first value at which the sum of the weights reaches τ.
double slow_quantile(const QuantileForest& forest, const arma::vec& x, double tau) {
  std::vector<double> weights(forest.middles().size(), 0.0);
  for (const QuantileForest::Tree& tree : trees_of(forest)) {
    const std::size_t leaf = leaf_of(forest, tree, x.memptr()), first = tree.first[leaf],
                      last = tree.first[leaf + 1];
    for (std::size_t i = first; i < last; ++i)
      weights[tree.codes[i]] += 1.0 / static_cast<double>(last - first) / static_cast<double>(forest.size());
  }
  double sum = 0.0;
  for (std::size_t bin = 0; bin < weights.size(); ++bin)
    if ((sum += weights[bin]) >= tau - 1e-5) return forest.middles()[bin];
  return forest.middles().back();
}

/// With its magic, version and checksum.
std::string bytes_of(const QuantileForest& forest) {
  ModelWriter out("forest\n", 1);
  write(out, forest);
  return out.whole();
}

QuantileForest read_bytes(const std::string& bytes, std::size_t attributes) {
  ModelReader in(bytes, "some file", "forest\n", 1);
  QuantileForest forest = read_forest(in, attributes);
  REQUIRE(in.at_end());
  return forest;
}

}  // namespace

TEST_CASE("quantiles are those of the weights, by a slow reference") {
  Stream stream(1);
  const Rows rows = made_rows(700, stream), queries = made_rows(300, stream);
  const QuantileForest forest = grown(rows, {.trees = 30});
  const arma::mat found = forest.quantiles(queries.X, taus);
  for (arma::uword n = 0; n < 300; ++n)
    for (std::size_t k = 0; k < taus.size(); ++k) {
      // Whole weights round: where the sum meets τ within that, the next value may be taken.
      const double low = slow_quantile(forest, queries.X.col(n), taus[k] - 1e-5),
                   high = slow_quantile(forest, queries.X.col(n), taus[k] + 2e-5);
      CHECK(low <= found(k, n));
      CHECK(found(k, n) <= high);
      if (k > 0) CHECK(found(k, n) >= found(k - 1, n));
    }
}

TEST_CASE("leaves hold enough rows, each row of a tree is in the leaf that its attributes lead to") {
  Rows rows = made_rows(400, 2);
  for (arma::uword n = 0; n < 400; ++n) rows.y(n) = static_cast<double>(n);  // a value is the row's number
  for (const std::size_t in_leaves : {252u, 300u, 16000u}) {
    const QuantileForest forest = grown(rows, {.trees = 5, .least_rows = 7, .rows_in_leaves = in_leaves});
    REQUIRE(forest.middles().size() == 400);
    for (const QuantileForest::Tree& tree : trees_of(forest)) {
      CHECK(tree.codes.size() == std::min<std::size_t>(in_leaves, 400));
      CHECK(tree.nodes.size() > 20);
      for (std::size_t leaf = 0; leaf + 1 < tree.first.size(); ++leaf) {
        CHECK(tree.first[leaf + 1] - tree.first[leaf] >= 7);
        for (std::size_t i = tree.first[leaf]; i < tree.first[leaf + 1]; ++i)
          CHECK(leaf_of(forest, tree, rows.X.colptr(tree.codes[i])) == leaf);
      }
    }
  }
}

TEST_CASE("the same bytes on every machine and number of threads") {
  const Rows rows = made_rows(900, 4);
  const auto bytes = [&](std::size_t jobs) {
    return bytes_of(grown(rows, {.trees = 20, .sample = 300, .bins = 100}, jobs));
  };
  CHECK(bytes(2) == bytes(1));
  CHECK(bytes(7) == bytes(1));
  CHECK(bytes(0) == bytes(1));
  CHECK(sha256(bytes(1)) == "5c09a2fc34ae3eb4dbeaf454fcf03950fd588cd67f2715a7b75a824089fedccb");
}

TEST_CASE("a forest in a file: two bytes for a node and two for a row, and the same forest again") {
  const Rows rows = made_rows(3000, 7);
  const QuantileForest forest = grown(rows, {.trees = 9, .least_rows = 1});
  std::size_t nodes = 0, in_leaves = 0;
  for (const QuantileForest::Tree& tree : trees_of(forest)) {
    nodes += tree.nodes.size();
    in_leaves += tree.codes.size();
  }
  const std::string bytes = bytes_of(forest);
  CHECK(bytes.size() < 2 * nodes + 2 * in_leaves + 12000);
  const QuantileForest again = read_bytes(bytes, 2);
  CHECK(bytes_of(again) == bytes);
  CHECK(arma::approx_equal(again.quantiles(rows.X, taus), forest.quantiles(rows.X, taus), "absdiff", 0.0));
  // Many attributes, whose numbers need two bytes, and leaves of more rows than a byte counts.
  Rows wide{arma::mat(300, 600), arma::vec(600)};
  Stream stream(8);
  for (double& x : wide.X) x = stream.normal();
  for (arma::uword n = 0; n < 600; ++n) wide.y(n) = wide.X(299, n) + wide.X(150, n) + wide.X(0, n);
  const QuantileForest broad = grown(wide, {.trees = 4, .least_rows = 150});
  CHECK(arma::approx_equal(read_bytes(bytes_of(broad), 300).quantiles(wide.X, taus),
                           broad.quantiles(wide.X, taus), "absdiff", 0.0));
}

TEST_CASE("every byte of a forest's file that no fit makes is refused, or is another forest") {
  const QuantileForest forest = grown(made_rows(60, 9), {.trees = 2, .least_rows = 5, .bins = 8});
  const std::string whole = bytes_of(forest), content = whole.substr(0, whole.size() - 64);
  std::size_t refused = 0;
  for (std::size_t i = 15; i < content.size(); ++i)  // behind magic and version
    for (const char by : {'\x01', '\x7f', '\xff'}) {
      std::string changed = content;
      changed[i] = static_cast<char>(changed[i] ^ by);
      try {
        ModelReader in(changed + sha256(changed), "some file", "forest\n", 1);
        const QuantileForest read = read_forest(in, 2);
        CHECK(read.quantiles(arma::mat(2, 1), taus).is_finite());
      } catch (const UserError&) {
        ++refused;
      }
    }
  CHECK(refused > content.size());
}

TEST_CASE("values in bins: few are told apart, equal ones share one, outer bins are small") {
  Rows rows = made_rows(3000, 5);
  const std::vector<double> middles = grown(rows, {.trees = 1, .bins = 64}).middles();
  CHECK(middles.size() <= 64);
  CHECK(middles.size() > 50);
  const arma::vec sorted = arma::sort(rows.y);
  CHECK(middles.front() <= sorted(3));
  CHECK(middles.back() >= sorted(2996));
  for (double& y : rows.y) y = y > 11.0 ? 1.0 : 0.0;
  CHECK(grown(rows, {.trees = 1}).middles() == std::vector{0.0, 1.0});
  for (double& y : rows.y) y = 3.0;
  const QuantileForest constant = grown(rows, {.trees = 2});
  CHECK(arma::all(arma::vectorise(constant.quantiles(rows.X, taus)) == 3.0));
}

TEST_CASE("a forest that no fit makes is refused") {
  const QuantileForest good = grown(made_rows(100, 6), {.trees = 2});
  const auto refused = [&](const auto& change) {
    std::vector<double> middles = good.middles();
    std::vector<QuantileForest::Tree> trees = trees_of(good);
    change(middles, trees);
    CHECK_THROWS_AS(QuantileForest(good.thresholds(), middles, trees), std::invalid_argument);
  };
  CHECK_NOTHROW(QuantileForest(good.thresholds(), good.middles(), trees_of(good)));
  refused([](auto& middles, auto&) { middles.clear(); });
  refused([](auto& middles, auto&) { std::swap(middles[0], middles[1]); });
  refused([](auto& middles, auto&) { middles.back() = arma::datum::inf; });
  refused([](auto&, auto& trees) { trees.clear(); });
  refused([](auto&, auto& trees) { trees[0].first.pop_back(); });
  refused([](auto&, auto& trees) { trees[0].first[1] = 0; });
  refused([](auto&, auto& trees) { trees[0].codes.push_back(0); });
  refused([](auto&, auto& trees) { trees[0].codes[0] = 60000; });
  refused([](auto&, auto& trees) { trees[0].nodes.back().key = 0; });
  refused([](auto&, auto& trees) { trees[0].nodes[0] = CodedNode::inner(1, 2, 0); });
  refused([](auto&, auto& trees) { trees[0].nodes[0] = CodedNode::inner(1, 0, 255); });
  refused([](auto&, auto& trees) { trees[0].nodes[0] = CodedNode::leaf(0); });  // one leaf, rows of many
}
