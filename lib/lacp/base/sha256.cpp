#include "lacp/base/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace lacp {
namespace {

using State = std::array<std::uint32_t, 8>;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr State initial_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t big_endian(const unsigned char* p) {
  return (std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) | p[3];
}

void absorb(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 16> w;  // the last 16 words
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t first = 0; first < 64; first += 16) {
#pragma GCC unroll 16  // so that h = g and its like cost nothing
    for (std::size_t i = 0; i < 16; ++i) {
      if (first != 0) {
        const std::uint32_t w15 = w[(i + 1) % 16], w2 = w[(i + 14) % 16];
        w[i] += (std::rotr(w15, 7) ^ std::rotr(w15, 18) ^ (w15 >> 3)) + w[(i + 9) % 16] +
                (std::rotr(w2, 17) ^ std::rotr(w2, 19) ^ (w2 >> 10));
      }
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + sum1 + (g ^ (e & (f ^ g))) + round_constants[first + i] + w[i];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = sum0 + ((a & b) | (c & (a | b)));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
  }
  const State round = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += round[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = initial_state;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  while (bytes.size() >= 64) {
    absorb(state, reinterpret_cast<const unsigned char*>(bytes.data()));
    bytes.remove_prefix(64);
  }
  // Padding: a one bit, zeros, and the length in bits, which may need a block of its own.
  std::array<unsigned char, 64> block{};
  if (!bytes.empty()) std::memcpy(block.data(), bytes.data(), bytes.size());
  block[bytes.size()] = 0x80;
  if (bytes.size() >= 56) {
    absorb(state, block.data());
    block.fill(0);
  }
  for (std::size_t i = 0; i < 8; ++i) block[63 - i] = static_cast<unsigned char>(bits >> (8 * i));
  absorb(state, block.data());

  std::string digest;
  for (std::uint32_t word : state) digest += fmt::format("{:08x}", word);
  return digest;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace lacp
