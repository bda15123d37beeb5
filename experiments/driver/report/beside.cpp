#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "common/message.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/predictor.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

// Numbers of others beside ours, without a test: published sizes, Winkler scores or CRPS, and a peer on the
// same splits.
namespace lacp {
namespace {

/// The first comment lines of a csv, without their marks: where its numbers come from.
std::string origin(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : split_text(text, '\n')) {
    if (!line.starts_with('#')) break;
    lines.emplace_back(trim(line.substr(1)));
  }
  return join(lines, " ");
}

/// The experiment whose peers.csv is shown.
const Results& with_peers(const ReportedExperiment& e) {
  return e.peers.folder.empty() ? e.results : e.peers;
}

/// Mean of ours over these runs, in the unit of the peers.
double our_mean(const ReportedExperiment& e, const Quantity& quantity, const std::set<std::size_t>& runs) {
  ByRun values = by_run(e.results, quantity, with_peers(e));
  std::erase_if(values, [&](const auto& item) { return !runs.contains(item.first); });
  return moments(values).mean;
}

/// The method that is compared with others.
std::string main_method(const Results& results) {
  for (const char* method : {"forest", "adapt"})
    if (has_method(results, method)) return method;
  return "";
}

/// Ours over the runs, for a data set and a method.
using Ours = std::function<Moments(const std::string& dataset, const std::string& method)>;

/// Published scores in a column, smaller being better, then ours, and where the main method is not below all
/// of theirs.
std::string published_scores(const ReportedExperiment& e, const std::string& name, const Frame& there,
                             const std::string& column, const Ours& ours,
                             const std::function<std::string(const Moments&)>& shown) {
  const std::string main = main_method(e.results);
  const std::vector<std::string> published = there.distinct("method");
  std::vector<std::string> header{"data set"};
  std::ranges::copy(published, std::back_inserter(header));
  for (const std::string& method : e.results.experiment.methods)
    header.push_back("our " + method_label(method));
  Frame table(header);
  std::vector<std::string> others;  // data sets
  for (const std::string& dataset : e.results.experiment.datasets) {
    const Frame own = there.where({{"dataset", dataset}});
    if (own.empty()) continue;
    std::vector<Field> line{dataset};
    for (const std::string& method : published) {
      const Row* row = own.find({{"method", method}});
      line.emplace_back(row == nullptr ? "" : shown({.mean = row->number(column)}));
    }
    for (const std::string& method : e.results.experiment.methods)
      line.emplace_back(shown(ours(dataset, method)));
    table.add(std::move(line));
    if (const double best = std::ranges::min(own.numbers(column)); !(ours(dataset, main).mean < best))
      others.push_back(
          fmt::format("{} ({} against {})", dataset, shown(ours(dataset, main)), shown({.mean = best})));
  }
  const std::string below = main.empty()
                                ? ""
                                : fmt::format("; `{}` is below every published column on {} of {}{}", main,
                                              table.size() - others.size(), counted(table.size(), "data set"),
                                              others.empty() ? "" : "; not on " + join(others, ", "));
  return fmt::format("{}{}:\n\n{}\n", name, below, to_markdown(table));
}

std::string published_winkler(const ReportedExperiment& e, const Frame& there) {
  std::string text;
  for (const Frame& level : there.by("alpha")) {
    const std::string alpha = level.rows[0]["alpha"];
    text += published_scores(
        e, "α = " + alpha, level, "winkler",
        [&](const std::string& dataset, const std::string& method) {
          return summarise(e.results, {dataset, method, "winkler", alpha});
        },
        [](const Moments& score) { return display(score.mean, 4); });
  }
  return text;
}

/// In the unit of y, ours with their standard errors.
std::string published_crps(const ReportedExperiment& e, const Frame& there) {
  return published_scores(
      e, "CRPS", there, "crps",
      [&](const std::string& dataset, const std::string& method) {
        ByRun values = by_run(e.results, {dataset, method, "crps"});
        std::erase_if(values, [&](const auto& item) {
          return !e.results.units.contains({dataset, item.first});
        });
        for (auto& [run, value] : values) value *= e.results.units.at({dataset, run}).used;
        return moments(values);
      },
      [](const Moments& score) {
        if (std::isnan(score.mean) || score.n < 2)
          return std::isnan(score.mean) ? "–" : five_digits(score.mean);
        const double error = score.standard_error();
        return five_digits(score.mean) + " ± " +
               (error < 100.0 ? fmt::format("{:.2g}", error) : display(error, 0));
      });
}

}  // namespace

