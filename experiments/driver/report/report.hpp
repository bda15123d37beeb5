#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/claims.hpp"
#include "analysis/table.hpp"

namespace lacp {

// Tables for a terminal, a code host and LaTeX: tables.cpp.

/// table.tex: Table 1 in the paper's layout, for \input; needs booktabs and longtable.
std::string table_tex(const Results& results, const Frame& entries);

/// The same for a code host: one row per data set and method, bold where best, † where runs are missing.
std::string table_markdown(const Results& results, const Frame& entries);

/// The same for a terminal of 80 columns: * marks the smallest size, in bold letters if `bold`, unless its
/// validity clearly misses; failures and what else there is to note below.
std::string table_text(const Results& results, const Frame& entries, bool bold);

/// Writes table.csv, table.tex and table_standalone.tex into the experiment's folder.
void write_table(const Results& results, const Frame& entries);

/// Our means beside the published ones; and writes comparison.csv, verdicts.csv, comparison.tex and
/// comparison_standalone.tex.
std::string comparison_tex(const Results& results, const Comparison& comparison);
void write_comparison(const Results& results, const Comparison& comparison);

/// A sentence if log(1 + y) is predicted on some data set, for each way in which data sets have fewer points
/// than the evaluation asks for, and for a validity that measures nothing. Plain text.
std::vector<std::string> pool_notes(const Results& results);

// Claims, and what is compared run by run, in words: claims.cpp, pairs.cpp.

/// All claims about one experiment, in this order: validity, efficiency, class, error_fit, mixture,
/// adaptivity.
std::vector<Claim> claims_about(const Results& results);
Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles);
Claim claim_protocols(const Results& a, const Results& b);

/// claims.csv.
std::string claims_csv(const std::vector<Claim>& claims);

/// A markdown document for the first level of an ablation: the changes that make a difference, what makes the
/// error fit unstable, and every size.
std::string ablation_document(const Frame& rows);

/// One sentence: what calms the error fit. "" if nothing does.
std::string ablation_summary(const Frame& rows);

/// Writes ablation.csv and README.md into `folder`.
void write_ablation(const Frame& rows, const std::filesystem::path& folder);

/// The sizes of two experiments on the tasks that both have (`shared_sizes`). `format`: text, csv or
/// markdown.
std::string paired_text(const Results& base, const Results& changed, const std::string& format);

/// What came of the figures of an experiment.
struct Figures {
  std::vector<std::string> there;     ///< "sizes": its svg shows the data as it is
  std::vector<std::string> problems;  ///< why others are not there
};

/// Writes the data and the scripts into <experiment>/figures/ and draws figure1, sizes, adaptivity, frontier
/// and ranks, each as svg and pdf, as far as the experiment has their data. What shows this data already is
/// not drawn again, and a picture of other data does not stay.
Figures write_figures(const Results& results);

// Pages.

