#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacp {

/// Which calibration score is q̂.
enum class QuantileRule {
  ceiling,      ///< Section 2.2: the ⌈(N+1)(1−α)⌉-th smallest
  floor_index,  ///< the released code: index int((1−α)N) counted from zero
};

/// A level α, e.g. "0.05": an exact decimal, so that ranks are computed in integers.
class Level {
 public:
  /// The decimal of at most 9 digits that this number is but for roundings of its computation: Level(0.1) and
  /// Level(1 - 0.9) are Level::parse("0.1"). UserError as for a text.
  explicit Level(double alpha);

  /// UserError unless the text is a decimal strictly between 0 and 1 with at most 9 digits after the point.
  static Level parse(std::string_view text);

  /// Without needless zeros: "0.1" for "0.10" and ".1".
  const std::string& text() const { return text_; }
  double value() const;

  /// α/2, for one of two sides.
  Level half() const;

  /// 1 − α.
  Level complement() const;

  /// Rank of q̂ among N calibration scores, from 1. A rank of N + 1 means that the interval is infinite.
  std::size_t rank(std::size_t n, QuantileRule rule = QuantileRule::ceiling) const;

  /// By how much the rank of N scores exceeds (N + 1)(1 − α), exactly: from 0 to less than 1.
  double above_share(std::size_t n) const;

  /// The fewest calibration scores with which the interval is finite: the smallest N whose rank is at most N.
  std::size_t fewest(QuantileRule rule = QuantileRule::ceiling) const;

  bool operator==(const Level&) const = default;

 private:
  Level() = default;
  std::string text_;
  std::int64_t numerator_ = 0, denominator_ = 1;  // α = numerator / denominator, a power of ten
};

}  // namespace lacp
