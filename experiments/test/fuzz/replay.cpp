// What `make test` links to a target: tries every input of the files that are given, then some made to be
// costly, with no more memory than is promised. A file is one input; one that is named *.cases holds many.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "cases.hpp"
#include "lacp/base/files.hpp"
#include "target.hpp"

namespace {

/// An allocation beyond the bound fails from here on. Sanitizers need memory of their own, so not with them.
void limit_memory() {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::ifstream statm("/proc/self/statm");
  rlim_t pages[6] = {};  // the last: data and stack
  for (rlim_t& count : pages) statm >> count;
  const rlim_t now = pages[5] * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = now + lacp::fuzz::most_memory;
  if (!statm || ::setrlimit(RLIMIT_DATA, &limit) != 0) throw std::runtime_error("memory cannot be limited");
#endif
}

bool passes(const std::string& name, std::string_view bytes) {
  try {
    lacp::fuzz::try_input(bytes);
    return true;
  } catch (const std::exception& error) {
    fmt::print("FAILED {}: {}\n", name, error.what());
    return false;
  }
}

/// How many inputs of the file there are, and how many of them fail.
std::pair<std::size_t, std::size_t> try_file(const std::string& file) {
  const std::string content = lacp::read_file(file);
  if (!file.ends_with(".cases")) return {1, passes(file, content) ? 0 : 1};
  const std::vector<lacp::fuzz::Case> cases = lacp::fuzz::parse_cases(content, file);
  const auto fails = [&](const lacp::fuzz::Case& entry) {
    return !passes(fmt::format("{}:{}: {}", file, entry.line, entry.name), entry.bytes);
  };
  return {cases.size(), std::ranges::count_if(cases, fails)};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return fmt::print(stderr, "usage: {} FILE...\n", argv[0]), 2;
  limit_memory();
  std::size_t tried = 0, failed = 0;
  for (int i = 1; i < argc; ++i) {
    const auto [inputs, failures] = try_file(argv[i]);
    tried += inputs, failed += failures;
  }
  const std::vector<std::string> costly = lacp::fuzz::costly_inputs();
  for (std::size_t i = 0; i < costly.size(); ++i)
    failed += passes(fmt::format("costly input {}", i + 1), costly[i]) ? 0 : 1;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} kept and {} costly inputs, {} failed; {} MB\n", tried, costly.size(), failed,
             usage.ru_maxrss / 1024);
  return failed == 0 && tried > 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
