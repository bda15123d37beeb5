// One seed, one table, byte for byte, on any processor: what can be seen of that by one program. Other
// compilers and the other architecture are tried by scripts/same_bytes.sh (tests same_bytes.*).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/model/kernels/kernels.hpp"
#include "lacp_program.hpp"

namespace {

const fs::path source = LACP_SOURCE_DIR;

/// File below the results → SHA-256, as `sha256sum` writes them.
std::map<std::string, std::string> stored_checksums() {
  std::map<std::string, std::string> checksums;
  for (const std::string& line :
       lacp::split_text(lacp::read_file(source / "experiments/test/smoke.sha256"), '\n'))
    if (line.size() > 66) checksums[line.substr(66)] = line.substr(0, 64);
  return checksums;
}

std::map<std::string, std::string> checksums_below(const fs::path& folder) {
  std::map<std::string, std::string> checksums;
  for (const auto& [name, text] : cells_in(folder)) checksums["cells/" + name] = lacp::sha256(text);
  for (const auto& [name, text] : csv_files(folder / "intervals"))
    checksums["intervals/" + name] = lacp::sha256(text);
  return checksums;
}

/// Where numbers may differ between machines: functions of the mathematics library that IEEE 754 does not
/// define, and sums and products whose order is a library's own affair.
std::vector<std::string> uses_of_libraries(const fs::path& root) {
  static const std::regex foreign(
      R"(\b(std::(exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|erf|erfc|lgamma|tgamma|reduce|transform_reduce)|arma::(exp|log|log1p|pow|trunc_exp|trunc_log|mean|median|stddev|var|cov|cor|sum|accu|dot|norm|cumsum|trapz))\s*\()");
  std::vector<std::string> found;
  for (const char* folder : {"lib/lacp", "experiments/driver"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = fs::relative(entry.path(), root).string();
      if (!file.ends_with(".cpp") && !file.ends_with(".hpp")) continue;
      std::size_t line = 0;
      for (const std::string& text : lacp::split_text(lacp::read_file(entry.path()), '\n')) {
        std::smatch match;
        ++line;
        if (std::regex_search(text, match, foreign))
          found.push_back(fmt::format("{}:{}: {}", file, line, match.str(1)));
      }
    }
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("the smoke experiment gives the stored bytes under every kernel and with any number of threads") {
  const std::map<std::string, std::string> expected = stored_checksums();
  REQUIRE(expected.size() == 28 + 1);
  const auto run = [&](const std::string& kernels, const std::string& threads,
                       const std::string& runs = "2") {
    INFO(kernels, " ", threads);
    const TemporaryFolder root;
    check_ran(
        program({"env", "LACP_KERNELS=" + kernels, lacp_executable, "run",
                 (source / "experiments/smoke.yaml").string(), "--jobs", threads, "--runs", runs, "--results",
                 root.path().string(), "--datasets-folder", (source / "datasets").string()}),
        0);
    const std::map<std::string, std::string> found = checksums_below(root / "smoke");
    REQUIRE(found.size() == (runs == "1" ? 14 + 1 : expected.size()));
    for (const auto& [file, checksum] : found)
      CHECK_MESSAGE(checksum == expected.at(file), file,
                    ": other bytes. Where numbers change on purpose: raise algorithm, then "
                    "scripts/smoke_checksums.sh");
  };
  run("", "3");
  if (sanitized) return;  // slow, and nothing new for a sanitizer
  run("", "1");
  for (const lacp::Kernels* kernels : lacp::usable_kernels()) run(kernels->name, "2", "1");
}

TEST_CASE("kernels that this processor cannot run are refused at once") {
  check_ran(program({"env", "LACP_KERNELS=abacus", lacp_executable, "methods"}), 2,
            "LACP_KERNELS: this processor has no kernels 'abacus'; it can run scalar, portable");
}

TEST_CASE("the version text names the kernels in use") {
  const Ran ran = program({"env", "LACP_KERNELS=scalar", lacp_executable, "--version"});
  CHECK(ran.status == 0);
  CHECK(std::regex_search(ran.output, std::regex("\n  kernels +scalar\n")));
}

TEST_CASE("no number depends on the mathematics library, or on the order of a library's sums") {
  CHECK(lacp::join(uses_of_libraries(source), "\n") == "");
}

TEST_CASE("the use of such a function is named with file and line") {
  const TemporaryFolder root;
  lacp::write_file(root / "lib/lacp/a.cpp", "double f(double x) {\n  return std::exp (x);\n}\n");
  lacp::write_file(root / "experiments/driver/b.hpp",
                   "x = math::exp(1) + arma::accu(y) + std::exponential;\n");
  CHECK(uses_of_libraries(root.path()) ==
        std::vector<std::string>{"experiments/driver/b.hpp:1: arma::accu", "lib/lacp/a.cpp:2: std::exp"});
}