std::string published_section(const ReportedExperiment& e) {
  const Reference& reference = e.results.experiment.reference;
  if (reference.beside.empty()) return "";
  const std::filesystem::path file = reference_path(e.results, reference.beside, "reference.beside");
  const Frame published = read_frame(file);
  Frame there = published.where([&](const Row& row) { return has_dataset(e.results, row["dataset"]); });
  if (there.empty()) return "";
  const auto has = [&](const char* column) { return std::ranges::count(published.header(), column) != 0; };
  if (has("winkler"))
    return fmt::format(
        "## Beside published Winkler scores\n\n{} Lower is better; ours are means over runs, in units of mean |y| of the rows that train. The rows of a run are not theirs, so no test.\n\n{}",
        origin(read_file(file)), published_winkler(e, there));
  const std::string crps =
      has("crps")
          ? fmt::format(
                "## Beside published CRPS\n\n{}Lower is better. Theirs are of distributions, ours twice the mean pinball loss of the calibrated quantiles 0.01 to 0.99; all in the unit of y, ours the mean over runs ± its standard error. The rows of a run are not theirs, so no test.\n\n{}",
                has("width_mean") ? "" : origin(read_file(file)) + " ", published_crps(e, there))
          : "";
  if (!has("width_mean")) return crps;
  std::ranges::stable_sort(there.rows, {}, [&](const Row& row) {
    return std::ranges::find(e.results.experiment.datasets, row["dataset"]);
  });
  const auto is_ours = [&](const Row& row) {
    return !row["ours"].empty() && has_method(e.results, row["ours"]);
  };
  std::string text;
  for (const Frame& level : there.by("alpha"))
    text +=
        fmt::format("α = {}:\n\n{}\n", level.rows[0]["alpha"],
                    to_markdown(pivot(
                        level, {"data set"}, [](const Row& row) { return std::vector{row["dataset"]}; },
                        [&](const Row& row) {
                          return row["method"] + (is_ours(row) ? " / our " + method_label(row["ours"]) : "");
                        },
                        [&](const Row& row) {
                          const Quantity ours{row["dataset"], row["ours"], size_metric, row["alpha"]};
                          return display(row.number("width_mean") / 2.0) +
                                 (is_ours(row) ? " / " + display(summarise(e.results, ours).mean) : "");
                        })));
  return fmt::format(
      "## Beside published sizes\n\nAnother protocol, so no verdict. {} They are full widths there and halved here: all numbers are half-widths in units of mean |y|, ours the mean over runs.\n\n{}{}",
      origin(read_file(file)), text, crps);
}

void share_peers(std::vector<ReportedExperiment>& experiments) {
  const auto has_peers = [](const ReportedExperiment& e) {
    return std::filesystem::exists(e.results.folder / "peers.csv");
  };
  for (ReportedExperiment& e : experiments) {
    if (!e.is_protocol() || has_peers(e)) continue;
    const auto found = std::ranges::find_if(experiments, [&](const ReportedExperiment& other) {
      return has_peers(other) && share_rows(other.results.experiment, e.results.experiment);
    });
    if (found == experiments.end() || !unit_problem(e.results, found->results).empty()) continue;
    const Results& other = found->results;
    e.peers.folder = other.folder, e.peers.experiment = other.experiment, e.peers.units = other.units;
  }
}

namespace {

struct Peers {
  std::filesystem::path file;
  Frame frame;
  std::vector<std::string> methods, datasets;         // those that the experiment has, too
  std::map<std::string, std::set<std::size_t>> runs;  // by data set

  explicit Peers(const ReportedExperiment& e) : file(with_peers(e).folder / "peers.csv") {
    if (!std::filesystem::exists(file)) return;
    frame = read_frame(file);
    methods = frame.distinct("method"), datasets = frame.distinct("dataset");
    std::erase_if(datasets, [&](const std::string& dataset) { return !has_dataset(e.results, dataset); });
    for (const Row& row : frame) runs[row["dataset"]].insert(row.count("run"));
  }
  double mean(const std::string& dataset, const std::string& method, const Level& level,
              const char* column) const {
    return moments(frame.where({{"dataset", dataset}, {"method", method}, {"alpha", level.text()}})
                       .numbers(column))
        .mean;
  }
};

}  // namespace

