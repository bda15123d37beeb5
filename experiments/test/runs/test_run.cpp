
#include "common/frame.hpp"
#include "lacp_program.hpp"
#include "near.hpp"

TEST_CASE("a run fills cells, intervals and a manifest; a second one has nothing to do") {
  const TemporaryFolder results;
  must_run(quick_run(results.path()));
  const fs::path folder = results / "smoke";
  const auto cells = cells_in(folder);
  CHECK(cells.size() == 28);
  CHECK(cells.contains("concrete/1/mixture"));
  CHECK(csv_files(folder / "intervals").size() == 1);
  CHECK(csv_files(folder / "cells").size() == 2);  // merged: concrete.csv, cos.csv
  CHECK(failures_in(folder) == "");
  const std::string manifest = lacp::read_file(folder / "manifest.yaml");
  check_has(manifest, {"\nstart: ", "\ncommit: ", "\ncpu: ", "  cos: {fingerprint: ", "finished: true",
                       "\nexperiment:\n", "    epochs: 2\n", "  levels: [0.05, 0.1, 0.32]\n"});

  check_ran(lacp_program(quick_run(results.path())), 0, "28 tasks, 28 done before, 0 done now");
  CHECK(lacp::read_file(folder / "manifest.yaml") == manifest);

  CHECK(lacp_program({"status", folder.string()}).output ==
        "smoke: 28 tasks, 28 done, 0 to run, 0 failed\n"
        "  cos       14 tasks, 14 done, 0 to run, 0 failed\n"
        "  concrete  14 tasks, 14 done, 0 to run, 0 failed\n");
}

TEST_CASE(
    "kept intervals name the rows of a data set with several attributes; figures and report do without") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--datasets", "concrete", "--runs", "1", "--set",
                                      "keep_intervals.datasets=[concrete]"}));
  const lacp::Frame kept =
      lacp::read_frame(results / "smoke/intervals/concrete.csv").where({{"method", "exp"}});
  const lacp::Frame file = lacp::read_frame(fs::path(LACP_SOURCE_DIR) / "datasets/concrete.csv");
  CHECK(kept.rows.size() == 206);
  for (const lacp::Row& row : kept) {
    CHECK(row.number("y") == near(file.number(row.count("row") - 1, "compressive_strength"), 1e-9));
    CHECK(row["x"] == "");
  }
  for (const char* command : {"figures", "report"})  // one run: no warning of gnuplot either
    CHECK(must_run({command, (results / "smoke").string()}).messages == "");
  CHECK(fs::exists(results / "smoke/figures/adaptivity.svg"));
  CHECK_FALSE(fs::exists(results / "smoke/figures/figure1.svg"));
}

TEST_CASE("a task that fails is a row with its reason, the others go on, and the last lines say what to do") {
  const TemporaryFolder results;
  const auto sane = quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"}),
             absurd = joined(sane, diverging);
  const std::string failed = "2 of 4 tasks failed:\n  data set concrete, run 0, method exp: ";
  check_ran(lacp_program(absurd), 1, {failed, "To try them again: lacp run "},
            {"\n  exp      ", "missing", "2 tasks failed, and `lacp status` says why: "});
  CHECK(has(lacp::read_file(results / "smoke/table.csv"), "concrete,fixed,0.05,2,"));
  const std::string rows = lacp::read_file(results / "smoke/cells/concrete.csv");
  CHECK(failures_in(results / "smoke").starts_with("concrete,0,exp,training diverged: "));
  CHECK(cells_in(results / "smoke").size() == 2);
  check_ran(lacp_program(as("status", absurd)), 0, {},
            {"smoke: 4 tasks, 2 done, 0 to run, 2 failed\n",
             "\nfailed:\n  data set concrete, run 0, method exp: training diverged: "});

  // Nothing changed, so it would fail again: it is not tried, and still told.
  const Ran same = check_ran(lacp_program(absurd), 1, {"4 tasks, 2 done before, 0 done now", failed});
  CHECK(same.messages.ends_with(" --retry-failed"));
  CHECK(lacp::read_file(results / "smoke/cells/concrete.csv") == rows);
  CHECK(has(lacp_program(absurd, {"--retry-failed"}).messages, "4 tasks, 2 done, 2 to run"));

  must_run(sane, {"--force"});  // a sane step: the rows are gone
  CHECK(failures_in(results / "smoke") == "");
}

