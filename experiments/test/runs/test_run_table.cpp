// The table at the end of a run, and the ways to print it.
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"

namespace {

std::string table_of(const fs::path& results, const std::string& format) {
  return must_run({"table", (results / "smoke").string(), "--format", format}).output;
}

bool has_table(const fs::path& results) {
  return fs::exists(results / "smoke/table.csv") || fs::exists(results / "smoke/table.tex");
}

/// What `lacp table` prints on a terminal.
std::string on_terminal(const fs::path& folder, const std::string& no_color) {
  OnTerminal table({"env", "TERM=xterm", "NO_COLOR=" + no_color, lacp_executable, "table", folder.string()});
  while (at_work(table.child)) table.look();
  table.look();
  CHECK(end_of(table.child) == 0);
  return table.text;
}

}  // namespace

TEST_CASE("a run ends with its table and writes it as `lacp table` does") {
  const TemporaryFolder results;
  const Ran ran = must_run(quick_run(results.path()));
  CHECK(lacp::read_file(results / "smoke/table.csv") == undisturbed().table);
  CHECK(lacp::read_file(results / "smoke/table.tex") == undisturbed().tex);
  CHECK(table_of(results.path(), "csv") == undisturbed().table);
  CHECK(table_of(results.path(), "latex") == undisturbed().tex);
  CHECK(table_of(results.path(), "markdown").starts_with("| data set | method | size, α = 0.05 |"));
  const std::string text = table_of(results.path(), "text");
  CHECK(has(text, ran.output.substr(1)));  // an empty line sets it apart from what the run said
  check_has(text, {"data set cos\n", "data set concrete\n", "\n  erc (error fit) "});
  CHECK(count(ran.output, "*") >= 2 * 3 + 1);  // a smallest size per data set and level, and the legend
  for (const std::string& line : lacp::split_text(ran.output, '\n'))
    CHECK_MESSAGE(lacp::text_width(line) <= lacp::terminal_columns, line);
}

TEST_CASE("a quiet run says nothing and leaves the same files") {
  const TemporaryFolder results;
  const Ran ran = must_run(quick_run(results.path(), {"--quiet"}));
  CHECK(ran.output + ran.messages == "");
  CHECK(lacp::read_file(results / "smoke/table.csv") == undisturbed().table);
  check_ran(lacp_program(quick_run(results.path(), {"--quiet", "--set", "training.epochs=0"})), 2,
            "training.epochs");
}

TEST_CASE("no table is made of a shard or a dry run") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--dry-run"}));
  CHECK_FALSE(has_table(results.path()));
  CHECK(must_run(quick_run(results.path(), {"--shard", "1/2"})).output == "");
  CHECK_FALSE(has_table(results.path()));
}

TEST_CASE("a table of more runs stays while tasks are to be done, quiet or not") {
  const DoneRun place;
  const auto table = [&] { return lacp::read_file(place.folder / "table.csv"); };
  const std::string whole = table();
  fs::remove(place.folder / "cells/concrete.csv");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--quiet"}}) {
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
  const std::vector<std::string> one = {"--methods", "fixed", "--datasets", "cos",
                                        "--runs",    "1",     "--jobs",     "1"};
  check_ran(lacp_program(quick_run(results.path(), one)), 0,
            {"1 task, 0 done, 1 to run, with 1 thread\n", "1 task, 0 done before, 1 done now"},
            "over 1 run;");
  CHECK_FALSE(has(table_of(results.path(), "text"), "\033"));
  if (!has_terminals()) return;
  CHECK(has(on_terminal(results / "smoke", ""), "\033[1m"));
  CHECK_FALSE(has(on_terminal(results / "smoke", "1"), "\033["));
}
