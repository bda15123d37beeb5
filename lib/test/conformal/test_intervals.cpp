// Ranks, quantiles, leave-one-out; targets of few values.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "lacp/table/table_model.hpp"
#include "made_rows.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

/// The definition, one point at a time.
arma::vec naive_leave_one_out(const arma::vec& scores, const Level& level, QuantileRule rule) {
  arma::vec quantiles(scores.n_elem);
  for (arma::uword i = 0; i < scores.n_elem; ++i) {
    arma::vec others = scores;
    others.shed_row(i);
    quantiles(i) = quantile(arma::sort(others), level, rule);
  }
  return quantiles;
}

}  // namespace

TEST_CASE("a level is an exact decimal") {
  CHECK(Level::parse("0.05").value() == 0.05);
  CHECK(Level::parse(".32").text() == "0.32");
  for (const char* wrong : {"", "0", "1", "0.0", "1.5", "-0.1", "5%", "0.05x", "0.0000000001", "0,1", "nan"})
    CHECK_THROWS_AS(Level::parse(wrong), UserError);
}

TEST_CASE("levels are equal if their numbers are, and come from numbers too") {
  CHECK(Level::parse("0.1") == Level::parse("0.10"));
  CHECK(Level::parse(".1") == Level::parse("0.1000000000000"));
  CHECK(Level::parse("0.1") != Level::parse("0.11"));
  CHECK(Level(0.1) == Level::parse("0.1"));
  CHECK(Level(0.05).text() == "0.05");
  CHECK(Level(1e-5).rank(99999) == 99999);
  for (const double wrong :
       {0.0, 1.0, -0.1, 1.5, 0.1 + 0.2, 1e-10, 1e300, 5e-324, arma::datum::nan, arma::datum::inf})
    CHECK_THROWS_AS(Level{wrong}, UserError);
}

TEST_CASE("ranks are computed in integers") {
  // (N + 1)(1 − α) is a whole number in each case; in floating point 0.95 · 20 or 0.9 · 10 may fall to either
  // side.
  CHECK(Level::parse("0.05").rank(19) == 19);
  CHECK(Level::parse("0.1").rank(9) == 9);
  CHECK(Level::parse("0.1").rank(99) == 90);
  CHECK(Level::parse("0.32").rank(24) == 17);
  CHECK(Level::parse("0.9").rank(9) == 1);
  CHECK(Level::parse("0.05").rank(18) == 19);  // exceeds N: infinite
  CHECK(Level::parse("0.5").rank(3) == 2);
  // The released code, index int((1 − α) N) from zero, on its 95 calibration points: coverage .948, .896,
  // .677 of 96.
  CHECK(Level::parse("0.05").rank(95, QuantileRule::floor_index) == 91);
  CHECK(Level::parse("0.1").rank(95, QuantileRule::floor_index) == 86);
  CHECK(Level::parse("0.32").rank(95, QuantileRule::floor_index) == 65);
}

TEST_CASE("the quantile is the rank-th smallest score, or infinite") {
  const arma::vec scores = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(quantile(scores, Level::parse("0.1")) == 9);
  CHECK(quantile(scores, Level::parse("0.5")) == 5);
  CHECK(quantile(scores, Level::parse("0.05")) == arma::datum::inf);
  CHECK(quantile(arma::vec(), Level::parse("0.5")) == arma::datum::inf);
}

TEST_CASE("leave-one-out in O(n log n) equals the definition, with and without ties") {
  Stream stream(7);
  for (int draw = 0; draw < 300; ++draw) {
    const std::size_t n = 1 + stream.below(60), values = 1 + stream.below(80);
    arma::vec scores(n);
    for (double& s : scores) s = static_cast<double>(stream.below(values));
    for (const char* text : {"0.05", "0.1", "0.32", "0.5", "0.97"})
      for (const QuantileRule rule : {QuantileRule::ceiling, QuantileRule::floor_index}) {
        const Level level = Level::parse(text);
        INFO(n, " ", text);
        const arma::vec fast = leave_one_out(scores, level, rule),
                        naive = naive_leave_one_out(scores, level, rule);
        REQUIRE(std::equal(fast.begin(), fast.end(), naive.begin()));
      }
  }
}

namespace {

/// A row in fifteen kinds: one category of three, and 1 to 5 stars that depend on it a little.
std::string stars(std::size_t n, Stream& stream) {
  std::string text = "kind,stars\n";
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t kind = stream.below(3);
    text += fmt::format("{},{}\n", "abc"[kind], 1 + std::min(stream.below(5), 2 + stream.below(2 + kind)));
  }
  return text;
}

