#pragma once

#include <cfenv>

namespace lacp {

/// While it lives, this thread rounds to nearest and keeps subnormal numbers, as every number of this library
/// expects; afterwards it does what it did before. Part of a program that is linked with -ffast-math flushes
/// them to zero in all of it.
class StandardArithmetic {
 public:
  StandardArithmetic() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~StandardArithmetic() { std::fesetenv(&before_); }
  StandardArithmetic(const StandardArithmetic&) = delete;
  StandardArithmetic& operator=(const StandardArithmetic&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace lacp
