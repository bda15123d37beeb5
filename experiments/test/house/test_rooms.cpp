// What no line of the sources may do: include a room above its own, or make a number that another machine
// would not make. Who may include whom, in lib: base ← data, base ← model, {data, model} ← conformal ← table.
// The kernels and trees are below model; within conformal: paper (classes ← training) ← baselines, predictor.
// The driver: main → commands → {tool | report → experiment} → datasets → common → lib; tool and experiment
// never meet.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
const std::string method =
    "lacp/base lacp/data lacp/model lacp/model/kernels lacp/model/trees lacp/conformal lacp/conformal/paper/classes "
    "lacp/conformal/paper/training";
const std::string lib = method + " lacp/conformal/predictor lacp lacp/table common";
const std::string experiment =
    lib + " common/settings datasets experiment experiment/settings experiment/store";

/// For each room the others that it may use. `lacp` is the front door lacp/lacp.hpp.
const std::map<std::string, std::string> may_use = {
    {"lacp", method + " lacp/conformal/predictor"},
    {"lacp/table", method + " lacp/conformal/predictor"},
    {"lacp/base", ""},
    {"lacp/data", "lacp/base"},
    {"lacp/model", "lacp/base lacp/model/kernels lacp/model/trees"},
    {"lacp/model/kernels", "lacp/base"},
    {"lacp/model/trees", "lacp/base"},
    {"lacp/conformal", method + " lacp/conformal/baselines"},
    {"lacp/conformal/paper/classes", "lacp/base lacp/model lacp/conformal"},
    {"lacp/conformal/paper/training", "lacp/base lacp/model lacp/conformal lacp/conformal/paper/classes"},
    {"lacp/conformal/predictor", method},
    {"lacp/conformal/baselines", method},
    {"common", lib},
    {"common/settings", lib},
    {"datasets", "lacp/base lacp/data lacp/table common"},
    {"tool", lib + " common/settings datasets"},
    {"experiment", lib},  // its metrics
    {"experiment/settings", lib + " common/settings"},
    {"experiment/store", lib + " datasets experiment/settings"},
    {"experiment/engine", experiment},
    {"experiment/run", experiment + " experiment/engine"},
    {"report/analysis", experiment},
    {"report", experiment + " report/analysis"},
    {"commands", experiment + " experiment/engine experiment/run report report/analysis tool"},
    {"main", lib + " commands"},
    {"bench", experiment + " experiment/engine report/analysis"},
};

/// Libraries that few files may include, by how the include begins.
const std::map<std::string, std::string> reserved = {
    {"mlpack/", "lib/lacp/model/knn.cpp lib/lacp/base/version.cpp"},
    // They bring stb's image code, which defines variables for the whole program.
    {"mlpack/core.hpp", "no file"},
    {"mlpack/methods/neighbor_search/neighbor_search.hpp", "no file"},
    {"CLI/", "experiments/driver/commands/commands.hpp experiments/bench/bench.cpp"},
    {"pugixml.hpp", "experiments/driver/datasets/xlsx.cpp"},
    {"zlib.h", "experiments/driver/datasets/zip.cpp"},
};

bool is_one_of(const std::string& name, const std::string& list) {
  return (" " + list + " ").find(" " + name + " ") != std::string::npos;
}

/// A line of the sources that a pattern finds.
struct Found {
  std::string file;  ///< from the root
  std::size_t line = 0;
  std::vector<std::string> groups;  ///< of the pattern
};

