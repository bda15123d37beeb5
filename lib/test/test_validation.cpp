// What makes one epoch, and one θ, better than another.
#include <doctest/doctest.h>

#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/validation.hpp"
#include "near.hpp"
#include "train_on.hpp"

using namespace lacp;

TEST_CASE("the criterion winkler: the score by leave-one-out, in units of fixed's, averaged over levels") {
  Stream stream(8);
  const Sample sample = heteroskedastic(300, 1.0, stream);
  TrainingOptions options{.epochs = 2};
  options.selection.criterion = Criterion::winkler;
  const Localizer trained = train_on(sample, "exp", options).localizer;
  const Localizer fixed = train_on(sample, "fixed", options).localizer;
  const arma::vec error = arma::exp(0.5 * sample.log_a);
  const auto winkler = [&](const Localizer& localizer, const Level& level) {
    const arma::vec q = leave_one_out(localizer.scores(sample.X, sample.log_a), level);
    return winkler_score(localizer.half_widths(sample.X, q), error, level);
  };
  double sum = 0.0;
  for (const Level& level : options.selection.levels) sum += winkler(trained, level) / winkler(fixed, level);
  const Validation validation(options, sample.X, sample.log_a);
  CHECK(validation.score(trained).value == near_share(sum / 3.0, 1e-12));
  CHECK(validation.score(fixed).value == near(Validation::of_fixed, 1e-12));

  options.selection.levels = {Level(0.1), Level(0.001)};  // of 300 rows none is outside at .001
  CHECK(Validation(options, sample.X, sample.log_a).score(trained).value ==
        near_share(winkler(trained, Level(0.1)) / winkler(fixed, Level(0.1)), 1e-12));
}

TEST_CASE("of several θ the one with the smallest score is taken") {
  Stream stream(9);
  const Sample sample = heteroskedastic(1000, 0.6, stream);
  const TrainingResult result = train_on(sample, "adapt", {.epochs = 6, .batch = 64});
  const Validation validation(training_for(Learning::adaptation, {}), sample.X, sample.log_a);
  const ValidationScore best = validation.score(result.localizer);
  Localizer one = result.localizer;
  one.method.adaptations = {1.0};  // no choice: v as it is
  double smallest = HUGE_VAL;
  for (const double theta : {0.25, 0.5, 0.75, 1.0}) {
    one.shared(0) = theta;
    const double score = validation.score(one).value;
    CHECK(best.value <= score);
    smallest = std::min(smallest, score);
    if (theta == best.shared(0)) CHECK(best.value == score);
  }
  CHECK(best.value == smallest);
}

TEST_CASE("epochs by size or by winkler: other scores, the same trainings") {
  Stream stream(10);
  const Sample sample = heteroskedastic(600, 1.0, stream);
  TrainingOptions options{.epochs = 5};
  std::vector<double> losses[2];
  TrainingResult results[2];
  for (const Criterion criterion : {Criterion::size, Criterion::winkler}) {
    const auto by = static_cast<std::size_t>(criterion);
    options.selection.criterion = criterion;
    results[by] = quick("exp", sample, options, 9, [&](const EpochReport& epoch) {
      if (!epoch.final_training) losses[by].push_back(epoch.mean_loss);
    });
    const std::vector<double>& scores = results[by].validation_scores;
    CHECK(results[by].best_epoch == 1 + std::ranges::min_element(scores) - scores.begin());
  }
  CHECK(losses[0] == losses[1]);
  CHECK(losses[0].size() == 5);
  CHECK(results[0].best_epoch != results[1].best_epoch);
  // adapt_50 is not touched by the criterion
  const auto scores = train_on(sample, "adapt_50", options).validation_scores;
  options.selection.criterion = Criterion::size;
  CHECK(train_on(sample, "adapt_50", options).validation_scores == scores);
}

TEST_CASE("a network that learns its rows by heart validates worse than fixed: no validation row is fitted") {
  Stream stream(12);
  TrainingOptions options{.adam = {.learning_rate = 3e-3}, .epochs = 40};
  options.selection.criterion = Criterion::winkler;
  options.selection.patience = 40;
  CHECK(train_on(unexplained(200, stream), "exp", options).validation_scores.back() > Validation::of_fixed);
}

TEST_CASE("rows too few for the smallest level are enough while the largest has a finite interval") {
  Stream stream(11);
  const Sample sample = heteroskedastic(60, 1.0, stream);  // 12 validate: enough for 0.1 and 0.32
  CHECK(train_on(sample, "adapt_50", {.epochs = 2}).epochs_tried == 2);
  TrainingOptions options{.epochs = 2};
  options.selection.levels = {Level(0.01), Level(0.05)};
  CHECK_THROWS_WITH_AS(
      quick("adapt", sample, options),
      "training: 12 validation rows of 60 are too few for a finite interval at level 0.05, which needs 20; use more rows, or raise training.selection.validation_share or the largest of the levels",
      UserError);
  options.selection.levels = {};
  CHECK_THROWS_WITH_AS(quick("adapt", sample, options), doctest::Contains("selection.levels: found none"),
                       UserError);
}
