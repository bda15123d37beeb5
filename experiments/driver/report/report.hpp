#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/table.hpp"
#include "report/claims.hpp"

namespace lacp {

/// One experiment of the report with everything that is computed from it.
struct ReportedExperiment {
  Results results;
  std::string link;                      ///< its folder, relative to the report
  std::size_t done = 0, wanted = 0;      ///< tasks
  Frame entries;                         ///< its table
  std::optional<Comparison> comparison;  ///< if the experiment names a reference that has some of its numbers
  std::vector<Claim> claims;
  bool kept = false;  ///< its table.csv is there without its cells, and is shown and left as it is
  std::vector<std::string> figures = {};  ///< that are there and show its data
  std::filesystem::path peers = {};       ///< the folder whose peers.csv it shows; empty: its own
  std::map<std::pair<std::string, std::size_t>, double> peer_units = {};  ///< factors into its unit

  ReportRole role() const { return results.experiment.report.role; }
  const std::string& base() const { return results.experiment.report.base; }

  /// Whether it has its own tables, figures and claims.
  bool is_protocol() const { return role() == ReportRole::protocol || role() == ReportRole::main; }

  /// "paper", or "paper, 50 runs" where that is what it is for.
  std::string label() const;

  /// The title of its yaml; its name if `lacp run --name` gave it another than the yaml's. In markdown, or as
  /// it is.
  std::string title() const;
  std::string plain_title() const;

  /// Whether it is compared with every number of the paper's Table 1.
  bool reproduces_paper() const;
};

/// All that a report is made from.
struct Report {
  std::vector<ReportedExperiment> experiments;  ///< protocols first, then by `place`
  Frame ablation;
  std::vector<Claim> cross_claims;  ///< that compare experiments with each other
};

/// The experiments below `paths`: each is an experiment's folder, or a folder of such, some of them one
/// folder further down, and of ablation/ablation.csv. UserError if there is none.
Report load_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& root);

/// The page on top: whether the paper reproduces, its claims, the figures, and links to the pages of the
/// experiments; without an experiment of the paper, a list of the experiments. All prose is made from
/// numbers.
std::string report_top(const Report& report);

/// The page of one experiment: title, table, figures, findings, comparison, failures. `prefix` leads from the
/// page to the experiment's folder: "" or "mine/".
std::string report_page(const ReportedExperiment& experiment, const std::string& prefix);

/// One headline and its evidence: how a protocol compares with Table 1 over as many runs as the paper's and
/// over many. Either may be null.
std::string protocol_answer(const ReportedExperiment* few, const ReportedExperiment* many);

/// One answer for each protocol that is compared with Table 1.
std::vector<std::string> protocol_answers(const std::vector<ReportedExperiment>& experiments);

/// "Which intervals should I use?": of an experiment that compares them (`compares_intervals`), else "". The
/// answer in a few lines; with ranks, wins and losses, costs and failures; and for the page on top, with a
/// comparison of experiments that share their rows.
std::string intervals_answer(const ReportedExperiment& experiment);
std::string intervals_section(const ReportedExperiment& experiment, const std::string& prefix);
std::string intervals_top(const std::vector<ReportedExperiment>& experiments);

/// Whether nothing differs but the centre and the sides of its intervals: splits and test rows are the same
/// then.
bool share_rows(const Experiment& a, const Experiment& b);

/// The experiment that another is compared with: the one that it names, or the first before it on the same
/// rows; null if there is none.
const ReportedExperiment* base_of(const ReportedExperiment& experiment,
                                  const std::vector<ReportedExperiment>& experiments);

/// Experiments without a peers.csv show that of one with the same rows.
void share_peers(std::vector<ReportedExperiment>& experiments);

/// How what `lacp fit` uses compares with the best of them, as an item of a list; "" without either.
std::string peers_answer(const ReportedExperiment& e);

/// Numbers of others beside ours, without a verdict: the table that reference.beside names, and peers.csv in
/// the experiment's folder or the one that it shares; "" where there is none.
std::string published_section(const ReportedExperiment& experiment);
std::string peers_section(const ReportedExperiment& experiment, const std::string& prefix);

/// The figures of the experiment that are there, of these names.
std::string report_figures(const ReportedExperiment& experiment, const std::string& prefix,
                           const std::vector<std::string>& names);

/// A table of claims: claim, answer, the numbers that show it. `where` is added to the numbers if not "".
struct ReportedClaim {
  const Claim& claim;
  std::string where;
};
std::string claims_table(const std::vector<ReportedClaim>& claims);

/// Each claim from the experiment that measures it best, and those that compare experiments.
std::vector<ReportedClaim> told_claims(const Report& report);

/// The claims one by one, with their numbers; `prefix` leads to claims.csv.
std::string claims_sections(const std::vector<Claim>& claims, const std::string& prefix);

/// Remakes table, comparison, figures, claims.csv and README.md of every experiment, but no table that is
/// kept without its cells; a figure that cannot be drawn is said to be missing, and left out. What the
/// experiment has no data for any more is removed. For a folder of experiments also writes its README.md,
/// claims.md, claims.csv and ablation/README.md. That folder, or one experiment alone, also gets the page
/// index.html. Returns the pages to read first.
std::vector<std::filesystem::path> write_report(const std::vector<std::filesystem::path>& paths);

}  // namespace lacp
