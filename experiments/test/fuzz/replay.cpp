// What `make test` links to a target: tries every input of the files that are given, then some made to be
// costly, with no more memory than is promised. A file is one input; one that is named *.cases holds many:
//
//     === name
//     |a line of the input
//
// Bytes that are not printable are escaped (\t \r \0 \xd7, and \\), as is a space at the end of a line. A
// line with \ at its end goes on in the next, or is the last of an input that has no line end there.
// Inputs come into such a file and out of it for scripts/fuzz.sh, and by hand after a crash:
//   fuzz_cases add csv.cases FILE...     one more case for each, unless its bytes are there already
//   fuzz_cases unpack csv.cases FOLDER   a file for each, as libFuzzer wants them
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <vector>

#include "lacp/base/files.hpp"
#include "target.hpp"

namespace fs = std::filesystem;
using namespace lacp;

namespace {

struct Case {
  std::string name, bytes;
  std::size_t line = 0;  ///< of its name in the file
};

constexpr std::string_view case_mark = "=== ";

/// What stands behind a \, and what it means.
constexpr std::string_view letters = "\\tr0", meant{"\\\t\r\0", 4};

std::string escaped(char byte) {
  if (const std::size_t at = meant.find(byte); at != meant.npos) return {'\\', letters[at]};
  const auto code = static_cast<unsigned char>(byte);
  return code >= 0x20 && code < 0x7f ? std::string(1, byte) : fmt::format("\\x{:02x}", code);
}

std::string to_text(const std::vector<Case>& cases) {
  constexpr std::size_t longest = 110;
  std::string text;
  for (const Case& entry : cases) {
    text += fmt::format("{}{}\n|", case_mark, entry.name);
    const std::string& bytes = entry.bytes;
    std::size_t begin = text.size();  // of the line
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool last = i + 1 == bytes.size();
      if (bytes[i] == '\n') {
        text += last ? "" : "\n|", begin = text.size();
        continue;
      }
      if (text.size() - begin >= longest) text += "\\\n|", begin = text.size();
      text += bytes[i] == ' ' && (last || bytes[i + 1] == '\n') ? "\\x20" : escaped(bytes[i]);
    }
    text += bytes.ends_with('\n') ? "\n" : "\\\n";
  }
  return text;
}

/// UserError, with file and line, for a text of another form.
std::vector<Case> parse_cases(std::string_view text, const std::string& file) {
  std::vector<Case> cases;
  std::size_t number = 0;
  const auto refuse = [&](std::string_view what) { user_error("{}:{}: {}", file, number, what); };
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == text.npos) refuse("the line has no end");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with(case_mark)) {
      cases.push_back({std::string(line.substr(case_mark.size())), "", number});
      continue;
    }
    if (cases.empty() || !line.starts_with('|'))
      refuse("expected '=== ' and a name, or '|' and a line of the input");
    std::string& bytes = cases.back().bytes;
    bool goes_on = false;
    for (line.remove_prefix(1); !line.empty(); line.remove_prefix(1)) {
      if (line.front() != '\\') {
        bytes += line.front();
        continue;
      }
      line.remove_prefix(1);
      goes_on = line.empty();
      if (goes_on) break;
      if (const std::size_t at = letters.find(line.front()); at != letters.npos) {
        bytes += meant[at];
      } else if (line.size() >= 3 && line[0] == 'x' && std::isxdigit(line[1]) && std::isxdigit(line[2])) {
        bytes += static_cast<char>(std::stoi(std::string(line.substr(1, 2)), nullptr, 16));
        line.remove_prefix(2);
      } else {
        refuse("found '\\' before something else than \\ t r 0 or x and two digits");
      }
    }
    if (!goes_on) bytes += '\n';
  }
  return cases;
}

int add_cases(const std::string& file, std::span<const std::string> inputs) {
  std::vector<Case> cases = parse_cases(read_file(file), file);
  const std::size_t before = cases.size();
  for (const std::string& input : inputs) {
    const std::string bytes = read_file(input), name = fs::path(input).filename().string();
    if (std::ranges::find(cases, bytes, &Case::bytes) != cases.end()) continue;
    if (std::ranges::find(cases, name, &Case::name) != cases.end())
      user_error("{}: there is another case '{}' already; rename the file", input, name);
    cases.push_back({name, bytes});
  }
  write_file(file, to_text(cases));
  fmt::print("{}: {} cases, {} of them new\n", file, cases.size(), cases.size() - before);
  return 0;
}

int unpack_cases(const std::string& file, const fs::path& folder) {
  fs::create_directories(folder);
  for (const Case& entry : parse_cases(read_file(file), file))
    std::ofstream(folder / entry.name, std::ios::binary) << entry.bytes;
  return 0;
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

/// How many inputs of the file there are, and how many of them fail.
std::pair<std::size_t, std::size_t> try_file(const std::string& file) {
  const std::string content = read_file(file);
  if (!file.ends_with(".cases")) return {1, passes(file, content) ? 0 : 1};
  const std::vector<Case> cases = parse_cases(content, file);
  const auto fails = [&](const Case& entry) {
    return !passes(fmt::format("{}:{}: {}", file, entry.line, entry.name), entry.bytes);
  };
  return {cases.size(), std::ranges::count_if(cases, fails)};
}

int replay(std::span<const std::string> files) {
  limit_memory();
  std::size_t tried = 0, failed = 0;
  for (const std::string& file : files) {
    const auto [inputs, failures] = try_file(file);
    tried += inputs, failed += failures;
  }
  const std::vector<std::string> costly = fuzz::costly_inputs();
  for (std::size_t i = 0; i < costly.size(); ++i)
    failed += passes(fmt::format("costly input {}", i + 1), costly[i]) ? 0 : 1;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} kept and {} costly inputs, {} failed; {} MB\n", tried, costly.size(), failed,
             usage.ru_maxrss / 1024);
  return failed == 0 && tried > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::span<const std::string> words(arguments);
  if (words.size() >= 3 && words[0] == "add") return add_cases(words[1], words.subspan(2));
  if (words.size() == 3 && words[0] == "unpack") return unpack_cases(words[1], words[2]);
  if (words.empty())
    user_error("usage: {0} FILE..., {0} add CASES FILE..., or {0} unpack CASES FOLDER", argv[0]);
  return replay(words);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
