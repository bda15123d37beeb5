// Training: the known optimum, the rules of selection, divergence, repeatability, no allocation.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

#include "lacp/base/error.hpp"
#include "lacp/conformal/fit_localizer.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/trainer.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

thread_local long allocations = 0;

/// Errors with a known local size: |error| at x has mean e^{slope·x}·sqrt(2/π).
struct Sample {
  arma::mat X;
  arma::vec log_a;
};

Sample heteroskedastic(std::size_t n, double slope, Stream& stream) {
  Sample sample{arma::mat(1, n), arma::vec(n)};
  for (std::size_t i = 0; i < n; ++i) {
    sample.X(0, i) = stream.uniform(-1.5, 1.5);
    sample.log_a(i) = 2.0 * std::log(std::exp(slope * sample.X(0, i)) * std::abs(stream.normal()));
  }
  return sample;
}

TrainingStreams streams(std::uint64_t seed) { return {Stream(seed), Stream(seed + 1), Stream(seed + 2)}; }

TrainingResult quick(const std::string& method, const Sample& sample, const TrainingOptions& options,
                     std::uint64_t seed = 5) {
  return train(find_method(method), {}, {.hidden = {16, 16}}, options, sample.X, sample.log_a, streams(seed));
}

/// log s(x) of a trained scale family on a grid: half-widths for q = 0, up to a constant.
arma::vec log_scale(const Localizer& localizer, const arma::mat& X) {
  return arma::log(localizer.half_widths(X, arma::zeros(X.n_cols)));
}

}  // namespace

// Counts what is allocated by taking the place of the C library's functions, which Armadillo calls too. A
// sanitizer brings its own, and other C libraries have no way on to the original: the test that counts is
// left out there.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LACP_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

TEST_CASE("the trained scale follows the square root of the local error, the optimum of the size objective") {
  Stream stream(1);
  const double slope = 1.2;
  const Sample sample = heteroskedastic(6000, slope, stream);
  TrainingOptions options{.adam = {.learning_rate = 1e-3}, .epochs = 30, .batch = 64};
  const arma::mat grid = arma::linspace(-1.4, 1.4, 57).t();
  const arma::vec log_error = slope * grid.t();
  for (const auto& [method, loss] : {std::pair("exp", Loss::logarithm), std::pair("erc", Loss::logarithm),
                                     std::pair("exp", Loss::plain)}) {
    CAPTURE(method);
    options.objective.loss = loss;
    const TrainingResult result =
        train(find_method(method), {}, {.hidden = {32, 32}}, options, sample.X, sample.log_a, streams(2));
    REQUIRE_FALSE(result.failure);
    const arma::vec scale = log_scale(result.localizer, grid);
    const double correlation = arma::as_scalar(arma::cor(scale, log_error));
    const double fitted = arma::as_scalar(arma::cov(scale, log_error)) / arma::var(log_error);
    CHECK(correlation > 0.98);
    CHECK(fitted > 0.45);
    CHECK(fitted < 0.55);
  }
}

TEST_CASE("the error fit learns the mean score at x") {
  Stream stream(3);
  const Sample sample = heteroskedastic(6000, 0.8, stream);
  const arma::fmat X = arma::conv_to<arma::fmat>::from(sample.X);
  Trainer<float> trainer(find_method("erc_error_fit"), {}, {.hidden = {16, 16}}, {}, {.learning_rate = 2e-3},
                         1, 64);
  trainer.initialise(stream);
  for (int epoch = 0; epoch < 30; ++epoch) {
    const auto rows = stream.permutation<arma::uword>(6000);
    for (std::size_t first = 0; first + 64 <= 6000; first += 64)
      trainer.step(X, sample.log_a, std::span(rows).subspan(first, 64));
  }
  const arma::fmat grid = arma::linspace<arma::fvec>(-1.2f, 1.2f, 13).t();
  const arma::fvec expected = arma::exp(1.6f * grid.t());  // E A = e^{2·0.8·x}
  const arma::fvec fitted = trainer.net().evaluate(grid).t();
  CHECK(arma::mean(arma::abs(fitted - expected) / expected) < 0.25f);
}

