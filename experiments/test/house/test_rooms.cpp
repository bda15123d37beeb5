// What no line of the sources may do: include a room above its own (CONTRIBUTING.md has their order), or make
// a number that another machine would not make.
#include <regex>

#include "lacp_program.hpp"

namespace {

const std::string method =
    "lacp/base lacp/data lacp/model lacp/model/kernels lacp/model/trees lacp/conformal lacp/conformal/classes lacp/conformal/training";
const std::string lib = method + " lacp lacp/table io datasets";

/// For each room the others that it may use. `lacp` is the front door lacp/lacp.hpp.
const std::map<std::string, std::string> may_use = {
    {"lacp", method},
    {"lacp/table", method},
    {"lacp/base", ""},
    {"lacp/data", "lacp/base"},
    {"lacp/model", "lacp/base lacp/model/kernels lacp/model/trees"},
    {"lacp/model/kernels", "lacp/base"},
    {"lacp/model/trees", "lacp/base"},
    {"lacp/conformal", method + " lacp/conformal/baselines"},
    {"lacp/conformal/classes", "lacp/base lacp/model lacp/conformal"},
    {"lacp/conformal/training", "lacp/base lacp/model lacp/conformal lacp/conformal/classes"},
    {"lacp/conformal/baselines", method},
    {"io", "lacp/base"},
    {"datasets", "lacp/base lacp/data lacp/table io"},
    {"common", lib},
    {"settings", lib + " common"},
    {"store", lib + " settings common"},
    {"engine", lib + " store settings common"},
    {"analysis", lib + " store settings common"},
    {"report", lib + " analysis store settings common"},
    {"commands", lib + " engine report analysis store settings common"},
    {"main", lib + " commands common"},
    {"bench", lib + " engine analysis store settings common"},
};

/// Libraries that few files may include, by how the include begins.
const std::map<std::string, std::string> reserved = {
    {"mlpack/", "lib/lacp/model/knn.cpp lib/lacp/base/version.cpp"},
    // They bring stb's image code, which defines variables for the whole program.
    {"mlpack/core.hpp", "no file"},
    {"mlpack/methods/neighbor_search/neighbor_search.hpp", "no file"},
    {"CLI/", "experiments/driver/commands/commands.hpp experiments/bench/bench.cpp"},
};

bool is_one_of(const std::string& name, const std::string& list) {
  return (" " + list + " ").find(" " + name + " ") != std::string::npos;
}

struct Found {
  std::string file;  ///< from the root
  std::size_t line = 0;
  Words groups;  ///< of the pattern
};

std::vector<Found> search(const fs::path& root, const Words& folders, const std::regex& pattern) {
  std::vector<Found> all;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = fs::relative(entry.path(), root).string();
      if (!file.ends_with(".hpp") && !file.ends_with(".cpp")) continue;
      std::size_t line = 0;
      for (const std::string& text : lacp::split_text(lacp::read_file(entry.path()), '\n')) {
        std::smatch match;
        ++line;
        if (std::regex_search(text, match, pattern))
          all.push_back({file, line, {match.begin() + 1, match.end()}});
      }
    }
  std::ranges::stable_sort(all, {}, &Found::file);
  return all;
}

/// "engine" for experiments/driver/engine/queue.cpp, "main" for the driver's own file, "lacp/data", "bench".
std::string room_of_file(const std::string& file) {
  const std::string driver = "experiments/driver/", library = "lib/";
  if (file.starts_with("experiments/bench/")) return "bench";
  const std::string rest = file.substr(file.starts_with(driver) ? driver.size() : library.size());
  const std::size_t slash = file.starts_with(driver) ? rest.find('/') : rest.rfind('/');
  return slash == std::string::npos ? "main" : rest.substr(0, slash);
}

std::string why_not(const std::string& file, const std::string& name, bool own) {
  const std::string room = room_of_file(file);
  const auto known = may_use.find(room);
  if (known == may_use.end()) return fmt::format("{} is a room that this test does not know", room);
  if (own && name.find('/') != std::string::npos) {
    const std::string used =
        room_of_file((name.starts_with("lacp/") ? "lib/" : "experiments/driver/") + name);
    if (used != room && !is_one_of(used, known->second))
      return fmt::format("{} may use {}", room, known->second.empty() ? "no other room" : known->second);
  }
  for (const auto& [beginning, files] : reserved)
    if (name.starts_with(beginning) && !is_one_of(file, files)) return fmt::format("only {} may", files);
  if (file.ends_with(".hpp") && name.starts_with("yaml-cpp/")) return "headers do not include yaml-cpp";
  return "";
}

/// Where numbers may differ between machines: functions of the mathematics library that IEEE 754 does not
/// define, and sums and products whose order is a library's own affair.
Words uses_of_libraries(const fs::path& root) {
  static const std::regex foreign(
      R"(\b(std::(exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|erf|erfc|lgamma|tgamma|reduce|transform_reduce)|arma::(exp|log|log1p|pow|trunc_exp|trunc_log|mean|median|stddev|var|cov|cor|sum|accu|dot|norm|cumsum|trapz))\s*\()");
  Words wrong;
  for (const auto& [file, line, groups] : search(root, {"lib/lacp", "experiments/driver"}, foreign))
    wrong.push_back(fmt::format("{}:{}: {}", file, line, groups[0]));
  return wrong;
}

}  // namespace

TEST_CASE("no include runs against the order of the rooms, and one that did would be named") {
  const std::vector<Found> includes =
      search(source_folder, {"lib/lacp", "experiments/driver", "experiments/bench"},
             std::regex(R"(^\s*#\s*include\s*(["<])([^">]+))"));
  CHECK(includes.size() > 500);
  for (const auto& [file, line, groups] : includes)
    if (const std::string reason = why_not(file, groups[1], groups[0] == "\""); !reason.empty())
      FAIL_CHECK(fmt::format("{}:{}: includes {}; {}", file, line, groups[1], reason));
  for (const auto& [file, name, own, reason] :
       {std::tuple("experiments/bench/bench.cpp", "CLI/CLI.hpp", false, ""),
        {"experiments/driver/engine/queue.cpp", "engine/queue.hpp", true, ""},
        {"experiments/driver/attic/old.cpp", "string", false, "attic is a room"},
        {"experiments/driver/common/message.cpp", "CLI/CLI.hpp", false, "only experiments/driver/commands/"},
        {"experiments/driver/engine/queue.cpp", "report/tables.hpp", true, "engine may use lacp/base "},
        {"experiments/driver/io/yaml.hpp", "yaml-cpp/yaml.h", false, "headers do not"},
        {"lib/lacp/base/text.hpp", "lacp/table/csv.hpp", true, "lacp/base may use no other room"},
        {"lib/lacp/conformal/level.cpp", "mlpack/core.hpp", false, "only "}}) {
    const std::string found = why_not(file, name, own);
    CHECK_MESSAGE((found.starts_with(reason) && found.empty() == std::string(reason).empty()), name, found);
  }
}

TEST_CASE("no number depends on the mathematics library, or on the order of a library's sums") {
  CHECK(lacp::join(uses_of_libraries(LACP_SOURCE_DIR), "\n") == "");
  const TemporaryFolder root;
  fs::create_directories(root / "experiments/driver");
  lacp::write_file(root / "lib/lacp/a.cpp", "x = math::exp(1) + std::exponential;\ny = std::exp (x);\n");
  CHECK(uses_of_libraries(root.path()) == Words{"lib/lacp/a.cpp:2: std::exp"});
}
