// What makes one epoch, and one θ, better than another; and training that diverges: each way ends in a
// recorded failure that says where.
#include <algorithm>
#include <map>

#include "heteroskedastic.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/paper/classes/transformations.hpp"
#include "lacp/conformal/paper/training/validation.hpp"
#include "lacp/model/trainer.hpp"

using namespace lacp;

namespace {

arma::fmat floats(const arma::mat& X) { return arma::conv_to<arma::fmat>::from(X); }

}  // namespace

TEST_CASE("the criterion winkler: the score by leave-one-out, in units of fixed's, averaged over levels") {
  const Sample sample = heteroskedastic(300, 1.0, 8);
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
  const Validation validation(options, floats(sample.X), sample.log_a);
  CHECK(validation.score(trained).value == near_share(sum / 3.0, 1e-12));
  CHECK(validation.score(fixed).value == near(Validation::of_fixed, 1e-12));

  options.selection.levels = {Level(0.1), Level(0.001)};  // of 300 rows none is outside at .001
  CHECK(Validation(options, floats(sample.X), sample.log_a).score(trained).value ==
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
  const arma::vec s = trained.phi.scales({}, trained.g(sample.X), trained.shared);
  CHECK(Validation(options, floats(sample.X), log_a, errors).score(trained).value ==
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
    return train_rows(find_class("adapt"), {.hidden = {8}}, options, sample, 2, {}, errors)
        .localizer.adaptation();
  };
  CHECK(theta(Sides::both) == 1.0);
  CHECK(theta(Sides::each) == 0.0);
}

TEST_CASE("of several θ the one with the smallest score is taken") {
  const Sample sample = heteroskedastic(1000, 0.6, 9);
  const TrainingResult result = train_on(sample, "adapt", {.epochs = 6, .batch = 64});
  const Validation validation(training_for(Learning::adaptation, {}), floats(sample.X), sample.log_a);
  Localizer one = result.localizer;
  std::map<double, double> by_score;
  for (const double theta : {0.25, 0.5, 0.75, 1.0}) {
    one.phi.adaptations = {theta};  // no choice
    by_score[validation.score(one).value] = theta;
  }
  const ValidationScore best = validation.score(result.localizer);
  CHECK(best.value == by_score.begin()->first);
  CHECK(best.shared(Power::theta) == by_score.begin()->second);
}

TEST_CASE("epochs by size or by winkler: other scores, the same trainings") {
  const Sample sample = heteroskedastic(600, 1.0, 10);
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
}

TEST_CASE("a network that learns its rows by heart validates worse than fixed: no validation row is fitted") {
  Stream stream(12);
  TrainingOptions options{.adam = {.learning_rate = 3e-3}, .epochs = 40};
  options.selection.criterion = Criterion::winkler;
  options.selection.patience = 40;
  CHECK(train_on(unexplained(200, stream), "exp", options).validation_scores.back() > Validation::of_fixed);
}

TEST_CASE("rows too few for the smallest level are enough while the largest has a finite interval") {
  const Sample sample = heteroskedastic(60, 1.0, 11);  // 12 validate: enough for 0.1 and 0.32
  CHECK(train_on(sample, "adapt", {.epochs = 2}).epochs_tried == 2);
  TrainingOptions options{.epochs = 2};
  options.selection.levels = {Level(0.01), Level(0.05)};
  CHECK_REFUSED(quick("adapt", sample, options),
                "12 validation rows of 60 are too few for a finite interval at level 0.05, which needs 20");
  options.selection.levels = {};
  CHECK_REFUSED(quick("adapt", sample, options), "selection.levels: found none");
}

TEST_CASE("groups of very different size that leave too few rows to validate are refused") {
  Groups groups(100, 1);
  std::fill_n(groups.begin(), 5, std::size_t{0});
  std::size_t divided = 0, refused = 0;
  TrainingOptions options;
  options.selection.level = Level(0.1);  // for which 10 rows are needed
  for (std::uint64_t seed = 1; seed <= 20; ++seed) try {
      Stream stream(seed);
      const TwoParts parts = divide_for_selection(100, options, Learning::size, groups, stream);
      CHECK(parts.second.size() == 95);
      ++divided;
    } catch (const UserError& error) {
      check_has(error.what(), "5 validation rows of 100 are too few for a finite interval at level 0.1");
      ++refused;
    }
  CHECK(divided > 0);
  CHECK(refused > 0);
}

TEST_CASE("divergence is a recorded failure with its epoch, never a nan") {
  Sample sample = heteroskedastic(400, 1.0, 9);
  TrainingOptions options{.adam = {.learning_rate = 1e3}, .epochs = 20};
  options.objective.loss = Loss::plain;
  const TrainingResult result = quick("exp", sample, options);
  REQUIRE(result.failure);
  CHECK(result.failure->epoch == result.validation_scores.size() + 1);
  CHECK_FALSE(std::isfinite(result.failure->size.value_or(result.failure->loss)));
  const auto says = [](const TrainingFailure& failure, const Parts& parts) {
    check_has(failure.what(), "training diverged: the ");
    check_has(failure.what(), parts);
  };
  const double inf = arma::datum::inf;
  says({.epoch = 3, .loss = inf, .previous = 0.5},
       {"the loss became infinite in epoch 3 of the selection", "0.5"});
  says({.final_training = true, .epoch = 1, .loss = -arma::datum::nan},
       "the loss became nan in epoch 1 of the final training");
  says({.epoch = 2, .loss = 0.25, .size = inf, .previous = 0.75},
       {"the size of the validation intervals became infinite in epoch 2", "(loss 0.25)", "0.75"});
  says({.epoch = 2, .loss = 3e25, .gradient = -7e20}, {"the gradient became -7e+20", "(loss 3e+25)"});
}

TEST_CASE("a gradient that no float step can take is a failure of its own, and nothing is frozen") {
  Stream stream(14);
  Sample sample = heteroskedastic(64, 1.0, stream);
  const arma::fmat X = arma::conv_to<arma::fmat>::from(sample.X);
  const auto rows = stream.permutation<arma::uword>(64);
  // Sizes of 1e25: the loss and its gradient are floats, the square of the gradient is not.
  // Sizes of 1e60: the loss is a double, its gradient no float.
  for (const double size : {1e25, 1e60}) {
    const arma::vec log_a = sample.log_a + 2.0 * std::log(size);
    for (const char* method : {"exp", "mixture"}) {
      CAPTURE(method);
      Trainer plain = make_trainer(find_class(method), {}, {.hidden = {8}}, {.loss = Loss::plain}, {}, 1, 64);
      plain.initialise(stream);
      const StepResult step = plain.step(X, log_a, rows);
      CHECK(std::isfinite(step.loss));
      REQUIRE(step.gradient);
      CHECK_FALSE(step.taken());

      Trainer logarithm = make_trainer(find_class(method), {}, {.hidden = {8}}, {}, {}, 1, 64);
      logarithm.initialise(stream);
      CHECK(logarithm.step(X, log_a, rows).taken());
      CHECK(logarithm.net().parameters().is_finite());
    }
  }
  sample = heteroskedastic(400, 1.0, stream);
  sample.log_a += 2.0 * std::log(1e60);
  TrainingOptions options{.epochs = 2};
  CHECK_FALSE(quick("exp", sample, options).failure);
  options.objective.loss = Loss::plain;
  const TrainingResult failed = quick("exp", sample, options);
  REQUIRE(failed.failure);
  CHECK(std::isfinite(failed.failure->loss));
  CHECK_FALSE(std::isfinite(failed.failure->gradient.value()));
  options.batch = 512;  // one step per epoch: what it breaks is seen by the validation alone
  CHECK(quick("exp", sample, options).failure);
}

TEST_CASE(
    "however a training diverges, it ends in a failure or in finite parameters, never in an exception") {
  const Sample sample = heteroskedastic(200, 1.0, 15);
  std::size_t failures = 0;
  for (const std::string& name : class_names())
    for (const Loss loss : {Loss::plain, Loss::logarithm})
      for (const double rate : {1.0, 1e4, 1e8, 1e15, 1e20, 1e30, 1e37, 1e38, 1e300})
        for (const Objective kind : {Objective::all_levels, Objective::one_level}) {
          INFO(name, " ", rate);
          TrainingOptions options{.adam = {.learning_rate = rate}, .epochs = 3};
          options.objective = {.kind = kind, .level = Level(0.32), .loss = loss};
          options.selection.level = Level(0.1);
          const TrainingResult result = quick(name, sample, options);
          failures += result.failure.has_value();
          if (result.failure) continue;
          CHECK(result.localizer.parameters.is_finite());
          CHECK_FALSE(scores_of(result.localizer, sample.X, sample.log_a).has_nan());
        }
  CHECK(failures > 20);
}

TEST_CASE("scores of the validation rows that are not numbers are a failure") {
  TransformationClass method = find_class("exp");
  method.scores = [](const TransformationOptions&, const arma::vec& log_a, const arma::mat&,
                     const arma::vec&) {
    arma::vec b = log_a;
    b(3) = arma::datum::nan;
    return b;
  };
  const Sample sample = heteroskedastic(200, 1.0, 20);
  const auto says = [&](const char* what) {
    const auto failure = train_rows(method, {.hidden = {8}}, {.epochs = 1}, sample, 1).failure.value();
    CHECK(std::isnan(failure.size.value()));
    CHECK(failure.what().starts_with(fmt::format("training diverged: the {} became nan in epoch 1", what)));
  };
  says("size of the validation intervals");
  method.criterion = [](const Localizer&, const arma::mat&, const arma::vec&) { return arma::datum::nan; };
  says("validation score");
}

TEST_CASE("parameters that stop being numbers in the last step of the final training are a failure") {
  // A method that nothing in the selection can tell: its loss is a constant with a slope.
  TransformationClass method = find_class("exp");
  method.loss = [](const TransformationOptions&, const ObjectiveOptions&, const arma::vec&, const arma::mat&,
                   const arma::vec&, arma::mat& by_g, arma::vec&, ObjectiveScratch&) {
    by_g.fill(1e-3);
    return 1.0;
  };
  method.scores = [](const TransformationOptions&, const arma::vec& log_a, const arma::mat&,
                     const arma::vec&) { return log_a; };
  method.half_widths = [](const TransformationOptions&, const arma::vec& q, const arma::mat&,
                          const arma::vec&) { return arma::vec(arma::exp(0.5 * q)); };
  // At x = 0 only the bias moves, by 2e37 a step; the largest float is 3.4e38. The selection takes 4 steps,
  // the final training 17 or 18.
  const auto trained = [&](std::size_t n) {
    TrainingOptions options{.adam = {.learning_rate = 2e37}, .epochs = 1, .batch = 2};
    options.selection = {.level = Level(0.1), .released = {.fit_rows = 8}};
    const Sample sample{arma::mat(1, n, arma::fill::zeros), arma::linspace(-1.0, 1.0, n)};
    return train_rows(method, {.hidden = {}}, options, sample, 1);
  };
  CHECK_FALSE(trained(34).failure);
  const TrainingResult result = trained(36);
  REQUIRE(result.failure);
  CHECK(result.failure->final_training);
  check_has(result.failure->what(), "the parameters became infinite in epoch 1 of the final training");
}