TEST_CASE("every method trains without failure, the fixed one without steps") {
  Stream stream(4);
  const Sample sample = heteroskedastic(400, 1.0, stream);
  for (const std::string& name : method_names()) {
    CAPTURE(name);
    const TrainingResult result = quick(name, sample, {.epochs = 3});
    CHECK_FALSE(result.failure);
    CHECK((result.steps == 0) == (name == "fixed"));
    CHECK(result.localizer.half_widths(sample.X, arma::zeros(400)).is_finite());
  }
}

TEST_CASE("selection: best epoch, patience, counting, and steps") {
  Stream stream(6);
  const Sample sample = heteroskedastic(400, 1.0, stream);
  std::vector<EpochReport> seen;
  TrainingOptions options{.epochs = 12, .batch = 16};
  options.selection.patience = 3;
  const TrainingResult result =
      train(find_method("exp"), {}, {.hidden = {16}}, options, sample.X, sample.log_a, streams(7),
            [&](const EpochReport& report) { seen.push_back(report); });
  const auto& sizes = result.validation_sizes;
  CHECK(result.epochs_tried == sizes.size());
  const auto best =
      static_cast<std::size_t>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin()) + 1;
  CHECK(result.best_epoch == best);
  CHECK((result.epochs_tried == 12 || result.epochs_tried == best + 3));
  CHECK(seen.size() == result.epochs_tried + result.best_epoch);
  CHECK(result.steps ==
        result.epochs_tried * 20 + result.best_epoch * 25);  // 320 and 400 rows in batches of 16

  options.selection.count_from_zero = true;
  CHECK(quick("exp", sample, options, 7).best_epoch == result.best_epoch - 1);
  options.epochs = 1;
  CHECK(quick("exp", sample, options, 7).best_epoch ==
        0);  // the released code: a best first epoch trains nothing
  options.selection.fit_rows = 100;
  options.drop_partial_batch = true;
  CHECK(quick("exp", sample, options, 7).steps == 6);  // 96 rows, as in the released code
}

TEST_CASE("the released code's selection: few validation rows, and sizes rounded before they are compared") {
  Stream stream(6);
  const Sample sample = heteroskedastic(400, 1.0, stream);
  TrainingOptions options{.epochs = 4};
  const auto exact = quick("exp", sample, options).validation_sizes;
  options.selection.decimals = 2;
  const auto rounded = quick("exp", sample, options).validation_sizes;
  REQUIRE(rounded.size() == exact.size());
  for (std::size_t e = 0; e < exact.size(); ++e) {
    CHECK(rounded[e] == std::round(exact[e] * 100.0) / 100.0);
    CHECK(rounded[e] != exact[e]);
  }
  options.selection.decimals = -1;
  options.selection.validation_rows = 40;  // of 80
  const auto fewer = quick("exp", sample, options).validation_sizes;
  CHECK(fewer != exact);
  options.selection.validation_rows = 80;
  CHECK(quick("exp", sample, options).validation_sizes == exact);
  options.selection.validation_rows = 12;
  CHECK_THROWS_WITH_AS(quick("exp", sample, options), doctest::Contains("12 validation rows of 400"),
                       UserError);
}

TEST_CASE("options that cannot work are refused by name") {
  Stream stream(19);
  const Sample sample = heteroskedastic(100, 1.0, stream);
  CHECK_THROWS_WITH_AS(quick("exp", sample, {.epochs = 0}), doctest::Contains("training: epochs: found 0"),
                       UserError);
  CHECK_THROWS_WITH_AS(quick("exp", sample, {.batch = 0}), doctest::Contains("training: batch: found 0"),
                       UserError);
}

TEST_CASE("a partial batch is used, or dropped") {
  Stream stream(8);
  const Sample sample = heteroskedastic(330, 1.0, stream);  // selection fits 264 = 16·16 + 8 rows
  TrainingOptions options{.epochs = 1};
  CHECK(quick("exp", sample, options).steps == 17 + 21);
  options.drop_partial_batch = true;
  CHECK(quick("exp", sample, options).steps == 16 + 20);
}

