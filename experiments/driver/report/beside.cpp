#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "common/message.hpp"
#include "lacp/base/files.hpp"
#include "lacp/conformal/predictor/predictor.hpp"
#include "report/report.hpp"

// Numbers of others beside ours, without a test: published sizes, Winkler scores or CRPS, and a peer on the
// same splits.
namespace lacp {
namespace fs = std::filesystem;
namespace {

/// The first comment lines of a csv, without their marks.
std::vector<std::string> first_comments(const fs::path& file) {
  std::vector<std::string> lines;
  for (const std::string& line : split_text(read_file(file), '\n')) {
    if (!line.starts_with('#')) break;
    lines.emplace_back(trim(line.substr(1)));
  }
  return lines;
}

/// The method that is compared with others.
std::string main_method(const Results& results) {
  for (const char* method : {"forest", "adapt"})
    if (has_method(results, method)) return method;
  return "";
}

/// Why a method has no number on a data set, if that is no failure of it: "" if it is one.
std::string why_no_number(const Results& results, const std::string& dataset, const std::string& method) {
  const auto is_of = [&](const auto& item) {
    return item.first.dataset == dataset && item.first.method == method;
  };
  if (std::ranges::any_of(results.failed, is_of)) return "";
  return std::ranges::any_of(results.cells, is_of) ? "not in units.csv" : "not run";
}

/// Published scores in a column, smaller being better, then ours, and where the main method is not below all
/// of theirs. `ours` is over the runs, for a data set and a method.
std::string published_scores(const Results& results, const std::string& name, const Frame& there,
                             const std::string& column,
                             const std::function<Moments(const std::string&, const std::string&)>& ours,
                             const std::function<std::string(const Moments&)>& shown) {
  const std::string main = main_method(results);
  WideTable table{.header = {"data set"}};
  std::vector<std::string> others, left_out;  // data sets
  for (const std::string& dataset : results.experiment.datasets) {
    const Frame own = there.where({{"dataset", dataset}});
    if (own.empty()) continue;
    for (const std::string& method : there.distinct("method")) {
      const Row* row = own.find({{"method", method}});
      table.set({dataset}, method, row == nullptr ? "" : shown({.mean = row->number(column)}));
    }
    for (const std::string& method : results.experiment.methods)
      table.set({dataset}, "our " + method_label(method), shown(ours(dataset, method)));
    const Moments score = ours(dataset, main);
    const std::string why = std::isnan(score.mean) ? why_no_number(results, dataset, main) : "";
    if (!why.empty())
      left_out.push_back(fmt::format("{} ({})", dataset, why));
    else if (const double best = std::ranges::min(own.numbers(column)); !(score.mean < best))
      others.push_back(fmt::format("{} ({} against {})", dataset, shown(score), shown({.mean = best})));
  }
  const std::size_t sets = table.rows.size() - left_out.size();
  const std::string below =
      fmt::format("; `{}` is below every published column on {} of {}{}{}", main, sets - others.size(),
                  counted(sets, "data set"), others.empty() ? "" : "; not on " + join(others, ", "),
                  left_out.empty() ? "" : "; left out: " + join(left_out, ", "));
  return fmt::format("{}{}:\n\n{}\n", name, main.empty() ? "" : below, table.markdown());
}

std::string published_winkler(const Results& results, const Frame& there) {
  std::string text;
  for (const Frame& level : there.by("alpha")) {
    const std::string alpha = level.rows[0]["alpha"];
    text += published_scores(
        results, "α = " + alpha, level, "winkler",
        [&](const std::string& dataset, const std::string& method) {
          return summarise(results, {dataset, method, "winkler", alpha});
        },
        [](const Moments& score) { return display(score.mean, 4); });
  }
  return text;
}

/// In the unit of y, ours with their standard errors.
std::string published_crps(const Results& results, const Frame& there) {
  return published_scores(
      results, "CRPS", there, "crps",
      [&](const std::string& dataset, const std::string& method) {
        std::vector<double> values;
        for (const auto& [run, value] : by_run(results, {dataset, method, "crps"}))
          if (const auto unit = results.units.find({dataset, run}); unit != results.units.end())
            values.push_back(value * unit->second.used);
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

/// Half-widths, ours behind those of the method that they are to be like.
std::string published_sizes(const Results& results, Frame there) {
  std::ranges::stable_sort(there.rows, {}, [&](const Row& row) {
    return std::ranges::find(results.experiment.datasets, row["dataset"]);
  });
  std::string text;
  for (const Frame& level : there.by("alpha")) {
    WideTable table{.header = {"data set"}};
    for (const Row& row : level) {
      std::string name = row["method"], size = display(row.number("width_mean") / 2.0);
      if (const std::string& ours = row["ours"]; !ours.empty() && has_method(results, ours)) {
        name += " / our " + method_label(ours);
        size += " / " + display(summarise(results, {row["dataset"], ours, size_metric, row["alpha"]}).mean);
      }
      table.set({row["dataset"]}, name, size);
    }
    text += fmt::format("α = {}:\n\n{}\n", level.rows[0]["alpha"], table.markdown());
  }
  return text;
}

/// The peers.csv of an experiment.
struct Peers {
  const Results& ours;
  fs::path file;
  Frame frame;
  std::string made;                                   // with which versions, on which processor
  std::vector<std::string> methods, datasets;         // those that the experiment has, too
  std::map<std::string, std::set<std::size_t>> runs;  // by data set

  explicit Peers(const Results& results) : ours(results), file(results.folder / "peers.csv") {
    if (!fs::exists(file)) return;
    frame = read_frame(file);
    std::vector<std::string> comments = first_comments(file);
    if (!comments.empty()) comments.erase(comments.begin());  // the unit
    made = join(comments, " ");
    methods = frame.distinct("method");
    datasets = frame.distinct("dataset");
    std::erase_if(datasets, [&](const std::string& dataset) { return !has_dataset(ours, dataset); });
    for (const Row& row : frame) runs[row["dataset"]].insert(row.count("run"));
  }

  double mean(const Quantity& q) const {
    const Keys keys = {{"dataset", q.dataset}, {"method", q.method}, {"alpha", q.alpha}};
    return moments(frame.where(keys).numbers(q.metric)).mean;
  }

  /// Of ours over the same runs.
  double our_mean(const Quantity& quantity) const {
    ByRun values = by_run(ours, quantity);
    const std::set<std::size_t>& shared = runs.at(std::string(quantity.dataset));
    std::erase_if(values, [&](const auto& item) { return !shared.contains(item.first); });
    return moments(values).mean;
  }
};

}  // namespace

std::string published_section(const Results& results) {
  const Reference& reference = results.experiment.reference;
  if (reference.beside.empty()) return "";
  const fs::path file = reference_path(results, reference.beside, "reference.beside");
  const Frame published = read_frame(file);
  const Frame there = published.where([&](const Row& row) { return has_dataset(results, row["dataset"]); });
  if (there.empty()) return "";
  const std::string source = join(first_comments(file), " ");  // where the numbers come from
  const auto has = [&](const char* column) { return std::ranges::count(published.header(), column) != 0; };
  if (has("winkler"))
    return fmt::format(
        "## Beside published Winkler scores\n\n{} Lower is better; ours are means over runs, in units of mean |y| of the rows that train. The rows of a run are not theirs, so no test.\n\n{}",
        source, published_winkler(results, there));
  std::string text;
  if (has("width_mean"))
    text = fmt::format(
        "## Beside published sizes\n\nAnother protocol, so no verdict. {} They are full widths there and halved here: all numbers are half-widths in units of mean |y|, ours the mean over runs.\n\n{}",
        source, published_sizes(results, there));
  if (has("crps"))
    text += fmt::format(
        "## Beside published CRPS\n\n{}Lower is better. Theirs are of distributions, ours twice the mean pinball loss of the calibrated quantiles 0.01 to 0.99; all in the unit of y, ours the mean over runs ± its standard error. The rows of a run are not theirs, so no test.\n\n{}",
        text.empty() ? source + " " : "", published_crps(results, there));
  return text;
}

std::string peers_answer(const Results& results) {
  const Peers peers(results);
  const std::string ours = PredictorSettings::recommended().method;
  if (peers.datasets.empty() || !has_method(results, ours)) return "";
  double worst = 1.0;
  std::string worst_at;
  const std::vector<Level>& levels = results.experiment.levels;
  const std::string wins = join_each(levels, " / ", [&](const Level& level) {
    std::size_t count = 0;
    for (const std::string& dataset : peers.datasets) {
      double best = std::numeric_limits<double>::infinity();
      for (const std::string& method : peers.methods)
        best = std::min(best, peers.mean({dataset, method, "winkler", level.text()}));
      const double ratio = peers.our_mean({dataset, ours, "winkler", level.text()}) / best;
      count += ratio < 1.0;
      if (ratio > worst) {
        worst = ratio;
        worst_at = fmt::format("{} at α = {}", dataset, level.text());
      }
    }
    return std::to_string(count);
  });
  return fmt::format(
      "- **Against scikit-learn** ({}; the same rows): the Winkler score of `{}` is lower than that of the best of them on {} of {} at α = {}; {}.\n",
      markdown_text(join(peers.methods, ", ")), ours, wins, counted(peers.datasets.size(), "data set"),
      join_each(levels, " / ", &Level::text),
      worst_at.empty()
          ? "it is nowhere higher"
          : fmt::format("at worst it is {:.1f} % higher, on {}", 100.0 * (worst - 1.0), worst_at));
}

std::string peers_section(const Results& results, const std::string& prefix) {
  const Peers peers(results);
  if (peers.datasets.empty()) return "";
  const std::string main = main_method(results);
  std::string text;
  for (const Level& level : results.experiment.levels) {
    WideTable table{.header = {"data set"}};
    std::map<std::string, std::size_t> beaten;  // by the main method: data sets, by peer
    const auto add = [&](const std::string& dataset, const std::string& name, double size, double score) {
      table.set({dataset}, name, display(size) + " / " + display(score));
    };
    for (const std::string& dataset : peers.datasets) {
      const auto our = [&](std::string_view method, std::string_view metric) {
        return peers.our_mean({dataset, method, metric, level.text()});
      };
      for (const std::string& method : peers.methods) {
        const double score = peers.mean({dataset, method, "winkler", level.text()});
        beaten[method] += !main.empty() && our(main, "winkler") < score;
        add(dataset, markdown_text(method), peers.mean({dataset, method, "size", level.text()}), score);
      }
      for (const std::string method : {"fixed", "exp", "adapt", "cqr", "forest"})
        if (has_method(results, method))
          add(dataset, "our " + method, our(method, size_metric), our(method, "winkler"));
    }
    const std::string counts = join_each(peers.methods, ", ", [&](const std::string& method) {
      return fmt::format("{} on {}", markdown_text(method), beaten[method]);
    });
    text += fmt::format("α = {}{}:\n\n{}\n", level.text(),
                        main.empty() ? ""
                                     : fmt::format("; `{}` has a smaller Winkler score than {} of {}", main,
                                                   counts, counted(peers.datasets.size(), "data set")),
                        table.markdown());
  }
  return fmt::format(
      "## Beside scikit-learn\n\nSize / Winkler score, means over the runs in [peers.csv]({}), of intervals around HistGradientBoostingRegressor (default settings) on the same splits, from `scripts/peer_intervals.py`; ours around the prediction of this experiment. That file has every number, with validity and seconds.{}\n\n{}",
      prefix + "peers.csv",
      peers.made.empty()
          ? ""
          : " Ours are the same on every machine; those of others depend on their version and the processor: " +
                markdown_text(peers.made),
      text);
}

}  // namespace lacp
