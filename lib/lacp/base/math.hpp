#pragma once

#include <cstddef>

/// Elementary functions that give the same bits on every processor, with every compiler and every libm: they
/// are made of IEEE operations (+ − × ÷, fma) and integers alone. Every number that reaches a result goes
/// through these instead of std::exp and its like, which differ between libraries by an ulp.
///
/// Special values are those of the C library: NaN gives NaN, exp(−∞) = 0, log(0) = −∞, and so on.
/// "At most" is the largest error measured by test_math.cpp, in units in the last place of the result.
namespace lacp::math {

/// e^x, at most 0.51 ulp (0.75 where the result is subnormal).
double exp(double x);

/// y[i] = exp(x[i]), the same bits, in a third of the time: for loops that the compiler turns into vectors.
void exp_all(const double* x, double* y, std::size_t count);

/// The natural logarithm, at most 0.82 ulp. NaN for x < 0.
double log(double x);

/// log(1 + x), at most 0.82 ulp. NaN for x < −1.
double log1p(double x);

/// e^x − 1, at most 2.5 ulp: the small numbers keep their digits.
double expm1(double x);

/// cos(πx) for |x| ≤ ¼, at most 0.75 ulp; NaN beyond.
double cos_pi(double x);

}  // namespace lacp::math
