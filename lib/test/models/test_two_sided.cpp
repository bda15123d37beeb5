// A quantile for each side: coverage, skewed errors, and what it is for methods that are no scale family.
#include <algorithm>

#include "fitted_rows.hpp"

namespace {

/// s(x) = 1 + |x|, as a class of its own would have it.
class KnownScale : public ErrorScore {
 public:
  arma::mat local(const arma::mat& X, const arma::vec&) const override { return X; }
  arma::vec scale(const arma::mat& X) const override { return 1.0 + arma::abs(X.row(0).t()); }
  void write(ModelWriter&) const override {}
};

/// Errors that are skewed: s·(E − 1) with E exponential, long above and short below.
Points skewed(std::size_t n, Stream& stream) {
  Points points(n, stream);
  for (arma::uword i = 0; i < n; ++i)
    points.y(i) = points.f(i) + (1.0 + std::abs(points.X(0, i))) * (-std::log(1.0 - stream.uniform()) - 1.0);
  return points;
}

}  // namespace

TEST_CASE("each side is the order statistic of the errors on that side") {
  Stream stream(1);
  const Points points = skewed(99, stream), queries = skewed(5, stream);
  const auto two_sided = with_sides(std::make_shared<KnownScale>(), find_method("exp"), Sides::each);
  const FittedScore& score = *two_sided;
  const Calibration calibration = score.calibration(points.X, points.f, points.y);
  const std::vector<Level> two = {Level(0.1), Level(0.2)};
  const auto intervals = [&](const Calibration& by, const Queries& at, const arma::vec& f) {
    return score.intervals(by, at, f, two, QuantileRule::ceiling);
  };
  const std::vector<Bounds> found = intervals(calibration, {.local = queries.X}, queries.f);
  const arma::vec z = arma::sort(arma::vec((points.y - points.f) / (1.0 + arma::abs(points.X.row(0).t()))));
  const arma::vec s = 1.0 + arma::abs(queries.X.row(0).t());
  // 99 scores: ⌈100·0.95⌉ = 95 and ⌈100·0.9⌉ = 90, from above and from below.
  CHECK(arma::all(found[0].above == z(94) * s));
  CHECK(arma::all(found[0].below == -z(4) * s));
  CHECK(arma::all(found[1].above == z(89) * s));
  CHECK(arma::all(found[1].below == -z(9) * s));

  // Leave-one-out: 98 others, ⌈99·0.95⌉ = 95 of them.
  const arma::uvec first = {0};
  const Bounds left_out =
      intervals(calibration, {.local = points.X.col(0), .left_out = &first}, points.f.head(1)).front();
  arma::vec others = calibration.scores.front();
  others.shed_row(0);
  others = arma::sort(others);
  CHECK(left_out.above(0) == others(94) * (1.0 + std::abs(points.X(0, 0))));
  CHECK(left_out.below(0) == -others(3) * (1.0 + std::abs(points.X(0, 0))));

  // Too few scores for α/2: infinite, though α itself would do.
  const Calibration few = score.calibration(points.X.head_cols(18), points.f.head(18), points.y.head(18));
  CHECK(intervals(few, {.local = queries.X}, queries.f)[0].half_width().min() == arma::datum::inf);
}

TEST_CASE("two sides cover as promised, and each misses its half") {
  constexpr std::size_t draws = 2000, n = 199;
  const auto two_sided = with_sides(std::make_shared<KnownScale>(), find_method("exp"), Sides::each);
  const FittedScore& each = *two_sided;
  Stream stream(2);
  std::vector<std::size_t> covered(3), missed_below(3), missed_above(3);
  for (std::size_t d = 0; d < draws; ++d) {
    const Points points = skewed(n, stream), test = skewed(1, stream);
    const Queries query{.local = test.X};
    const auto intervals = each.intervals(each.calibration(points.X, points.f, points.y), query, test.f,
                                          levels, QuantileRule::ceiling);
    const double over = test.y(0) - test.f(0);
    for (std::size_t l = 0; l < 3; ++l) {
      const bool below = -over > intervals[l].below(0), above = over > intervals[l].above(0);
      missed_below[l] += below, missed_above[l] += above, covered[l] += !below && !above;
    }
  }
  for (std::size_t l = 0; l < 3; ++l) {
    CAPTURE(levels[l].text());
    const auto rank = static_cast<double>(levels[l].half().rank(n)), places = static_cast<double>(n + 1);
    CHECK(side_of_band(covered[l], draws, (2.0 * rank - places) / places) == 0);
    CHECK(side_of_band(missed_below[l], draws, 1.0 - rank / places) == 0);
    CHECK(side_of_band(missed_above[l], draws, 1.0 - rank / places) == 0);
  }
}

TEST_CASE("a size that vanishes, e^(−g/2) far out, leaves scores and intervals numbers") {
  class Vanishing : public KnownScale {
   public:
    arma::vec scale(const arma::mat& X) const override { return arma::exp(-0.5 * X.row(0).t()); }
  };
  const auto two_sided = with_sides(std::make_shared<Vanishing>(), find_method("exp"), Sides::each);
  const FittedScore& score = *two_sided;
  const arma::mat X(1, 40, arma::fill::value(3000.0));
  arma::vec f(40, arma::fill::zeros), y(40);
  for (arma::uword i = 1; i < 40; ++i) y(i) = i % 2 == 0 ? 1.0 : -1.0;  // and one error of zero
  const Calibration calibration = score.calibration(X, f, y);
  CHECK_FALSE(calibration.has_nan());
  const std::vector<Level> some = {Level(0.1), Level(0.001)};
  const auto found = score.intervals(calibration, {.local = X}, f, some, QuantileRule::ceiling);
  CHECK(found[0].below(0) == near_share(1.0, 1e-12));
  CHECK(found[0].above(0) == near_share(1.0, 1e-12));
  CHECK(found[1].half_width()(0) == arma::datum::inf);
}

TEST_CASE("every scale family knows its scale, and no other method claims to have one") {
  Stream stream(3);
  const Points points(300, stream);
  std::size_t families = 0;
  for (const std::string& name : method_names()) {
    CAPTURE(name);
    const auto score = fitted(name);
    const arma::mat local = score->local(points.X, points.f);
    const arma::vec s = score->scale(local);
    CHECK(find_method(name).scale_family == !s.empty());
    if (s.empty()) continue;
    ++families;
    // The bounds at one threshold are proportional to s.
    const arma::vec scores = score->scores(local, points.f, points.y).front();
    const arma::vec width =
        score->bounds(local, points.f, arma::vec(300).fill(scores(7)), Level(0.1)).half_width();
    CHECK(arma::abs(width / s / (width(0) / s(0)) - 1.0).max() < 1e-9);
    // A point lies on its own bound.
    CHECK(width(7) == near_share(std::abs(points.y(7) - points.f(7)), 1e-9));
  }
  CHECK(families >= 6);
}
