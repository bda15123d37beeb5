#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "output/ablation.hpp"
#include "output/claims.hpp"
#include "output/comparison.hpp"
#include "output/results.hpp"
#include "output/table.hpp"

namespace lacp {

/// What an experiment has in the report.
enum class ReportRole {
  protocol,      ///< its own tables, figures, comparison and claims
  verdict,       ///< lies in a folder "verdict": many runs of a protocol, only compared with Table 1
  single_level,  ///< name starts with "single_level": only compared with a protocol
};

/// One experiment of the report with everything that is computed from it.
struct ReportedExperiment {
  Results results;
  ReportRole role = ReportRole::protocol;
  std::string link;                  ///< its folder, relative to the report
  std::size_t done = 0, wanted = 0;  ///< tasks
  std::vector<TableEntry> entries;
  std::optional<Comparison> comparison;
  std::vector<Claim> claims;

  /// "paper", or "paper, 50 runs" where that is what it is for.
  std::string label() const;
};

/// All that a report is made from.
struct Report {
  std::vector<ReportedExperiment> experiments;  ///< by role; paper, release, full, then the others by name
  std::vector<AblationRow> ablation;
  std::vector<Claim> cross_claims;  ///< that compare experiments with each other
};

/// The experiments below `paths`: each is an experiment's folder, or a folder of such, of verdict/* (manifest
/// and table.csv, without cells) and of ablation/ablation.csv. UserError if there is no protocol.
Report load_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& root);

/// The report as markdown. All its prose is made from the numbers.
std::string report_markdown(const Report& report);

/// Its parts: the first screen, and what comes below it.
std::string report_first_screen(const Report& report);
std::string report_runs(const std::vector<ReportedExperiment>& experiments);
std::string report_comparison(const ReportedExperiment& experiment);

/// Remakes table, comparison, figures and claims.csv of every experiment and writes <root>/README.md and
/// <root>/claims.csv. Returns the path of the report.
std::filesystem::path write_report(const std::vector<std::filesystem::path>& paths);

}  // namespace lacp
