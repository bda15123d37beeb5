// How far the sizes of adapt follow the local error, and where that ends.
#include "heteroskedastic.hpp"
#include "lacp/classes/transformations.hpp"
#include "lacp/training/validation.hpp"

using namespace lacp;

TEST_CASE("adapt: in full where errors differ much, and one size where they do not") {
  Stream stream(6);
  const Sample strong = heteroskedastic(12000, 1.2, stream), none = heteroskedastic(4000, 0.0, stream);
  const TrainingResult full = train_on(strong, "adapt", small_steps);
  CHECK(full.localizer.adaptation() == 1.0);
  CHECK(full.localizer.shared(Power::theta) == 1.0);
  CHECK(fitted_power(full.localizer, 1.2) == near(1.0, 0.05));
  // Where nothing can be gained, chance decides on θ, and little depends on it.
  const arma::vec widths = half_widths_of(train_on(none, "adapt", small_steps).localizer, none.X);
  CHECK(deviation_of(arma::vec(arma::log(widths))) < 0.05);
}

TEST_CASE("adapt keeps the network that validated best") {
  const Sample sample = heteroskedastic(1000, 1.2, 17);
  TrainingOptions options{.epochs = 40, .batch = 64};
  const TrainingResult whole = quick("adapt", sample, options);
  REQUIRE_FALSE(whole.failure);
  REQUIRE(whole.best_epoch > 0);
  CHECK(whole.best_epoch < whole.epochs_tried);
  options.epochs = whole.best_epoch;
  const TrainingResult until_best = quick("adapt", sample, options);
  CHECK(arma::all(whole.localizer.parameters == until_best.localizer.parameters));
  CHECK(arma::all(whole.localizer.shared == until_best.localizer.shared));
}

TEST_CASE("adapt is `fixed` where no θ validates better") {
  const Sample sample = heteroskedastic(1000, 1.2, 15);
  TransformationClass upside_down = find_class("adapt");  // large where the errors are small
  upside_down.scores = [](const TransformationOptions& options, const arma::vec& log_a, const arma::mat& g,
                          const arma::vec& v) { return find_class("adapt").scores(options, log_a, -g, v); };
  upside_down.half_widths = [](const TransformationOptions& options, const arma::vec& q, const arma::mat& g,
                               const arma::vec& v) {
    return find_class("adapt").half_widths(options, q, -g, v);
  };
  const TrainingResult result =
      train_rows(upside_down, {.hidden = {16}}, {.epochs = 20, .batch = 64}, sample, 2);
  REQUIRE_FALSE(result.failure);
  CHECK(result.localizer.adaptation() == 0.0);
  CHECK(result.best_epoch == 0);
  CHECK(result.epochs_tried > 1);
  const Localizer fixed = train_on(sample, "fixed", {}).localizer;
  const arma::vec q = arma::linspace(-3.0, 3.0, 1000);
  CHECK(arma::all(half_widths_of(result.localizer, sample.X, q) == half_widths_of(fixed, sample.X, q)));
  CHECK(arma::all(scores_of(result.localizer, sample.X, sample.log_a) ==
                  scores_of(fixed, sample.X, sample.log_a)));
}

TEST_CASE("far out, sizes stay within those of the rows that were trained on") {
  const Sample sample = heteroskedastic(2000, 1.2, 16);
  arma::mat far(sample.X.n_rows, 4);
  far.col(0).fill(-100.0), far.col(1).fill(-10.0), far.col(2).fill(10.0), far.col(3).fill(100.0);
  const Localizer trained = train_on(sample, "adapt", small_steps).localizer;
  const arma::vec near_by = half_widths_of(trained, sample.X), beyond = half_widths_of(trained, far);
  CHECK(beyond.max() <= near_by.max());
  CHECK(beyond.min() >= near_by.min());
  CHECK(near_by.max() > 2.0 * near_by.min());
  const arma::vec exp = half_widths_of(train_on(sample, "exp", small_steps).localizer, far);
  CHECK(exp.max() > 1e3);  // what the limits are for
}
