#include <cmath>

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
  CHECK(csv_files(folder / "intervals")
            .at("cos.csv")
            .starts_with("method,row,x,y,f,half_width,truth,sigma\nerc,"));
  CHECK(csv_files(folder / "cells").size() == 2);  // merged: concrete.csv, cos.csv
  const lacp::Cell cell = found_in(folder, {"concrete", 1, "mixture"}).cell.value();
  CHECK(cell.seconds.has_value());
  CHECK(has(lacp_program({"--version"}).output, "commit     " + cell.commit + "\n"));
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
  for (std::size_t i = 0; i < kept.rows.size(); ++i) {
    REQUIRE(kept.count(i, "row") >= 1);
    CHECK(std::abs(kept.number(i, "y") - file.number(kept.count(i, "row") - 1, "compressive_strength")) <
          1e-9);
    CHECK(kept.rows[i][kept.column("x")] == "");
  }
  for (const char* command : {"figures", "report"}) {
    const Ran made = must_run({command, (results / "smoke").string()});
    CHECK(made.messages == "");  // one run: no warning of gnuplot either
  }
  CHECK(fs::exists(results / "smoke/figures/adaptivity.svg"));
  CHECK_FALSE(fs::exists(results / "smoke/figures/figure1.svg"));
}

TEST_CASE("the number of threads and the choice of tasks leave no trace in the cells") {
  const TemporaryFolder parts;
  must_run(quick_run(parts.path(), {"--datasets", "concrete", "--methods", "mixture,fixed", "--jobs", "1"}));
  must_run(quick_run(parts.path(), {"--runs", "1", "--jobs", "3"}));
  check_continuation(quick_run(parts.path()), parts.path());
}

TEST_CASE("a task that fails is a row with its reason, the others go on, and the last lines say what to do") {
  const TemporaryFolder results;
  const auto sane = quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"}),
             absurd = joined(sane, diverging);
  check_ran(
      lacp_program(absurd), 1,
      {"2 of 4 tasks failed:\n  data set concrete, run 0, method exp: ", "To try them again: lacp run "},
      {"\n  exp      ", "missing", "2 tasks failed, and `lacp status` says why: data set concrete, run 0,"});
  CHECK(has(lacp::read_file(results / "smoke/table.csv"), "concrete,fixed,0.05,2,"));
  const std::string rows = lacp::read_file(results / "smoke/cells/concrete.csv");
  CHECK(failures_in(results / "smoke").starts_with("concrete,0,exp,training diverged: "));
  const auto cells = cells_in(results / "smoke");
  CHECK(cells.size() == 2);
  for (const auto& [name, text] : cells) CHECK_MESSAGE(!has(text, "nan"), name);
  check_ran(lacp_program(as("status", absurd)), 0, {},
            {"smoke: 4 tasks, 2 done, 0 to run, 2 failed\n",
             "\nfailed:\n  data set concrete, run 0, method exp: training diverged: "});

  // Nothing changed, so it would fail again: it is not tried, and still told.
  const Ran same = check_ran(lacp_program(absurd), 1,
                             {"4 tasks, 2 done before, 0 done now",
                              "2 of 4 tasks failed:\n  data set concrete, run 0, method exp: "});
  CHECK(same.messages.ends_with(" --retry-failed"));
  CHECK(lacp::read_file(results / "smoke/cells/concrete.csv") == rows);
  CHECK(has(lacp_program(absurd, {"--retry-failed"}).messages, "4 tasks, 2 done, 2 to run"));

  must_run(sane, {"--force"});  // a sane step: the rows are gone
  CHECK(failures_in(results / "smoke") == "");
}

TEST_CASE("several values may follow one --set, and the experiment before or after them") {
  const TemporaryFolder folder;
  const std::string smoke = smoke_yaml.string();
  const auto plan = [&](const std::vector<std::string>& words) {
    return lacp_program(joined({"run"}, words), {"--dry-run", "--results", folder.path().string()});
  };
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{smoke, "--set", "runs=1", "methods=[fixed]"},
                             {"--set", "runs=1", "methods=[fixed]", smoke},
                             {"--set=runs=1", "methods=[fixed]", smoke},
                             {"--set", "runs=1", smoke, "--set", "methods=[fixed]"}}) {
    const Ran ran = plan(words);
    CHECK_MESSAGE(has(ran.output, "2 tasks, 0 done, 2 to run (data set, run, method)\n"), ran.messages);
  }
  CHECK(plan({smoke, "--set", "runs=1", "methods"}).status == 2);
  CHECK(plan({smoke, "runs=1"}).status == 2);
}

