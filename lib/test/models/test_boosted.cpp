#include <cstring>
#include <numeric>

#include "lacp/base/sums.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"
#include "models/trees/boosted.hpp"

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

TEST_CASE("attributes have as many bins as the options say, with as many rows each") {
  const Rows data = made(1000);
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
  CHECK_REFUSED(fit({data.X, data.y.head(99)}), "100 rows, 99 targets");
  CHECK_THROWS_AS(fit({arma::mat(3, 0), arma::vec()}), UserError);
  const BoostedTrees model = fit(data);
  CHECK_REFUSED(model.predict(data.X.head_rows(4)), "4 attributes");
  Rows gap = data, infinite = data;
  gap.X(2, 50) = arma::datum::nan, infinite.y(3) = arma::datum::inf;
  CHECK_REFUSED(fit(gap), "finite");
  CHECK_REFUSED(fit(infinite), "finite");
  CHECK_REFUSED(model.predict(gap.X), "finite");
}