/// In the order of the files.
std::vector<Found> search(const fs::path& root, const std::vector<std::string>& folders,
                          const std::regex& pattern) {
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

/// The folder of a file, or the nearest above it that is a room: "experiment/store", "tool" for
/// experiments/driver/tool/fit/fit.cpp, "main" for the driver's own file, "lacp/data", "lacp", "bench".
std::string room_of_file(const std::string& file) {
  const std::string driver = "experiments/driver/", library = "lib/";
  if (file.starts_with("experiments/bench/")) return "bench";
  const fs::path folder =
      fs::path(file.substr(file.starts_with(driver) ? driver.size() : library.size())).parent_path();
  if (folder.empty()) return "main";
  fs::path room = folder;
  while (!room.empty() && !may_use.contains(room.string())) room = room.parent_path();
  return (room.empty() ? folder : room).string();
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

/// Every include of lib/lacp, experiments/driver and experiments/bench that runs against the rule, as
/// "file:line: ...".
std::vector<std::string> violations(const fs::path& root) {
  const std::vector<Found> includes = search(root, {"lib/lacp", "experiments/driver", "experiments/bench"},
                                             std::regex(R"(^\s*#\s*include\s*(["<])([^">]+))"));
  REQUIRE_FALSE(includes.empty());
  std::vector<std::string> wrong;
  for (const auto& [file, line, groups] : includes)
    if (const std::string reason = why_not(file, groups[1], groups[0] == "\""); !reason.empty())
      wrong.push_back(fmt::format("{}:{}: includes {}; {}", file, line, groups[1], reason));
  return wrong;
}

/// Where numbers may differ between machines: functions of the mathematics library that IEEE 754 does not
/// define, and sums and products whose order is a library's own affair.
std::vector<std::string> uses_of_libraries(const fs::path& root) {
  static const std::regex foreign(
      R"(\b(std::(exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|erf|erfc|lgamma|tgamma|reduce|transform_reduce)|arma::(exp|log|log1p|pow|trunc_exp|trunc_log|mean|median|stddev|var|cov|cor|sum|accu|dot|norm|cumsum|trapz))\s*\()");
  std::vector<std::string> wrong;
  for (const auto& [file, line, groups] : search(root, {"lib/lacp", "experiments/driver"}, foreign))
    wrong.push_back(fmt::format("{}:{}: {}", file, line, groups[0]));
  return wrong;
}

}  // namespace

TEST_CASE(
    "no include runs against the order of the rooms, and one that did would be named with file and line") {
  CHECK(lacp::join(violations(LACP_SOURCE_DIR), "\n") == "");
  const TemporaryFolder root;
  const auto write = [&](const std::string& file, const std::string& text) {
    lacp::write_file(root / file, text);
  };
  write("experiments/bench/bench.cpp", "#include <CLI/CLI.hpp>\n#include \"timing.hpp\"\n");
  write("experiments/driver/attic/old.cpp", "#include <string>\n");
  write("experiments/driver/common/message.cpp", "#include <CLI/CLI.hpp>\n");
  write("experiments/driver/experiment/engine/queue.cpp",
        "#include \"experiment/engine/queue.hpp\"\n\n  #  include \"report/tables.hpp\"  // up\n");
  write("experiments/driver/common/yaml.hpp", "#include <yaml-cpp/yaml.h>\n");
  write("experiments/driver/tool/fit/fit.cpp", "#include \"experiment/settings/experiment.hpp\"\n");
  write("lib/lacp/base/text.hpp", "#include <string>\n#include \"lacp/table/csv.hpp\"\n");
  write("lib/lacp/conformal/level.cpp", "#include <mlpack/core.hpp>\n#include \"common/yaml.hpp\"\n");
  const std::vector<std::string> found = violations(root.path());
  const std::vector<std::string> expected = {
      "experiments/driver/attic/old.cpp:1: includes string; attic is a room",
      "experiments/driver/common/message.cpp:1: includes CLI/CLI.hpp; only experiments/driver/commands/",
      "experiments/driver/common/yaml.hpp:1: includes yaml-cpp/yaml.h; headers do not",
      "experiments/driver/experiment/engine/queue.cpp:3: includes report/tables.hpp; experiment/engine may use ",
      "experiments/driver/tool/fit/fit.cpp:1: includes experiment/settings/experiment.hpp; tool may use ",
      "lib/lacp/base/text.hpp:2: includes lacp/table/csv.hpp; lacp/base may use no other room",
      "lib/lacp/conformal/level.cpp:1: includes mlpack/core.hpp; only ",
      "lib/lacp/conformal/level.cpp:2: includes common/yaml.hpp; lacp/conformal may use lacp/base "};
  CAPTURE(lacp::join(found, "\n"));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].starts_with(expected[i]));
}

TEST_CASE("no number depends on the mathematics library, or on the order of a library's sums") {
  CHECK(lacp::join(uses_of_libraries(LACP_SOURCE_DIR), "\n") == "");
  const TemporaryFolder root;
  lacp::write_file(root / "lib/lacp/a.cpp", "double f(double x) {\n  return std::exp (x);\n}\n");
  lacp::write_file(root / "experiments/driver/b.hpp",
                   "x = math::exp(1) + arma::accu(y) + std::exponential;\n");
  CHECK(uses_of_libraries(root.path()) ==
        std::vector<std::string>{"experiments/driver/b.hpp:1: arma::accu", "lib/lacp/a.cpp:2: std::exp"});
}
