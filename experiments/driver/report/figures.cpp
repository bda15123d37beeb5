#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "report/analysis/choice.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// A figure, and all that gnuplot reads for it beside what every figure has.
struct Figure {
  std::string name;                                       ///< of its script and of what is drawn
  std::string names;                                      ///< its own lines of names.gp
  std::vector<std::pair<std::string, std::string>> data;  ///< files and their texts
};

std::optional<Figure> intervals_figure(const Results& results) {
  Figure figure{"figure1", "", {}};
  std::vector<std::string> panels, banded;
  std::string methods;
  for (const std::string& dataset : results.experiment.keep_intervals.datasets)
    if (const auto panel = panel_data(results, dataset)) {
      figure.data.emplace_back("figure1_" + dataset + ".csv", to_text(*panel));
      panels.push_back(dataset);
      if (std::isfinite(panel->number(0, "true_lower"))) banded.push_back(dataset);
      // gnuplot stops at a column that is missing, or that has no number.
      std::vector<std::string> there;
      for (const std::string& method : results.experiment.methods)
        if (const std::string end = method + "_lower"; std::ranges::count(panel->header(), end) > 0)
          if (std::ranges::any_of(*panel, [&](const Row& row) { return !row[end].empty(); }))
            there.push_back(method);
      methods += gnuplot_list(fmt::format("panel_methods_{}", panels.size()), there);
    }
  if (panels.empty()) return std::nullopt;
  figure.names = gnuplot_list("panels", panels) + gnuplot_list("banded", banded) + methods +
                 gnuplot_list("interval_level", {results.experiment.keep_intervals.level.text()});
  return figure;
}

std::optional<Figure> sizes_figure(const Results& results) {
  const Frame sizes = relative_sizes(results);
  if (sizes.empty()) return std::nullopt;
  const AxisRange axis = sizes_axis(sizes);
  return Figure{"sizes",
                gnuplot_list("sizes_datasets", sizes.distinct("dataset")) +
                    fmt::format("sizes_left = {:.4g}\nsizes_right = {:.4g}\n", axis.low, axis.high),
                {{"sizes.csv", to_text(sizes)}}};
}

std::optional<Figure> adaptivity_figure(const Results& results) {
  const Frame adaptivity = by_local_error(results);
  if (adaptivity.empty()) return std::nullopt;
  return Figure{"adaptivity",
                gnuplot_list("adaptivity_datasets", adaptivity.distinct("dataset")),
                {{"adaptivity.csv", to_text(adaptivity)}}};
}

std::optional<Figure> ranks_figure(const Results& results) {
  if (!compares_intervals(results)) return std::nullopt;
  const std::vector<MethodRank> ranks = mean_ranks(results);
  if (ranks.empty()) return std::nullopt;
  Frame table({"alpha", "method", "rank", "datasets", "p_holm", "like_best"});
  std::vector<std::string> methods;  // as the drawn level ranks them
  for (const MethodRank& r : ranks) {
    table.add({r.level.text(), r.method, r.rank, r.datasets, r.p_holm, r.is_like_best() ? 1 : 0});
    if (r.level == drawn_level(results.experiment)) methods.push_back(r.method);
  }
  return Figure{"ranks", gnuplot_list("ranks_methods", methods), {{"ranks.csv", to_text(table)}}};
}

/// What tells whether a picture shows this data: the last line of its file. Versions of gnuplot differ in the
/// last digit of a coordinate, so the picture itself does not tell.
std::string mark(const Figure& figure, const std::string& names, const char* format) {
  std::string all =
      fmt::format("{}{}{}{}", gnuplot_script(figure.name), gnuplot_script("style"), names, figure.names);
  for (const auto& [file, text] : figure.data) all.append(file).append("\n").append(text);
  const bool xml = std::string_view(format) == "svg";
  return fmt::format("{} drawn by lacp from {}{}\n", xml ? "<!--" : "%", sha256(all), xml ? " -->" : "");
}

/// A named pipe would wait for somebody who reads it.
void write_beside(const fs::path& file, std::string_view text) {
  std::error_code error;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error))
    user_error("{}: not a file; remove it", file.string());
  write_file(file, text);
}

