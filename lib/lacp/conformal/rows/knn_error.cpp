// The normalised score with a difficulty estimate by neighbours, as crepes has it: H. Boström, "crepes: a
// Python package for generating conformal regressors and predictive systems" (COPA 2022, PMLR 179), after
// Papadopoulos, Vovk and Gammerman (JAIR 2011).
#include <cmath>

#include "lacp/conformal/rows.hpp"
#include "lacp/conformal/rows/local_error.hpp"

namespace lacp {
namespace {

/// |y − f| / (σ̂ + β); intervals f ± q(σ̂ + β).
class KnnErrorScore : public FittedScore {
 public:
  KnnErrorScore(LocalError error, double beta) : error_(std::move(error)), beta_(beta) {}

  arma::mat local(const arma::mat& X) const override { return error_.at(X); }
  std::vector<arma::vec> scores(const arma::mat& sigma, const arma::vec& f,
                                const arma::vec& y) const override {
    return {arma::abs(f - y) / scale(sigma)};
  }
  Bounds bounds(const arma::mat& sigma, const arma::vec&, const arma::vec& q, const Level&) const override {
    return Bounds::symmetric(q % scale(sigma));
  }
  arma::vec scale(const arma::mat& sigma) const override { return sigma.t() + beta_; }
  void write(ModelWriter& out) const override {
    out.number(beta_);
    error_.write(out);
  }

 private:
  LocalError error_;
  double beta_;
};

FitResult fit(const Method&, const FitInput& input) {
  return {.score = std::make_shared<KnnErrorScore>(LocalError(input), input.rows.knn_error.beta)};
}

std::shared_ptr<const FittedScore> read(const Method&, ModelReader& in, std::size_t inputs) {
  const auto beta = in.number<double>();
  if (!(beta > 0.0) || !std::isfinite(beta)) in.refuse("holds numbers that no fitted model has");
  return std::make_shared<KnnErrorScore>(LocalError(in, inputs), beta);
}

}  // namespace

Method knn_error_method() {
  Method method;
  method.name = "knn_error";
  method.scale_family = true;
  method.about =
      "the error divided by σ̂, the mean error of the nearest training points, as crepes does; nothing to train";
  method.equation = "|y − f| / (σ̂ + β)";
  method.fit = &fit;
  method.read = &read;
  return method;
}

}  // namespace lacp
