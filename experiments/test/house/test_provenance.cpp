// Every committed number can be traced: its cell, or the file that it stands in, names the commit whose
// program computed it.
#include <regex>

#include "experiment/store/manifest.hpp"
#include "lacp_program.hpp"

namespace {

Ran git(const fs::path& folder, const Words& arguments) {
  return program(joined({"env", "-u", "GIT_DIR", "git", "-C", folder}, arguments));
}

/// Whether the commits before this one can be seen; not in a shallow clone or an unpacked archive.
bool has_history() {
  const bool own = git(source_folder, {"rev-parse", "--show-prefix"}).output == "\n";
  const bool whole = own && git(source_folder, {"rev-parse", "--is-shallow-repository"}).output == "false\n";
  if (!whole) MESSAGE("skipped: there is no git history here");
  return whole;
}

bool is_ancestor(const std::string& commit) {
  return !commit.empty() && git(source_folder, {"merge-base", "--is-ancestor", commit, "HEAD"}).status == 0;
}

/// The commits that a text names in words: "commit 0123456789ab", or `commit: "0123456789ab"` in a manifest.
std::set<std::string> named_commits(const std::string& text) {
  static const std::regex named("\\bcommit:? \"?([0-9a-f]{12}(-dirty)?|unknown)\\b");
  std::set<std::string> commits;
  for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end; ++found)
    commits.insert((*found)[1]);
  return commits;
}

}  // namespace

TEST_CASE("every cell in results/ names a commit that this one descends from") {
  if (!has_history()) return;
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(source_folder / "results")) {
    const fs::path cells = entry.path() / "cells";
    // What git does not track is somebody's own.
    if (!fs::exists(cells) || git(source_folder, {"ls-files", cells}).output.empty()) continue;
    ++folders;
    std::map<std::string, std::size_t> commits;  // each, and how many cells name it
    for (const auto& [file, text] : csv_files(cells))
      for (const lacp::Row& row : lacp::parse_frame(text, file))
        if (!row["checksum"].empty()) ++commits[row["commit"]];
    for (const auto& [commit, number] : commits)
      CHECK_MESSAGE(
          is_ancestor(commit), cells.string(), ": ", number, " cells name the commit '", commit,
          "', which is none of this history; compute them again with a program built from a commit");
  }
  CHECK(folders > 0);
}

TEST_CASE("manifests, and files of numbers without cells, name commits that this one descends from") {
  if (!has_history()) return;
  const std::string files = git(source_folder, {"ls-files", "results"}).output;
  const std::regex without_cells(
      "manifest.yaml|runs.csv|ablation.csv|few_rows.csv|drift.csv|over_time.csv|shift.csv|peers.*.csv|fits.csv|their_rows.csv|bench.md");
  // The manifest beside runs.csv names their commit, the numbers of peers are not ours, and times are of a
  // machine more than of a commit.
  const std::regex computed_by_us(
      "ablation.csv|few_rows.csv|drift.csv|over_time.csv|shift.csv|fits.csv|their_rows.csv");
  std::size_t manifests = 0;
  for (const std::string& file : lacp::split_text(lacp::trim(files), '\n')) {
    const std::string name = fs::path(file).filename();
    if (!std::regex_match(name, without_cells)) continue;
    CAPTURE(file);
    const std::set<std::string> commits = named_commits(lacp::read_file(source_folder / file));
    if (name == "manifest.yaml") {
      ++manifests;
      CHECK(commits.size() == 1);
    }
    if (std::regex_match(name, computed_by_us)) CHECK(!commits.empty());
    for (const std::string& commit : commits) CHECK_MESSAGE(is_ancestor(commit), commit);
  }
  CHECK(manifests == 12);
  CHECK(named_commits("with commit 0123456789ab, commit: \"unknown\" and commit 0123456789ab-dirty").size() ==
        3);
}

TEST_CASE("a run into a folder that git tracks says that no commit has its program") {
  const TemporaryFolder root;
  lacp::write_file(root / "tracked/manifest.yaml", "a");
  lacp::write_file(root / "own/manifest.yaml", "a");
  const std::string dirty = "0123456789ab-dirty";
  CHECK(lacp::untraceable(root / "tracked", dirty) == "");  // no repository
  REQUIRE(git(root.path(), {"init", "-q"}).status == 0);
  REQUIRE(git(root.path(), {"add", "tracked"}).status == 0);
  check_has(lacp::untraceable(root / "tracked", dirty),
            {(root / "tracked").string() + ": git tracks this folder", "will name the commit " + dirty});
  check_has(lacp::untraceable(root / "tracked", "unknown"), "will name the commit unknown");
  CHECK(lacp::untraceable(root / "tracked", "0123456789ab") == "");
  CHECK(lacp::untraceable(root / "own", dirty) == "");
  CHECK(lacp::untraceable(root / "not there", dirty) == "");
}

TEST_CASE("a time is told to the millisecond, also before 1970") {
  const std::chrono::system_clock::time_point zero{};
  CHECK(lacp::utc_text(zero - std::chrono::milliseconds(245)) == "1969-12-31T23:59:59.755Z");
}

// The page about clusters says what the paper's experiment costs, by the line that it prints.
TEST_CASE("scripts/slurm/README.md has the steps that its awk line finds in results/") {
  const std::string page = lacp::read_file(source_folder / "scripts/slurm/README.md");
  const std::size_t begin = page.find("awk -F,");
  const std::string line = page.substr(begin, page.find('\n', begin) - begin);
  const Ran ran = check_ran(shell("cd \"$1\" && eval \"$2\"", {source_folder, line}), 0);
  const auto text = [](double number) {  // 201678 → "201,678"
    std::string digits = fmt::format("{:.0f}", number);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return digits;
  };
  double all = 0.0, others = 0.0;
  for (const std::string& row : lacp::split_text(lacp::trim(ran.output), '\n')) {
    const std::size_t space = row.find(' ');
    const double number = std::stod(row.substr(space));
    all += number;
    if (number > 10000)
      check_has(page, fs::path(row.substr(0, space)).stem().string() + " " + text(number));
    else
      others += number / 6.0;
  }
  check_has(page, {text(all) + " steps per run", fmt::format("and the six others about {:.0f} each", others),
                   fmt::format("{:.1f} core-hours", 1000 * all * 200e-6 / 3600)});
}
