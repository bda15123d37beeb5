// Training that diverges: each way ends in a recorded failure that says where.
#include <doctest/doctest.h>

#include "heteroskedastic.hpp"
#include "lacp/model/trainer.hpp"

using namespace lacp;

TEST_CASE("divergence is a recorded failure with its epoch, never a nan") {
  Stream stream(9);
  Sample sample = heteroskedastic(400, 1.0, stream);
  TrainingOptions options{.adam = {.learning_rate = 1e3}, .epochs = 20};
  options.objective.loss = Loss::plain;
  const TrainingResult result = quick("exp", sample, options);
  REQUIRE(result.failure);
  CHECK(result.failure->epoch == result.validation_scores.size() + 1);
  CHECK_FALSE(std::isfinite(result.failure->size.value_or(result.failure->loss)));
  CHECK(result.failure->what().starts_with("training diverged: the "));
  CHECK(
      TrainingFailure{.epoch = 3, .loss = arma::datum::inf, .previous = 0.5}.what() ==
      "training diverged: the loss became infinite in epoch 3 of the selection; the loss of the epoch before was 0.5");
  CHECK(TrainingFailure{.final_training = true, .epoch = 1, .loss = -arma::datum::nan}.what() ==
        "training diverged: the loss became nan in epoch 1 of the final training");
  CHECK(
      TrainingFailure{.epoch = 2, .loss = 0.25, .size = arma::datum::inf, .previous = 0.75}.what() ==
      "training diverged: the size of the validation intervals became infinite in epoch 2 of the selection (loss 0.25); the loss of the epoch before was 0.75");
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
  CHECK(failed.failure->what().starts_with("training diverged: the gradient became "));
  CHECK(
      TrainingFailure{.epoch = 2, .loss = 3e25, .gradient = -7e20}.what() ==
      "training diverged: the gradient became -7e+20, too large for the optimiser, in epoch 2 of the selection (loss 3e+25)");
}

TEST_CASE(
    "however a training diverges, it ends in a failure or in finite parameters, never in an exception") {
  Stream stream(15);
  const Sample sample = heteroskedastic(200, 1.0, stream);
  std::size_t failures = 0;
  for (const std::string& name : class_names())
    for (const Loss loss : {Loss::plain, Loss::logarithm})
      for (const double rate : {1.0, 1e4, 1e8, 1e15, 1e20, 1e30, 1e37, 1e38, 1e300})
        for (const Objective kind : {Objective::all_levels, Objective::one_level}) {
          INFO(name, " ", rate);
          TrainingOptions options{.adam = {.learning_rate = rate}, .epochs = 3};
          options.objective = {.kind = kind, .level = Level::parse("0.32"), .loss = loss};
          options.selection.level = Level::parse("0.1");
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
  method.scores = [](const TransformationOptions&, const arma::vec& log_a, const arma::mat&, const arma::vec&,
                     arma::vec& b) { (b = log_a)(3) = arma::datum::nan; };
  Stream stream(20);
  const Sample sample = heteroskedastic(200, 1.0, stream);
  const TrainingResult result =
      train(method, {}, {.hidden = {8}}, {.epochs = 1}, sample.X, sample.log_a, streams(1));
  REQUIRE(result.failure);
  CHECK(std::isnan(result.failure->size.value()));
  const auto says = [&](const char* what) {
    CHECK(train(method, {}, {.hidden = {8}}, {.epochs = 1}, sample.X, sample.log_a, streams(1))
              .failure.value()
              .what()
              .starts_with(fmt::format("training diverged: the {} became nan in epoch 1", what)));
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
  method.scores = [](const TransformationOptions&, const arma::vec& log_a, const arma::mat&, const arma::vec&,
                     arma::vec& b) { b = log_a; };
  method.half_widths = [](const TransformationOptions&, const arma::vec& q, const arma::mat&,
                          const arma::vec&, arma::vec& widths) { widths = arma::exp(0.5 * q); };
  // At x = 0 only the bias moves, by 2e37 a step; the largest float is 3.4e38. The selection takes 4 steps,
  // the final training 17 or 18.
  const auto trained = [&](std::size_t n) {
    TrainingOptions options{.adam = {.learning_rate = 2e37}, .epochs = 1, .batch = 2};
    options.selection = {.level = Level::parse("0.1"), .released = {.fit_rows = 8}};
    return train(method, {}, {.hidden = {}}, options, arma::mat(1, n, arma::fill::zeros),
                 arma::linspace(-1.0, 1.0, n), streams(1));
  };
  CHECK_FALSE(trained(34).failure);
  const TrainingResult result = trained(36);
  REQUIRE(result.failure);
  CHECK(result.failure->final_training);
  CHECK(result.failure->what() ==
        "training diverged: the parameters became infinite in epoch 1 of the final training (loss 1)");
}
