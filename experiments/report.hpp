#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claims.hpp"
#include "comparison.hpp"
#include "results.hpp"

namespace lacp {

/// What an experiment has in the report.
enum class ReportRole {
  protocol,      ///< its own tables, figures, comparison and claims
  single_level,  ///< name starts with "single_level": only compared with a protocol
  ablation,      ///< name starts with "ablation", or lies in a folder of that name: one row
};

/// One experiment of the report with everything that is computed from it.
struct ReportedExperiment {
  Results results;
  ReportRole role = ReportRole::protocol;
  std::string link;  ///< its folder, relative to the report
  std::optional<Comparison> comparison;
  std::vector<Claim> claims;
};

/// The experiments below `paths`: each is an experiment's folder, or a folder of such (and of ablation/*).
/// Protocols come first: paper, release, full, then the others by name. UserError if there is none.
std::vector<ReportedExperiment> load_report(const std::vector<std::filesystem::path>& paths,
                                            const std::filesystem::path& root);

/// Claims that compare experiments with each other.
std::vector<Claim> cross_claims(const std::vector<ReportedExperiment>& experiments);

/// The report as markdown. All its prose is made from the numbers.
std::string report_markdown(const std::vector<ReportedExperiment>& experiments);

/// Its parts, each in a file of its own: the first screen; and everything below it.
std::string report_first_screen(const std::vector<ReportedExperiment>& experiments);
std::string report_comparison(const ReportedExperiment& experiment);
std::string report_runs(const std::vector<ReportedExperiment>& experiments);

/// Remakes table, comparison, figures and claims.csv of every experiment and writes <root>/README.md and
/// <root>/claims.csv. Returns the path of the report.
std::filesystem::path write_report(const std::vector<std::filesystem::path>& paths);

}  // namespace lacp