/// Draws in `folder`, where script and data are. Returns why it failed; "" if it did not.
std::string draw(const fs::path& folder, const Figure& figure, const std::string& names) {
  const auto current = [&](const char* format) {
    const fs::path file = folder / fmt::format("{}.{}", figure.name, format);
    return fs::is_regular_file(file) && read_file(file).ends_with(mark(figure, names, format));
  };
  if (current("svg") && current("pdf")) return "";
  // As NewFile does: a picture has its name only when it is whole.
  const std::string temporary = fmt::format(".{}.lacp-{}", figure.name, ::getpid());
  const ProgramResult gnuplot = run_gnuplot(
      {"-e", fmt::format("temporary = \"{}\"", temporary), figure.name + ".gp"}, {.folder = folder});
  for (const char* format : {"svg", "pdf"}) {
    const fs::path file = folder / fmt::format("{}.{}", figure.name, format),
                   drawn = folder / fmt::format("{}.{}.tmp", temporary, format);
    std::error_code error;
    if (gnuplot.status == 0 && !current(format))
      write_beside(file, tidy(read_file(drawn)) + mark(figure, names, format));
    else if (!current(format))
      fs::remove(file, error);  // it shows other data
    fs::remove(drawn, error);
  }
  if (gnuplot.status == 0 && !gnuplot.messages.empty()) tell("{}\n", gnuplot.messages);
  if (gnuplot.status == 0) return "";
  if (gnuplot.status == 127) return why_not_drawn(gnuplot) + "; the data is in figures/";
  return fmt::format("{} cannot be drawn: {}; its script: {}", figure.name, why_not_drawn(gnuplot),
                     folder.string());
}

/// Figures that there were, and data of panels of figure1: of data sets whose intervals are kept no longer.
void remove_old(const fs::path& folder, const std::vector<Figure>& figures) {
  std::error_code error;
  for (const char* name : {"figure1", "sizes", "adaptivity", "ranks"})
    if (std::ranges::count(figures, name, &Figure::name) == 0)
      for (const char* ending : {".svg", ".pdf", ".csv", ".gp"})
        fs::remove(folder / fmt::format("{}{}", name, ending), error);
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const auto has_it = [&](const Figure& figure) {
      return std::ranges::any_of(figure.data, [&](const auto& item) { return item.first == name; });
    };
    if (name.starts_with("figure1_") && name.ends_with(".csv") && std::ranges::none_of(figures, has_it))
      old.push_back(entry.path());
  }
  for (const fs::path& file : old) fs::remove(file, error);
}

}  // namespace

Figures write_figures(const Results& results) {
  const Experiment& e = results.experiment;
  const fs::path folder = results.folder / "figures";
  std::vector<Figure> figures;
  for (const auto make : {intervals_figure, sizes_figure, adaptivity_figure, ranks_figure})
    if (auto figure = make(results)) figures.push_back(std::move(*figure));

  const auto styles = [&](const char* name, const char* column) {
    return gnuplot_list(name, texts_of(e.methods, [&](const auto& m) { return method_style(m)[column]; }));
  };
  const std::vector<std::string> labels = texts_of(e.methods, method_label);
  const std::string names = gnuplot_list("methods", e.methods) +
                            fmt::format("labels = \"'{}'\"\n", join(labels, "' '")) +
                            styles("colours", "colour") + styles("dashes", "dash") + styles("marks", "mark") +
                            gnuplot_list("levels", texts_of(e.levels, &Level::text)) +
                            gnuplot_list("coverage_level", {drawn_level(e).text()});
  std::string all_names = names;
  for (const Figure& figure : figures) {
    all_names += figure.names;
    for (const auto& [file, text] : figure.data) write_beside(folder / file, text);
    write_beside(folder / (figure.name + ".gp"), gnuplot_script(figure.name));
  }
  if (!figures.empty()) {
    write_beside(folder / "names.gp", all_names);
    write_beside(folder / "style.gp", gnuplot_script("style"));
  }

  remove_old(folder, figures);
  Figures made;
  for (const Figure& figure : figures) {
    const std::string problem = draw(folder, figure, names);
    if (!problem.empty() && std::ranges::find(made.problems, problem) == made.problems.end())
      made.problems.push_back(problem);
    if (fs::exists(folder / (figure.name + ".svg"))) made.there.push_back(figure.name);
  }
  return made;
}

}  // namespace lacp
