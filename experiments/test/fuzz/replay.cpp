// What `make test` links to a target: reads every file in the folder that is given, then inputs made to be
// costly, with no more memory than is promised.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "lacp/base/files.hpp"
#include "target.hpp"

namespace fs = std::filesystem;

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

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: {} FOLDER\n", argv[0]), 2;
  limit_memory();
  std::size_t failed = 0;
  const std::vector<fs::path> files = files_below(argv[1]);
  for (const fs::path& file : files) failed += passes(file.string(), lacp::read_file(file)) ? 0 : 1;
  const std::vector<std::string> costly = lacp::fuzz::costly_inputs();
  for (std::size_t i = 0; i < costly.size(); ++i)
    failed += passes(fmt::format("costly input {}", i + 1), costly[i]) ? 0 : 1;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} files and {} costly inputs, {} failed; {} MB\n", files.size(), costly.size(), failed,
             usage.ru_maxrss / 1024);
  return failed == 0 && !files.empty() ? 0 : 1;
}
