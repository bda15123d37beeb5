#include "lacp/base/math.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#ifdef __FAST_MATH__
#error fast-math changes results: compile without it
#endif
static_assert(FLT_EVAL_METHOD == 0);  // intermediate results are rounded to their type

namespace lacp::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double to_whole = 0x1.8p52;  // x + to_whole − to_whole is x rounded to a whole number, |x| < 2^51

// ln 2 in two parts. The first has 21 zero bits at its end, so that its product with an exponent is exact.
constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

/// 2^(j/128) = high + low, j = 0 … 127, as high, low, high, low …, made with 60 decimal digits.
// clang-format off
constexpr double powers_of_two[256] = {
    0x1.0000000000000p+0, 0x0.0p+0, 0x1.0163da9fb3335p+0, 0x1.b61299ab8cdb7p-54,
    0x1.02c9a3e778061p+0, -0x1.19083535b085dp-56, 0x1.04315e86e7f85p+0, -0x1.0a31c1977c96ep-54,
    0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55, 0x1.0706b29ddf6dep+0, -0x1.c91dfe2b13c27p-55,
    0x1.0874518759bc8p+0, 0x1.186be4bb284ffp-57, 0x1.09e3ecac6f383p+0, 0x1.1487818316136p-54,
    0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54, 0x1.0cc922b7247f7p+0, 0x1.01edc16e24f71p-54,
    0x1.0e3ec32d3d1a2p+0, 0x1.03a1727c57b53p-59, 0x1.0fb66affed31bp+0, -0x1.b9bedc44ebd7bp-57,
    0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54, 0x1.12abdc06c31ccp+0, -0x1.1b514b36ca5c7p-58,
    0x1.1429aaea92de0p+0, -0x1.32fbf9af1369ep-54, 0x1.15a98c8a58e51p+0, 0x1.2406ab9eeab0ap-55,
    0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55, 0x1.18af9388c8deap+0, -0x1.11023d1970f6cp-54,
    0x1.1a35beb6fcb75p+0, 0x1.e5b4c7b4968e4p-55, 0x1.1bbe084045cd4p+0, -0x1.95386352ef607p-54,
    0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54, 0x1.1ed5022fcd91dp+0, -0x1.1df98027bb78cp-54,
    0x1.2063b88628cd6p+0, 0x1.dc775814a8495p-55, 0x1.21f49917ddc96p+0, 0x1.2a97e9494a5eep-55,
    0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54, 0x1.251ce4fb2a63fp+0, 0x1.ac155bef4f4a4p-55,
    0x1.26b4565e27cddp+0, 0x1.2bd339940e9d9p-55, 0x1.284dfe1f56381p+0, -0x1.a4c3a8c3f0d7ep-54,
    0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55, 0x1.2b87fd0dad990p+0, -0x1.10adcd6381aa4p-59,
    0x1.2d285a6e4030bp+0, 0x1.0024754db41d5p-54, 0x1.2ecafa93e2f56p+0, 0x1.1ca0f45d52383p-56,
    0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55, 0x1.32170fc4cd831p+0, 0x1.a9ce78e18047cp-55,
    0x1.33c08b26416ffp+0, 0x1.32721843659a6p-54, 0x1.356c55f929ff1p+0, -0x1.b5cee5c4e4628p-55,
    0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54, 0x1.38cae6d05d866p+0, -0x1.e958d3c9904bdp-54,
    0x1.3a7db34e59ff7p+0, -0x1.5e436d661f5e3p-56, 0x1.3c32dc313a8e5p+0, -0x1.efff8375d29c3p-54,
    0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55, 0x1.3fa4504ac801cp+0, -0x1.7d023f956f9f3p-54,
    0x1.4160a21f72e2ap+0, -0x1.ef3691c309278p-58, 0x1.431f5d950a897p+0, -0x1.1c7dde35f7999p-55,
    0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59, 0x1.46a41ed1d0057p+0, 0x1.c944bd1648a76p-54,
    0x1.486a2b5c13cd0p+0, 0x1.3c1a3b69062f0p-56, 0x1.4a32af0d7d3dep+0, 0x1.9cb62f3d1be56p-54,
    0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56, 0x1.4dcb299fddd0dp+0, 0x1.8ecdbbc6a7833p-54,
    0x1.4f9b2769d2ca7p+0, -0x1.4b309d25957e3p-54, 0x1.516daa2cf6642p+0, -0x1.f768569bd93efp-55,
    0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55, 0x1.551a4ca5d920fp+0, -0x1.d689cefede59bp-55,
    0x1.56f4736b527dap+0, 0x1.9bb2c011d93adp-54, 0x1.58d12d497c7fdp+0, 0x1.295e15b9a1de8p-55,
    0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54, 0x1.5c9268a5946b7p+0, 0x1.c4b1b816986a2p-60,
    0x1.5e76f15ad2148p+0, 0x1.ba6f93080e65ep-54, 0x1.605e1b976dc09p+0, -0x1.3e2429b56de47p-54,
    0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54, 0x1.6434634ccc320p+0, -0x1.c483c759d8933p-55,
    0x1.6623882552225p+0, -0x1.bb60987591c34p-54, 0x1.68155d44ca973p+0, 0x1.038ae44f73e65p-57,
    0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54, 0x1.6c012750bdabfp+0, -0x1.2895667ff0b0dp-56,
    0x1.6dfb23c651a2fp+0, -0x1.bbe3a683c88abp-57, 0x1.6ff7df9519484p+0, -0x1.83c0f25860ef6p-55,
    0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55, 0x1.73f9a48a58174p+0, -0x1.0a8d96c65d53cp-54,
    0x1.75feb564267c9p+0, -0x1.0245957316dd3p-54, 0x1.780694fde5d3fp+0, 0x1.866b80a02162dp-54,
    0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55, 0x1.7c1ed0130c132p+0, 0x1.f124cd1164dd6p-54,
    0x1.7e2f336cf4e62p+0, 0x1.05d02ba15797ep-56, 0x1.80427543e1a12p+0, -0x1.27c86626d972bp-54,
    0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54, 0x1.8471a4623c7adp+0, -0x1.8d684a341cdfbp-55,
    0x1.868d99b4492edp+0, -0x1.fc6f89bd4f6bap-54, 0x1.88ac7d98a6699p+0, 0x1.994c2f37cb53ap-54,
    0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54, 0x1.8cf3216b5448cp+0, -0x1.0d55e32e9e3aap-56,
    0x1.8f1ae99157736p+0, 0x1.5cc13a2e3976cp-55, 0x1.9145b0b91ffc6p+0, -0x1.dd6792e582524p-54,
    0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57, 0x1.95a44cbc8520fp+0, -0x1.64b7c96a5f039p-56,
    0x1.97d829fde4e50p+0, -0x1.d185b7c1b85d1p-54, 0x1.9a0f170ca07bap+0, -0x1.173bd91cee632p-54,
    0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56, 0x1.9e86319e32323p+0, 0x1.824ca78e64c6ep-56,
    0x1.a0c667b5de565p+0, -0x1.359495d1cd533p-54, 0x1.a309bec4a2d33p+0, 0x1.6305c7ddc36abp-54,
    0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54, 0x1.a799e1330b358p+0, 0x1.bcb7ecac563c7p-54,
    0x1.a9e6b5579fdbfp+0, 0x1.0fac90ef7fd31p-54, 0x1.ac36bbfd3f37ap+0, -0x1.f9234cae76cd0p-55,
    0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54, 0x1.b0e07298db666p+0, -0x1.bdef54c80e425p-54,
    0x1.b33a2b84f15fbp+0, -0x1.2805e3084d708p-57, 0x1.b59728de5593ap+0, -0x1.c71dfbbba6de3p-54,
    0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56, 0x1.ba5b030a1064ap+0, -0x1.efcd30e54292ep-54,
    0x1.bcc1e904bc1d2p+0, 0x1.23dd07a2d9e84p-55, 0x1.bf2c25bd71e09p+0, -0x1.efdca3f6b9c73p-54,
    0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55, 0x1.c40ab5fffd07ap+0, 0x1.b4537e083c60ap-54,
    0x1.c67f12e57d14bp+0, 0x1.2884dff483cadp-54, 0x1.c8f6d9406e7b5p+0, 0x1.1acbc48805c44p-56,
    0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56, 0x1.cdf0b555dc3fap+0, -0x1.dd83b53829d72p-55,
    0x1.d072d4a07897cp+0, -0x1.cbc3743797a9cp-54, 0x1.d2f87080d89f2p+0, -0x1.d487b719d8578p-54,
    0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55, 0x1.d80e316c98398p+0, -0x1.11ec18beddfe8p-54,
    0x1.da9e603db3285p+0, 0x1.c2300696db532p-54, 0x1.dd321f301b460p+0, 0x1.2da5778f018c3p-54,
    0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54, 0x1.e264614f5a129p+0, -0x1.7b627817a1496p-54,
    0x1.e502ee78b3ff6p+0, 0x1.39e8980a9cc8fp-55, 0x1.e7a51fbc74c83p+0, 0x1.2d522ca0c8de2p-54,
    0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54, 0x1.ecf482d8e67f1p+0, -0x1.c93f3b411ad8cp-54,
    0x1.efa1bee615a27p+0, 0x1.dc7f486a4b6b0p-54, 0x1.f252b376bba97p+0, 0x1.3a1a5bf0d8e43p-54,
    0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54, 0x1.f7bfdad9cbe14p+0, -0x1.dbb12d006350ap-54,
    0x1.fa7c1819e90d8p+0, 0x1.74853f3a5931ep-55, 0x1.fd3c22b8f71f1p+0, 0x1.2eb74966579e7p-57,
};
// clang-format on

