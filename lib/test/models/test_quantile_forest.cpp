#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sha256.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"
#include "models/trees/forest.hpp"

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

namespace {

constexpr std::size_t bagged = 400;

/// By trees that see two attributes by chance; `values` are what the forest distributes.
arma::mat out_of_bag(const arma::vec& values, const Groups& groups, std::size_t jobs = 1) {
  Stream stream(3);
  const arma::mat X = gaussian(2, bagged, stream);
  const ForestOptions options{.trees = 30, .least_rows = 1};
  std::vector<std::uint32_t> rows(X.n_cols);
  std::iota(rows.begin(), rows.end(), 0u);
  return grow_forest(make_bins(X, 255), values, values, options, 5, groups, jobs)
      .out_of_bag(X, taus, rows, jobs);
}

}  // namespace

TEST_CASE("out of bag a row sees all values but its own, and those of its group") {
  arma::vec values(bagged);
  Groups groups;
  for (arma::uword n = 0; n < bagged; ++n) values(n) = static_cast<double>(n * 37 % bagged);
  const arma::mat found = out_of_bag(values, {});
  CHECK(found.is_finite());
  for (arma::uword n = 0; n < bagged; ++n) CHECK(arma::all(found.col(n) != values(n)));
  CHECK(arma::approx_equal(found, out_of_bag(values, {}, 3), "absdiff", 0.0));

  for (arma::uword n = 0; n < bagged; ++n) {
    groups.push_back(n / 8);
    values(n) = static_cast<double>(groups.back() * 7 % 50);  // a value names the group
  }
  const arma::mat of_groups = out_of_bag(values, groups);
  CHECK(of_groups.is_finite());
  for (arma::uword n = 0; n < bagged; ++n) CHECK(arma::all(of_groups.col(n) != values(n)));
  CHECK(arma::accu(out_of_bag(values, {}).row(2).t() == values) > 10);  // or nothing was tried here

  const arma::mat one_group = out_of_bag(values, Groups(bagged, 1));
  CHECK(one_group.n_elem == arma::uvec(arma::find_nan(one_group)).n_elem);
}
