#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/analysis/claims.hpp"
#include "report/analysis/table.hpp"
#include "report/words.hpp"

namespace lacp {

struct Ablation;

// Tables: tables.cpp.

/// Table 1 in the paper's layout, for \input (table.tex; needs booktabs and longtable); for a code host, bold
/// where best, † where runs are missing; and for a terminal of 80 columns: * marks the best, in bold letters
/// if `bold`; failures and what else there is to note below.
std::string table_tex(const Results& results, const Frame& entries);
std::string table_markdown(const Results& results, const Frame& entries);
std::string table_text(const Results& results, const Frame& entries, bool bold);

/// What is marked as best in a table.
std::string best_words();

/// Writes table.csv, table.tex and table_standalone.tex into the experiment's folder.
void write_table(const Results& results, const Frame& entries);

/// Our means beside the published ones; and writes comparison.csv, verdicts.csv, comparison.tex and
/// comparison_standalone.tex.
std::string comparison_tex(const Results& results, const Comparison& comparison);
std::string comparison_markdown(const Results& results, const Comparison& comparison);
void write_comparison(const Results& results, const Comparison& comparison);

/// What a reader of the table has to know: names with two meanings; where log(1 + y) is predicted, `mondrian`
/// is `fixed`, or data sets have fewer points than the evaluation asks for; and a validity that measures
/// nothing. Plain text.
std::vector<std::string> table_notes(const Results& results);

// Claims, and what is compared run by run, in words: claims.cpp, pairs.cpp.

/// All claims about one experiment: validity, efficiency, class, error_fit, mixture, adaptivity. And those
/// that compare experiments; and claims.csv.
std::vector<Claim> claims_about(const Results& results);
Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles);
Claim claim_protocols(const Results& a, const Results& b);
std::string claims_csv(const std::vector<Claim>& claims);

/// A markdown document for the first level of an ablation: the changes that make a difference, what makes the
/// error fit unstable, and every size. And one sentence: what calms the error fit, "" if nothing does.
std::string ablation_document(const Frame& rows);
std::string ablation_summary(const Frame& rows);

/// Writes ablation.csv and README.md into `folder`.
void write_ablation(const Ablation& ablation, const std::filesystem::path& folder);

/// The sizes of two experiments on the tasks that both have (`shared_sizes`), as text, csv or markdown.
std::string paired_text(const Results& base, const Results& changed, const std::string& format);

/// What came of the figures of an experiment.
struct Figures {
  std::vector<std::string> there;     ///< "sizes": its svg shows the data as it is
  std::vector<std::string> problems;  ///< why others are not there
};

/// Writes the data and the scripts into <experiment>/figures/ and draws figure1, sizes, adaptivity and
/// ranks, each as svg and pdf, as far as the experiment has their data. What shows this data already is
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
  std::vector<std::string> figures = {};  ///< that are there and show its data

  ReportRole role() const { return results.experiment.report.role; }
  const std::string& base() const { return results.experiment.report.base; }

  /// Whether it has its own tables, figures and claims.
  bool is_protocol() const { return role() == ReportRole::protocol || role() == ReportRole::main; }

  /// "paper", or "paper, 50 runs" where that is what it is for.
  std::string label() const;

  /// The title of its yaml; its name if `lacp run --name` gave it another than the yaml's. In markdown, or as
  /// it is.
  std::string title() const { return markdown_text(plain_title()); }
  std::string plain_title() const;

  /// Whether it is compared with every number of the paper's Table 1.
  bool reproduces_paper() const;
};

/// All that a report is made from.
struct Report {
  std::vector<ReportedExperiment> experiments;  ///< protocols first, then by `place`
  Frame ablation;
  bool has_drift = false;           ///< there is a page of scripts/drift.py
  std::vector<Claim> cross_claims;  ///< that compare experiments with each other
};

/// The experiments below `paths`: each is an experiment's folder, or a folder of such, some of them one
/// folder further down, and of ablation/ablation.csv. UserError for a path without any.
Report load_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& root);

