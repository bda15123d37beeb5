#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "report/analysis/choice.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

bool is_experiment(const fs::path& folder) { return fs::exists(folder / "manifest.yaml"); }

/// The folder, or those of experiments below it, directly or one folder further down, by name.
std::vector<fs::path> experiments_in(const fs::path& folder, bool further_down = true) {
  if (is_experiment(folder)) return {folder};
  std::vector<fs::path> found;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (further_down || is_experiment(entry.path()))
        std::ranges::copy(experiments_in(entry.path(), false), std::back_inserter(found));
  std::ranges::sort(found);
  return found;
}

/// Before anything is written: no page takes the place of one that somebody wrote by hand.
void check_pages(const Report& report, const fs::path& root, bool whole) {
  for (const ReportedExperiment& e : report.experiments) {
    check_replaceable(e.results.folder / "README.md");
    if (!whole) check_replaceable(e.results.folder / "index.html");
  }
  if (!whole) return;
  for (const char* name : {"README.md", "index.html", "claims.md", "claims.csv"})
    check_replaceable(root / name);
  if (!report.ablation.empty()) check_replaceable(root / "ablation" / "README.md");
}

/// Removes what an earlier report wrote and this one does not.
void remove_files(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : names) fs::remove(folder / name, error);
}

/// Protocols first: those that a published table can judge, the main one, the others; by name.
auto place(const ReportedExperiment& e) {
  const Experiment& x = e.results.experiment;
  int order = x.reference.file.empty() ? 2 : 0;
  if (e.role() == ReportRole::main) order = 1;
  return std::tuple(e.is_protocol() ? ReportRole::protocol : e.role(), order, x.name);
}

fs::path clean(const fs::path& path) {
  fs::path p = path.lexically_normal();
  return p.has_filename() ? p : p.parent_path();
}

/// The table.csv beside runs.csv, with the digits that it has. UserError unless it follows from the entries
/// that runs.csv gives. These, where there is no such file, or some of the runs do not count any more.
Frame checked_table(const Results& results, const Frame& entries) {
  const fs::path file = results.folder / "table.csv";
  if (!results.different.empty() || !fs::exists(file)) return entries;
  const std::string difference = first_difference(read_file(file), table_csv(entries));
  if (!difference.empty())
    user_error(
        "{}: does not follow from runs.csv beside it: {}; one of the two was changed; take the table.csv that `lacp table {}` writes, or the files as they were",
        file.string(), difference, shell_quoted(results.folder.string()));
  return read_table_csv(file);
}

ReportedExperiment load_reported(const fs::path& folder) {
  ReportedExperiment e;
  e.results = load_results(folder);
  const Experiment& x = e.results.experiment;
  e.done = e.results.cells.size();
  e.wanted = x.datasets.size() * x.methods.size() * x.runs;
  e.entries = table_entries(e.results);
  if (e.results.in_part)
    e.entries = checked_table(e.results, e.entries);
  else if (e.is_protocol())
    e.claims = claims_about(e.results);
  return e;
}

std::vector<Claim> cross_claims(const std::vector<ReportedExperiment>& experiments) {
  std::vector<Claim> claims;
  for (const ReportedExperiment& base : experiments) {
    std::vector<const Results*> singles;
    for (const ReportedExperiment& e : experiments)
      if (e.role() == ReportRole::single_level && base_of(e, experiments) == &base)
        singles.push_back(&e.results);
    if (!singles.empty()) claims.push_back(claim_single_levels(base.results, singles));
  }
  for (const ReportedExperiment& e : experiments)
    if (const ReportedExperiment* base = base_of(e, experiments);
        base != nullptr && e.is_protocol() && !compares_intervals(e.results))
      claims.push_back(claim_protocols(e.results, base->results));
  return claims;
}

/// The end of a page that was made from these cells; of the page on top, with the name of the experiment.
std::string cells_mark(const Results& results, const std::string& link = "") {
  std::string all;
  for (const auto& [task, cell] : results.cells) all += fmt::format("{} {}\n", to_text(task), cell.checksum);
  return fmt::format("<!-- made by lacp from cells {}{} -->\n",
                     link.empty() ? "" : fmt::format("of {} ", link), sha256(all));
}

}  // namespace

void check_replaceable(const fs::path& page) {
  constexpr std::pair<std::string_view, std::string_view> marks[] = {
      {"README.md", "<!-- made by lacp from cells "},
      {"README.md", "# One setting at a time\n\nSize at α = "},
      {"index.html", "<h1 id=\"top-title\">"},
      {"claims.md", "# Experiments compared with each other\n\n[The report](README.md)."},
      {"claims.csv", "claim,experiment,dataset,method,"}};
  std::error_code error;
  if (!fs::exists(page, error)) return;
  const std::string text = read_file(page);
  if (std::ranges::any_of(marks, [&](const auto& mark) {
        return page.filename() == mark.first && text.find(mark.second) != std::string::npos;
      }))
    return;
  user_error(
      "{}: was not written by lacp, which would replace it; move it elsewhere, or name each experiment by its own folder; nothing was written",
      page.string());
}

std::string ReportedExperiment::label() const {
  const Experiment& e = results.experiment;
  return role() == ReportRole::many_runs ? fmt::format("{}, {} runs", e.name, e.runs) : e.name;
}

std::string ReportedExperiment::plain_title() const {
  const Experiment& e = results.experiment;
  return e.title.empty() || results.source.stem() != e.name ? e.name : e.title;
}

bool ReportedExperiment::reproduces_paper() const {
  return comparison && comparison->overall().count("numbers") == comparison->published &&
         fs::path(results.experiment.reference.file).filename() == "table1.csv";
}