/// One experiment of the report with everything that is computed from it.
struct ReportedExperiment {
  Results results;
  std::string link;                      ///< its folder, relative to the report
  std::size_t done = 0, wanted = 0;      ///< tasks
  Frame entries;                         ///< its table
  std::optional<Comparison> comparison;  ///< if the experiment names a reference that has some of its numbers
  std::vector<Claim> claims;
  bool kept = false;  ///< its table.csv is there without its cells, or with runs.csv, and is left as it is
  std::vector<std::string> figures = {};  ///< that are there and show its data
  Results peers = {};                     ///< whose peers.csv it shows, without cells; no folder: its own

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
/// folder further down, and of ablation/ablation.csv. UserError for a path without any.
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

/// Wins–ties–losses of the methods, behind the median ratio if that is shown; a column for each record.
Frame records_table(const std::vector<std::string>& methods,
                    const std::vector<std::pair<std::string, Frame>>& records, bool ratios);

/// "**A sentence to act on.** What shows it.", of one experiment at the level that is drawn, and of the whole
/// report; "" if none compares intervals.
std::string advice_of(const ReportedExperiment& experiment);
std::string intervals_advice(const std::vector<ReportedExperiment>& experiments);

/// The same of an experiment with one data set, at a level, which says so if its runs are too few to tell;
/// and the lowest scores at each level, as an item of a list, "" where there are several data sets.
std::string advice_on_one(const Results& results, const Level& level);
std::string best_on_one(const Results& results);

/// Whether they have a data set in common, and nothing differs but the centre and the sides of intervals:
/// splits and test rows are the same then.
bool share_rows(const Experiment& a, const Experiment& b);

/// The experiment that another is compared with: the one that it names, or the first before it on the same
/// rows; null if there is none.
const ReportedExperiment* base_of(const ReportedExperiment& experiment,
                                  const std::vector<ReportedExperiment>& experiments);

/// Experiments without a peers.csv show that of one with the same rows.
void share_peers(std::vector<ReportedExperiment>& experiments);

/// How what `lacp fit` uses compares with the best of them, as an item of a list; "" without either.
std::string peers_answer(const ReportedExperiment& e);

/// Numbers of others beside ours, without a test: the table that reference.beside names, and peers.csv in
/// the experiment's folder or the one that it shares; "" where there is none.
std::string published_section(const ReportedExperiment& experiment);
std::string peers_section(const ReportedExperiment& experiment, const std::string& prefix);

/// The figures of the experiment that are there, of these names.
std::string report_figures(const ReportedExperiment& experiment, const std::string& prefix,
                           const std::vector<std::string>& names);

/// A claim, and the page that has its numbers.
struct ReportedClaim {
  const Claim& claim;
  std::string where = {};
};

/// A table of claims: claim, answer, the numbers that show it; if they are on other pages, also these.
Frame claims_table(const std::vector<ReportedClaim>& claims);

/// Each claim from the experiment that measures it best, and those that compare experiments.
std::vector<ReportedClaim> told_claims(const Report& report);

/// The claims one by one, with their numbers; `prefix` leads to claims.csv.
std::string claims_sections(const std::vector<Claim>& claims, const std::string& prefix);

/// Remakes table, comparison, figures, claims.csv and README.md of every experiment, but no table that is
/// kept without its cells; a figure that cannot be drawn is said to be missing, and left out. What the
/// experiment has no data for any more is removed. For a folder of experiments also writes its README.md,
/// claims.md, claims.csv and ablation/README.md. UserError, before anything is written, for a page there that
/// is not lacp's. That folder, or each of the experiments that were named,
/// also gets the page index.html. Returns the pages to read first.
/// With an `article` the folder of experiments gets <article>_numbers.tex and <article>_data.bib instead, and
/// nothing else is written.
std::vector<std::filesystem::path> write_report(const std::vector<std::filesystem::path>& paths,
                                                const std::filesystem::path& article = {});

/// UserError if this page is there and does not carry a mark of those that lacp writes: it is somebody's.
void check_replaceable(const std::filesystem::path& page);

/// The numbers that an article in LaTeX quotes, to \input. UserError naming all that it does not explain, or
/// does not quote.
std::string article_numbers(const std::string& article, const std::filesystem::path& top);

/// The data sets of the experiments whose files an article names.
struct ArticleDatasets {
  std::string rows;        ///< \datarows, those of a table: name, title, rows, attributes, reference
  std::string references;  ///< BibTeX, from the citations of their descriptions
};
ArticleDatasets article_datasets(const std::string& article, const std::filesystem::path& top);

/// Of the experiment's README.md and those of the folders above, if they have the experiment: a line for each
/// that was made from other cells.
std::vector<std::string> old_pages(const Results& results);

/// All that the page shows, as json: numbers in columns, one for each column of a table. Links lead from
/// `folder`.
std::string page_data(const Report& report, const std::filesystem::path& folder);

/// page.html with the scripts and the style that it names, and the data, inside it: a browser needs no other
/// file, and may fetch none.
std::string page_html(const std::string& data);

/// Writes <folder>/index.html and returns its path.
std::filesystem::path write_page(const Report& report, const std::filesystem::path& folder);

}  // namespace lacp
