#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lacp/base/options.hpp"

namespace lacp {

/// Mean and spread of some runs. The standard deviation is the population's (divide by n), as in Table 1.
struct Moments {
  double mean = 0.0, deviation = 0.0;
  std::size_t n = 0;
  /// Rows scored / rows learned from, where runs are random splits of the same rows; 0: runs are independent.
  double overlap = 0.0;
  /// The deviation is not taken to be smaller than this in a standard error: the binomial one, of a share of
  /// points.
  double least_deviation = 0.0;

  /// Standard error of the mean. For independent runs deviation / sqrt(n − 1): the unbiased variance divided
  /// by n. Splits of the same rows are correlated, so that their variance counts 1/n + overlap times (Nadeau
  /// and Bengio, 2003). NaN if n < 2.
  double standard_error() const;
};

/// NaN for no values; one value has no deviation (NaN); an infinite value makes the mean infinite and the
/// deviation NaN.
Moments moments(std::span<const double> values, double overlap = 0.0);

/// Standard error of the median of independent values, of which a few may be anything: 1.4826 times the
/// median of |value − median|, a normal distribution's standard deviation, times √(π / 2n). NaN if n < 2.
double median_error(std::span<const double> values);

/// P(|T| ≥ |t|) for Student's t with `freedom` degrees of freedom; and the t with P(|T| ≥ t) = p, 0 < p < 1.
double student_two_sided_p(double t, double freedom);
double student_two_sided_t(double p, double freedom);

/// The same of a standard normal Z: the z with P(|Z| ≥ z) = p.
double normal_two_sided_z(double p);

/// Ranks from 1 for the smallest; equal values, infinite ones too, share their mean rank.
std::vector<double> ranks_of(std::span<const double> values);

/// Whether pairs differ, by Wilcoxon's signed ranks (1945): the exact two-sided p of their differences, one
/// per data set. Equal sizes share their mean rank, and a difference of zero speaks for both sides alike
/// (Demšar, 2006). An infinite one is the largest; one that is not a number counts as zero.
double wilcoxon_p(std::span<const double> differences);

/// Two means compared, standard errors from both sides (Welch, 1947).
struct WelchTest {
  double difference = 0.0;  ///< a − b
  double z = 0.0;           ///< difference in units of the combined standard error
  double freedom = 0.0;     ///< Welch–Satterthwaite
  double p = 1.0;           ///< two-sided
};

/// All NaN if either side has fewer than two values or is not finite, and where neither side has any spread
/// but the means differ: a variance of zero decides nothing. Equal means without spread give z = 0, p = 1.
WelchTest welch_test(const Moments& a, const Moments& b);

/// Whether one of two independent samples tends to be larger (Mann and Whitney, 1947): the two-sided p by the
/// normal approximation, corrected for ties and continuity. NaN if a side is empty or all values are equal.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/// A difference is significant if its p-value, corrected by Holm's method, is below this rate. Holm's
/// step-down correction (1979): adjusted p-values in the order given. NaNs stay NaN and do not count.
inline constexpr double error_rate = 0.05;
std::vector<double> holm(std::span<const double> p);

/// Mean of paired differences with its two-sided 95 % confidence interval by Student's t, with the standard
/// error of runs with that overlap (`Moments`), which is not below that of `least_deviation`. With fewer than
/// two differences, or with equal ones that are not zero, the interval is the whole line.
struct PairedInterval {
  double mean = 0.0, lower = 0.0, upper = 0.0;
  double p = 1.0;  ///< of no difference
  std::size_t n = 0;
};
PairedInterval paired_interval(std::span<const double> differences, double overlap,
                               double least_deviation = 0.0);

/// Whether two paired samples have the same variance (Pitman, 1939; Morgan, 1939): the two-sided p of no
/// correlation between sums and differences. What all runs have in common, as splits of the same rows do,
/// cancels. NaN with fewer than three pairs or a value that is not finite.
double same_variance_p(std::span<const double> a, std::span<const double> b);

}  // namespace lacp
