// Randomly localised conformal prediction: R. Hore and R. F. Barber, "Conformal prediction with local
// weights: randomization enables robust guarantees" (2023, arXiv:2310.07850; JRSS B 2025).
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "lacp/base/math.hpp"
#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/baselines/baselines.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"

namespace lacp {
namespace {

/// Calibration points in the order of their scores, coordinate by coordinate, so that distances to many of
/// them are one loop; every sum keeps the order of the coordinates.
struct SortedPoints : PreparedCalibration {
  std::vector<std::size_t> place;  // of a calibration point in this order
  arma::vec scores;
  arma::mat X;  // points × attributes

  explicit SortedPoints(const Calibration& calibration)
      : place(calibration.scores.front().n_elem),
        scores(place.size()),
        X(place.size(), calibration.local.n_rows) {
    const arma::uvec order = arma::stable_sort_index(calibration.scores.front());
    for (arma::uword n = 0; n < order.n_elem; ++n) {
      place[order(n)] = n;
      scores(n) = calibration.scores.front()(order(n));
      for (arma::uword i = 0; i < X.n_cols; ++i) X(n, i) = calibration.local(i, order(n));
    }
  }

  /// |x_n − centre|².
  void squared_distances(const std::vector<double>& centre, std::vector<double>& squares) const {
    constexpr std::size_t block = 512;  // of sums that stay near the processor
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::size_t first = 0; first < squares.size(); first += block) {
      const std::size_t count = std::min(block, squares.size() - first);
      double* sums = squares.data() + first;
      for (std::size_t i = 0; i < centre.size(); ++i) {
        const double* x = X.colptr(i) + first;
        const double c = centre[i];
        for (std::size_t n = 0; n < count; ++n) sums[n] += (x[n] - c) * (x[n] - c);
      }
    }
  }
};

/// |y − f|, with q̂ a weighted quantile: x̃ ~ N(x, h² I) is drawn, a calibration point weighs
/// e^{−|x_i − x̃|²/2h²}, and x itself weighs e^{−|x − x̃|²/2h²} on +∞. What is drawn at x is a function of x
/// and the seed, so that it depends neither on the order of the points nor on threads; all levels share it.
class RlcpScore : public ErrorScore {
 public:
  RlcpScore(std::size_t inputs, double bandwidth, std::uint64_t seed)
      : inputs_(inputs), bandwidth_(bandwidth), seed_(seed) {}

  arma::mat local(const arma::mat& X) const override { return X; }
  std::size_t kept_rows() const override { return inputs_; }

  std::shared_ptr<const PreparedCalibration> prepare(const Calibration& calibration) const override {
    return std::make_shared<SortedPoints>(calibration);
  }

  arma::mat thresholds(const Calibration& calibration, const Queries& queries, std::span<const Level> levels,
                       QuantileRule rule) const override {
    const auto prepared = calibration.prepared ? calibration.prepared : prepare(calibration);
    const auto& points = static_cast<const SortedPoints&>(*prepared);
    std::vector<double> weights(points.place.size()), centre(inputs_);
    arma::mat q(levels.size(), queries.local.n_cols);
    for (arma::uword n = 0; n < queries.local.n_cols; ++n) {
      double own = draw(queries.local.colptr(n), centre);  // squared distances, then exponents, then weights
      points.squared_distances(centre, weights);
      if (queries.left_out != nullptr) weights[points.place[(*queries.left_out)(n)]] = HUGE_VAL;
      // The released code's rule has no room for the point itself.
      double least = rule == QuantileRule::floor_index ? HUGE_VAL : own;
      for (const double square : weights) least = std::min(least, square);
      const double unit = -0.5 / (bandwidth_ * bandwidth_);
      for (double& square : weights) square = (square - least) * unit;
      math::exp_all(weights.data(), weights.data(), weights.size());
      own = rule == QuantileRule::floor_index ? 0.0 : math::exp((own - least) * unit);
      const double total = sum_of(weights) + own;
      for (std::size_t l = 0; l < levels.size(); ++l)
        q(l, n) = quantile(points.scores, weights, (1.0 - levels[l].value()) * total, rule);
    }
    return q;
  }