const ReportedExperiment* base_of(const ReportedExperiment& experiment,
                                  const std::vector<ReportedExperiment>& experiments) {
  if (experiment.base().empty()) return nullptr;
  for (const ReportedExperiment& e : experiments)
    if (&e != &experiment && e.is_protocol() && e.results.experiment.name == experiment.base()) return &e;
  return nullptr;
}

Report load_report(const std::vector<fs::path>& paths, const fs::path& root) {
  Report report;
  std::vector<fs::path> folders;
  for (const fs::path& path : paths) {
    const std::vector<fs::path> found = experiments_in(path);
    if (found.empty())
      user_error(
          "{}: {}; expected results/<experiment>/manifest.yaml, which `lacp run` writes; nothing was written",
          path.string(), fs::is_directory(path) ? "holds no results" : "there is no such folder");
    std::ranges::copy(found, std::back_inserter(folders));
    if (const fs::path file = path / "ablation" / "ablation.csv"; fs::exists(file))
      report.ablation.append(read_frame(file));
    report.has_drift = report.has_drift || fs::exists(path / "drift" / "README.md");
  }
  for (const fs::path& folder : folders) {
    ReportedExperiment e = load_reported(folder);
    e.comparison = compare(e.results, e.entries);
    if (e.comparison && e.comparison->numbers.empty())
      e.comparison.reset();  // none of its data sets is there
    e.link = markdown_link(folder.lexically_relative(root).generic_string());
    report.experiments.push_back(std::move(e));
  }
  std::ranges::stable_sort(report.experiments, {}, place);
  report.cross_claims = cross_claims(report.experiments);
  return report;
}

std::vector<fs::path> write_report(const std::vector<fs::path>& given, const fs::path& article) {
  std::vector<fs::path> paths, pages;
  for (const fs::path& path : given) paths.push_back(clean(path));
  const auto whole = std::ranges::find_if_not(paths, is_experiment);  // a folder of experiments
  const fs::path root = whole == paths.end() ? clean(paths.front() / "..") : *whole;
  if (!article.empty()) {
    if (whole == paths.end())
      user_error("--article: {} is one experiment; expected the folder of all, results",
                 paths.front().string());
    const std::string text = read_file(article), name = article.stem().string();
    const ArticleDatasets datasets = article_datasets(text, root / "..");
    pages = {root / (name + "_numbers.tex"), root / (name + "_data.bib")};
    write_file(pages[0], article_numbers(text, root / "..") + datasets.rows);
    write_file(pages[1], datasets.references);
    return pages;
  }
  Report report = load_report(paths, root);
  check_pages(report, root, whole != paths.end());
  std::set<std::string> problems;
  for (ReportedExperiment& e : report.experiments) {
    const fs::path& folder = e.results.folder;
    if (e.comparison)
      write_comparison(e.results, *e.comparison);
    else
      remove_files(folder, {"comparison.csv", "comparison.tex", "comparison_standalone.tex", "verdicts.csv"});
    const bool table_stays =
        (e.results.in_part || e.results.cells.empty()) && fs::exists(folder / "table.csv");
    if (!table_stays && e.results.in_part)
      write_file(folder / "table.csv", table_csv(e.entries));
    else if (!table_stays)
      write_table(e.results, e.entries);
    if (e.is_protocol() && !e.results.in_part) {
      const Figures figures = write_figures(e.results);
      e.figures = figures.there;
      problems.insert(figures.problems.begin(), figures.problems.end());
    }
    if (!e.claims.empty())
      write_file(folder / "claims.csv", claims_csv(e.claims));
    else if (!e.results.in_part)
      remove_files(folder, {"claims.csv"});
    write_file(folder / "README.md", report_page(e, "") + cells_mark(e.results));
    pages.push_back(folder / "README.md");
  }
  for (const std::string& problem : problems) tell("{}\n", problem);
  if (whole == paths.end()) {
    for (ReportedExperiment& e : report.experiments) {
      Report alone;
      alone.experiments.push_back(std::move(e));
      const fs::path folder = alone.experiments.front().results.folder;
      pages.push_back(write_page(alone, folder));
    }
    return pages;
  }
  if (!report.ablation.empty())
    write_file(root / "ablation" / "README.md", ablation_document(report.ablation));
  if (!report.cross_claims.empty()) {
    write_file(root / "claims.csv", claims_csv(report.cross_claims));
    write_file(root / "claims.md", "# Experiments compared with each other\n\n[The report](README.md).\n\n" +
                                       claims_sections(report.cross_claims, ""));
  } else {
    remove_files(root, {"claims.csv", "claims.md"});
  }
  std::string top = report_top(report) + "\n";
  for (const ReportedExperiment& e : report.experiments) top += cells_mark(e.results, e.link);
  write_file(root / "README.md", top);
  return {root / "README.md", write_page(report, root)};
}

std::vector<std::string> old_pages(const Results& results) {
  const fs::path own = results.folder / "README.md";
  std::vector<std::string> messages;
  const auto old = [&](const fs::path& page) {
    messages.push_back(fmt::format("{}: was written before these results; to write it again: lacp report {}",
                                   page.string(), shell_quoted(page.parent_path().string())));
  };
  std::error_code error;
  if (fs::exists(own, error) && !read_file(own).ends_with(cells_mark(results))) old(own);
  for (const char* above : {"..", "../.."}) {  // as experiments_in finds it
    const fs::path folder = clean(results.folder / above), top = folder / "README.md";
    if (!fs::exists(top, error)) continue;
    const std::string text = read_file(top),
                      link = markdown_link(results.folder.lexically_relative(folder).generic_string());
    const bool is_there = text.find(fmt::format("cells of {} ", link)) != text.npos;
    if (is_there && text.find(cells_mark(results, link)) == text.npos) old(top);
  }
  return messages;
}

}  // namespace lacp
