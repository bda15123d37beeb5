#include "lacp/training/fit_localizer.hpp"

#include "lacp/base/sums.hpp"
#include "lacp/classes/transformations.hpp"
#include "lacp/training/validation.hpp"

namespace lacp {
namespace {

/// The localizer, whose sizes have limits if it adapts: g is cut to its range on the rows that it was
/// trained on, and so that s, in the unit in which the mean of |r|/s is one, is at most the largest |r|. ℓ_1
/// hardly minds a single s that is far too large, and the mean size of intervals does.
Localizer with_limits(Localizer localizer, const arma::fmat& X, const arma::vec& log_a) {
  if (localizer.phi.learning != Learning::adaptation) return localizer;
  const arma::mat g = localizer.g(X);
  const double top = log_a.max();
  std::vector<double> share(log_a.n_elem);  // |r|/s over the largest |r|, s = e^{−g/2}
  for (arma::uword n = 0; n < log_a.n_elem; ++n) share[n] = math::exp(0.5 * (log_a(n) - top + g(0, n)));
  const double least = top == -arma::datum::inf ? top : 2.0 * math::log(mean_of(share));
  localizer.shared(Power::high) = g.max();
  localizer.shared(Power::low) = std::clamp(least, g.min(), g.max());
  return localizer;
}

}  // namespace

Trainer make_trainer(const TransformationClass& phi, const TransformationOptions& transformation,
                     const NetworkOptions& network, const ObjectiveOptions& objective,
                     const AdamOptions& adam, std::size_t inputs, std::size_t largest_batch) {
  return Trainer(
      phi.shape(network, inputs),
      [loss = phi.loss, transformation, objective, scratch = ObjectiveScratch(largest_batch)](
          const arma::vec& log_a, const arma::mat& g, const arma::vec& v, arma::mat& by_g,
          arma::vec& by_v) mutable {
        return loss(transformation, objective, log_a, g, v, by_g, by_v, scratch);
      },
      adam, largest_batch, phi.shared_start, network.released.divide_by_origin);
}

std::string TrainingFailure::what() const {
  const auto became = [](double value) {
    if (std::isfinite(value)) return fmt::format("{:.2g}, too large for the optimiser,", value);
    return std::string(std::isnan(value) ? "nan" : "infinite");
  };
  std::pair<const char*, double> found("loss", loss);
  if (parameter) found = {"parameters", *parameter};
  if (gradient) found = {"gradient", *gradient};
  if (size) found = {by_size ? "size of the validation intervals" : "validation score", *size};
  std::string text =
      fmt::format("training diverged: the {} became {} in epoch {} of the {}", found.first,
                  became(found.second), epoch, final_training ? "final training" : "selection");
  if (size || gradient || parameter) text += fmt::format(" (loss {:.4g})", loss);
  if (previous) text += fmt::format("; the loss of the epoch before was {:.4g}", *previous);
  return text;
}

TrainingResult train(const TransformationClass& phi, const FitInput& input, const arma::mat& X,
                     const arma::vec& log_a, const arma::vec& errors) {
  const TransformationOptions& transformation = input.transformation;
  const NetworkOptions& network = input.network;
  TrainingOptions options = training_for(phi.learning, input.training);
  if (phi.scales == nullptr || errors.empty()) options.selection.sides = Sides::both;
  refuse("transformation", check_of(transformation));
  refuse("network", check_of(network));
  refuse("training", check_of(options));
  TrainingResult result;
  result.localizer = {.phi = phi, .transformation = transformation, .shared = arma::vec(phi.shared_start)};
  if (phi.learning == Learning::none) return result;
  const arma::fmat Xf = arma::conv_to<arma::fmat>::from(X);
  // The failure of an epoch, if it is one: loss, gradient, parameters, and in the selection the size.
  std::optional<double> previous;
  const auto failed = [&](Session& session, bool final_training, std::size_t epoch, const StepResult& step) {
    TrainingFailure failure{.final_training = final_training,
                            .epoch = epoch,
                            .loss = step.loss,
                            .gradient = step.gradient,
                            .previous = previous};
    if (step.taken()) failure.parameter = session.bad_parameter();
    if (!step.taken() || failure.parameter) result.failure = failure;
    previous = step.loss;
    return result.failure.has_value();
  };
  const auto report = [&](bool final_training, std::size_t epoch, double loss, std::optional<double> score) {
    if (input.on_epoch)
      input.on_epoch(
          {.final_training = final_training, .epoch = epoch, .mean_loss = loss, .validation_score = score});
  };

  // Everything random has a stream of its own.
  Stream weights = input.stream("weights"), order = input.stream("shuffle"),
         chosen = input.stream("validation");
  const TwoParts rows = divide_for_selection(X.n_cols, options, phi.learning, input.groups, chosen);
  const arma::uvec fitted_columns(rows.first), validation_columns(rows.second);
  const Validation validation(
      options, Xf.cols(validation_columns), log_a(validation_columns),
      two_sided(options.selection) ? arma::vec(errors(validation_columns)) : arma::vec());
  const arma::fmat X_fitted = Xf.cols(fitted_columns);
  const arma::vec a_fitted = log_a(fitted_columns);
  const auto begin = [&](std::vector<arma::uword> of) {
    const std::size_t largest_batch = std::min(options.batch, of.size());
    return Session(
        make_trainer(phi, transformation, network, options.objective, options.adam, X.n_rows, largest_batch),
        {.batch = options.batch,
         .fewest = fewest_for_step(options, phi.learning),
         .shuffle = options.released.shuffle},
        Xf, log_a, std::move(of), weights, order);
  };
  const auto localizer = [&](Session& session) {
    return Localizer{.phi = phi,
                     .transformation = transformation,
                     .network = network,
                     .shape = session.trainer().net().shape(),
                     .parameters = session.trainer().net().parameters(),
                     .shared = session.trainer().shared()};
  };
  Session selection = begin(rows.first);
  double reference = arma::datum::inf;
  ValidationScore best{arma::datum::inf, {}};
  std::size_t without_gain = 0;
  for (std::size_t epoch = 1; epoch <= options.epochs && without_gain < options.selection.patience; ++epoch) {
    const std::optional<double> before = previous;
    const StepResult step = selection.epoch();
    if (failed(selection, false, epoch, step)) return result;
    Localizer candidate = with_limits(localizer(selection), X_fitted, a_fitted);
    const ValidationScore score = validation.score(candidate);
    if (!std::isfinite(score.value)) {
      result.failure = {.epoch = epoch,
                        .loss = step.loss,
                        .size = score.value,
                        .by_size = !phi.criterion && options.selection.criterion == Criterion::size,
                        .previous = before};
      return result;
    }
    result.validation_scores.push_back(score.value);
    report(false, epoch, step.loss, score.value);
    if (score.value < best.value) {
      best = score;
      result.best_epoch = epoch;
      result.localizer = std::move(candidate);
    }
    const bool gained = score.value < reference * (1.0 - options.selection.least_gain);
    without_gain = gained ? 0 : without_gain + 1;
    if (gained) reference = score.value;
  }
  result.epochs_tried = result.validation_scores.size();
  result.steps = selection.steps();
  if (phi.learning == Learning::adaptation) {  // it chooses θ for the network that has just been validated
    const bool no_gain = best.value >= Validation::of_fixed;
    result.localizer.shared(Power::theta) = no_gain ? 0.0 : best.shared(Power::theta);
    if (no_gain) result.best_epoch = 0;
    return result;
  }
  if (options.selection.released.count_from_zero) result.best_epoch -= 1;

  std::vector<arma::uword> all(X.n_cols);
  std::iota(all.begin(), all.end(), arma::uword{0});
  Session final = begin(std::move(all));
  previous.reset();
  for (std::size_t epoch = 1; epoch <= result.best_epoch; ++epoch) {
    const StepResult step = final.epoch();
    if (failed(final, true, epoch, step)) return result;
    report(true, epoch, step.loss, std::nullopt);
  }
  result.localizer = localizer(final);
  result.steps += final.steps();
  return result;
}

FitResult fit_class(const Method& method, const FitInput& input) {
  const arma::vec errors = input.y - input.f;
  TrainingResult training =
      train(*method.transformation, input, input.X, log_scores(arma::abs(errors)), errors);
  if (!training.failure) training.score = class_score(std::move(training.localizer));
  return training;
}

}  // namespace lacp