  void write(ModelWriter& out) const override {
    out.number(bandwidth_);
    out.number(seed_);
  }

 private:
  /// x̃ at x; returns |x − x̃|².
  double draw(const double* x, std::vector<double>& centre) const {
    std::uint64_t name = seed_;
    for (std::size_t i = 0; i < inputs_; ++i)  // −0 is 0
      name = (name ^ std::bit_cast<std::uint64_t>(x[i] + 0.0)) * 0x9E3779B97F4A7C15u, name ^= name >> 32;
    Stream stream(name);
    double square = 0.0;
    for (std::size_t i = 0; i < inputs_; ++i) {
      const double step = bandwidth_ * stream.normal();
      centre[i] = x[i] + step;
      square += step * step;
    }
    return square;
  }

  /// The smallest score up to which the weights add up to `needed`, or exceed it under the released code's
  /// rule. Sums that are equal but for their rounding count as equal.
  static double quantile(const arma::vec& scores, const std::vector<double>& weights, double needed,
                         QuantileRule rule) {
    constexpr double rounding = 1e-12;
    const double limit = needed * (rule == QuantileRule::ceiling ? 1.0 - rounding : 1.0 + rounding);
    double sum = 0.0;
    for (std::size_t n = 0; n < weights.size(); ++n)
      if ((sum += weights[n]) >= limit) return scores(n);
    return HUGE_VAL;
  }

  std::size_t inputs_;
  double bandwidth_;  // h
  std::uint64_t seed_;
};

/// The median distance between points, of at most 500 of them; 1 where that is zero.
double median_distance(const arma::mat& X, Stream stream) {
  std::vector<arma::uword> sample = stream.permutation<arma::uword>(X.n_cols);
  sample.resize(std::min<std::size_t>(sample.size(), 500));
  std::vector<double> distances;
  for (std::size_t a = 0; a < sample.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      double square = 0.0;
      for (arma::uword i = 0; i < X.n_rows; ++i)
        square += (X(i, sample[a]) - X(i, sample[b])) * (X(i, sample[a]) - X(i, sample[b]));
      distances.push_back(std::sqrt(square));
    }
  const double median = median_of(distances);
  return median > 0.0 ? median : 1.0;
}

FitResult fit(const Method&, const FitInput& input) {
  return {.score = std::make_shared<RlcpScore>(
              input.X.n_rows, input.rows.rlcp.bandwidth * median_distance(input.X, input.stream("bandwidth")),
              input.stream("kernel").bits())};
}

std::shared_ptr<const FittedScore> read(const Method&, ModelReader& in, std::size_t inputs) {
  const auto bandwidth = in.number<double>();
  in.require_numbers(bandwidth > 0.0 && std::isfinite(bandwidth));
  return std::make_shared<RlcpScore>(inputs, bandwidth, in.number<std::uint64_t>());
}

/// 1 − α, and more by what a single point may weigh, which only the data knows. The released code's rule,
/// with no room for the point itself, promises nothing.
Promise promise(const CalibrationPlan& plan) {
  return {plan.rule == QuantileRule::ceiling ? 1.0 - plan.level.value() : 0.0, 1.0};
}

}  // namespace

std::vector<Method> rlcp_methods() {
  return {
      {.name = "rlcp",
       .about =
           "calibration points near a random point beside x weigh more; the kernel is Gaussian, h the median distance between training points",
       .equation = "|y − f|, q weighted by e^(−|x_i − x̃|² / 2h²), x̃ ~ N(x, h²)",
       .fit = &fit,
       .read = &read,
       .promise = &promise}};
}

}  // namespace lacp
