// `lacp demo`: all of it on a table that is part of the program, with the commands that do it.
#include <cstdlib>
#include <sstream>

#include "common/embedded.hpp"
#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "common/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "tool/tool.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// A folder of its own among temporary files, removed in the end.
class DemoFolder {
 public:
  DemoFolder() {
    if (::mkdtemp(path_.data()) == nullptr) run_error("{}: cannot be made", path_);
  }
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  ~DemoFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_ = (fs::temp_directory_path() / "lacp-demo-XXXXXX").string();
};

/// Every fifth row is held out; half of these have become known later.
void write_parts(std::string_view table, const fs::path& folder) {
  std::istringstream lines{std::string(table)};
  std::string known, held_out, later, line;
  for (std::size_t i = 0; std::getline(lines, line); ++i) {
    line += '\n';
    if (i == 0)
      known = held_out = later = line;
    else if (i % 5 != 4)
      known += line;
    else if (i % 10 == 4)
      held_out += line;
    else
      later += line;
  }
  write_file(folder / "known.csv", known);
  write_file(folder / "held_out.csv", held_out);
  write_file(folder / "later.csv", later);
}

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  while (count-- > 0 && end != std::string::npos) end = text.find('\n', end == 0 ? 0 : end + 1);
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace

int run_demo(const DemoOptions& options) {
  if (!options.figure.empty()) check_picture(options.figure);
  const ProgramResult gnuplot = run_gnuplot({"--version"}, {});
  if (!options.figure.empty() && gnuplot.status != 0)
    run_error("{}: is not drawn: {}", options.figure.string(), why_not_drawn(gnuplot));
  const DemoFolder made;
  const fs::path folder = made.path();
  write_parts(embedded("../datasets/concrete.csv"), folder);
  const auto step = [&](const char* about, const std::vector<std::string>& words, std::size_t lines = 0) {
    show("{}\n$ lacp {}\n", about, join(words, " "));
    std::vector<std::string> command = {fs::read_symlink("/proc/self/exe").string()};
    command.insert(command.end(), words.begin(), words.end());
    const ProgramResult done = run_program(command, {.folder = folder, .keep_output = true});
    if (done.status != 0) run_error("lacp {}: {}", words.front(), done.messages);
    show("{}\n", first_lines(done.output, lines));
  };
  const auto file = [&](const char* name, std::size_t lines) {
    show("$ head -n {} {}\n{}\n", lines, name, first_lines(read_file(folder / name), lines));
  };
  show("Strength of concrete (Yeh 1998, CC BY 4.0): 4/5 of its rows known, 1/10 held out, 1/10 later\n\n");
  file("known.csv", 3);
  step("A model, with intervals that cover 0.9 of new rows:",
       {"fit", "known.csv", "--target", "compressive_strength", "--coverage", "0.9", "--copies", "drop",
        "--calibration", "split", "--quiet"});
  step("Intervals for new rows, and a bound that 0.95 of them exceed:",
       {"predict", "known.lacp", "held_out.csv", "--coverage", "0.9", "--lower", "0.95", "--output",
        "intervals.csv"});
  file("intervals.csv", 4);
  if (gnuplot.status == 0) {
    const std::string picture =
        "intervals" + (options.figure.empty() ? ".svg" : options.figure.extension().string());
    step("A picture of them:", {"predict", "known.lacp", "held_out.csv", "--coverage", "0.9,0.5", "--output",
                                "both.csv", "--figure", picture});
    if (!options.figure.empty()) {
      write_file(options.figure, read_file(folder / picture));
      show("{}\n\n", options.figure.string());
    }
  } else {
    show("No picture of them: {}\n\n", why_not_drawn(gnuplot));
  }
  step("How good they were:", {"evaluate", "known.lacp", "held_out.csv"}, 4);
  step("Later rows calibrate the model, too; nothing is fitted again:",
       {"update", "known.lacp", "later.csv", "--output", "newer.lacp"}, 5);
  show("Your own table: lacp fit my.csv --target COLUMN\n");
  return exit_done;
}

}  // namespace lacp
