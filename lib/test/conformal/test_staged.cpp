// The stages of intervals from boosted trees: scale, ends, and the choice among them. One row at a time, as a
// program asks that answers requests: what all calibration points have in common is worked out once.
#include <cstring>

#include "allocations.hpp"
#include "fitted_rows.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"

namespace {

/// Winkler score on fresh points, calibrated by fresh points.
double winkler(const FittedScore& score, const Level& level, std::uint64_t seed) {
  Stream stream(seed);
  const Points calibrating(500, stream), points(2000, stream);
  const Calibration calibration = score.calibration(score.local(calibrating.X), calibrating.f, calibrating.y);
  const arma::mat local = score.local(points.X);
  return winkler_score(
      score.intervals(calibration, {.local = local}, points.f, {&level, 1}, QuantileRule::ceiling).front(),
      points.f, points.y, level);
}

std::shared_ptr<const FittedScore> learnt(const std::string& name, std::size_t rows = 3000) {
  Stream stream(4);
  const Points points(rows, stream);
  return fitted(name, Points(0, stream), points).score;
}

}  // namespace

TEST_CASE("the scale of adapt_trees follows the mean error, and theta the data") {
  const auto score = learnt("adapt_trees");
  CHECK(score->adaptation().value() >= 0.75);
  const arma::vec s = score->scale(score->local({{0.0, 1.0, -1.0, 2.0}, {0.0, 0.0, 0.0, 0.0}}));
  // The mean error is in proportion to 0.2 + |x|.
  CHECK(s(1) / s(0) > 2.5);
  CHECK(std::abs(std::log(s(2) / s(1))) < 0.25);
  CHECK(s(3) > 1.4 * s(1));

  Stream stream(4);  // errors that do not depend on x: nothing to adapt to
  Points even(3000, stream);
  for (std::size_t i = 0; i < even.y.n_elem; ++i) even.y(i) = even.f(i) + stream.normal();
  const auto flat = fitted("adapt_trees", Points(0, stream), even).score;
  const arma::vec sizes = flat->scale(flat->local(even.X));
  CHECK(sizes.max() / sizes.min() < 1.3);
}

TEST_CASE("ends are in order at every point, those of smaller levels outside") {
  Stream stream(5);
  const Points points(400, stream);
  for (const std::string name : {"shape", "blend", "cqr_trees"}) {
    CAPTURE(name);
    const auto score = learnt(name, 600);
    const arma::mat local = score->local(points.X);
    const arma::vec none(points.f.n_elem, arma::fill::zeros);
    const Bounds wide = score->bounds(local, points.f, none, Level(0.05)),
                 middle = score->bounds(local, points.f, none, Level(0.1)),
                 narrow = score->bounds(local, points.f, none, Level(0.32));
    CHECK(arma::all(wide.below >= middle.below && middle.below >= narrow.below));
    CHECK(arma::all(wide.above >= middle.above && middle.above >= narrow.above));
    CHECK(arma::all(narrow.below + narrow.above >= 0.0));
    CHECK(arma::all(wide.below + wide.above > narrow.below + narrow.above));
    CHECK(arma::accu(wide.below) > arma::accu(middle.below));
    CHECK(arma::accu(middle.below) > arma::accu(narrow.below));
  }
}

TEST_CASE("each stage is worth something where errors lean to one side") {
  const Level level(0.1);
  const double fixed = winkler(*learnt("fixed"), level, 6),
               adapted = winkler(*learnt("adapt_trees"), level, 6),
               shaped = winkler(*learnt("shape"), level, 6), blended = winkler(*learnt("blend"), level, 6);
  CAPTURE(fixed);
  CAPTURE(adapted);
  CAPTURE(shaped);
  CAPTURE(blended);
  CHECK(adapted < 0.95 * fixed);
  CHECK(shaped < 0.98 * adapted);
  CHECK(blended < 0.98 * adapted);
  // Errors above are twice as large as those below, and so are the ends.
  const auto score = learnt("shape");
  const Bounds bounds = score->bounds(score->local(point(1.0, 0.0)), {2.0}, {0.0}, level);
  CHECK(bounds.above(0) / bounds.below(0) > 1.5);
  CHECK(bounds.above(0) / bounds.below(0) < 2.6);
}

TEST_CASE("auto is as good as the best of those that it chooses from") {
  const Level level(0.1);
  double best = HUGE_VAL;
  for (const std::string name : {"adapt", "adapt_trees", "shape", "blend"})
    best = std::min(best, winkler(*learnt(name, 1200), level, 7));
  CHECK(winkler(*learnt("auto", 1200), level, 7) < 1.02 * best);
}

