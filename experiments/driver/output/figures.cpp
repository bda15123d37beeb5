#include "output/figures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/io/process.hpp"

namespace lacp {
namespace {

/// The level whose coverage is drawn: the middle one.
std::string drawn_level(const Experiment& e) { return e.levels[e.levels.size() / 2].text(); }

/// Data sets that occur in a table, in the experiment's order.
std::vector<std::string> datasets_in(const TextTable& table, const Experiment& e) {
  std::vector<std::string> found;
  for (const std::string& dataset : e.datasets)
    for (const auto& row : table.rows)
      if (row[0] == dataset) {
        found.push_back(dataset);
        break;
      }
  return found;
}

std::string gnuplot_list(const char* name, const std::vector<std::string>& items) {
  return fmt::format("{} = \"{}\"\n", name, join(items, " "));
}

/// Cairo writes the time into a pdf; without it the same data gives the same bytes. Newer versions of cairo
/// compress that part of the file: then it stays.
void forget_date(const std::filesystem::path& pdf) {
  constexpr std::string_view key = "/CreationDate (D:";
  std::string bytes = read_file(pdf);
  const std::size_t at = bytes.find(key);
  if (at == std::string::npos) return;
  const std::size_t digits = at + key.size();
  bytes.replace(digits, 14, "20000101000000");
  write_file(pdf, bytes);
}

void draw(const std::filesystem::path& folder, const std::string& name) {
  const std::string script = name + ".gp";
  const int code = run_program({"env", "LC_ALL=C.UTF-8", "gnuplot", "-d", script},
                               {.folder = folder, .show_messages = true})
                       .status;
  if (code == 127)
    run_error("gnuplot is not installed (Debian: gnuplot-nox); the data of the figures is in {}",
              folder.string());
  if (code != 0)
    run_error("gnuplot ended with code {}; try it by hand: cd {} && gnuplot {}", code, folder.string(),
              script);
  forget_date(folder / (name + ".pdf"));
}

}  // namespace

std::vector<std::string> write_figures(const Results& results) {
  const Experiment& e = results.experiment;
  const std::filesystem::path folder = results.folder / "figures";
  std::vector<std::string> panels, banded, figures;
  for (const std::string& dataset : e.keep_intervals.datasets)
    if (const auto panel = panel_data(results, dataset)) {
      write_file(folder / ("figure1_" + dataset + ".csv"), to_text(*panel));
      panels.push_back(dataset);
      if (std::isfinite(panel->number(0, "true_lower"))) banded.push_back(dataset);
    }
  const TextTable sizes = relative_sizes(results), adaptivity = by_local_error(results);
  write_file(folder / "sizes.csv", to_text(sizes));
  write_file(folder / "adaptivity.csv", to_text(adaptivity));
  if (!panels.empty()) figures.push_back("figure1");
  if (!sizes.rows.empty()) figures.push_back("sizes");
  if (!adaptivity.rows.empty()) figures.push_back("adaptivity");

  std::vector<std::string> levels;
  for (const Level& level : e.levels) levels.push_back(level.text());
  const AxisRange axis = sizes_axis(sizes);
  write_file(folder / "names.gp",
             "# Written by `lacp figures`: what the scripts beside it draw.\n" +
                 gnuplot_list("panels", panels) + gnuplot_list("banded", banded) +
                 gnuplot_list("sizes_datasets", datasets_in(sizes, e)) +
                 gnuplot_list("adaptivity_datasets", datasets_in(adaptivity, e)) +
                 gnuplot_list("methods", e.methods) + gnuplot_list("levels", levels) +
                 fmt::format("sizes_left = {:.4g}\nsizes_right = {:.4g}\n", axis.low, axis.high) +
                 gnuplot_list("interval_level", {e.keep_intervals.level.text()}) +
                 gnuplot_list("coverage_level", {drawn_level(e)}));
  for (const FigureScript& script : figure_scripts()) write_file(folder / script.name, script.text);
  for (const std::string& figure : figures) draw(folder, figure);
  return figures;
}

}  // namespace lacp
