#include "lacp/classes/transformations.hpp"

namespace lacp {
namespace {

double softplus(double v) { return v > 30.0 ? v : math::log1p(math::exp(v)); }
double logistic(double v) { return 1.0 / (1.0 + math::exp(-v)); }

}  // namespace

Mixture::Weights::Weights(const double* v) {
  for (std::size_t k = 0; k < shared; ++k) {
    value[k] = softplus(v[k]);
    slope[k] = logistic(v[k]);
  }
}

Mixture::At::At(double gamma, const double* g, const Weights& weights)
    : g_{g[0], g[1], g[2], g[3]}, weight_(weights.value), weight_slope_(weights.slope) {
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

void Mixture::At::improve(const double* b, Roots& roots, std::size_t first, std::size_t last,
                          bool near) const {
  math::exp_all(roots.z.data() + first, roots.exp_z.data() + first, last - first);
  near ? improve_from_exp<true>(b, roots, first, last) : improve_from_exp<false>(b, roots, first, last);
}

template <bool near>
void Mixture::At::improve_from_exp(const double* __restrict b, Roots& roots, std::size_t first,
                                   std::size_t last) const {
  double* __restrict const z = roots.z.data();
  double* __restrict const exp_z = roots.exp_z.data();
  double* __restrict const sigmoid = roots.own.data();
  double* __restrict const slope = roots.slope.data();
  double* __restrict const step = roots.step.data();
  const double a = a_, w1 = weight_[1], g1 = g_[1], w3 = weight_[3], shift = sigma_shift_;
  for (std::size_t j = first; j < last; ++j) {
    const double e = exp_z[j], ae = a * e, s = e / (e + shift), s1 = s * (1.0 - s), s2 = s1 * (1.0 - 2.0 * s),
                 s3 = s1 * (1.0 - 6.0 * s1);  // σ and its derivatives
    const double phi1 = ae + w1 + w3 * s1, inverse = 1.0 / phi1;
    const double n = (ae + w1 * (z[j] + g1) + w3 * s - b[j]) * inverse;
    const double h = 0.5 * n * (ae + w3 * s2) * inverse, k = n * n * (1.0 / 6) * (ae + w3 * s3) * inverse;
    // Newton's step and what the second and third derivative add: as a series, or as a quotient
    // (Householder's method), which is good far away too.
    const double d = near ? -n * (1.0 + h + (2.0 * h * h - k)) : -n * (1.0 - h) / (1.0 - 2.0 * h + k);
    step[j] = n;
    z[j] += d;
    // What follows is for a small d, without its fourth power.
    const double e_there = e + e * (d * (1.0 + d * (0.5 + d * (1.0 / 6))));
    const double s_there = s + d * (s1 + d * (0.5 * s2 + d * (1.0 / 6) * s3));
    const double change = (a * e_there + w1 + w3 * (s_there * (1.0 - s_there)) - phi1) * inverse;
    exp_z[j] = e_there;
    sigmoid[j] = s_there;
    slope[j] = inverse * (1.0 - change * (1.0 - change * (1.0 - change)));
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
