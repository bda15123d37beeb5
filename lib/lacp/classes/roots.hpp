#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace lacp {

/// log A is looked for in [−700, 700]: e^z and e^{−z} are finite there.
inline constexpr double widest_log = 700.0;

/// Solves φ(z) = b for an increasing φ by Newton steps, each kept inside a bracket that bisection shrinks
/// whenever a step leaves it or gains too little (Section 2.8: "standard root-finding methods"). Ends when
/// the bracket or the step is down to the rounding of z. Nothing if b lies below every value of φ, +inf if
/// above: no score or every score has φ ≤ b. A b that is not a number is returned.
///
/// Phi needs phi(z) and slope(z) = φ'(z) > 0; `start` may be any number.
template <class Phi>
std::optional<double> solve_increasing(const Phi& at, double b, double start) {
  double low = -widest_log, high = widest_log;
  double z = std::isfinite(start) ? std::fmin(std::fmax(start, low), high) : 0.0;
  double last_step = high - low;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double miss = at.phi(z) - b;
    if (miss == 0.0) return z;
    if (std::isnan(miss)) return miss;
    (miss > 0.0 ? high : low) = z;
    double step = -miss / at.slope(z);
    // A Newton step counts if it stays inside and the steps shrink fast enough; else the bracket is halved.
    const bool inside = z + step > low && z + step < high;
    if (!inside || std::fabs(step) > 0.6 * last_step) step = 0.5 * (low + high) - z;
    z += step;
    if (std::fabs(step) <= 4e-16 * std::fmax(1.0, std::fabs(z))) break;
    last_step = std::fabs(step);
  }
  // A bracket that closed on an end which was never evaluated holds no solution.
  if (high - low < 1e-6 && low == -widest_log) return std::nullopt;
  if (high - low < 1e-6 && high == widest_log) return HUGE_VAL;
  return z;
}

/// The first n indices in ascending order of their scores, ties by index.
void sort_ascending(const std::vector<double>& scores, std::size_t n, std::vector<std::size_t>& order);

/// The scores b of a batch in the order in which φ(z) = b is solved: eight over the whole range first, then,
/// level by level, the middle ones between two that are solved. The root as a function of b is smooth, so the
/// cubic through both neighbours with their slopes is so close that one step of a solver is left to do. What
/// the cubic needs of b is the same for every φ and worked out here.
class SortedScores {
 public:
  static constexpr std::size_t knots = 8;  ///< and the smallest batch

  /// Root and its slope dz/db at the neighbours, times these.
  struct Between {
    std::size_t left, right;
    double left_root, left_slope, right_root, right_slope;
  };

  explicit SortedScores(std::size_t largest_batch);

  /// False if the batch is too small, or a score is not finite: then nothing can be asked of this.
  bool set(const std::vector<double>& scores, std::size_t n, std::vector<std::size_t>& order);

  const std::vector<double>& b() const { return b_; }
  /// The index in the batch of each.
  const std::vector<std::size_t>& index() const { return index_; }
  const Between& between(std::size_t j) const { return between_[j]; }  ///< for j ≥ knots
  /// Where the levels begin, and the end of the last.
  const std::vector<std::size_t>& levels() const { return levels_; }
  /// Where the score of the batch's index m is.
  std::size_t place(std::size_t m) const { return place_of_index_[m]; }
  /// Place of the largest score but that of the batch's index m.
  std::size_t largest_but(std::size_t m) const { return index_[last_[0]] == m ? last_[1] : last_[0]; }

 private:
  std::vector<double> b_;
  std::vector<std::size_t> index_, levels_;
  std::vector<Between> between_;
  std::array<std::size_t, 2> last_{};
  std::vector<std::size_t> place_of_index_, place_, solved_, next_;  // place_: by rank; then ranks, ascending
};

/// Roots of φ(z) = b for all b of a batch, in the order of SortedScores.
struct Roots {
  std::vector<double> z, exp_z, slope;  ///< slope: dz/db = 1/φ'(z)
  std::vector<double> step;             ///< how far z was from the root, by Newton's formula
  std::vector<double> own;              ///< for the class
  std::vector<double> weight;           ///< the derivative of the loss by b

  explicit Roots(std::size_t largest_batch) {
    for (auto* column : {&z, &exp_z, &slope, &step, &own, &weight}) column->resize(largest_batch);
  }
};

/// Fills `roots`; a root below the range of solve_increasing has e^z = 0. False if there is one above it, or
/// φ is not what it should be.
///
/// At needs, besides what solve_increasing asks for, start(b) and improve(b, roots, first, last, near): for
/// each j in [first, last), `step` is −Newton's step, z becomes that of a method of fourth order (near: z is
/// close already), and e^z, slope and own are those of the new z, right to rounding if the step is small. The
/// error of such a step is about |step|⁴ at most if no derivative of φ exceeds φ'.
template <class At>
bool solve_sorted(const At& at, const SortedScores& scores, Roots& roots) {
  constexpr double small_step = 8e-5;  // its fourth power is a fifth of the rounding of a z of size one
  const std::vector<double>& b = scores.b();
  const auto open = [&](std::size_t j) { return !(std::fabs(roots.step[j]) <= small_step); };

  for (std::size_t level = 0; level + 1 < scores.levels().size(); ++level) {
    const std::size_t first = scores.levels()[level], last = scores.levels()[level + 1];
    for (std::size_t j = first; j < last; ++j)
      if (level == 0) {
        roots.z[j] = at.start(b[j]);
      } else {
        const SortedScores::Between& t = scores.between(j);
        roots.z[j] = (t.left_root * roots.z[t.left] + t.right_root * roots.z[t.right]) +
                     (t.left_slope * roots.slope[t.left] + t.right_slope * roots.slope[t.right]);
      }
    // All at once as long as many are open, then one by one.
    std::size_t left = last - first;
    for (int round = 0; round < 8 && 4 * left > last - first; ++round) {
      at.improve(b.data(), roots, first, last, level > 0);
      left = 0;
      for (std::size_t j = first; j < last; ++j) left += open(j) ? 1 : 0;
    }
    for (std::size_t j = first; j < last; ++j) {
      for (int round = 0; round < 8 && open(j); ++round) at.improve(b.data(), roots, j, j + 1, false);
      if (open(j)) {
        const std::optional<double> z = solve_increasing(at, b[j], at.start(b[j]));
        roots.z[j] = z.value_or(-HUGE_VAL);
        if (z) at.improve(b.data(), roots, j, j + 1, false);
        if (z && open(j)) return false;
      }
      if (roots.z[j] > widest_log) return false;
      if (roots.z[j] < -widest_log) {
        roots.z[j] = -widest_log;
        roots.exp_z[j] = 0.0;
        roots.slope[j] = 0.0;
        roots.own[j] = 0.0;
      }
    }
  }
  return true;
}

}  // namespace lacp
