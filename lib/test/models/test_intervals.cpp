// Ranks, quantiles, leave-one-out; targets of few values.
#include <algorithm>
#include <tuple>

#include "lacp/base/math.hpp"
#include "lacp/conformal/intervals.hpp"
#include "made_rows.hpp"
#include "table/table_model.hpp"

using namespace lacp;

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
    const TableIntervals found = model.predict(Table("kind\na\nb\nc\n").source());
    for (double y = 1.0; y <= 5.0; ++y)
      for (const arma::mat& beyond : {arma::mat(found.lower - y), arma::mat(y - found.upper)})
        count += arma::accu(beyond > 0.0 && beyond < 1e-9);
  }
  return count;
}

}  // namespace

TEST_CASE("a level is an exact decimal, from a text or a number") {
  CHECK(Level::parse("0.05").value() == 0.05);
  CHECK(Level::parse(".32").text() == "0.32");
  CHECK(Level::parse(".1") == Level::parse("0.1000000000000"));
  CHECK(Level::parse("0.1") != Level::parse("0.11"));
  CHECK(Level(0.1) == Level::parse("0.10"));
  CHECK(Level(1 - 0.9) == Level(0.1));
  CHECK(Level(1 - 0.999999999).text() == "0.000000001");
  CHECK(Level((1 - 0.95) / 2).text() == "0.025");
  CHECK(Level(0.1 + 0.2).text() == "0.3");
  CHECK(Level(0.05).text() == "0.05");
  // (N + 1)(1 − α) is whole for these, and half for the last.
  for (const std::size_t n : {74u, 124u, 149u}) CHECK(Level(0.32).above_share(n) == 0.0);
  for (const std::size_t n : {299u, 499u}) CHECK(Level(0.33).above_share(n) == 0.0);
  CHECK(Level(0.1).above_share(4) == 0.5);
  CHECK(Level(1e-5).rank(99999) == 99999);
  for (const char* wrong : {"", "0", "1", "0.0", "1.5", "-0.1", "5%", "0.05x", "0.0000000001", "0,1", "nan"})
    CHECK_THROWS_AS(Level::parse(wrong), UserError);
  for (const double wrong : {0.0, 1.0, -0.1, 1.5, 0.1234567891, 0.1 + 1e-15, 1e-10, 1e300, 5e-324,
                             arma::datum::nan, arma::datum::inf})
    CHECK_THROWS_AS(Level{wrong}, UserError);
}

TEST_CASE("ranks are computed in integers") {
  // (N + 1)(1 − α) is a whole number in each case; in floating point 0.95 · 20 or 0.9 · 10 may fall to either
  // side. Of 18 points the 19th is infinite.
  for (const auto& [level, n, rank] :
       {std::tuple(0.05, 19u, 19u), std::tuple(0.1, 9u, 9u), std::tuple(0.1, 99u, 90u),
        std::tuple(0.32, 24u, 17u), std::tuple(0.9, 9u, 1u), std::tuple(0.05, 18u, 19u),
        std::tuple(0.5, 3u, 2u)})
    CHECK(Level(level).rank(n) == rank);
  // The released code, index int((1 − α) N) from zero, on its 95 calibration points: coverage .948, .896,
  // .677 of 96.
  for (const auto& [level, rank] : {std::pair(0.05, 91u), std::pair(0.1, 86u), std::pair(0.32, 65u)})
    CHECK(Level(level).rank(95, QuantileRule::floor_index) == rank);
  const arma::vec scores = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(quantile(scores, Level(0.1)) == 9);
  CHECK(quantile(scores, Level(0.5)) == 5);
  CHECK(quantile(scores, Level(0.05)) == arma::datum::inf);
  CHECK(quantile(arma::vec(), Level(0.5)) == arma::datum::inf);
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
        const arma::vec fast = leave_one_out(scores, level, rule);
        for (arma::uword i = 0; i < n; ++i) {  // the definition, one point at a time
          arma::vec others = scores;
          others.shed_row(i);
          REQUIRE(fast(i) == quantile(arma::sort(others), level, rule));
        }
      }
  }
}

TEST_CASE("a point on the end of its interval is inside, whatever the last digit of that end") {
  // Half-widths as the methods make them, exp(½ · 2 log |f − y|): one in twenty-five is too small.
  for (int i = 0; i < 2000; ++i) {
    const double y = 1.0 + (i % 2 == 0 ? 0.001 : -0.001) * i;
    arma::vec width = log_scores(arma::vec{std::abs(1.0 - y)});
    width.transform([](double log_a) { return math::exp(0.5 * log_a); });
    CHECK(covers(Bounds::symmetric(width), 0, 1.0, y));
    CHECK_FALSE(covers(Bounds::symmetric(width), 0, 1.0, y + (y < 1.0 ? -1e-9 : 1e-9)));
  }
  CHECK_FALSE(covers(Bounds::symmetric(arma::vec{empty_interval}), 0, 0.0, 0.0));
}

TEST_CASE("no method loses a tie by rounding") {
  for (const std::string method :
       {"fixed", "adapt", "exp", "erc", "knn_error", "mondrian", "cqr", "forest"}) {
    CAPTURE(method);
    CHECK(lost_in_fits(method, false) == 0);
    CHECK(lost_in_fits(method, true) == 0);
  }
}
