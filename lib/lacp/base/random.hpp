#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacp {

/// Names one stream of random numbers. Two streams whose names differ in any field are independent for all
/// practical purposes; the same name gives the same numbers on every platform and in every thread.
struct StreamName {
  std::uint64_t seed = 0;         ///< seed of the experiment
  std::string_view dataset = {};  ///< data set, or "" where it does not matter
  std::uint64_t run = 0;          ///< repetition within the experiment
  std::string_view method = {};   ///< method, or "" for what all methods share (split, KNN)
  std::string_view purpose = {};  ///< what the numbers are for: "split", "shuffle", "weights", ...
};

/// xoshiro256++ 1.0 (Blackman and Vigna, ACM TOMS 2021), its state filled by SplitMix64 from the FNV-1a hash
/// of the stream's name. Only integer arithmetic and correctly rounded IEEE operations reach the output, so
/// it does not depend on the standard library, the mathematics library or fused multiply-add.
class Stream {
 public:
  explicit Stream(const StreamName& name);
  explicit Stream(std::uint64_t seed);

  /// The next 64 bits.
  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform on [0, 1): the upper 53 bits times 2^-53.
  double uniform();

  /// Uniform on [low, high); the last rounding may give `high` itself.
  double uniform(double low, double high);

  /// Standard normal, by the ratio of uniforms (Kinderman and Monahan, ACM TOMS 1977): the variate is a
  /// quotient of uniforms, and the logarithm only decides whether it is kept.
  double normal();

  /// Uniform on {0, ..., bound − 1} without bias, by rejection. bound > 0.
  std::uint64_t below(std::uint64_t bound);

  /// Fisher–Yates.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// A random order of 0, ..., n − 1.
  template <class Index = std::size_t>
  std::vector<Index> permutation(std::size_t n) {
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index{0});
    shuffle(std::span<Index>(order));
    return order;
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace lacp
