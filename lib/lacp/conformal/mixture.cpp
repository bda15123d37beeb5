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

}  // namespace lacp