std::string peers_answer(const ReportedExperiment& e) {
  const Peers peers(e);
  const std::string ours = PredictorSettings::recommended().method;
  if (peers.datasets.empty() || !has_method(e.results, ours)) return "";
  std::vector<std::string> wins, levels;
  double worst = 1.0;
  std::string worst_at;
  for (const Level& level : e.results.experiment.levels) {
    std::size_t count = 0;
    for (const std::string& dataset : peers.datasets) {
      double best = std::numeric_limits<double>::infinity();
      for (const std::string& method : peers.methods)
        best = std::min(best, peers.mean(dataset, method, level, "winkler"));
      const double ratio =
          our_mean(e, {dataset, ours, "winkler", level.text()}, peers.runs.at(dataset)) / best;
      count += ratio < 1.0;
      if (ratio > worst) worst = ratio, worst_at = fmt::format("{} at α = {}", dataset, level.text());
    }
    wins.push_back(std::to_string(count)), levels.push_back(level.text());
  }
  return fmt::format(
      "- **Against scikit-learn** ({}; the same rows): the Winkler score of `{}` is lower than that of the best of them on {} of {} at α = {}; {}.\n",
      markdown_text(join(peers.methods, ", ")), ours, join(wins, " / "),
      counted(peers.datasets.size(), "data set"), join(levels, " / "),
      worst_at.empty()
          ? "it is nowhere higher"
          : fmt::format("at worst it is {:.1f} % higher, on {}", 100.0 * (worst - 1.0), worst_at));
}

std::string peers_section(const ReportedExperiment& e, const std::string& prefix) {
  const Peers peers(e);
  if (peers.datasets.empty()) return "";
  const Experiment& x = e.results.experiment;
  const std::string main = main_method(e.results);
  std::vector<std::string> ours;
  for (const char* method : {"fixed", "exp", "adapt", "cqr", "forest"})
    if (has_method(e.results, method)) ours.emplace_back(method);
  std::string text;
  for (const Level& level : x.levels) {
    std::vector<std::string> header{"data set"};
    std::map<std::string, std::size_t> beaten;  // by the main method: data sets, by peer
    for (const std::string& method : peers.methods) header.push_back(markdown_text(method));
    for (const std::string& method : ours) header.push_back("our " + method);
    Frame table(header);
    for (const std::string& dataset : peers.datasets) {
      std::vector<Field> line{dataset};
      const auto our = [&](const std::string& method, std::string_view quantity) {
        return our_mean(e, {dataset, method, quantity, level.text()}, peers.runs.at(dataset));
      };
      for (const std::string& method : peers.methods) {
        const double score = peers.mean(dataset, method, level, "winkler");
        beaten[method] += !main.empty() && our(main, "winkler") < score;
        line.push_back(
            fmt::format("{} / {}", display(peers.mean(dataset, method, level, "size")), display(score)));
      }
      for (const std::string& method : ours)
        line.push_back(
            fmt::format("{} / {}", display(our(method, size_metric)), display(our(method, "winkler"))));
      table.add(std::move(line));
    }
    std::vector<std::string> counts;
    for (const std::string& method : peers.methods)
      counts.push_back(fmt::format("{} on {}", markdown_text(method), beaten[method]));
    text += fmt::format("α = {}{}:\n\n{}\n", level.text(),
                        main.empty()
                            ? ""
                            : fmt::format("; `{}` has a smaller Winkler score than {} of {}", main,
                                          join(counts, ", "), counted(peers.datasets.size(), "data set")),
                        to_markdown(table));
  }
  const auto is_converted = [&](const auto& item) {
    return unit_factor(e.results, with_peers(e), item.first.dataset, item.first.run) != 1.0;
  };
  return fmt::format(
      "## Beside scikit-learn\n\nSize / Winkler score, means over the runs in [peers.csv]({}), of intervals around HistGradientBoostingRegressor (default settings) on the same splits, from `scripts/peer_intervals.py`; ours around the prediction of this experiment{}. That file has every number, with validity and seconds.\n\n{}",
      prefix + peers.file.lexically_relative(e.results.folder).generic_string(),
      std::ranges::any_of(e.results.cells, is_converted)
          ? ", in the unit of that file: the mean |y| of its scaling rows"
          : "",
      text);
}

}  // namespace lacp
