// Inputs into and out of the file of a target, for scripts/fuzz.sh, and by hand after a crash:
//   fuzz_cases add csv.cases FILE...     one more case for each, unless its bytes are there already
//   fuzz_cases unpack csv.cases FOLDER   a file for each, as libFuzzer wants them
#include "cases.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>

#include "lacp/base/files.hpp"

namespace fs = std::filesystem;
using namespace lacp;

namespace {

void add(std::vector<fuzz::Case>& cases, const fs::path& input) {
  const std::string bytes = read_file(input);
  if (std::ranges::find(cases, bytes, &fuzz::Case::bytes) != cases.end()) return;
  std::string name = input.filename().string();
  if (std::ranges::find(cases, name, &fuzz::Case::name) != cases.end())
    user_error("{}: there is another case '{}' already; rename the file", input.string(), name);
  cases.push_back({std::move(name), bytes});
}

int run(std::span<const std::string> arguments) {
  const bool adds = arguments.size() >= 3 && arguments[0] == "add";
  if (!adds && (arguments.size() != 3 || arguments[0] != "unpack"))
    user_error("usage: fuzz_cases add CASES FILE..., or fuzz_cases unpack CASES FOLDER");
  const std::string& file = arguments[1];
  std::vector<fuzz::Case> cases = fuzz::parse_cases(read_file(file), file);
  if (adds) {
    const std::size_t before = cases.size();
    for (const std::string& input : arguments.subspan(2)) add(cases, input);
    write_file(file, fuzz::to_text(cases));
    fmt::print("{}: {} cases, {} of them new\n", file, cases.size(), cases.size() - before);
  } else {
    fs::create_directories(arguments[2]);
    for (const fuzz::Case& entry : cases)
      std::ofstream(fs::path(arguments[2]) / entry.name, std::ios::binary) << entry.bytes;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
