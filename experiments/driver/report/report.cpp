#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "report/tables.hpp"

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

/// UserError if this page is there and lacp did not write it.
void check_replaceable(const fs::path& page) {
  std::error_code error;
  if (!fs::exists(page, error)) return;
  const std::string text = read_file(page);
  if (text.find("ritten by `lacp report`") == text.npos &&
      text.find("ritten by <code>lacp report</code>") == text.npos)
    user_error("{}: not by lacp; move it", page.string());
}

/// Removes what an earlier report wrote and this one does not.
void remove_files(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : names) fs::remove(folder / name, error);
}

fs::path clean(const fs::path& path) {
  fs::path p = path.lexically_normal();
  return p.has_filename() ? p : p.parent_path();
}

/// Tasks whose numbers are there.
std::size_t tasks_in(const ReportedExperiment& e) {
  const Level& first = e.results.experiment.levels.front();
  std::size_t tasks = 0;
  for (const Entry& entry : e.entries)
    if (entry.level == first) tasks += entry.runs;
  return tasks;
}

/// Whether claims and figures are made of it: not of runs alone, nor of what is only compared with its base.
bool has_own_pages(const Results& results) {
  return !results.in_part && !results.cells.empty() && !has_one_level(results.experiment);
}

ReportedExperiment load_reported(const fs::path& folder, const fs::path& root) {
  ReportedExperiment e;
  e.results = load_results(folder);
  const Experiment& x = e.results.experiment;
  e.link = markdown_link(folder.lexically_relative(root).generic_string());
  e.entries = table_entries(e.results);
  e.done = tasks_in(e);
  e.wanted = x.datasets.size() * x.methods.size() * x.runs;
  e.references = load_references(e.results);
  if (e.references) e.comparison = compare(e.entries, *e.references, x.reference.names);
  return e;
}

/// What differs between an experiment that was trained for one level and the one that it is compared with.
bool is_base_of(const ReportedExperiment& base, const ReportedExperiment& single) {
  if (has_one_level(base.results.experiment) || base.results.in_part || base.results.cells.empty())
    return false;
  const std::vector<SettingChange> changed = changes(base.results.experiment, single.results.experiment);
  return std::ranges::all_of(changed, [](const SettingChange& c) { return c.key.starts_with("training."); });
}

/// See `Report`. Each has a case.
std::vector<Claim> claims_of(const std::vector<ReportedExperiment>& experiments) {
  std::vector<Claim> claims;
  std::size_t most = 0;
  Claim all_levels{Question::all_levels, "the single levels", {}};
  for (const ReportedExperiment& e : experiments) {
    if (has_own_pages(e.results)) {
      std::vector<Claim> own = claims_about(e.results);
      const std::size_t sizes = std::ranges::find(own, Question::efficiency, &Claim::question)->cases.size();
      if (claims.empty() || sizes > most) {
        most = sizes;
        claims = std::move(own);
      }
    }
    if (!has_one_level(e.results.experiment)) continue;
    const auto base =
        std::ranges::find_if(experiments, [&](const ReportedExperiment& b) { return is_base_of(b, e); });
    if (base != experiments.end())
      std::ranges::copy(claim_all_levels(base->results, e.results).cases,
                        std::back_inserter(all_levels.cases));
  }
  claims.push_back(std::move(all_levels));
  std::erase_if(claims, [](const Claim& claim) { return claim.cases.empty(); });
  return claims;
}

/// Writes what belongs to one experiment alone. Returns what could not be drawn.
std::vector<std::string> write_experiment(ReportedExperiment& e) {
  const fs::path& folder = e.results.folder;
  if (e.comparison.entries.empty())
    remove_files(folder, {"comparison.csv", "comparison.tex"});
  else
    write_comparison(e.results, e.comparison);
  if (e.done > 0) write_table(e.results, e.entries);
  std::vector<std::string> problems;
  if (has_own_pages(e.results)) {
    const Figures figures = write_figures(e.results);
    e.figures = figures.there;
    problems = figures.problems;
  }
  if (!e.results.in_part) write_file(folder / "README.md", report_page(e, ""));
  return problems;
}

}  // namespace

std::string ReportedExperiment::label() const {
  return results.in_part ? fmt::format("{}, {} runs", name(), results.experiment.runs) : name();
}

std::string ReportedExperiment::title() const {
  const Experiment& e = results.experiment;
  return e.title.empty() || results.source.stem() != e.name ? e.name : e.title;
}

bool has_one_level(const Experiment& e) { return e.training.objective.kind == Objective::one_level; }

Report load_report(const std::vector<fs::path>& paths, const fs::path& root) {
  Report report;
  for (const fs::path& path : paths) {
    const std::vector<fs::path> found = experiments_in(path);
    if (found.empty())
      user_error("{}: {}", path.string(), fs::is_directory(path) ? "holds no results" : "no such folder");
    for (const fs::path& folder : found) report.experiments.push_back(load_reported(folder, root));
  }
  std::ranges::stable_sort(report.experiments, {}, [](const ReportedExperiment& e) {
    return std::tuple(e.results.in_part, e.comparison.entries.empty(), has_one_level(e.results.experiment),
                      e.name());
  });
  report.claims = claims_of(report.experiments);
  return report;
}

std::vector<fs::path> write_report(const std::vector<fs::path>& given) {
  std::vector<fs::path> paths, pages;
  for (const fs::path& path : given) paths.push_back(clean(path));
  const auto whole = std::ranges::find_if_not(paths, is_experiment);  // a folder of experiments
  const bool is_whole = whole != paths.end();
  const fs::path root = is_whole ? *whole : clean(paths.front() / "..");
  Report report = load_report(paths, root);
  for (const ReportedExperiment& e : report.experiments) {
    check_replaceable(e.results.folder / "README.md");
    if (!is_whole) check_replaceable(e.results.folder / "index.html");
  }
  if (is_whole) {
    check_replaceable(root / "README.md");
    check_replaceable(root / "index.html");
  }
  std::set<std::string> problems;
  for (ReportedExperiment& e : report.experiments) {
    const std::vector<std::string> own = write_experiment(e);
    problems.insert(own.begin(), own.end());
    if (!is_whole && !e.results.in_part) pages.push_back(e.results.folder / "README.md");
  }
  for (const std::string& problem : problems) tell("{}\n", problem);
  if (is_whole) {
    if (report.claims.empty())
      remove_files(root, {"claims.csv"});
    else
      write_file(root / "claims.csv", claims_csv(report.claims));
    write_file(root / "README.md", report_top(report));
    write_file(root / "index.html", page_html(page_data(report, root)));
    return {root / "README.md", root / "index.html"};
  }
  for (ReportedExperiment& e : report.experiments) {
    Report alone;
    alone.experiments.push_back(std::move(e));
    const fs::path folder = alone.experiments.front().results.folder;
    write_file(folder / "index.html", page_html(page_data(alone, folder)));
    pages.push_back(folder / "index.html");
  }
  return pages;
}

}  // namespace lacp