/// 2^n for a normal result.
double two_to(std::int64_t n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

/// x·2^n, rounded once: only the last of the three steps can leave the normal numbers. |x| in [½, 4).
double scale(double x, std::int64_t n) {
  if (n > 2200) n = 2200;
  if (n < -2200) n = -2200;
  const std::int64_t third = n / 3;
  return x * two_to(third) * two_to(third) * two_to(n - 2 * third);
}

/// x = m·2^e with m in [√½, √2); x positive and finite.
struct Binary {
  double m;
  std::int64_t e;
};
Binary split(double x) {
  std::int64_t e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  constexpr std::uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (one - root_half);
  return {std::bit_cast<double>((shifted & 0x000fffffffffffff) + root_half),
          e + static_cast<std::int64_t>(shifted >> 52) - 1023};
}

/// k ln 2 + log(1 + f) + c for 1 + f in [√½, √2) and a small c. With s = f/(2 + f), log(1 + f) = log((1 +
/// s)/(1 − s)) = 2s + s·R(s²); 2s is written as f − s·f, of which f is exact. R is the minimax polynomial of
/// Sun's fdlibm (1993).
double log_of_parts(double k, double f, double c) {
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double odd =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double even =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + (odd + even)) + (k * ln2_low + c))) - f);
}

