// What makes one epoch, and one θ, better than another.
#include <doctest/doctest.h>

#include <algorithm>

#include "heteroskedastic.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/classes/transformations.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/training/validation.hpp"
#include "near.hpp"
#include "said.hpp"

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
    const arma::vec q = leave_one_out(scores_of(localizer, sample.X, sample.log_a), level);
    return winkler_score(half_widths_of(localizer, sample.X, q), error, level);
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

TEST_CASE("with two sides the criterion winkler scores the intervals that have a quantile for either side") {
  Stream stream(8);
  const Sample sample = heteroskedastic(300, 1.0, stream);
  arma::vec errors = arma::exp(0.5 * sample.log_a);
  for (arma::uword n = 0; n < 300; ++n)
    if (stream.uniform() < 0.2) errors(n) = -0.1 * errors(n);
  const arma::vec log_a = log_scores(arma::abs(errors));
  TrainingOptions options{.epochs = 2};
  options.selection = {
      .criterion = Criterion::winkler, .levels = {Level(0.1), Level(0.005)}, .sides = Sides::each};
  const Localizer trained = train_on(sample, "exp", options).localizer;
  const auto winkler = [&](const arma::vec& s) {  // at 0.1; 300 rows are enough for 0.005, not for its half
    const arma::vec z = errors / s;
    double sum = 0.0;
    for (arma::uword n = 0; n < 300; ++n) {
      arma::vec others = z;
      others.shed_row(n);
      others = arma::sort(others);
      // 299 others: ⌈300·0.95⌉ = 285 from either end
      const double low = others(299 - 285) * s(n), high = others(284) * s(n);
      sum += high - low + 20.0 * (std::max(low - errors(n), 0.0) + std::max(errors(n) - high, 0.0));
    }
    return sum;
  };
  arma::vec s;
  trained.phi.scales({}, trained.g(sample.X), trained.shared, s);
  CHECK(Validation(options, sample.X, log_a, errors).score(trained).value ==
        near_share(winkler(s) / winkler(arma::ones(300)), 1e-12));
}

TEST_CASE("adapt chooses θ for the sides that its intervals will have") {
  // The centre is too low by 1 in seven of ten rows and too high by a half in the others. Symmetric intervals
  // gain by following |r|: 0.85 instead of 1 to either side. With a quantile for either side [−½, 1] needs
  // no s(x), and sizes in proportion to |r| are 1.7 wide.
  Stream stream(12);
  Sample sample{arma::mat(1, 1000), arma::vec(1000)};
  arma::vec errors(1000);
  for (arma::uword n = 0; n < 1000; ++n) {
    const bool low = stream.uniform() < 0.7;
    sample.X(0, n) = low ? -1.0 : 1.0;
    errors(n) = (low ? 1.0 : -0.5) * (1.0 + 0.02 * stream.normal());
  }
  sample.log_a = log_scores(arma::abs(errors));
  TrainingOptions options{.epochs = 10, .batch = 64};
  const auto theta = [&](Sides sides) {
    options.selection.sides = sides;
    return train(find_class("adapt"), {}, {.hidden = {8}}, options, sample.X, sample.log_a, streams(2), {},
                 errors)
        .localizer.adaptation();
  };
  CHECK(theta(Sides::both) == 1.0);
  CHECK(theta(Sides::each) == 0.0);
}

TEST_CASE("of several θ the one with the smallest score is taken") {
  Stream stream(9);
  const Sample sample = heteroskedastic(1000, 0.6, stream);
  const TrainingResult result = train_on(sample, "adapt", {.epochs = 6, .batch = 64});
  const Validation validation(training_for(Learning::adaptation, {}), sample.X, sample.log_a);
  const ValidationScore best = validation.score(result.localizer);
  Localizer one = result.localizer;
  one.phi.adaptations = {1.0};  // no choice: v as it is
  double smallest = HUGE_VAL;
  for (const double theta : {0.25, 0.5, 0.75, 1.0}) {
    one.shared(Power::theta) = theta;
    const double score = validation.score(one).value;
    CHECK(best.value <= score);
    smallest = std::min(smallest, score);
    if (theta == best.shared(Power::theta)) CHECK(best.value == score);
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
  CHECK_REFUSED(quick("adapt", sample, options), "selection.levels: found none");
}
