#include "lacp/base/version.hpp"

#include <fmt/format.h>

#include <armadillo>
#include <mlpack/core/util/version.hpp>  // a few macros; the rest of mlpack stays in model/

namespace lacp {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

std::string version() { return LACP_VERSION; }

std::string version_text() {
  std::string text = fmt::format("lacp {}\n", version());
  const auto add = [&](std::string_view what, const std::string& number) {
    text += fmt::format("  {:<10} {}\n", what, number);
  };
  add("mlpack", fmt::format("{}.{}.{}", MLPACK_VERSION_MAJOR, MLPACK_VERSION_MINOR, MLPACK_VERSION_PATCH));
  add("Armadillo", fmt::format("{}.{}.{}", ARMA_VERSION_MAJOR, ARMA_VERSION_MINOR, ARMA_VERSION_PATCH));
  add("fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  add("yaml-cpp", LACP_YAML_CPP_VERSION);
  add("compiler", compiler());
  return text;
}

}  // namespace lacp
