// What makes one epoch, and one θ, better than another; and training that diverges: each way ends in a
// recorded failure that says where.
#include <algorithm>

#include "heteroskedastic.hpp"
#include "lacp/classes/transformations.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/training/validation.hpp"
#include "with_adapt.hpp"

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
      CHECK(error.fault().kind == FaultKind::few_validation_rows);
      ++refused;
    }
  CHECK(divided > 0);
  CHECK(refused > 0);
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
          if (result.failure) {
            ++failures;
            if (!result.failure->final_training)
              CHECK(result.failure->epoch == result.validation_scores.size() + 1);
            continue;
          }
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