/// The page on top: whether the paper reproduces, its claims, the figures, and links to the pages of the
/// experiments; without an experiment of the paper, a list of the experiments. All prose is made from
/// numbers. And the page of one experiment: title, table, figures, findings, comparison, failures. `prefix`
/// leads from a page to the experiment's folder: "" or "mine/".
std::string report_top(const Report& report);
std::string report_page(const ReportedExperiment& experiment, const std::string& prefix);

/// One headline and its evidence: how a protocol compares with Table 1 over as many runs as the paper's and
/// over many, either of which may be null. And one for each protocol that is compared with Table 1.
std::string protocol_answer(const ReportedExperiment* few, const ReportedExperiment* many);
std::vector<std::string> protocol_answers(const std::vector<ReportedExperiment>& experiments);

/// Table 1 beside ours, for each of these protocols, over as many runs as there are.
std::string protocol_tables(const std::vector<ReportedExperiment>& experiments);

/// "Which intervals should I use?": of an experiment that compares them (`compares_intervals`), else "". The
/// answer in a few lines; with ranks, wins and losses, costs and failures; and for the page on top, of the
/// first experiment that has an answer.
std::string intervals_answer(const ReportedExperiment& experiment);
std::string intervals_section(const ReportedExperiment& experiment, const std::string& prefix);
std::string intervals_top(const std::vector<ReportedExperiment>& experiments);

/// "**A sentence to act on.** What shows it.", of one experiment at the level that is drawn, and of the whole
/// report; "" if none compares intervals. Where there is one data set it says if its runs are too few to
/// tell.
std::string advice_of(const ReportedExperiment& experiment);
std::string intervals_advice(const std::vector<ReportedExperiment>& experiments);

/// The experiment that another names to be compared with; null if there is none.
const ReportedExperiment* base_of(const ReportedExperiment& experiment,
                                  const std::vector<ReportedExperiment>& experiments);

/// Numbers of others beside ours, without a test: the table that reference.beside names, and peers.csv in
/// the experiment's folder; "" where there is none. And how what `lacp fit` uses compares with the best of
/// the peers, as an item of a list.
std::string published_section(const Results& results);
std::string peers_section(const Results& results, const std::string& prefix);
std::string peers_answer(const Results& results);

/// A sentence if an experiment shows the method that `lacp fit` uses on data sets that it was tuned on.
std::string tuning_note(const Results& results);

/// The figures of the experiment that are there, of these names.
std::string report_figures(const ReportedExperiment& experiment, const std::string& prefix,
                           const std::vector<std::string>& names);

/// A claim, and the page that has its numbers.
struct ReportedClaim {
  const Claim& claim;
  std::string where = {};
};

/// Each claim from the experiment that measures it best, and those that compare experiments.
std::vector<ReportedClaim> told_claims(const Report& report);

/// How tests allow for runs that are splits of the same rows.
inline constexpr std::string_view overlap_words =
    "Runs of a real data set are random splits of the same rows, not independent samples. So the variance of a mean over n runs is taken as s² (1/n + rows scored / rows learned from) instead of s²/n (Nadeau and Bengio, 2003), in every interval over runs and every test of them; synthetic sets are drawn anew for each run.";

/// A table of claims: claim, answer, the numbers that show it; if they are on other pages, also these. And
/// the claims one by one, with their numbers; `prefix` leads to claims.csv.
std::string claims_table(const std::vector<ReportedClaim>& claims);
std::string claims_sections(const std::vector<Claim>& claims, const std::string& prefix);

/// Remakes table, comparison, figures, claims.csv and README.md of every experiment, but no table where there
/// are no cells, or runs.csv in their place; a figure that cannot be drawn is said to be missing, and left
/// out. What the experiment has no data for any more is removed. A folder of experiments also gets README.md,
/// index.html, claims.md, claims.csv and ablation/README.md; experiments that were named get an index.html
/// each. Returns the pages to read first. UserError, before anything is written, for a page there that is not
/// lacp's. With an `article` the folder of experiments gets <article>_numbers.tex and <article>_data.bib
/// instead, and nothing else is written.
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
/// file, and may fetch none. And writes that as <folder>/index.html, and returns its path.
std::string page_html(const std::string& data);
std::filesystem::path write_page(const Report& report, const std::filesystem::path& folder);

}  // namespace lacp