/// How many ends fall short of a number of stars by less than 1e-9: all rows with that number lie outside.
std::size_t lost(const TableIntervals& intervals) {
  std::size_t count = 0;
  for (arma::uword l = 0; l < intervals.lower.n_rows; ++l)
    for (arma::uword n = 0; n < intervals.lower.n_cols; ++n)
      for (double y = 1.0; y <= 5.0; ++y) {
        const double below = intervals.lower(l, n) - y, above = y - intervals.upper(l, n);
        count += (below > 0.0 && below < 1e-9) || (above > 0.0 && above < 1e-9) ? 1 : 0;
      }
  return count;
}

std::size_t lost_in_fits(const std::string& method, bool log_target) {
  std::size_t count = 0;
  const Columns columns{.attributes = {{.name = "kind", .kind = ColumnKind::category}},
                        .target = {{.name = "stars"}},
                        .log_target = log_target};
  PredictorSettings settings = quick_settings(method);
  for (settings.seed = 1; settings.seed <= 8; ++settings.seed) {
    Stream stream(settings.seed);
    const TableModel model =
        TableModel::fit(read_table(Table(stars(400, stream)).source(), columns),
                        {Level(0.05), Level(0.1), Level(0.2), Level(0.32), Level(0.5)}, settings);
    count += lost(model.predict(Table("kind\na\nb\nc\n").source()));
  }
  return count;
}

}  // namespace

TEST_CASE("no method loses a tie by rounding") {
  for (const std::string method :
       {"fixed", "adapt", "exp", "erc", "knn_error", "mondrian", "cqr", "forest"}) {
    CAPTURE(method);
    CHECK(lost_in_fits(method, false) == 0);
    CHECK(lost_in_fits(method, true) == 0);
  }
}

// Theorem 1 where many scores are equal, by simulation; test_baselines.cpp has it where none are.

namespace {

constexpr std::size_t draws = 4000;

/// Points with an error that depends on x, both of few values.
void draw(arma::mat& X, arma::vec& error, Stream& stream) {
  const auto rounded = [](double value, double unit) { return unit * std::round(value / unit); };
  for (arma::uword i = 0; i < X.n_cols; ++i) {
    for (arma::uword k = 0; k < X.n_rows; ++k) X(k, i) = rounded(stream.normal(), 2.0);
    error(i) = rounded((0.2 + std::abs(X(0, i))) * std::abs(stream.normal()), 0.7);
  }
}

/// A fresh calibration sample and one test point per draw.
std::size_t count_covered(const Localizer& localizer, std::size_t n, const Level& level, Stream& stream) {
  std::size_t covered = 0;
  // Many draws at once: the network is evaluated on all their points together.
  arma::mat X(2, draws * (n + 1));
  arma::vec error(X.n_cols);
  draw(X, error, stream);
  const arma::mat g = localizer.g(X);
  arma::vec b, width;
  localizer.phi.scores(localizer.transformation, log_scores(error), g, localizer.shared, b);
  for (std::size_t d = 0; d < draws; ++d) {
    const std::size_t first = d * (n + 1), test = first + n;
    const arma::vec q = {quantile(arma::sort(b.subvec(first, test - 1)), level)};
    localizer.phi.half_widths(localizer.transformation, q,
                              g.n_rows == 0 ? arma::mat(0, 1) : arma::mat(g.col(test)), localizer.shared,
                              width);
    covered += error(test) <= upper_end(0.0, width(0));
  }
  return covered;
}

Localizer with_random_network(const TransformationClass& method, Stream& stream) {
  Localizer localizer;
  localizer.phi = method;
  localizer.network.hidden = {8, 8};
  localizer.shape = {.inputs = 2, .hidden = {8, 8}, .outputs = method.outputs};
  localizer.shared = arma::vec(method.shared_start);
  if (method.outputs == 0) return localizer;
  Mlp net(localizer.shape, 1);
  net.initialise(stream);
  localizer.parameters = 3.0f * net.parameters();
  return localizer;
}

}  // namespace

TEST_CASE("the band is a binomial band: it refuses a coverage that is off") {
  CHECK(side_of_band(3600, draws, 0.9) == 0);
  CHECK(side_of_band(3480, draws, 0.9) == -1);  // .87
  CHECK(side_of_band(3710, draws, 0.9) == 1);
}

TEST_CASE("equal scores only raise coverage") {
  Stream stream(3);
  for (const std::string& name : class_names()) {
    if (name.starts_with("adapt_") || name == "mixture") continue;  // exp; a root-finder makes its intervals
    const Localizer localizer = with_random_network(find_class(name), stream);
    for (const std::size_t n : {5u, 19u, 60u, 200u})
      for (const Level& level : {Level(0.05), Level(0.1), Level(0.32)}) {
        const std::size_t rank = std::min(level.rank(n), n + 1);
        const std::size_t covered = count_covered(localizer, n, level, stream);
        INFO(name, " ", n, " ", level.text(), " ", covered);
        CHECK(side_of_band(covered, draws, static_cast<double>(rank) / static_cast<double>(n + 1)) >= 0);
      }
  }
}