TEST_CASE("divergence is a recorded failure with its epoch, never a nan") {
  Stream stream(9);
  Sample sample = heteroskedastic(400, 1.0, stream);
  TrainingOptions options{.adam = {.learning_rate = 1e3}, .epochs = 20};
  options.objective.loss = Loss::plain;
  const TrainingResult result = quick("exp", sample, options);
  REQUIRE(result.failure);
  CHECK(result.failure->epoch == result.validation_sizes.size() + 1);
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

TEST_CASE(
    "a gradient that no float step can take is a failure of its own, and nothing has moved or is frozen") {
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
      Trainer<float> plain(find_method(method), {}, {.hidden = {8}}, {.loss = Loss::plain}, {}, 1, 64);
      plain.initialise(stream);
      const arma::fvec before = plain.net().parameters();
      const StepResult step = plain.step(X, log_a, rows);
      CHECK(std::isfinite(step.loss));
      REQUIRE(step.gradient);
      CHECK_FALSE(step.taken());
      CHECK(arma::all(plain.net().parameters() == before));

      Trainer<float> logarithm(find_method(method), {}, {.hidden = {8}}, {}, {}, 1, 64);
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
  for (const std::string& name : method_names())
    for (const Loss loss : {Loss::plain, Loss::logarithm})
      for (const double rate : {1.0, 1e4, 1e8, 1e15, 1e20, 1e30, 1e37, 1e38, 1e300})
        for (const bool all_levels : {true, false}) {
          CAPTURE(name);
          CAPTURE(rate);
          TrainingOptions options{.adam = {.learning_rate = rate}, .epochs = 3};
          options.objective = {.all_levels = all_levels, .level = Level::parse("0.32"), .loss = loss};
          options.selection.level = Level::parse("0.1");
          const TrainingResult result = quick(name, sample, options);
          failures += result.failure.has_value();
          if (result.failure) continue;
          CHECK(result.localizer.parameters.is_finite());
          CHECK_FALSE(result.localizer.scores(sample.X, sample.log_a).has_nan());
        }
  CHECK(failures > 20);
}

TEST_CASE("scores of the validation rows that are not numbers are a failure") {
  Method method = find_method("exp");
  method.scores = [](const TransformationOptions&, const arma::vec& log_a, const arma::mat&, const arma::vec&,
                     arma::vec& b) { (b = log_a)(3) = arma::datum::nan; };
  Stream stream(20);
  const Sample sample = heteroskedastic(200, 1.0, stream);
  const TrainingResult result =
      train(method, {}, {.hidden = {8}}, {.epochs = 1}, sample.X, sample.log_a, streams(1));
  REQUIRE(result.failure);
  CHECK(std::isnan(result.failure->size.value()));
}

TEST_CASE("parameters that stop being numbers in the last step of the final training are a failure") {
  // A method that nothing in the selection can tell: its loss is a constant with a slope.
  Method method = find_method("exp");
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
    options.selection = {.fit_rows = 8, .level = Level::parse("0.1")};
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

TEST_CASE("a trained method does not depend on where it came from") {
  Stream stream(17);
  const Sample sample = heteroskedastic(200, 1.0, stream);
  TrainingResult result;
  {
    const auto method = std::make_unique<Method>(find_method("exp"));
    method->name = "a name that is long enough to be allocated by itself";
    result = train(*method, {}, {.hidden = {8}}, {.epochs = 1}, sample.X, sample.log_a, streams(1));
  }
  CHECK(result.localizer.method.name == "a name that is long enough to be allocated by itself");
  CHECK(result.localizer.scores(sample.X, sample.log_a).is_finite());
  CHECK_THROWS_AS(Localizer{}.scores(sample.X, sample.log_a), std::logic_error);
}

TEST_CASE("an error fit needs no batch that is large enough for the intervals of one level") {
  Stream stream(18);
  const Sample sample = heteroskedastic(330, 1.0, stream);  // selection fits 264 = 16·16 + 8 rows
  TrainingOptions options{.epochs = 1};
  const std::size_t steps = quick("erc_error_fit", sample, options).steps;
  options.objective = {.all_levels = false, .level = Level::parse("0.05")};
  CHECK(quick("erc_error_fit", sample, options).steps == steps);
  CHECK_THROWS_AS(quick("erc", sample, options), UserError);
}

TEST_CASE("too few validation rows for the level are refused") {
  Stream stream(10);
  const Sample sample = heteroskedastic(60, 1.0, stream);  // 12 validation rows; a level of 0.05 needs 20
  CHECK_THROWS_WITH_AS(quick("exp", sample, {.epochs = 2}), doctest::Contains("12 validation rows"),
                       UserError);
  TrainingOptions options{.epochs = 2};
  options.objective = {.all_levels = false, .level = Level::parse("0.05")};
  options.selection.level = Level::parse("0.32");
  CHECK_THROWS_WITH_AS(quick("exp", sample, options), doctest::Contains("no batch of 16"), UserError);
}

TEST_CASE("same streams, same bytes, on one thread and on many") {
  Stream stream(11);
  const Sample sample = heteroskedastic(400, 1.0, stream);
  const TrainingResult alone = quick("mixture", sample, {.epochs = 3});
  std::vector<TrainingResult> together(4);
  std::vector<std::thread> threads;
  for (TrainingResult& result : together)
    threads.emplace_back([&] { result = quick("mixture", sample, {.epochs = 3}); });
  for (std::thread& thread : threads) thread.join();
  for (const TrainingResult& result : together) {
    CHECK(std::memcmp(result.localizer.parameters.memptr(), alone.localizer.parameters.memptr(),
                      alone.localizer.parameters.n_elem * 4) == 0);
    CHECK(arma::all(result.localizer.shared == alone.localizer.shared));
  }
  const TrainingResult other = quick("mixture", sample, {.epochs = 3}, 6);
  CHECK(arma::any(other.localizer.parameters != alone.localizer.parameters));
}

TEST_CASE("g(x)/g(0), the released code's normalisation, and its gradient") {
  Stream stream(12);
  Sample sample = heteroskedastic(8, 1.0, stream);
  Trainer<double> trainer(find_method("exp"), {}, {.hidden = {6}, .divide_by_origin = true}, {}, {}, 1, 8);
  trainer.initialise(stream);
  const std::vector<arma::uword> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  trainer.evaluate(sample.X, sample.log_a, rows);
  const arma::vec exact = trainer.net().gradient();
  for (arma::uword i = 0; i < exact.n_elem; ++i) {
    const double h = 1e-6, kept = trainer.net().parameters()(i);
    trainer.net().parameters()(i) = kept + h;
    const double up = trainer.evaluate(sample.X, sample.log_a, rows);
    trainer.net().parameters()(i) = kept - h;
    const double down = trainer.evaluate(sample.X, sample.log_a, rows);
    trainer.net().parameters()(i) = kept;
    CHECK(exact(i) == near((up - down) / (2.0 * h), 1e-8));
  }
}

#ifdef LACP_COUNTS_ALLOCATIONS
TEST_CASE("a training step allocates nothing") {
  const long at_first = allocations;
  const arma::vec large(1000);
  const std::vector<double> other(1000);
  REQUIRE(allocations == at_first + 2);  // both kinds are counted
  Stream stream(13);
  const arma::fmat X(8, 64, arma::fill::randn);
  const arma::vec log_a(64, arma::fill::randn);
  const std::vector<arma::uword> rows = stream.permutation<arma::uword>(64);
  for (const char* method : {"erc_error_fit", "erc", "linear", "exp", "sigma", "mixture"})
    for (const bool all_levels : {true, false})
      for (const bool divide : {false, true}) {
        CAPTURE(method);
        Trainer<float> trainer(find_method(method), {}, {.divide_by_origin = divide},
                               {.all_levels = all_levels, .level = Level::parse("0.32")}, {}, 8, 32);
        trainer.initialise(stream);
        trainer.step(X, log_a, std::span(rows).first(32));
        const long before = allocations;
        for (const std::size_t batch : {32, 32, 13}) trainer.step(X, log_a, std::span(rows).first(batch));
        CHECK(allocations == before);
      }
}
#endif
