// What `make test` links to a target: tries the inputs of a file of cases, "name base64" in each line, with
// no more memory than is promised; with --costly, inputs that were made to be costly instead.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>

#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "target.hpp"

namespace {

using namespace lacp;

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text.substr(0, text.find('='))) {
    const std::size_t value = digits.find(digit);
    if (value == digits.npos) user_error("'{}' is no digit of base64", digit);
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

/// An allocation beyond the bound fails from here on. Sanitizers need memory of their own, so not with them.
void limit_memory() {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::ifstream statm("/proc/self/statm");
  rlim_t pages[6] = {};  // the last: data and stack
  for (rlim_t& count : pages) statm >> count;
  const rlim_t now = pages[5] * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = now + fuzz::most_memory;
  if (!statm || ::setrlimit(RLIMIT_DATA, &limit) != 0) throw std::runtime_error("memory cannot be limited");
#endif
}

bool passes(const std::string& name, std::string_view bytes) {
  try {
    fuzz::try_input(bytes);
    return true;
  } catch (const std::exception& error) {
    fmt::print("FAILED {}: {}\n", name, error.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) user_error("usage: {0} FILE, or {0} --costly", argv[0]);
  const std::string word = argv[1];
  std::size_t tried = 0, failed = 0;
  const auto attempt = [&](const std::string& name, std::string_view bytes) {
    ++tried;
    if (!passes(name, bytes)) ++failed;
  };
  const std::vector<std::string> lines = split_text(word == "--costly" ? "" : read_file(word), '\n');
  const std::vector<std::string> costly =
      word == "--costly" ? fuzz::costly_inputs() : std::vector<std::string>();
  limit_memory();
  for (const std::string& line : lines)
    if (const std::size_t blank = line.find(' '); blank != line.npos)
      attempt(line.substr(0, blank), from_base64(std::string_view(line).substr(blank + 1)));
  for (std::size_t i = 0; i < costly.size(); ++i) attempt(fmt::format("costly input {}", i + 1), costly[i]);
  fmt::print("{} inputs, {} failed\n", tried, failed);
  return failed == 0 && tried > 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
