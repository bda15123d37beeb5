// One row at a time, as a program asks that answers requests: what all calibration points have in common is
// worked out once, and a network is not built for every row.
#include <doctest/doctest.h>

#include <cstring>

#include "allocations.hpp"
#include "fitted_rows.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"

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
  for (const auto& [name, score] : all) {
    CAPTURE(name);
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