TEST_CASE("a run of a part leaves what is known of the rest: runs in the table, rows of failures") {
  const TemporaryFolder results;
  const auto absurd = [&](const std::vector<std::string>& more) {
    return lacp_program(quick_run(results.path(), diverging), more);
  };
  CHECK(absurd({"--datasets", "concrete", "--runs", "3", "--methods", "exp,fixed"}).status == 1);
  const std::string rows = failures_in(results / "smoke");
  CHECK(rows != "");
  CHECK(absurd({"--datasets", "cos", "--runs", "1", "--methods", "fixed"}).status == 0);
  CHECK(failures_in(results / "smoke") == rows);
  must_run({"table", (results / "smoke").string()});
  check_has(lacp::read_file(results / "smoke/table.csv"), {"\nconcrete,fixed,0.1,3,", "\ncos,fixed,0.1,1,"});
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
  check_ran(lacp_program({"run", (results / "none.yaml").string()}), 2,
            "none.yaml: is not a file; expected the yaml of an experiment, e.g. experiments/");
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
  return {name,
          (folder / "many_tasks.yaml").string(),
          "--datasets-folder",
          (folder / "datasets").string(),
          "--results",
          results.string(),
          "--runs",
          std::to_string(runs)};
}

}  // namespace

TEST_CASE("ten times as many tasks need hardly more memory, and all of them are in the table") {
  const TemporaryFolder first, second;
  const double small = peak_memory(command("run", first.path(), few));
  const double large = peak_memory(command("run", second.path(), many));
  // A task may leave its name, cost, time and state behind: some hundred bytes in a handful of lists, 930
  // bytes in all; then the table at the end has 15 numbers of each, 2000 bytes in all, and reads the files of
  // cells whole, 5000 bytes of text for each. What it worked on must be gone: 200 rows with their predictions
  // would be 6 kB more.
  const double per_task = (large - small) / static_cast<double>(many - few);
  MESSAGE(fmt::format("peak memory {:.1f} MB with {} tasks, {:.1f} MB with {}: {:.0f} bytes per task",
                      1e-6 * small, few, 1e-6 * large, many, per_task));
  if (!sanitized) CHECK(per_task < 10000.0);

  const std::string counts = fmt::format("{0} tasks, {0} done, 0 to run, 0 failed\n", many);
  CHECK(lacp_program(command("status", second.path(), many)).output ==
        "many_tasks: " + counts + "  tiny  " + counts);
  const auto cells = cells_in(second / "many_tasks");
  REQUIRE(cells.size() == many);
  for (const auto& [name, text] : cells_in(first / "many_tasks")) REQUIRE(cells.at(name) == text);

  CHECK(must_run({"table", (second / "many_tasks").string()}).messages == "");
  double sum = 0.0;
  const lacp::Cells found(second / "many_tasks");
  for (std::size_t run = 0; run < many; ++run)
    sum += found.newest({"tiny", run, "fixed"})->cell->value("size_mean", "0.1").value();
  const lacp::Frame entries = lacp::read_frame(second / "many_tasks/table.csv").where({{"alpha", "0.1"}});
  CHECK(entries.count(0, "runs") == many);
  // The table has ten digits.
  CHECK(entries.number(0, "size_mean") == near_share(sum / static_cast<double>(many), 1e-9));
}

TEST_CASE(
    "a run with evaluation.crps has it in each cell of a method with a distribution, and help says what it is") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--methods", "exp,mixture,fixed", "--datasets", "concrete", "--set",
                                      "evaluation.crps=true"}));
  for (const char* method : {"exp", "fixed"}) {
    const lacp::Cell cell = found_in(results / "smoke", {"concrete", 1, method}).cell.value();
    CHECK(cell.value("crps").value() > 0.0);
    CHECK(cell.value("crps").value() <
          cell.value("winkler", "0.32").value());  // which counts misses three times
  }
  CHECK_FALSE(found_in(results / "smoke", {"concrete", 1, "mixture"}).cell.value().value("crps"));
  check_has(must_run({"help", "settings", "evaluation.crps"}).output,
            {"twice the mean pinball loss", "default false"});
}