TEST_CASE("a network that diverges leaves nothing behind in auto") {
  Stream stream(4);
  const Points none(0, stream), points(300, stream);
  const AdamOptions wild{.learning_rate = 1e4, .beta1 = 0.1};
  const FitResult adapt = fitted("adapt", none, points, {}, levels, wild);
  REQUIRE(adapt.failure);
  REQUIRE(adapt.failure->epoch > 1);  // an epoch before was the best so far
  const FitResult result = fitted("auto", none, points, {}, levels, wild);
  REQUIRE_FALSE(result.failure);
  CHECK(result.best_epoch == 0);
  CHECK(result.validation_scores.empty());
  CHECK(result.stages.size() == 3);
}

TEST_CASE("stages fall back where rows are few") {
  Stream stream(8);
  for (const std::size_t rows : {5u, 12u, 40u}) {
    const Points few(rows, stream), more(60, stream);
    for (const std::string name : {"adapt_trees", "shape", "blend", "cqr_trees", "auto"}) {
      CAPTURE(name);
      CAPTURE(rows);
      const FitResult result = fitted(name, Points(0, stream), few);
      REQUIRE_FALSE(result.failure);
      const arma::mat local = result.score->local(more.X);
      const Calibration calibration = result.score->calibration(local, more.f, more.y);
      for (const Bounds& bounds :
           result.score->intervals(calibration, {.local = local}, more.f, levels, QuantileRule::ceiling))
        CHECK(bounds.half_width().is_finite());
    }
  }
}

#ifdef LACP_COUNTS_ALLOCATIONS
TEST_CASE("the memory of one row grows neither with the network nor with the calibration points") {
  Stream stream(1);
  const Points points(4000, stream);  // 1600 of them calibrate
  for (const Sides sides : {Sides::both, Sides::each})
    for (const char* method : {"adapt", "fixed", "exp", "mondrian", "knn_error", "cqr", "rlcp"}) {
      if (sides == Sides::each && !find_method(method).scale_family) continue;
      CAPTURE(method);
      PredictorSettings settings{
          .method = method, .proper = 0.3, .train = 0.3, .calibration = 0.4, .sides = sides};
      settings.training.epochs = 1;
      const LocalPredictor model = LocalPredictor::fit(points.X, points.y, settings);
      const arma::mat x = points.X.col(7);
      const std::size_t before = allocated;
      const LevelIntervals one = model.predict(x, levels);
      const std::size_t bytes = allocated - before;
      CAPTURE(bytes);
      // 41,000 parameters are 164 kB, 1600 scores 13 kB. rlcp weighs every calibration point, with 8 bytes
      // for each.
      CHECK(bytes < (std::strcmp(method, "rlcp") == 0 ? 24'000 : 8'000));

      const LevelIntervals all = model.predict(points.X, levels);
      CHECK(one.f(0) == all.f(7));
      for (std::size_t l = 0; l < levels.size(); ++l) {
        CHECK(one.bounds[l].below(0) == all.bounds[l].below(7));
        CHECK(one.bounds[l].above(0) == all.bounds[l].above(7));
      }
    }
}
#endif

TEST_CASE("a prepared calibration gives the thresholds of one that is not, and is all that is looked at") {
  Stream stream(2);
  const Points calibrating(150, stream), queries(20, stream);
  std::vector<std::pair<std::string, std::shared_ptr<const FittedScore>>> all;
  for (const std::string& name : baselines) all.push_back({name, fitted(name)});
  all.push_back({"knn_error, each side", std::make_shared<TwoSidedScore>(fitted("knn_error"))});
  for (const auto& each : all) {
    CAPTURE(each.first);
    const FittedScore* score = each.second.get();
    Calibration calibration = score->calibration(score->local(calibrating.X), calibrating.f, calibrating.y);
    const arma::mat local = score->local(queries.X);
    const auto intervals = [&] {
      return score->intervals(calibration, {.local = local}, queries.f, levels, QuantileRule::ceiling);
    };
    const std::vector<Bounds> expected = intervals();
    calibration.prepared = score->prepare(calibration);
    for (arma::vec& scores : calibration.scores) scores.zeros();
    calibration.local.zeros();
    const std::vector<Bounds> found = intervals();
    for (std::size_t l = 0; l < levels.size(); ++l) {
      CHECK(arma::all(found[l].below == expected[l].below));
      CHECK(arma::all(found[l].above == expected[l].above));
    }
  }
}
