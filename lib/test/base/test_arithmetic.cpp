// A program that is linked with -ffast-math, or set so by hand, flushes subnormal numbers to zero. Fits and
// predictions must not notice.
#include <doctest/doctest.h>

#include <cfenv>
#include <cstdint>
#include <cstring>

#include "lacp/conformal/predictor.hpp"
#include "made_rows.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

using namespace lacp;

namespace {

/// What crtfastmath.o does at the start of a program, until the end of the scope.
class Flushing {
 public:
  Flushing() {
    std::fegetenv(&before_);
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    std::uint64_t fpcr = 0;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    asm volatile("msr fpcr, %0" : : "r"(fpcr | (std::uint64_t{1} << 24)));
#endif
  }
  ~Flushing() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
};

bool flushes() {
  const volatile double tiny = 1e-310;
  return tiny * 0.5 == 0.0;
}

}  // namespace

TEST_CASE("a program that flushes subnormal numbers gets the same model, and its own arithmetic back") {
  Stream stream(1);
  const auto [X, y] =
      made_rows(400, stream, [](double x0, double, double noise) { return 1e-310 * (x0 + 2.0 * noise); });
  PredictorSettings settings{.method = "exp"};
  settings.network.hidden = {4};
  settings.training.epochs = 2;
  const LocalPredictor plain = LocalPredictor::fit(X, y, settings);
  const Intervals expected = plain.predict(X, Level(0.32));
  REQUIRE(arma::any(expected.f != 0.0));

  const Flushing flushing;
  if (!flushes()) return;  // neither x86-64 nor aarch64
  bool in_fit = true;
  const LocalPredictor model =
      LocalPredictor::fit(X, y, settings, [&](const EpochReport&) { in_fit = in_fit && flushes(); });
  CHECK_FALSE(in_fit);
  CHECK(flushes());
  const Intervals found = model.predict(X, Level(0.32));
  CHECK(flushes());
  CHECK(model.to_bytes() == plain.to_bytes());
  const auto same = [](const arma::vec& a, const arma::vec& b) {
    return std::memcmp(a.memptr(), b.memptr(), a.n_elem * sizeof(double)) == 0;
  };
  CHECK(same(found.f, expected.f));
  CHECK(same(found.bounds.below, expected.bounds.below));
  CHECK(same(found.bounds.above, expected.bounds.above));
}
