// One seed, one table, byte for byte, on any processor: what can be seen of that by one program. Other
// compilers and the other architecture are tried by scripts/same_bytes.sh (tests same_bytes.*).
#include <regex>

#include "lacp/base/sha256.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/model/kernels/kernels.hpp"
#include "lacp_program.hpp"

namespace {

/// File below the results → SHA-256, as `sha256sum` writes them.
std::map<std::string, std::string> stored_checksums(const std::string& experiment) {
  std::map<std::string, std::string> checksums;
  for (const std::string& line :
       lacp::split_text(lacp::read_file(source_folder / "experiments/test" / (experiment + ".sha256")), '\n'))
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

void check_checksum(const std::string& file, const std::string& found, const std::string& stored) {
  CHECK_MESSAGE(
      found == stored, file,
      ": other bytes. Where numbers change on purpose: raise algorithm, or the version of the method, then "
      "scripts/smoke_checksums.sh");
}

}  // namespace

TEST_CASE("the smoke experiment gives the stored bytes under every kernel and with any number of threads") {
  const std::map<std::string, std::string> expected = stored_checksums("smoke");
  REQUIRE(expected.size() == 28 + 1);
  const auto run = [&](const std::string& kernels, const Words& options, std::size_t files) {
    INFO(kernels);
    const TemporaryFolder root;
    check_ran(program(joined({"env", "LACP_KERNELS=" + kernels, lacp_executable, "run", smoke_yaml,
                              "--results", root.path()},
                             options)),
              0);
    const std::map<std::string, std::string> found = checksums_below(root / "smoke");
    REQUIRE(found.size() == files);
    for (const auto& [file, checksum] : found) check_checksum(file, checksum, expected.at(file));
  };
  run("", {"--jobs", "3"}, expected.size());
  if (sanitized) return;  // slow, and nothing new for a sanitizer
  // Some take a minute for all of it: one data set and one method, whose steps are those of the others.
  for (const lacp::Kernels* kernels : lacp::usable_kernels())
    run(kernels->name, {"--jobs", "1", "--datasets", "concrete", "--methods", "exp"}, 2);
}

TEST_CASE("every method gives the stored bytes") {
  const std::map<std::string, std::string> expected = stored_checksums("every_method");
  const TemporaryFolder root;
  must_run({"run", source_folder / "experiments/test/every_method.yaml", "--results", root.path()});
  const std::map<std::string, std::string> found = checksums_below(root / "every_method");
  for (const std::string& method : lacp::method_names()) {
    const std::string file = "cells/concrete/0/" + method;
    REQUIRE_MESSAGE((found.contains(file) && expected.contains(file)), method,
                    ": add it to experiments/test/every_method.yaml, then scripts/smoke_checksums.sh");
    check_checksum(file, found.at(file), expected.at(file));
  }
  CHECK(expected.size() == lacp::method_names().size());
}

TEST_CASE("kernels that this processor cannot run are refused at once; the version names those in use") {
  const auto with = [](const std::string& kernels) {
    return program({"env", "LACP_KERNELS=" + kernels, lacp_executable, "--version"});
  };
  check_ran(with("abacus"), 2,
            "LACP_KERNELS: this processor has no kernels 'abacus'; it can run scalar, portable");
  CHECK(std::regex_search(check_ran(with("scalar"), 0).output, std::regex("\n  kernels +scalar\n")));
}
