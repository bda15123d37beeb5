#include "lacp/base/random.hpp"

#include "lacp/base/math.hpp"

namespace lacp {
namespace {

std::uint64_t hash_name(const StreamName& name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add_byte = [&](std::uint64_t byte) { hash = (hash ^ (byte & 255)) * 0x100000001b3ULL; };
  const auto add_integer = [&](std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(value >> shift);
  };
  // The length comes first, so that ("ab", "c") and ("a", "bc") differ.
  const auto add_text = [&](std::string_view text) {
    add_integer(text.size());
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  };
  add_integer(name.seed);
  add_text(name.dataset);
  add_integer(name.run);
  add_text(name.method);
  add_text(name.purpose);
  return hash;
}

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Stream::Stream(const StreamName& name) : Stream(hash_name(name)) {}

Stream::Stream(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

double Stream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Stream::uniform(double low, double high) { return low + (high - low) * uniform(); }

double Stream::normal() {
  constexpr double two_sqrt_2_over_e = 1.7155277699214135;
  for (;;) {
    const double u = 1.0 - uniform();  // (0, 1]
    const double x = two_sqrt_2_over_e * (uniform() - 0.5) / u;
    if (x * x <= -4.0 * math::log(u)) return x;
  }
}

std::uint64_t Stream::below(std::uint64_t bound) {
  // The lowest 2^64 mod bound numbers would make small ones likelier. A number from bound on is none of them,
  // which saves a division.
  for (;;) {
    const std::uint64_t x = bits();
    if (x >= bound || x >= (0 - bound) % bound) return x % bound;
  }
}

}  // namespace lacp
