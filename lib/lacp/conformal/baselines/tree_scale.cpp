// The scale s(x), which `adapt_trees` uses to the power θ, and the other stages as the unit of their ends.
#include <algorithm>
#include <cmath>

#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/baselines/tree_stages.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
namespace {

class TreeScaleScore : public FittedScore {
 public:
  TreeScaleScore(ScaleTrees trees, double theta) : trees_(std::move(trees)), theta_(theta) {}

  arma::mat local(const arma::mat& X) const override { return trees_.log_scale(X).t(); }
  std::vector<arma::vec> scores(const arma::mat& log_s, const arma::vec& f,
                                const arma::vec& y) const override {
    return {arma::abs(y - f) / scale(log_s)};
  }
  Bounds bounds(const arma::mat& log_s, const arma::vec&, const arma::vec& q, const Level&) const override {
    return Bounds::symmetric(q % scale(log_s));
  }
  arma::vec scale(const arma::mat& log_s) const override { return power_of(log_s.t(), theta_); }
  std::optional<double> adaptation() const override { return theta_; }
  void write(ModelWriter& out) const override {
    lacp::write(out, trees_);
    out.number(theta_);
  }

 private:
  ScaleTrees trees_;
  double theta_;
};

}  // namespace

std::vector<std::size_t> run_starts(std::size_t rows) {
  std::vector<std::size_t> starts;
  for (std::size_t run = 0; run <= last_run + 1; ++run) starts.push_back(run * rows / (last_run + 1));
  return starts;
}

HeldOut::HeldOut(std::size_t rows, std::size_t run) {
  const std::vector<std::size_t> starts = run_starts(rows);
  for (std::size_t row = 0; row < rows; ++row)
    (starts[run] <= row && row < starts[run + 1] ? held : fitted).push_back(static_cast<std::uint32_t>(row));
}

BoostedOptions stage_options(std::size_t rows) {
  return {.rounds = 200, .least_rows = std::clamp<std::size_t>(rows / 50, 5, 20)};
}

arma::vec ScaleTrees::log_of(arma::vec F) const {
  return F.transform([&](double value) { return math::log(math::exp(value) + floor); });
}

LearntScale learn_scale(const BinnedAttributes& bins, const arma::mat& X, const arma::vec& errors,
                        std::size_t jobs) {
  const BoostedOptions options = stage_options(errors.n_elem);
  CrossBoosted grown = boost_folds(bins, X, run_starts(errors.n_elem), options,
                                   ScaleObjective(errors, options.learning_rate), RoundsBy::last_fold, jobs);
  LearntScale learnt{{std::move(grown.trees), 0.05 * mean_of(errors)}, {}};
  learnt.log_out = learnt.scale.log_of(grown.out);
  return learnt;
}

void write(ModelWriter& out, const ScaleTrees& scale) {
  write(out, scale.trees);
  out.number(scale.floor);
}

ScaleTrees read_scale(ModelReader& in, std::size_t inputs) {
  ScaleTrees scale{read_boosted(in, inputs), in.number<double>()};
  if (!(scale.floor >= 0.0) || !std::isfinite(scale.floor))
    in.refuse("holds numbers that no fitted model has");
  return scale;
}

std::shared_ptr<const FittedScore> scale_score(ScaleTrees scale, double theta) {
  return std::make_shared<TreeScaleScore>(std::move(scale), theta);
}

std::shared_ptr<const FittedScore> read_scale_score(const Method&, ModelReader& in, std::size_t inputs) {
  ScaleTrees scale = read_scale(in, inputs);
  const auto theta = in.number<double>();
  if (!(theta >= 0.0 && theta <= 1.0)) in.refuse("holds numbers that no fitted model has");
  return scale_score(std::move(scale), theta);
}

}  // namespace lacp
