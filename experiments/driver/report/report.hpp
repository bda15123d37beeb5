#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/analysis/claims.hpp"
#include "report/analysis/comparison.hpp"

namespace lacp {

/// One experiment of the report with everything that is computed from it.
struct ReportedExperiment {
  Results results;
  std::string link;                      ///< its folder, relative to the report
  std::size_t done = 0, wanted = 0;      ///< tasks
  std::vector<Entry> entries;            ///< its table
  std::optional<References> references;  ///< if it names some
  TableComparison comparison;            ///< without an entry where there is none to compare
  std::vector<std::string> figures;      ///< that are there and show its data

  /// Its page; of runs alone, which have none, the table.
  std::string page() const { return link + (results.in_part ? "/table.csv" : "/README.md"); }

  const std::string& name() const { return results.experiment.name; }

  /// "paper", or "paper, 50 runs" where runs alone are kept.
  std::string label() const;

  /// The title of its yaml; its name if it has none, or if `lacp run --name` gave it another than the yaml's.
  std::string title() const;
};

/// Whether it is trained for one level alone.
bool has_one_level(const Experiment& experiment);

/// All that a report is made from.
struct Report {
  std::vector<ReportedExperiment> experiments;  ///< those with a reference first, then by name

  /// Those of the experiment that compares most sizes with `fixed`; and of all that were trained for one
  /// level.
  std::vector<Claim> claims;
};

/// The experiments below `paths`: each is an experiment's folder, or a folder of such, some of them one
/// folder further down. UserError for a path without any.
Report load_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& root);

/// A column of Table 1 beside others: the released program's runs, or those of an experiment.
struct PaperColumn {
  std::string title;
  TableComparison comparison;
  const ReportedExperiment* experiment = nullptr;  ///< null: the released program
};

/// The released program first, then each experiment that is compared with the published table, over as many
/// runs as there are, what is most like the released program first. Nothing without such an experiment.
std::vector<PaperColumn> paper_columns(const Report& report);

/// The entry of a column that belongs to one of the published table; null if there is none.
const ComparedEntry* entry_like(const PaperColumn& column, const Entry& published);

/// Whether a column reproduces Table 1, and the released program's sizes, in words; "" if that cannot be
/// told.
std::string published_answer(const PaperColumn& column);
std::string released_answer(const PaperColumn& column);

/// The page on top, and the page of one experiment; `prefix` leads from a page to the experiment's folder: ""
/// or "mine/".
std::string report_top(const Report& report);
std::string report_page(const ReportedExperiment& experiment, const std::string& prefix);

/// The figures of the experiment that are there, of these names.
std::string report_figures(const ReportedExperiment& experiment, const std::string& prefix,
                           const std::vector<std::string>& names);

/// What came of the figures of an experiment.
struct Figures {
  std::vector<std::string> there;     ///< "sizes": its svg shows the data as it is
  std::vector<std::string> problems;  ///< why others are not there
};

/// Writes the data and the scripts into <experiment>/figures/ and draws figure1, sizes, adaptivity and ranks,
/// each as svg and pdf, as far as the experiment has their data. What shows this data already is not drawn
/// again, and a picture of other data does not stay.
Figures write_figures(const Results& results);

/// Remakes table, comparison, figures and README.md of every experiment; of kept runs table and comparison. A
/// folder of experiments also gets claims.csv, README.md and index.html; an experiment that was named gets an
/// index.html. What an experiment has no data for any more is removed. Returns the pages to read first.
/// UserError, before anything is written, for a page there that lacp did not write.
std::vector<std::filesystem::path> write_report(const std::vector<std::filesystem::path>& paths);

/// All that index.html shows, as json. Links lead from `folder`.
std::string page_data(const Report& report, const std::filesystem::path& folder);

/// page.html with the scripts and the style that it names, and the data, inside it: a browser needs no other
/// file, and may fetch none.
std::string page_html(const std::string& data);

}  // namespace lacp
