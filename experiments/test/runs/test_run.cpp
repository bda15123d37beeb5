#include "common/message.hpp"
#include "lacp_program.hpp"
#include "near.hpp"

TEST_CASE("a run fills cells, intervals, a manifest and a table; a second one has nothing to do") {
  const TemporaryFolder results;
  const Ran ran = must_run(quick_run(results.path()));
  const fs::path folder = results / "smoke";
  CHECK(cells_in(folder).size() == 28);
  CHECK(csv_files(folder / "intervals").size() == 1);
  CHECK(csv_files(folder / "cells").size() == 2);  // merged: concrete.csv, cos.csv
  CHECK(failures_in(folder) == "");
  const std::string manifest = lacp::read_file(folder / "manifest.yaml");
  check_has(manifest, {"\nstart: ", "\ncommit: ", "\ncpu: ", "  cos: {fingerprint: ", "finished: true",
                       "\nexperiment:\n", "    epochs: 2\n", "  levels: [0.05, 0.1, 0.32]\n"});

  check_ran(lacp_program(quick_run(results.path())), 0, "28 tasks, 28 done before, 0 done now");
  CHECK(lacp::read_file(folder / "manifest.yaml") == manifest);

  CHECK(lacp_program({"status", folder}).output ==
        "smoke: 28 tasks, 28 done, 0 to run, 0 failed\n"
        "  cos       14 tasks, 14 done, 0 to run, 0 failed\n"
        "  concrete  14 tasks, 14 done, 0 to run, 0 failed\n");

  // It ends with its table, and writes it as `lacp table` does.
  CHECK(lacp::read_file(folder / "table.csv") == undisturbed().table);
  CHECK(lacp::read_file(folder / "table.tex") == undisturbed().tex);
  const auto table = [&](const char* format) {
    return must_run({"table", folder, "--format", format}).output;
  };
  CHECK(table("csv") == undisturbed().table);
  CHECK(table("latex") == undisturbed().tex);
  CHECK(table("markdown").starts_with("| data set | method | size, α = 0.05 |"));
  CHECK(has(table("text"), ran.output.substr(1)));  // an empty line sets it apart from what the run said
  check_has(ran.output, {"data set cos\n", "data set concrete\n", "\n  erc (error fit) "});
  CHECK(count(ran.output, "*") >= 2 * 3 + 1);  // a smallest size per data set and level, and the legend
  for (const std::string& line : lacp::split_text(ran.output, '\n'))
    CHECK_MESSAGE(lacp::text_width(line) <= lacp::terminal_columns, line);
}

TEST_CASE("kept intervals name the rows of a data set with several attributes") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--datasets", "concrete", "--runs", "1", "--set",
                                      "keep_intervals.datasets=[concrete]"}));
  const lacp::Frame kept =
      lacp::read_frame(results / "smoke/intervals/concrete.csv").where({{"method", "exp"}});
  const lacp::Frame file = lacp::read_frame(source_folder / "datasets/concrete.csv");
  CHECK(kept.rows.size() == 206);
  for (const lacp::Row& row : kept) {
    CHECK(row.number("y") == near(file.number(row.count("row") - 1, "compressive_strength"), 1e-9));
    CHECK(row["x"] == "");
  }
  for (const char* command : {"figures", "report"})  // one run: no warning of gnuplot either
    CHECK(must_run({command, results / "smoke"}).messages == "");
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
  check_has(lacp::read_file(results / "smoke/table.csv"),
            {"concrete,fixed,0.05,2,", "concrete,exp,0.05,0,,,"});
  const std::string rows = lacp::read_file(results / "smoke/cells/concrete.csv");
  CHECK(failures_in(results / "smoke").starts_with("concrete,0,exp,training diverged: the loss became "));
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
  const TemporaryFolder folder;
  const auto plan = [&](const Words& words) {
    return lacp_program(joined({"run"}, words), {"--dry-run", "--results", folder.path()});
  };
  for (const Words& words : {Words{smoke_yaml, "--set", "runs=1", "methods=[fixed]"},
                             {"--set=runs=1", "methods=[fixed]", smoke_yaml},
                             {"--set", "runs=1", smoke_yaml, "--set", "methods=[fixed]"}})
    check_ran(plan(words), 0, {}, "2 tasks, 0 done, 2 to run (data set, run, method)\n");
  check_ran(plan({smoke_yaml, "--runs", "010", "--methods", "fixed"}), 0, {},
            "20 tasks, ");  // ten, not eight
  for (const Words& words : {Words{smoke_yaml, "--set", "runs=1", "methods"}, {smoke_yaml, "runs=1"}})
    CHECK(plan(words).status == 2);
}

