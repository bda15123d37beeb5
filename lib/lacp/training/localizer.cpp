#include "lacp/training/localizer.hpp"

#include "lacp/base/model_bytes.hpp"
#include "lacp/classes/transformations.hpp"

namespace lacp {

std::optional<double> Localizer::adaptation() const {
  if (phi.learning != Learning::adaptation) return std::nullopt;
  return shared(Power::theta);
}

arma::mat Localizer::g(const arma::fmat& X) const {
  if (phi.outputs == 0) return arma::mat(0, X.n_cols);
  arma::mat values = arma::conv_to<arma::mat>::from(evaluate(shape, parameters, X));
  if (network.released.divide_by_origin) {
    const arma::fmat origin(X.n_rows, 1, arma::fill::zeros);
    const arma::vec g0 = arma::conv_to<arma::vec>::from(evaluate(shape, parameters, origin));
    values.each_col() /= g0;
  }
  return values;
}

namespace {

class ClassScore : public FittedScore {
 public:
  explicit ClassScore(Localizer localizer) : localizer_(std::move(localizer)) {}

  using FittedScore::local;
  arma::mat local(const arma::mat& X, const arma::vec&) const override { return localizer_.g(X); }
  std::vector<arma::vec> scores(const arma::mat& g, const arma::vec& f, const arma::vec& y) const override {
    return {
        localizer_.phi.scores(localizer_.transformation, log_scores(arma::abs(f - y)), g, localizer_.shared)};
  }
  Bounds bounds(const arma::mat& g, const arma::vec&, const arma::vec& q, const Level&) const override {
    return Bounds::symmetric(localizer_.phi.half_widths(localizer_.transformation, q, g, localizer_.shared));
  }
  arma::vec scale(const arma::mat& g) const override {
    if (localizer_.phi.scales == nullptr) return {};
    return localizer_.phi.scales(localizer_.transformation, g, localizer_.shared);
  }
  std::optional<double> adaptation() const override { return localizer_.adaptation(); }
  void write(ModelWriter& out) const override { write_localizer(localizer_, out); }

 private:
  Localizer localizer_;
};

}  // namespace

std::shared_ptr<const FittedScore> class_score(Localizer localizer) {
  return std::make_shared<ClassScore>(std::move(localizer));
}

void write_localizer(const Localizer& localizer, ModelWriter& out) {
  out.number(localizer.transformation.gamma);
  out.number(std::uint8_t{localizer.transformation.released.minus_g});
  out.number(localizer.transformation.released.log_offset);
  out.number(localizer.transformation.released.logit_clamp);
  out.array(localizer.network.hidden);
  out.number(std::uint8_t{localizer.network.released.linear_first});
  out.number(std::uint8_t{localizer.network.released.divide_by_origin});
  out.array(localizer.parameters);
  out.array(localizer.shared);
}

Localizer read_localizer(const TransformationClass& phi, ModelReader& in, std::size_t inputs) {
  Localizer localizer;
  localizer.phi = phi;
  localizer.transformation = {
      .gamma = in.number<double>(),
      .released = {
          .minus_g = in.flag(), .log_offset = in.number<double>(), .logit_clamp = in.number<double>()}};
  localizer.network.hidden = in.array<std::vector<std::size_t>>();
  localizer.network.released.linear_first = in.flag();
  localizer.network.released.divide_by_origin = in.flag();
  localizer.parameters = in.array<arma::fvec>();
  localizer.shared = in.array<arma::vec>();
  in.require(localizer.shared.n_elem == phi.shared_start.size());
  in.require(!check_of(localizer.transformation).problem() && !check_of(localizer.network).problem() &&
             localizer.parameters.is_finite() && localizer.shared.is_finite() &&
             (phi.learning != Learning::adaptation ||
              localizer.shared(Power::low) <= localizer.shared(Power::high)));
  if (phi.outputs != 0) localizer.shape = phi.shape(localizer.network, inputs);
  in.require(localizer.parameters.n_elem == (phi.outputs == 0 ? 0 : parameter_count(localizer.shape)));
  return localizer;
}

std::shared_ptr<const FittedScore> read_class(const Method& method, ModelReader& in, std::size_t inputs) {
  return class_score(read_localizer(*method.transformation, in, inputs));
}

}  // namespace lacp
