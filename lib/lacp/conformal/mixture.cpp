#include <algorithm>

#include "lacp/base/math.hpp"
#include "lacp/conformal/transformations.hpp"

namespace lacp {
namespace {

double softplus(double v) { return v > 30.0 ? v : math::log1p(math::exp(v)); }
double logistic(double v) { return 1.0 / (1.0 + math::exp(-v)); }

}  // namespace

Mixture::At::At(double gamma, const double* g, const double* v) {
  for (std::size_t k = 0; k < 4; ++k)
    g_[k] = g[k], weight_[k] = softplus(v[k]), weight_slope_[k] = logistic(v[k]);
  erc_ = 1.0 / (g[0] * g[0] + gamma);
  exp_ = math::exp(g[2]);
  sigma_shift_ = math::exp(-g[3]);
  a_ = weight_[0] * erc_ + weight_[2] * exp_;
}

double Mixture::At::phi(double z) const {
  return a_ * math::exp(z) + weight_[1] * (z + g_[1]) + weight_[3] * sigmoid(z);
}

double Mixture::At::slope(double z) const {
  const double s = sigmoid(z);
  return a_ * math::exp(z) + weight_[1] + weight_[3] * s * (1.0 - s);
}

void Mixture::At::gradient(double z, double* by_g, double* by_v) const {
  const double a = math::exp(z), s = sigmoid(z);
  by_g[0] = -2.0 * g_[0] * erc_ * erc_ * weight_[0] * a;
  by_g[1] = weight_[1];
  by_g[2] = weight_[2] * a * exp_;
  by_g[3] = weight_[3] * s * (1.0 - s);
  by_v[0] = weight_slope_[0] * a * erc_;
  by_v[1] = weight_slope_[1] * (z + g_[1]);
  by_v[2] = weight_slope_[2] * a * exp_;
  by_v[3] = weight_slope_[3] * s;
}

double Mixture::At::start(double b) const {
  const double linear = b / weight_[1] - g_[1];  // the root if only the linear term counted
  const double exponential = b > 0.0 ? math::log(b / a_) : HUGE_VAL;
  return std::min(linear, exponential);
}

void Mixture::At::improve(const double* scores, Roots& roots, std::size_t first, std::size_t last) const {
  math::exp(roots.z.data() + first, roots.exp_z.data() + first, last - first);
  const double* __restrict b = scores;
  double* __restrict const z = roots.z.data();
  double* __restrict const exp_z = roots.exp_z.data();
  double* __restrict const sigmoid = roots.own.data();
  double* __restrict const slope = roots.slope.data();
  double* __restrict const step = roots.step.data();
  const double a = a_, w1 = weight_[1], g1 = g_[1], w3 = weight_[3], shift = sigma_shift_;
  for (std::size_t j = first; j < last; ++j) {
    const double e = exp_z[j], s = e / (e + shift), by_s = w3 * s * (1.0 - s);
    const double inverse = 1.0 / (a * e + w1 + by_s), curvature = a * e + by_s * (1.0 - 2.0 * s);
    const double newton = (a * e + w1 * (z[j] + g1) + w3 * s - b[j]) * inverse;
    const double d = -newton / (1.0 - 0.5 * newton * curvature * inverse);
    step[j] = d;
    z[j] += d;
    const double there = e + e * (d * (1.0 + d * (0.5 + d * (1.0 / 6)))), s_there = there / (there + shift);
    exp_z[j] = there;
    sigmoid[j] = s_there;
    slope[j] = 1.0 / (a * there + w1 + w3 * s_there * (1.0 - s_there));
  }
}

void Mixture::At::weighted_gradient(const Roots& roots, std::size_t count, double* by_g, double* by_v) const {
  // Four sums each, whatever the processor's vectors are: the order is fixed.
  constexpr std::size_t lanes = 4;
  double one[lanes] = {}, linear[lanes] = {}, exponential[lanes] = {}, sigma[lanes] = {},
         sigma_slope[lanes] = {};
  const auto add = [&](std::size_t j, std::size_t lane) {
    const double w = roots.weight[j], s = roots.own[j];
    one[lane] += w;
    linear[lane] += w * (roots.z[j] + g_[1]);
    exponential[lane] += w * roots.exp_z[j];
    sigma[lane] += w * s;
    sigma_slope[lane] += w * (s * (1.0 - s));
  };
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(j + lane, lane);
  for (; j < count; ++j) add(j, j % lanes);
  const auto sum = [](const double* x) { return (x[0] + x[1]) + (x[2] + x[3]); };
  const double a = sum(exponential);
  by_g[0] = -2.0 * g_[0] * erc_ * erc_ * weight_[0] * a;
  by_g[1] = weight_[1] * sum(one);
  by_g[2] = weight_[2] * a * exp_;
  by_g[3] = weight_[3] * sum(sigma_slope);
  by_v[0] = weight_slope_[0] * a * erc_;
  by_v[1] = weight_slope_[1] * sum(linear);
  by_v[2] = weight_slope_[2] * a * exp_;
  by_v[3] = weight_slope_[3] * sum(sigma);
}

}  // namespace lacp