TEST_CASE("wrong input ends with 2 before anything is written") {
  const TemporaryFolder results;
  for (const Words& wrong : {Words{"--set", "training.epoch=3"},
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
  check_ran(lacp_program({"run", results / "none.yaml"}), 2, "none.yaml: is not a file");
  CHECK(lacp_program({"status", results.path()}).status == 2);
}

TEST_CASE("ten times as many tasks need hardly more memory, and all of them are in the table") {
  // Sanitizers are ten times slower and keep freed memory back: there, fewer tasks, and memory does not
  // count.
  const std::size_t few = sanitized ? 50 : 400, many = 10 * few;
  const TemporaryFolder first, second;
  const auto peak = [](const TemporaryFolder& results, std::size_t runs) {
    const fs::path folder = source_folder / "experiments/test/runs/many_tasks";
    return peak_memory({"run", folder / "many_tasks.yaml", "--datasets-folder", folder / "datasets",
                        "--results", results.path(), "--runs", std::to_string(runs)});
  };
  const double small = peak(first, few), large = peak(second, many);
  // A task may leave 930 bytes in lists, 2000 in the table at the end, which reads the files of cells whole,
  // 5000 bytes for each. What it worked on must be gone: 200 rows with their predictions would be 6 kB more.
  const double per_task = (large - small) / static_cast<double>(many - few);
  MESSAGE(fmt::format("peak memory {:.1f} MB with {} tasks, {:.1f} MB with {}: {:.0f} bytes per task",
                      1e-6 * small, few, 1e-6 * large, many, per_task));
  if (!sanitized) CHECK(per_task < 10000.0);

  const auto cells = cells_in(second / "many_tasks");
  REQUIRE(cells.size() == many);
  for (const auto& [name, text] : cells_in(first / "many_tasks")) REQUIRE(cells.at(name) == text);

  CHECK(must_run({"table", second / "many_tasks"}).messages == "");
  CHECK(lacp::read_frame(second / "many_tasks/table.csv").count(0, "runs") == many);
}

TEST_CASE("a quiet run says nothing and leaves the same files; a dry run or a shard leaves no table") {
  const TemporaryFolder results;
  for (const Words& part : {Words{"--dry-run"}, {"--shard", "1/2", "--quiet"}}) {
    must_run(quick_run(results.path(), part));
    CHECK_FALSE(fs::exists(results / "smoke/table.csv"));
  }
  const Ran ran = must_run(quick_run(results.path(), {"--quiet"}));
  CHECK(ran.output + ran.messages == "");
  CHECK(lacp::read_file(results / "smoke/table.csv") == undisturbed().table);
  check_ran(lacp_program(quick_run(results.path(), {"--quiet", "--set", "training.epochs=0"})), 2,
            "training.epochs");
}

TEST_CASE("a table of more runs stays while tasks are to be done, quiet or not") {
  const DoneRun place;
  const auto table = [&] { return lacp::read_file(place.folder / "table.csv"); };
  const std::string whole = table();
  fs::remove(place.folder / "cells/concrete.csv");
  for (const Words& more : {Words{}, {"--quiet"}}) {
    check_ran(lacp_program(joined(place.command, {"--datasets", "cos"}), more), 0,
              "has more runs and is left as it is, since 14 tasks are still to be done");
    CHECK(table() == whole);
  }
  must_run(place.command, {"--shard", "1/2"});
  CHECK(table() == whole);
  // Who asks for the table of what is there gets it, and the rest of the run makes it whole.
  check_ran(place.table(), 0);
  CHECK(table() != whole);
  must_run(place.command);
  CHECK(table() == whole);
}

TEST_CASE("a cell that is damaged beside what was run keeps the table from being made, and nothing else") {
  const DoneRun place;
  const std::string whole = lacp::read_file(place.folder / "table.csv");
  const lacp::Task damaged{"concrete", 0, "exp"}, gone{"cos", 0, "exp"};
  put_rows(place.folder, damaged, found_in(place.folder, damaged).rows.substr(0, 400) + "\n");
  put_rows(place.folder, gone, "");
  check_ran(lacp_program(place.command, {"--datasets", "cos"}), 1, {"1 done now", "cells/concrete.csv:"});
  CHECK(cells_in(place.folder).contains("cos/0/exp"));
  CHECK(lacp::read_file(place.folder / "table.csv") == whole);
}

TEST_CASE("one task is one task; letters are bold on a terminal alone, and not with NO_COLOR") {
  const TemporaryFolder results;
  const Words one = {"--methods", "fixed", "--datasets", "cos", "--runs", "1", "--jobs", "1"};
  check_ran(lacp_program(quick_run(results.path(), one)), 0,
            {"1 task, 0 done, 1 to run, with 1 thread\n", "1 task, 0 done before, 1 done now"},
            "over 1 run;");
  check_lacks(must_run({"table", results / "smoke"}).output, "\033");
  const auto on_terminal = [&](const std::string& no_color) {
    return program({"env", "TERM=xterm", "NO_COLOR=" + no_color, "script", "-qec",
                    lacp_executable + " table " + (results / "smoke").string(), "/dev/null"});
  };
  if (program({"script", "-qec", "true", "/dev/null"}).status != 0) {
    MESSAGE("skipped: there are no terminals here (/dev/pts is not mounted)");
    return;
  }
  check_ran(on_terminal(""), 0, {}, "\033[1m");
  check_lacks(check_ran(on_terminal("1"), 0, {}, "cos").output, "\033[");
}