TEST_CASE("several values may follow one --set, and the experiment before or after them") {
  using Words = std::vector<std::string>;
  const TemporaryFolder folder;
  const std::string smoke = smoke_yaml.string();
  const auto plan = [&](const Words& words) {
    return lacp_program(joined({"run"}, words), {"--dry-run", "--results", folder.path().string()});
  };
  for (const Words& words : {Words{smoke, "--set", "runs=1", "methods=[fixed]"},
                             {"--set=runs=1", "methods=[fixed]", smoke},
                             {"--set", "runs=1", smoke, "--set", "methods=[fixed]"}})
    check_ran(plan(words), 0, {}, "2 tasks, 0 done, 2 to run (data set, run, method)\n");
  for (const Words& words : {Words{smoke, "--set", "runs=1", "methods"}, {smoke, "runs=1"}})
    CHECK(plan(words).status == 2);
}

TEST_CASE("wrong input ends with 2 before anything is written") {
  const TemporaryFolder results;
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--set", "training.epoch=3"},
                                                {"--datasets", "cosine"},
                                                {"--methods", "fixd"},
                                                {"--set", "training.objective=adaptation"},  // not for all
                                                {"--runs", "0"},
                                                {"--jobs", "none"},
                                                {"--force", "--only-missing"}}) {
    const Ran ran = lacp_program(quick_run(results.path(), wrong));
    CHECK_MESSAGE(ran.status == 2, wrong[0], " ", ran.messages);
    CHECK_FALSE(fs::exists(results / "smoke"));
  }
  check_ran(lacp_program({"run", (results / "none.yaml").string()}), 2, "none.yaml: is not a file");
  CHECK(lacp_program({"status", results.path().string()}).status == 2);
}

// ---- Thousands of tasks in one grid: memory stays flat, and nothing is missing or wrong. `lacp_bench load`
// has the times.

namespace {

// Sanitizers make everything ten times slower and keep freed memory back on purpose: there, fewer tasks, and
// memory is not looked at.
const std::size_t few = sanitized ? 50 : 400, many = 10 * few;

std::vector<std::string> command(const char* name, const fs::path& results, std::size_t runs) {
  const fs::path folder = fs::path(LACP_SOURCE_DIR) / "experiments/test/runs/many_tasks";
  return joined(
      {name, (folder / "many_tasks.yaml").string(), "--datasets-folder", (folder / "datasets").string()},
      {"--results", results.string(), "--runs", std::to_string(runs)});
}

}  // namespace

TEST_CASE("ten times as many tasks need hardly more memory, and all of them are in the table") {
  const TemporaryFolder first, second;
  const double small = peak_memory(command("run", first.path(), few));
  const double large = peak_memory(command("run", second.path(), many));
  // A task may leave 930 bytes in lists, 2000 in the table at the end, which reads the files of cells whole,
  // 5000 bytes for each. What it worked on must be gone: 200 rows with their predictions would be 6 kB more.
  const double per_task = (large - small) / static_cast<double>(many - few);
  MESSAGE(fmt::format("peak memory {:.1f} MB with {} tasks, {:.1f} MB with {}: {:.0f} bytes per task",
                      1e-6 * small, few, 1e-6 * large, many, per_task));
  if (!sanitized) CHECK(per_task < 10000.0);

  const auto cells = cells_in(second / "many_tasks");
  REQUIRE(cells.size() == many);
  for (const auto& [name, text] : cells_in(first / "many_tasks")) REQUIRE(cells.at(name) == text);

  CHECK(must_run({"table", (second / "many_tasks").string()}).messages == "");
  CHECK(lacp::read_frame(second / "many_tasks/table.csv").count(0, "runs") == many);
}
