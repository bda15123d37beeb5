#include <cstring>
#include <numeric>

#include "allocations.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/model/centre.hpp"
#include "lacp/model/trees/boosted.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

/// y = x₀ + |x₁| + noise. Attribute 2 has five values only, attribute 3 one; all others say nothing.
Rows made(std::size_t n, std::size_t d = 5, std::uint64_t seed = 1) {
  Stream stream(seed);
  Rows data{arma::mat(d, n), arma::vec(n)};
  for (arma::uword i = 0; i < n; ++i) {
    for (arma::uword a = 0; a < d; ++a)
      data.X(a, i) = a == 2 ? static_cast<double>(stream.below(5)) : a == 3 ? 7.0 : stream.normal();
    data.y(i) = data.X(0, i) + (d > 1 ? std::abs(data.X(1, i)) : 0.0) + 0.3 * stream.normal();
  }
  return data;
}

/// All rows fitted on, all rounds made.
BoostedTrees fit(const Rows& data, BoostedOptions options = {}) {
  options.validation_share = 0.0;
  Stream unused(1);
  return BoostedTrees::fit(data.X, data.y, options, unused);
}

std::string bytes_of(const BoostedTrees& model) {
  ModelWriter out("trees", 1);
  write(out, model);
  return out.whole();
}

BoostedTrees from_bytes(const std::string& bytes) {
  ModelReader in(bytes, "trees.bin", "trees", 1);
  BoostedTrees model = std::get<BoostedTrees>(read_centre(in, CentreKind::boosted, 5));
  CHECK(in.at_end());
  return model;
}

double error_of(const BoostedTrees& model, const Rows& data) {
  const arma::vec r = model.predict(data.X) - data.y;
  return dot_of(r.memptr(), r.memptr(), r.n_elem) / static_cast<double>(r.n_elem);
}

