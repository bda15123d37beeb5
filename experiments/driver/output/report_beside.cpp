#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "output/comparison.hpp"
#include "output/labels.hpp"
#include "output/report.hpp"

// Numbers of others beside ours, without a verdict: published sizes, and a peer on the same splits.
namespace lacp {
namespace {

void add_new(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

/// The first comment lines of a csv, without their marks: where its numbers come from.
std::string origin(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : split_text(text, '\n')) {
    if (!line.starts_with('#')) break;
    lines.emplace_back(trim(line.substr(1)));
  }
  return join(lines, " ");
}

/// Mean of ours over these runs, in the unit of the peers.
double our_mean(const ReportedExperiment& e, const Quantity& quantity, const std::set<std::size_t>& runs) {
  std::map<std::size_t, double> values = by_run(e.results, quantity);
  std::erase_if(values, [&](const auto& item) { return !runs.contains(item.first); });
  if (!e.peers.empty())
    for (auto& [run, value] : values) value *= e.peer_units.at({std::string(quantity.dataset), run});
  return moments(values).mean;
}

/// Mean over the rows of one data set, method and level.
double peer_mean(const TextTable& peers, const std::string& dataset, const std::string& method,
                 const std::string& alpha, const char* quantity) {
  const std::size_t d = peers.column("dataset"), m = peers.column("method"), a = peers.column("alpha");
  std::vector<double> values;
  for (std::size_t i = 0; i < peers.rows.size(); ++i)
    if (peers.rows[i][d] == dataset && peers.rows[i][m] == method && peers.rows[i][a] == alpha)
      values.push_back(peers.number(i, quantity));
  return moments(values).mean;
}

}  // namespace

std::string published_section(const ReportedExperiment& e) {
  const Reference& reference = e.results.experiment.reference;
  if (reference.beside.empty()) return "";
  const std::filesystem::path file = reference_path(e.results, reference.beside, "reference.beside");
  const TextTable published = read_text_table(file);
  const std::size_t d = published.column("dataset"), m = published.column("method"),
                    o = published.column("ours");
  std::vector<std::string> methods, alphas;
  for (std::size_t i = 0; i < published.rows.size(); ++i)
    if (has_dataset(e.results, published.rows[i][d])) {
      add_new(methods, published.rows[i][m]);
      add_new(alphas, published.rows[i][published.column("alpha")]);
    }
  std::string text;
  for (const std::string& alpha : alphas) {
    TextTable table{{"data set"}, {}, ""};
    for (const std::string& method : methods) {
      const auto row = std::ranges::find(published.rows, method, [&](const auto& r) { return r[m]; });
      const std::string& ours = (*row)[o];
      table.header.push_back(ours.empty() || !has_method(e.results, ours)
                                 ? method
                                 : fmt::format("{} / our {}", method, method_label(ours)));
    }
    for (const std::string& dataset : e.results.experiment.datasets) {
      std::vector<std::string> line{dataset};
      for (const std::string& method : methods) {
        std::string field;
        for (std::size_t i = 0; i < published.rows.size(); ++i) {
          const std::vector<std::string>& row = published.rows[i];
          if (row[d] != dataset || row[m] != method || row[published.column("alpha")] != alpha) continue;
          field = display(published.number(i, "width_mean") / 2.0);
          if (const std::string& ours = row[o]; !ours.empty() && has_method(e.results, ours))
            field += " / " + display(summarise(e.results, {dataset, ours, size_metric, alpha}).mean);
        }
        line.push_back(std::move(field));
      }
      if (std::ranges::any_of(line.begin() + 1, line.end(), [](const auto& f) { return !f.empty(); }))
        table.add(std::move(line));
    }
    text += fmt::format("α = {}:\n\n{}\n", alpha, to_markdown(table));
  }
  return text.empty()
             ? ""
             : fmt::format(
                   "## Beside published sizes\n\nAnother protocol, so no verdict. {} They are full widths there and halved here: all numbers are half-widths in units of mean |y|, ours the mean over runs.\n\n{}",
                   origin(read_file(file)), text);
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
    e.peers = found->results.folder;
    for (const auto& [task, cell] : e.results.cells)
      e.peer_units[{task.dataset, task.run}] = unit_factor(e.results, found->results, task.dataset, task.run);
  }
}

std::string peers_section(const ReportedExperiment& e, const std::string& prefix) {
  const std::filesystem::path folder = e.peers.empty() ? e.results.folder : e.peers,
                              file = folder / "peers.csv";
  if (!std::filesystem::exists(file)) return "";
  const TextTable peers = read_text_table(file);
  const Experiment& x = e.results.experiment;
  std::vector<std::string> methods, datasets;
  std::map<std::string, std::set<std::size_t>> runs;  // of the peers, by data set
  for (std::size_t i = 0; i < peers.rows.size(); ++i) {
    const std::string& dataset = peers.rows[i][peers.column("dataset")];
    add_new(methods, peers.rows[i][peers.column("method")]);
    if (has_dataset(e.results, dataset)) add_new(datasets, dataset);
    runs[dataset].insert(peers.count(i, "run"));
  }
  std::vector<std::string> ours;
  for (const char* method : {"fixed", "exp", "adapt", "cqr"})
    if (has_method(e.results, method)) ours.emplace_back(method);
  std::string text;
  for (const Level& level : x.levels) {
    TextTable table{{"data set"}, {}, ""};
    std::map<std::string, std::size_t> beaten;  // by `adapt`: data sets, by peer
    for (const std::string& method : methods) table.header.push_back(method);
    for (const std::string& method : ours) table.header.push_back("our " + method);
    for (const std::string& dataset : datasets) {
      std::vector<std::string> line{dataset};
      const auto our = [&](const std::string& method, std::string_view quantity) {
        return our_mean(e, {dataset, method, quantity, level.text()}, runs[dataset]);
      };
      for (const std::string& method : methods) {
        const double score = peer_mean(peers, dataset, method, level.text(), "winkler");
        beaten[method] += our("adapt", "winkler") < score;
        line.push_back(fmt::format(
            "{} / {}", display(peer_mean(peers, dataset, method, level.text(), "size")), display(score)));
      }
      for (const std::string& method : ours)
        line.push_back(
            fmt::format("{} / {}", display(our(method, size_metric)), display(our(method, "winkler"))));
      table.add(std::move(line));
    }
    std::vector<std::string> counts;
    for (const std::string& method : methods)
      counts.push_back(fmt::format("{} on {}", method, beaten[method]));
    text += fmt::format("α = {}{}:\n\n{}\n", level.text(),
                        has_method(e.results, "adapt")
                            ? fmt::format("; `adapt` has a smaller Winkler score than {} of {}",
                                          join(counts, ", "), counted(datasets.size(), "data set"))
                            : "",
                        to_markdown(table));
  }
  return fmt::format(
      "## Beside scikit-learn\n\nSize / Winkler score, means over the runs in [peers.csv]({}), of intervals around HistGradientBoostingRegressor (default settings) on the same splits, from `scripts/peer_intervals.py`; ours around the centre of this experiment{}. That file has every number, with validity and seconds.\n\n{}",
      prefix + file.lexically_relative(e.results.folder).generic_string(),
      std::ranges::any_of(e.peer_units, [](const auto& item) { return item.second != 1.0; })
          ? ", in the unit of that file: the mean |y| of its scaling rows"
          : "",
      text);
}

}  // namespace lacp