// x = n ln 2 / 128 + r and n = 128 e + j, so that e^x = 2^e · 2^(j/128) · e^r with |r| ≤ 0.0028.

/// n + to_whole: n as a number after − to_whole, and in the last bits as an integer.
double exp_steps(double x) { return x * 0x1.71547652b82fep+7 + to_whole; }

/// e^r − 1.
double exp_rest(double x, double n) {
  const double r = (x - n * (ln2_high / 128)) - n * (ln2_low / 128), r2 = r * r;
  return r + r2 * ((1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)));
}

}  // namespace

double exp(double x) {
  if (x != x) return x;
  if (x > 709.79) return infinity;
  if (x < -745.2) return 0.0;
  const double n = exp_steps(x) - to_whole, q = exp_rest(x, n);
  const auto k = static_cast<std::int64_t>(n), e = k >> 7;
  const double* t = powers_of_two + 2 * (k & 127);
  const double value = t[0] + (t[1] + t[0] * q);
  if (e > -1022 && e < 1023) return value * two_to(e);
  return scale(value, e);
}

void exp_all(const double* x, double* y, std::size_t count) {
  constexpr std::size_t block = 32;
  double rest[block], high[block], low[block];
  std::uint64_t steps[block];
  for (std::size_t first = 0; first < count; first += block, x += block, y += block) {
    const std::size_t size = count - first < block ? count - first : block;
    std::uint64_t far = 0;  // from zero: the result may be infinite, subnormal or no number
    for (std::size_t i = 0; i < size; ++i) {
      const double shifted = exp_steps(x[i]);
      rest[i] = exp_rest(x[i], shifted - to_whole);
      steps[i] = std::bit_cast<std::uint64_t>(shifted);
      far |= std::fabs(x[i]) <= 700.0 ? 0 : 1;
    }
    if (far != 0) {
      for (std::size_t i = 0; i < size; ++i) y[i] = exp(x[i]);
      continue;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const double* t = powers_of_two + 2 * (steps[i] & 127);
      high[i] = t[0];
      low[i] = t[1];
    }
    // two_to(e): what to_whole adds to the bits is shifted out
    for (std::size_t i = 0; i < size; ++i)
      y[i] = (high[i] + (low[i] + high[i] * rest[i])) * std::bit_cast<double>(((steps[i] >> 7) + 1023) << 52);
  }
}

double log(double x) {
  if (x != x || x == infinity) return x;
  if (!(x > 0.0)) return x == 0.0 ? -infinity : nan;
  const Binary b = split(x);
  return log_of_parts(static_cast<double>(b.e), b.m - 1.0, 0.0);
}

double log1p(double x) {
  if (x != x || x == infinity) return x;
  if (!(x > -1.0)) return x == -1.0 ? -infinity : nan;
  if (std::fabs(x) < 0x1p-54) return x;
  if (x > -0.29 && x < 0.41) return log_of_parts(0.0, x, 0.0);
  const double u = 1.0 + x;
  const double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);  // 1 + x = u + lost exactly
  const Binary b = split(u);
  return log_of_parts(static_cast<double>(b.e), b.m - 1.0, lost / u);
}

double expm1(double x) {
  const double u = exp(x), v = u - 1.0;
  if (u == 1.0 || x != x) return x;
  if (v == -1.0 || v == infinity) return v;
  return v * (x / log(u));  // W. Kahan: the rounding of u is in both
}

double cos_pi(double x) {
  if (!(std::fabs(x) <= 0.25)) return nan;
  // πx in two parts, by Taylor's series.
  constexpr double pi_high = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53;
  const double t = x * pi_high, rest = std::fma(x, pi_high, -t) + x * pi_low, t2 = t * t;
  const double q =
      1.0 / 24 +
      t2 * (-1.0 / 720 +
            t2 * (1.0 / 40320 +
                  t2 * (-1.0 / 3628800 +
                        t2 * (1.0 / 479001600 + t2 * (-1.0 / 87178291200 + t2 * (1.0 / 20922789888000))))));
  const double half_square = 0.5 * t2, sum = 1.0 - half_square;
  const double lost = std::fma(t, t, -t2);  // t² = t2 + lost
  return sum + (((1.0 - sum) - half_square) - 0.5 * lost - t * rest + t2 * (t2 * q));
}

}  // namespace lacp::math