bool same(const arma::vec& a, const arma::vec& b) {
  return a.n_elem == b.n_elem && std::memcmp(a.memptr(), b.memptr(), a.n_elem * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE("a tree by hand") {
  // The mean is 6. Cut after the first, second, third row: gains 48, 144, 85.3, so the means are 0 and 12.
  const Rows data{arma::mat{{1, 2, 3, 4}}, arma::vec{0, 0, 10, 14}};
  const auto grown = [&](std::size_t rounds, double rate, std::size_t leaves, std::size_t least) {
    return fit(data, {.rounds = rounds, .learning_rate = rate, .leaves = leaves, .least_rows = least});
  };
  const BoostedTrees whole = grown(1, 1.0, 2, 1);
  REQUIRE(whole.trees().size() == 1);
  CHECK(whole.base() == 6.0);
  CHECK(whole.trees()[0][0].value == 2.5);
  CHECK(same(whole.predict(arma::mat{{-9, 1, 2.5, 2.6, 4, 99}}), {0, 0, 0, 12, 12, 12}));
  // A third leaf: the left one has nothing to gain.
  CHECK(same(grown(1, 1.0, 3, 1).predict(data.X), {0, 0, 10, 14}));
  // Half a step leaves the residuals −3, −3, 1, 5: gains 12, 36, 33.3, and another half a step of 3.
  CHECK(same(grown(2, 0.5, 2, 1).predict(data.X), {1.5, 1.5, 10.5, 10.5}));
  // Two rows in a leaf at least: the third leaf is forbidden.
  CHECK(same(grown(1, 1.0, 3, 2).predict(data.X), {0, 0, 12, 12}));
}

TEST_CASE("equal splits: the lowest attribute, then the lowest cut") {
  const arma::mat X = {{5, 5, 5, 5}, {1, 2, 3, 4}, {1, 2, 3, 4}};
  const auto root = [&](const arma::vec& y) {
    return fit({X, y}, {.rounds = 1, .leaves = 2, .least_rows = 1}).trees()[0][0];
  };
  CHECK(root({0, 0, 1, 1}).attribute == 1);
  CHECK(root({1, 0, 0, 1}).value == 1.5);  // as good as 3.5
}

TEST_CASE("small leaves, whose bins are visited one by one, are split as large ones are") {
  // Each row four times, in leaves of four times as many rows: as many splits, with the same gains.
  Rows few = made(240);
  few.y = arma::round(64.0 * few.y);
  const Rows many{arma::repmat(few.X, 1, 4), arma::repmat(few.y, 4, 1)};
  for (const std::size_t least : {1u, 2u, 5u, 20u}) {
    const auto tree = [&](const Rows& rows, std::size_t times) {
      return fit(rows, {.rounds = 1, .learning_rate = 1.0, .leaves = 100, .least_rows = times * least})
          .trees()
          .at(0);
    };
    const std::vector<TreeNode> small = tree(few, 1), large = tree(many, 4);
    REQUIRE(small.size() == large.size());
    for (std::size_t i = 0; i < small.size(); ++i) {
      CHECK(small[i].left == large[i].left);
      CHECK(small[i].attribute == large[i].attribute);
      CHECK(small[i].value == near(large[i].value, 1e-9));
    }
  }
}

TEST_CASE("the same trees for rows in any order") {
  const Rows data = made(700);
  Stream stream(3);
  const arma::uvec order(stream.permutation<arma::uword>(700));
  CHECK(bytes_of(fit({data.X.cols(order), data.y(order)})) == bytes_of(fit(data)));
}

TEST_CASE("many rows: the same bins and trees on any number of threads") {
  const Rows data = made(60'000, 20);  // enough for threads to share the attributes of a leaf
  const BinnedAttributes bins = make_bins(data.X, 255), again = make_bins(data.X, 255, 3);
  CHECK(again.cuts == bins.cuts);
  CHECK(again.codes == bins.codes);
  CHECK(again.by_row == bins.by_row);
  std::vector<std::uint32_t> rows(60'000);
  std::iota(rows.begin(), rows.end(), 0u);
  const auto bytes = [&](std::size_t jobs) {
    SquaredObjective objective(data.y, 0.1);
    return bytes_of(BoostedTrees(20, boost(bins, rows, {}, {.rounds = 2}, objective, jobs)));
  };
  CHECK(bytes(3) == bytes(1));
  CHECK(bytes(0) == bytes(1));
}

TEST_CASE("the same bytes on every machine") {
  const Rows data = made(2000, 6);
  Stream stream(4);
  const BoostedTrees stopped = BoostedTrees::fit(data.X, data.y, {}, stream);
  CHECK(checksum(fit(data).predict(data.X)) ==
        "80bd0a43cdb8bd6d5999972efa68e41ecb039b3e0191b5ac7260c7f6e8a45dde");
  CHECK(checksum(stopped.predict(data.X)) ==
        "d0f87bccf6f490accba7080e630533fe758c4680de9bc6c7f5db9c5239d8bac1");
}

TEST_CASE("leaves are as many and as large as the options say, and attributes have that many bins") {
  const Rows data = made(1000);
  const BoostedTrees model = fit(data, {.rounds = 5, .leaves = 7, .least_rows = 60, .bins = 4});
  for (const std::vector<TreeNode>& tree : model.trees()) {
    CHECK(tree.size() == 13);
    std::vector<std::size_t> rows(tree.size());
    for (arma::uword n = 0; n < 1000; ++n) {
      std::size_t at = 0;
      while (tree[at].left != 0)
        at = tree[at].left + (data.X(tree[at].attribute, n) <= tree[at].value ? 0 : 1);
      ++rows[at];
    }
    for (std::size_t i = 0; i < tree.size(); ++i)
      if (tree[i].left == 0) CHECK(rows[i] >= 60);
  }
  const BinnedAttributes bins = make_bins(data.X, 4);
  CHECK(bins.cuts[0].size() == 3);
  CHECK(bins.cuts[2].size() == 3);
  CHECK(bins.cuts[3].empty());
  for (int quarter = 0; quarter < 4; ++quarter)
    CHECK(std::abs(std::count(bins.of(0), bins.of(0) + 1000, quarter) - 250) <= 1);
  CHECK(make_bins(data.X, 255).cuts[2] == std::vector<double>{0.5, 1.5, 2.5, 3.5});
}

TEST_CASE("neighbouring doubles, the largest ones and repeated values are told apart by their bins") {
  const double next = std::nextafter(1.0, 2.0), huge = 1.7e308;
  const BinnedAttributes bins = make_bins(arma::mat{{next, -huge, 1.0, huge, 1.0, -0.0, 0.0}}, 255);
  CHECK(std::vector<std::uint8_t>(bins.codes) == std::vector<std::uint8_t>{3, 0, 2, 4, 2, 1, 1});
  // 300 different values, one of which half of the rows have: its quantiles are one cut.
  arma::mat X(1, 600);
  for (arma::uword n = 0; n < 600; ++n) X(0, n) = n < 300 ? 0.0 : static_cast<double>(n);
  const BinnedAttributes many = make_bins(X, 255);
  CHECK(many.cuts[0].front() == 0.0);
  CHECK(std::ranges::adjacent_find(many.cuts[0], std::ranges::greater_equal{}) == many.cuts[0].end());
  CHECK(many.cuts[0].back() < 599.0);
}

TEST_CASE("bins of many numbers, which are sorted by their bytes, are those of their order") {
  constexpr arma::uword rows = 5003;
  Stream stream(4);
  arma::mat X(2, rows);
  for (arma::uword n = 0; n < rows; ++n) {
    const double size = std::ldexp(1.0, static_cast<int>(stream.below(2000)) - 1000);
    X(0, n) = n % 50 == 0 ? -0.0 : n % 51 == 0 ? 0.0 : stream.normal() * size;
    X(1, n) = static_cast<double>(stream.below(700)) - 350.0;
  }
  const BinnedAttributes bins = make_bins(X, 100);
  for (arma::uword i = 0; i < 2; ++i) {
    const arma::rowvec sorted = arma::sort(X.row(i));
    std::vector<double> cuts;  // their hundredths, without those that are equal
    for (arma::uword j = 1; j < 100; ++j) {
      const arma::uword place = (rows - 1) * j, low = place / 100;
      const double below = sorted(low), above = sorted(low + (place % 100 != 0 ? 1 : 0));
      const double cut = below < above ? 0.5 * below + 0.5 * above : below;
      if (cut < sorted.back() && (cuts.empty() || cut > cuts.back())) cuts.push_back(cut);
    }
    CHECK(bins.cuts[i] == cuts);
    for (arma::uword n = 0; n < rows; ++n)
      CHECK(bins.of(i)[n] == std::ranges::count_if(bins.cuts[i], [&](double cut) { return cut < X(i, n); }));
  }
}

TEST_CASE("targets of any size") {
  const Rows data = made(400);
  const arma::vec f = fit(data).predict(data.X);
  for (const int exponent : {997, -1000, 40}) {  // 1e300, 1e-301: a power of two changes nothing but itself
    arma::vec y = data.y;
    for (double& value : y) value = std::ldexp(value, exponent);
    arma::vec scaled = fit({data.X, y}).predict(data.X);
    for (double& value : scaled) value = std::ldexp(value, -exponent);
    CHECK(same(scaled, f));
    Stream stream(1);
    CHECK(BoostedTrees::fit(data.X, y, {}, stream).trees().size() > 10);  // held-out errors do not overflow
  }
  const arma::vec ends =
      fit({arma::mat{{0, 1}}, {-1.7e308, 1.7e308}}, {.least_rows = 1}).predict(arma::mat{{0, 1}});
  CHECK(ends(0) == near_share(-1.7e308, 1e-4));
  CHECK(ends(1) == near_share(1.7e308, 1e-4));
  const arma::vec tiny = fit({arma::mat{{0, 1}}, {0, 5e-324}}, {.least_rows = 1}).predict(arma::mat{{0, 1}});
  CHECK(tiny.is_finite());
}

TEST_CASE("small and plain data") {
  const Rows data = made(300);
  const auto head = [&](arma::uword n) { return Rows{data.X.head_cols(n), data.y.head(n)}; };
  const BoostedTrees constant = fit({data.X, arma::vec(300, arma::fill::value(0.1))}),
                     mean = fit({arma::ones(2, 300), data.y});  // constant attributes
  CHECK(constant.trees().empty());
  CHECK(arma::all(constant.predict(data.X) == 0.1));
  CHECK(mean.trees().empty());
  CHECK(mean.base() == near(mean_of(data.y), 1e-12));
  CHECK(error_of(fit(made(500, 1)), made(500, 1)) < 0.09);
  CHECK(fit(head(39)).trees().empty());  // no two leaves of 20 rows
  CHECK(fit(head(40)).trees().size() == 100);
  CHECK(fit(head(1)).predict(head(1).X)(0) == data.y(0));
  CHECK(error_of(fit(head(8), {.least_rows = 1}), head(8)) < 1e-6);  // 8 rows, up to 31 leaves
  CHECK(fit(data).predict(arma::mat(5, 0)).is_empty());
}

TEST_CASE("a held-out part decides on the rounds: few for noise, more where there is more to learn") {
  const Rows data = made(1500);
  Stream stream(5), noise(6);
  const BoostedTrees learnt = BoostedTrees::fit(data.X, data.y, {}, stream);
  Rows nothing = data;
  for (double& value : nothing.y) value = noise.normal();
  CHECK(learnt.trees().size() > 20);
  CHECK(BoostedTrees::fit(nothing.X, nothing.y, {}, stream).trees().size() < 10);
  // The trees are those of all rows.
  CHECK(bytes_of(learnt) == bytes_of(fit(data, {.rounds = learnt.trees().size()})));
}

TEST_CASE("what cannot be used is refused") {
  const Rows data = made(100);
  CHECK_REFUSED(fit({data.X, data.y.head(99)}), "100 columns of attributes but 99");
  CHECK_THROWS_AS(fit({arma::mat(3, 0), arma::vec()}), UserError);
  const BoostedTrees model = fit(data);
  CHECK_REFUSED(model.predict(data.X.head_rows(4)), "4 attributes");
  Rows gap = data, infinite = data;
  gap.X(2, 50) = arma::datum::nan, infinite.y(3) = arma::datum::inf;
  CHECK_REFUSED(fit(gap), "finite");
  CHECK_REFUSED(fit(infinite), "finite");
  CHECK_REFUSED(model.predict(gap.X), "finite");
}

TEST_CASE("a model file holds the trees bit for bit, and damaged ones are refused") {
  const BoostedTrees model = fit(made(300), {.rounds = 3});
  CHECK(bytes_of(from_bytes(bytes_of(model))) == bytes_of(model));
  CHECK_THROWS_AS(BoostedTrees(5, {arma::datum::inf, model.trees()}), std::invalid_argument);
  const auto refused = [&](auto change) {
    auto trees = model.trees();
    change(trees);
    CHECK_THROWS_AS(BoostedTrees(5, {0.0, trees}), std::invalid_argument);
  };
  refused([](auto& trees) { trees[0].clear(); });
  refused([](auto& trees) { trees[1].pop_back(); });
  refused([](auto& trees) { trees[1][0].attribute = 5; });
  refused([](auto& trees) { trees[1][1].left = 1; });
  refused([](auto& trees) { trees[1][0].left = 0xffffffff; });
  refused([](auto& trees) { trees[2].back().value = arma::datum::nan; });

  const std::string bytes = bytes_of(model), content = bytes.substr(0, bytes.size() - 64);
  const auto changed = [&](std::initializer_list<std::pair<std::size_t, char>> changes) {
    std::string other = content;
    for (const auto& [at, byte] : changes) other[at] = byte;
    return from_bytes(other + sha256(other));
  };
  constexpr std::size_t trees = 5 + 8 + 8, nodes = trees + 8 + 8;
  // The root's left child is the root, and the second node its own child; there are 2^63 trees.
  CHECK_REFUSED(changed({{nodes + 12, 0}, {nodes + 16 + 12, 1}}), "trees that no fit makes");
  CHECK_REFUSED(changed({{trees + 7, 0x7f}}), "ends too early");
}

#ifdef LACP_COUNTS_ALLOCATIONS
TEST_CASE("where leaves are too large for a split the trees are the mean, and no attribute is looked at") {
  Stream stream(9);
  const arma::mat X = gaussian(200, 1000, stream);
  const arma::vec y = gaussian(1, 1000, stream).t();
  const std::size_t before = allocated;
  const BoostedTrees trees =
      BoostedTrees::fit(X, y, {.rounds = 1, .least_rows = 1000, .validation_share = 0.0}, stream);
  CHECK(allocated - before < 100'000);  // codes of the attributes alone are 200,000 bytes
  CHECK(trees.trees().empty());
  CHECK(trees.base() == near(mean_of(y), 1e-9));
}
#endif
