// Conformalised quantile regression: `cqr`, Y. Romano, E. Patterson and E. Candès (NeurIPS 2019).

#include "lacp/base/model_bytes.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "models/methods/baselines.hpp"

namespace lacp {
namespace {

/// Mean pinball loss, and its gradient if there is room for it.
double pinball(const std::vector<double>& tau, const arma::vec& y, const arma::mat& q, arma::mat* gradient) {
  const double unit = 1.0 / static_cast<double>(q.n_elem);
  double sum = 0.0;
  for (arma::uword n = 0; n < q.n_cols; ++n)
    for (arma::uword k = 0; k < q.n_rows; ++k) {
      const double over = y(n) - q(k, n);
      double slope = 0.0;
      if (over > 0.0) slope = tau[k];
      if (over < 0.0) slope = tau[k] - 1.0;
      sum += slope * over;
      if (gradient != nullptr) (*gradient)(k, n) = -unit * slope;
    }
  return sum * unit;
}

/// Each column in increasing order; NaN where one is not finite: a point too far out for the network.
arma::mat sorted(arma::mat outputs) {
  for (arma::uword n = 0; n < outputs.n_cols; ++n) {
    const auto begin = outputs.begin_col(n), end = outputs.end_col(n);
    if (std::all_of(begin, end, [](double value) { return std::isfinite(value); }))
      std::sort(begin, end);
    else
      std::fill(begin, end, arma::datum::nan);
  }
  return outputs;
}

/// max(lo − y, y − hi) with the quantiles lo at α/2 and hi at 1 − α/2. The outputs of one network are the
/// quantiles of all levels, in increasing order, the median in their middle. Where they cross they are sorted
/// (Chernozhukov, Fernández-Val and Galichon, 2010); `crossed` is the share of points with lo > hi.
class CqrScore : public FittedScore {
 public:
  CqrScore(Localizer network, std::vector<Level> levels)
      : network_(std::move(network)), levels_(std::move(levels)) {}

  using FittedScore::local;
  arma::mat local(const arma::mat& X, const arma::vec&) const override { return network_.g(X); }
  std::span<const Level> levels() const override { return levels_; }

  std::vector<arma::vec> scores(const arma::mat& outputs, const arma::vec&,
                                const arma::vec& y) const override {
    return at_all_levels(outputs, [&](const Ends& s, arma::uword n) {
      if (std::isnan(s.lo)) return arma::datum::nan;
      return std::max(s.lo - y(n), y(n) - s.hi);
    });
  }

  std::vector<arma::vec> middles(const arma::mat& outputs, const arma::vec&) const override {
    return at_all_levels(outputs, [](const Ends& s, arma::uword) { return s.lo + 0.5 * (s.hi - s.lo); });
  }

  Bounds bounds(const arma::mat& outputs, const arma::vec& f, const arma::vec& q,
                const Level& level) const override {
    Bounds bounds{arma::vec(q.n_elem), arma::vec(q.n_elem)};
    const arma::mat quantiles = sorted(outputs);
    const std::size_t r = rank(level);
    for (arma::uword n = 0; n < q.n_elem; ++n) {
      const Ends s = ends(quantiles, r, n);
      const double lower = s.lo - q(n), upper = s.hi + q(n);
      bounds.below(n) = lower > upper ? empty_interval : f(n) - lower;
      bounds.above(n) = lower > upper ? empty_interval : upper - f(n);
    }
    return bounds;
  }

  std::optional<double> crossed(const arma::mat& outputs, const Level& level) const override {
    std::size_t count = 0;
    const std::size_t lo = rank(level), hi = 2 * levels_.size() - lo;
    for (arma::uword n = 0; n < outputs.n_cols; ++n) count += outputs(lo, n) > outputs(hi, n) ? 1 : 0;
    return static_cast<double>(count) / static_cast<double>(outputs.n_cols);
  }

  void write(ModelWriter& out) const override {
    out.levels(levels_);
    write_localizer(network_, out);
  }

 private:
  struct Ends {
    double lo, hi;
  };

  static Ends ends(const arma::mat& quantiles, std::size_t r, arma::uword n) {
    return {quantiles(r, n), quantiles(quantiles.n_rows - 1 - r, n)};
  }

  /// The value(ends, n) of each point n, for each level.
  template <class Value>
  std::vector<arma::vec> at_all_levels(const arma::mat& outputs, Value value) const {
    std::vector<arma::vec> all;
    const arma::mat quantiles = sorted(outputs);
    for (const Level& level : levels_) {
      const std::size_t r = rank(level);
      arma::vec& values = all.emplace_back(outputs.n_cols);
      for (arma::uword n = 0; n < outputs.n_cols; ++n) values(n) = value(ends(quantiles, r, n), n);
    }
    return all;
  }

  /// Place of the level's lower quantile among the outputs.
  std::size_t rank(const Level& level) const {
    index_of(level);
    return static_cast<std::size_t>(
        std::ranges::count_if(levels_, [&](const Level& other) { return other.value() < level.value(); }));
  }

  Localizer network_;
  std::vector<Level> levels_;
};

/// One network for all levels, by the mean pinball loss; the epoch is chosen by the same on validation rows.
/// It needs no centre, so it learns from the first and the second part together.
FitResult fit_cqr(const Method&, const FitInput& input) {
  FitInput own = input;
  own.network.released.divide_by_origin = false;  // that is about scales
  const arma::mat X = arma::join_rows(input.X_first, input.X);
  const arma::vec y = arma::join_cols(input.y_first, input.y);
  own.groups.insert(own.groups.begin(), input.groups_first.begin(), input.groups_first.end());
  TrainingResult training = train(quantile_network(input.levels), own, X, y);
  if (!training.failure)
    training.score = std::make_shared<CqrScore>(std::move(training.localizer), input.levels);
  return training;
}

std::shared_ptr<const FittedScore> read_cqr(const Method&, ModelReader& in, std::size_t inputs) {
  std::vector<Level> levels = in.levels();
  Localizer network = read_localizer(quantile_network(levels), in, inputs);
  in.require(!network.network.released.divide_by_origin);
  return std::make_shared<CqrScore>(std::move(network), std::move(levels));
}

}  // namespace

std::vector<double> quantile_probabilities(const std::vector<Level>& levels) {
  std::vector<double> tau = {0.5};
  for (const Level& level : levels) tau.insert(tau.end(), {0.5 * level.value(), 1.0 - 0.5 * level.value()});
  std::ranges::sort(tau);
  return tau;
}

TransformationClass quantile_network(const std::vector<Level>& levels) {
  const std::vector<double> tau = quantile_probabilities(levels);
  TransformationClass network{.learning = Learning::own, .outputs = tau.size()};
  network.loss = [tau](const TransformationOptions&, const ObjectiveOptions&, const arma::vec& y,
                       const arma::mat& q, const arma::vec&, arma::mat& gradient, arma::vec&,
                       ObjectiveScratch&) { return pinball(tau, y, q, &gradient); };
  network.criterion = [tau](const Localizer&, const arma::mat& q, const arma::vec& y) {
    return pinball(tau, y, q, nullptr);
  };
  return network;
}

Method cqr_method() {
  return {.name = "cqr",
          .about = "conformalised quantile regression: lo and hi from one network",
          .equation = "max(lo − y, y − hi)",
          .learning = Learning::own,
          .both_parts = true,
          .fit = &fit_cqr,
          .read = &read_cqr};
}

}  // namespace lacp
