// The score of a class of transformations, B = φ_x(A), and its saved form.
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/conformal/fit_score.hpp"
#include "lacp/conformal/model_bytes.hpp"

namespace lacp {
std::vector<arma::vec> ClassScore::scores(const arma::mat& g, const arma::vec& f, const arma::vec& y) const {
  std::vector<arma::vec> b(1);
  localizer_.method.scores(localizer_.transformation, log_scores(arma::abs(f - y)), g, localizer_.shared,
                           b[0]);
  return b;
}

Bounds ClassScore::bounds(const arma::mat& g, const arma::vec&, const arma::vec& q, const Level&) const {
  arma::vec half_width;
  localizer_.method.half_widths(localizer_.transformation, q, g, localizer_.shared, half_width);
  return Bounds::symmetric(half_width);
}

arma::vec ClassScore::scale(const arma::mat& g) const {
  arma::vec s;
  if (localizer_.method.scale_family)
    localizer_.method.scales(localizer_.transformation, g, localizer_.shared, s);
  return s;
}

void ClassScore::write(ModelWriter& out) const { write_localizer(localizer_, out); }

void write_localizer(const Localizer& localizer, ModelWriter& out) {
  out.number(localizer.transformation.gamma);
  out.number(std::uint8_t{localizer.transformation.minus_g});
  out.number(localizer.transformation.log_offset);
  out.number(localizer.transformation.logit_clamp);
  out.array(localizer.network.hidden);
  out.number(std::uint8_t{localizer.network.linear_first});
  out.number(std::uint8_t{localizer.network.divide_by_origin});
  out.array(localizer.parameters);
  out.array(localizer.shared);
}

Localizer read_localizer(const Method& method, ModelReader& in, std::size_t inputs) {
  Localizer localizer;
  localizer.method = method;
  localizer.transformation = {.gamma = in.number<double>(),
                              .minus_g = in.flag(),
                              .log_offset = in.number<double>(),
                              .logit_clamp = in.number<double>()};
  localizer.network.hidden = in.array<std::vector<std::size_t>>();
  localizer.network.linear_first = in.flag();
  localizer.network.divide_by_origin = in.flag();
  localizer.parameters = in.array<arma::fvec>();
  localizer.shared = in.array<arma::vec>();
  if (localizer.shared.n_elem != method.shared) in.refuse("has parts whose sizes do not fit together");
  if (find_problem(localizer.transformation) || find_problem(localizer.network) ||
      !localizer.parameters.is_finite() || !localizer.shared.is_finite() ||
      (method.learning == Learning::adaptation && localizer.shared(1) > localizer.shared(2)))
    in.refuse("holds numbers that no fitted model has");
  if (method.outputs == 0) return localizer;
  localizer.shape = {.inputs = inputs,
                     .hidden = localizer.network.hidden,
                     .outputs = method.outputs,
                     .linear_first = localizer.network.linear_first};
  if (static_cast<double>(localizer.parameters.n_elem) != parameter_count(localizer.shape))
    in.refuse("has parts whose sizes do not fit together");
  return localizer;
}

TrainingResult train(const Method& method, const FitInput& input, const arma::mat& X,
                     const arma::vec& targets, const arma::vec& errors) {
  return train(method, input.transformation, input.network, input.training, X, targets,
               {input.stream("weights"), input.stream("shuffle"), input.stream("validation")}, input.on_epoch,
               errors);
}

FitResult fit_result(const TrainingResult& training, std::shared_ptr<const FittedScore> score) {
  return {.score = std::move(score),
          .best_epoch = training.best_epoch,
          .epochs_tried = training.epochs_tried,
          .steps = training.steps,
          .validation_scores = training.validation_scores};
}

FitResult fit_class(const Method& method, const FitInput& input) {
  const arma::vec errors = input.y - input.f;
  const TrainingResult training = train(method, input, input.X, log_scores(arma::abs(errors)), errors);
  if (training.failure) return {.failure = training.failure};
  return fit_result(training, std::make_shared<ClassScore>(training.localizer));
}

std::shared_ptr<const FittedScore> read_class(const Method& method, ModelReader& in, std::size_t inputs) {
  return std::make_shared<ClassScore>(read_localizer(method, in, inputs));
}

}  // namespace lacp
