// Training: the known optimum, the rules of selection, repeatability, no allocation.
#include <thread>

#include "heteroskedastic.hpp"
#include "lacp/network/trainer.hpp"
#include "losses.hpp"
#include "with_adapt.hpp"

using namespace lacp;

TEST_CASE("the trained scale follows the square root of the local error, the optimum of the size objective") {
  const double slope = 1.2;
  const Sample sample = heteroskedastic(6000, slope, 1);
  TrainingOptions options{.adam = {.learning_rate = 1e-3}, .epochs = 30, .batch = 64};
  for (const auto& how : {std::pair("exp", Loss::logarithm), std::pair("erc", Loss::logarithm),
                          std::pair("exp", Loss::plain)}) {
    CAPTURE(how.first);
    options.objective.loss = how.second;
    CHECK(fitted_power(train_on(sample, how.first, options).localizer, slope) == near(0.5, 0.05));
  }
}

TEST_CASE("selection: best epoch, patience, counting, and steps") {
  const Sample sample = heteroskedastic(400, 1.0, 6);
  std::vector<EpochReport> seen;
  TrainingOptions options{.epochs = 12, .batch = 16};
  options.selection.patience = 3;
  const TrainingResult result =
      quick("exp", sample, options, 7, [&](const EpochReport& report) { seen.push_back(report); });
  const auto& sizes = result.validation_scores;
  CHECK(result.epochs_tried == sizes.size());
  const auto best =
      static_cast<std::size_t>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin()) + 1;
  CHECK(result.best_epoch == best);
  CHECK((result.epochs_tried == 12 || result.epochs_tried == best + 3));
  CHECK(seen.size() == result.epochs_tried + result.best_epoch);
  // 320 and 400 rows in batches of 16
  CHECK(result.steps == result.epochs_tried * 20 + result.best_epoch * 25);
  options.selection.released.count_from_zero = true;
  CHECK(quick("exp", sample, options, 7).best_epoch == result.best_epoch - 1);
  options.epochs = 1;
  CHECK(quick("exp", sample, options, 7).best_epoch == 0);  // a best first epoch trains nothing
  options.selection.released.fit_rows = 100;
  options.released.drop_partial_batch = true;
  CHECK(quick("exp", sample, options, 7).steps == 6);  // 96 rows, as in the released code
}

TEST_CASE("the released code's selection: few validation rows, and sizes rounded before they are compared") {
  const Sample sample = heteroskedastic(400, 1.0, 6);
  TrainingOptions options{.epochs = 4};
  const auto exact = quick("exp", sample, options).validation_scores;
  options.selection.released.decimals = 2;
  const auto rounded = quick("exp", sample, options).validation_scores;
  REQUIRE(rounded.size() == exact.size());
  for (std::size_t e = 0; e < exact.size(); ++e) {
    CHECK(rounded[e] == std::round(exact[e] * 100.0) / 100.0);
    CHECK(rounded[e] != exact[e]);
  }
  options.selection.released.decimals = -1;
  options.selection.released.validation_rows = 40;  // of 80
  CHECK(quick("exp", sample, options).validation_scores != exact);
}

TEST_CASE("a partial batch is used; an error fit needs no batch large enough for a level") {
  const Sample sample = heteroskedastic(330, 1.0, 8);  // selection fits 264 = 16·16 + 8 rows
  TrainingOptions options{.epochs = 1};
  CHECK(quick("exp", sample, options).steps == 17 + 21);
  options.objective = {.kind = Objective::one_level, .level = Level(0.05)};
  CHECK(quick("erc_error_fit", sample, options).steps == 17 + 21);
  CHECK_REFUSED(quick("erc", sample, options), "a batch of 16 is too small for level 0.05, which needs 20");
}

TEST_CASE("same streams, same bytes, on one thread and on many") {
  const Sample sample = heteroskedastic(400, 1.0, 11);
  const auto train = [&](std::uint64_t seed) {
    return quick("mixture", sample, {.epochs = 3}, seed).localizer;
  };
  const Localizer alone = train(5);
  std::vector<Localizer> together(4);
  std::vector<std::thread> threads;
  for (Localizer& one : together) threads.emplace_back([&] { one = train(5); });
  for (std::thread& thread : threads) thread.join();
  for (const Localizer& one : together) {
    CHECK(arma::all(one.parameters == alone.parameters));
    CHECK(arma::all(one.shared == alone.shared));
  }
  CHECK(arma::any(train(6).parameters != alone.parameters));
}

TEST_CASE("g(x)/g(0), the released code's normalisation, and its gradient") {
  Stream stream(12);
  Sample sample = heteroskedastic(8, 1.0, stream);
  const TransformationClass& method = find_class("exp");
  Trainer trainer =
      make_trainer(method, {}, {.hidden = {6}, .released = {.divide_by_origin = true}}, {}, {}, 1, 8);
  trainer.initialise(stream);
  const arma::fmat X = arma::conv_to<arma::fmat>::from(sample.X);
  const std::vector<arma::uword> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  arma::vec parameters = arma::conv_to<arma::vec>::from(trainer.net().parameters());
  const double loss_here = trainer.step(X, sample.log_a, rows).loss;
  const arma::fvec gradient = trainer.net().gradient();

  const auto loss = [&] {
    const auto g = [&](const arma::mat& at) {
      return forward_in_double(trainer.net().shape(), parameters, at);
    };
    const LossPoint at{
        sample.log_a, g(arma::conv_to<arma::mat>::from(X)) / arma::as_scalar(g(arma::zeros(1, 1))), {}};
    return evaluate(method, {}, {}, at).loss;
  };
  CHECK(loss_here == near(loss(), 1e-5));
  const double largest = arma::abs(gradient).max();
  for (arma::uword i = 0; i < gradient.n_elem; ++i)  // the rounding of floats
    CHECK(double{gradient(i)} == near(slope_of(parameters(i), loss), 1e-5 * largest));
}

// main.cpp counts.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern thread_local std::size_t allocations;

TEST_CASE("a training step allocates nothing") {
  const std::size_t at_first = allocations;
  const arma::vec large(1000);
  const std::vector<double> other(1000);
  REQUIRE(allocations == at_first + 2);  // both kinds are counted
  Stream stream(13);
  arma::fmat X(8, 64);
  arma::vec log_a(64);
  for (float& x : X) x = static_cast<float>(stream.normal());
  for (double& a : log_a) a = stream.normal();
  const std::vector<arma::uword> rows = stream.permutation<arma::uword>(64);
  for (const char* method : {"erc_error_fit", "erc", "linear", "exp", "sigma", "mixture", "adapt"})
    for (const Objective kind : {Objective::all_levels, Objective::one_level})
      for (const bool divide : {false, true}) {
        CAPTURE(method);
        Trainer trainer = make_trainer(find_class(method), {}, {.released = {.divide_by_origin = divide}},
                                       {.kind = kind, .level = Level(0.32)}, {}, 8, 32);
        trainer.initialise(stream);
        trainer.step(X, log_a, std::span(rows).first(32));
        const std::size_t before = allocations;
        for (const std::size_t batch : {32u, 32u, 13u}) trainer.step(X, log_a, std::span(rows).first(batch));
        CHECK(allocations == before);
      }
}
#endif
