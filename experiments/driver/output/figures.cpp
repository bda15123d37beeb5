#include "output/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/io/process.hpp"
#include "output/frontier.hpp"
#include "output/ranks.hpp"

namespace lacp {
namespace {

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

/// Data of frontier.svg, if the curve has at least three points, and what names.gp says about it; else "".
std::string write_frontier(const Results& results, const std::filesystem::path& folder) {
  const Experiment& e = results.experiment;
  if (std::ranges::count_if(e.methods, [](const auto& m) { return adaptation_of(m).has_value(); }) < 3)
    return "";
  const std::vector<FrontierPoint> points = frontier_points(results, drawn_level(e));
  if (points.empty()) return "";
  std::vector<std::string> datasets;
  for (const FrontierPoint& p : points)
    if (datasets.empty() || datasets.back() != p.dataset) datasets.push_back(p.dataset);
  write_file(folder / "frontier.csv", to_text(frontier_csv(results)));
  std::string left, right, beyond;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const FrontierPanel panel = frontier_panel(points, datasets[i]);
    left += fmt::format(" {:.4g}", panel.axis.low), right += fmt::format(" {:.4g}", panel.axis.high);
    beyond += gnuplot_list(fmt::format("frontier_beyond_{}", i + 1).c_str(), {panel.beyond});
  }
  return gnuplot_list("frontier_datasets", datasets) + gnuplot_list("frontier_left", {left}) +
         gnuplot_list("frontier_right", {right}) + beyond;
}

/// The same of ranks.svg.
std::string write_ranks(const Results& results, const std::filesystem::path& folder) {
  std::vector<MeanRanks> levels;
  if (!compares_intervals(results)) return "";
  for (const Level& level : results.experiment.levels)
    if (const auto ranks = mean_ranks(results, level)) levels.push_back(*ranks);
  if (levels.empty()) return "";
  write_file(folder / "ranks.csv", to_text(ranks_csv(levels)));
  std::vector<std::string> best;
  for (const MeanRanks& ranks : levels) best.push_back(number_text(ranks.ranks.front()));
  return gnuplot_list("ranks_methods", levels[levels.size() / 2].methods) + gnuplot_list("ranks_best", best) +
         fmt::format("critical_difference = {:.4g}\n", levels.front().critical_difference);
}

}  // namespace

const Level& drawn_level(const Experiment& e) { return e.levels[e.levels.size() / 2]; }

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

  const std::string frontier = write_frontier(results, folder), ranks = write_ranks(results, folder);
  if (!frontier.empty()) figures.push_back("frontier");
  if (!ranks.empty()) figures.push_back("ranks");

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
                 gnuplot_list("coverage_level", {drawn_level(e).text()}) + frontier + ranks);
  const auto is_needed = [&](std::string_view script) {
    return script == "style.gp" ||
           std::ranges::any_of(figures, [&](const std::string& name) { return script == name + ".gp"; });
  };
  for (const FigureScript& script : figure_scripts())
    if (is_needed(script.name)) write_file(folder / script.name, script.text);
  for (const std::string& figure : figures) draw(folder, figure);
  return figures;
}

}  // namespace lacp
