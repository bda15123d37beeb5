// `lacp verify`: what is in a folder of results comes out again, byte for byte, or is named.
#include "described_table.hpp"
#include "engine/plan.hpp"
#include "lacp_program.hpp"
#include "store/manifest.hpp"

using lacp::Task;

namespace {

struct Filled : DoneRun {
  /// Alters a cell; its checksum is that of what it says then.
  void alter(const Task& task, const std::function<void(lacp::Cell&)>& change) const {
    lacp::Cell cell = found_in(folder, task).cell.value();
    change(cell);
    put_cell(folder, cell);
  }
};

Ran verify(const fs::path& folder, const Words& more = {}) { return lacp_program({"verify", folder}, more); }

}  // namespace

TEST_CASE("all cells of a folder agree, with any number of threads; nothing is written") {
  const Filled filled;
  const auto before = files_below(filled.folder);
  for (const auto& [jobs, threads] : {std::pair{"1", " with 1 thread\n"}, {"3", " with 3 threads\n"}})
    check_ran(verify(filled.folder, {"--jobs", jobs}), 0, {},
              {filled.folder.string() + ": 28 of 28 cells agree byte for byte", threads});
  CHECK(files_below(filled.folder) == before);
}

TEST_CASE("a cell with another number is named, with its file, the column and both values") {
  const Filled filled;
  const Task task{"concrete", 1, "erc"};
  double honest = 0.0;
  filled.alter(task, [&](lacp::Cell& cell) {
    for (lacp::Measurement& m : cell.values)
      if (m.metric == "size_mean" && m.alpha == "0.1") honest = m.value, m.value = 1.25;
  });
  const fs::path file = filled.folder / "cells/concrete.csv";
  const std::string both = fmt::format("value of size_mean,0.1,: 1.25 in the folder, {} here\n", honest);
  check_ran(verify(filled.folder), 1, {},
            {file.string() + ":", ": concrete 1 erc: " + both, ": 27 of 28 cells agree"});
  // It weighs more than one of other settings, which is not compared.
  filled.alter({"cos", 0, "erc"}, [](lacp::Cell& cell) { cell.settings = std::string(64, 'a'); });
  check_ran(verify(filled.folder), 1, ": not compared: 1 cell (cos 0 erc)", ": 26 of 27 cells agree");

  // Changed by hand, the checksum left as it was.
  std::string text = lacp::read_file(file);
  const std::size_t at = text.find("\n0,linear,size_mean,0.05,,");
  REQUIRE(at != std::string::npos);
  text.insert(text.find(",,,,", at), "1");  // perhaps beyond what a number holds: the bytes count
  lacp::write_file(file, text);
  check_ran(verify(filled.folder), 1, {},
            {": concrete 0 linear: ", "is damaged: ", ": 25 of 27 cells agree"});
}

TEST_CASE("kept intervals are compared too") {
  const Filled filled;
  const fs::path file = filled.folder / "intervals/cos.csv";
  const std::string honest = lacp::read_file(file);
  const std::size_t first = honest.find("\nexp,") + 1, second = honest.find('\n', first);
  lacp::write_file(file, honest.substr(0, second) + "9" + honest.substr(second));  // σ of the first point
  check_ran(verify(filled.folder), 1, {},
            {file.string() + ": cos 0 exp: sigma of ", ": 27 of 28 cells agree"});

  fs::remove(file);
  check_ran(verify(filled.folder), 1, {},
            {file.string() + ": cos 0 exp: is not there\n", ": 21 of 28 cells agree"});
}

TEST_CASE("cells that are kept in part are verified, and a number that was changed is noticed") {
  const Filled filled;
  const fs::path kept = filled.results / "kept/smoke", runs = kept / "runs.csv", table = kept / "table.csv";
  fs::create_directories(kept);
  fs::copy(filled.folder / "manifest.yaml", kept);
  lacp::write_file(runs, must_run({"table", filled.folder, "--format", "runs"}).output);
  fs::copy(filled.folder / "table.csv", kept);
  const std::string all = lacp::read_file(runs), honest = lacp::read_file(table);

  // The report follows from it, and its pages name what they were made from.
  must_run({"report", kept});
  check_has(lacp::read_file(kept / "README.md"), {"28 of 28 tasks done", "from [runs.csv](runs.csv)"});
  check_lacks(must_run({"table", kept}).messages, "was written before");
  CHECK(lacp::read_file(table) == honest);
  check_ran(verify(kept), 0, {}, ": 28 of 28 cells agree byte for byte");

  const auto changed = [](std::string text, const std::string& after) {
    const std::size_t at = text.find(after) + after.size();
    REQUIRE(at >= after.size());
    text[at] = text[at] == '9' ? '8' : '9';
    return text;
  };
  lacp::write_file(table, changed(honest, "concrete,erc,0.1,2,0."));
  check_ran(lacp_program({"report", kept}), 2,
            table.string() + ": does not follow from runs.csv beside it: size_mean of");
  lacp::write_file(table, honest);

  // A number of the runs; with a checksum that fits, it is noticed by the table, and by what comes out again.
  const std::string other = changed(all, "\nconcrete,0,erc,0.1,0.");
  lacp::write_file(runs, other);
  for (const char* command : {"report", "verify"})
    check_ran(lacp_program({command, kept}), 2, runs.string() + ": is damaged: ");
  const std::string rows = other.substr(other.find('\n') + 1);
  const auto write_sealed = [&](const std::string& text) {
    lacp::write_file(runs, "# sha256 of the lines below: " + lacp::sha256(text) + "\n" + text);
  };
  write_sealed(rows);
  check_ran(lacp_program({"report", kept}), 2, "does not follow from runs.csv beside it");
  check_ran(verify(kept), 1, {}, {": concrete 0 erc: size_mean at α = 0.1: 0.", ": 27 of 28 cells agree"});

  // Another checksum of a cell stands for numbers that are not kept; the pages are those of other cells.
  const lacp::Cell cell = found_in(filled.folder, {"concrete", 0, "exp"}).cell.value();
  const auto write_another = [&](const std::string& of) {
    std::string foreign = all.substr(all.find('\n') + 1);
    write_sealed(foreign.replace(foreign.find(of), of.size(), lacp::sha256("another")));
  };
  write_another(cell.checksum);
  check_ran(verify(kept), 1, {}, {": concrete 0 exp: checksum of the cell: ", ": 27 of 28 cells agree"});
  check_has(must_run({"table", kept}).messages, "README.md: was written before");

  // Made by another algorithm, it does not count, and the table stays.
  write_another(cell.settings);
  lacp::write_file(table, honest);
  must_run({"report", kept});
  check_has(lacp::read_file(kept / "README.md"), "1 cell of smoke is stale");
  CHECK(lacp::read_file(table) == honest);
  check_ran(verify(kept), 2, "not compared: 1 cell (concrete 0 exp)");
}

TEST_CASE("the same seed draws the same cells, another seed others") {
  const Filled filled;
  std::vector<Task> tasks;
  for (std::size_t run = 0; run < 20; ++run)
    for (const char* method : {"exp", "erc"}) tasks.push_back({"a", run, method});
  // Stated here, since it must be the same on any machine.
  CHECK(lacp::draw(tasks, 3, 1) == std::vector<Task>{{"a", 3, "erc"}, {"a", 16, "erc"}, {"a", 18, "erc"}});
  CHECK(lacp::draw(tasks, 1000, 1) == tasks);
  std::set<Task> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const Task& task : lacp::draw(tasks, 3, seed)) seen.insert(task);
  CHECK(seen.size() == tasks.size());

  // The program does what the function says: spoil all cells and see which are named.
  const std::vector<Task> cells = lacp::grid(lacp::load_manifest(filled.folder).experiment);
  for (const Task& task : cells)
    filled.alter(task, [](lacp::Cell& cell) { cell.values[0].value += 1.0, cell.seconds = 100.0; });
  const Ran ran = check_ran(
      verify(filled.folder, {"--sample", "4", "--seed", "9"}), 1, {},
      {": 0 of 4 cells agree", "drawn from 28 with seed 9", "all 28 took 46 min 40 s of one thread"});
  for (const Task& task : lacp::draw(cells, 4, 9))
    CHECK(has(ran.output, fmt::format(": {} {} {}: value of ", task.dataset, task.run, task.method)));
}

TEST_CASE("where a csv text has a line more than the other, that is the first difference") {
  const std::string shorter = "# a\nmetric,value\nsize,2\n", csv = shorter + "size,3\n";
  check_has(lacp::first_difference(shorter, csv), "'' in the folder, 'size,3' here");
  check_has(lacp::first_difference(csv, shorter), "'size,3' in the folder, '' here");
}

TEST_CASE("a data set that is missing is left out; one that is unknown or other data is an error") {
  const TemporaryFolder place;
  const fs::path own = place / "datasets", folder = place / "results/smoke";
  const std::string csv = x_and_y(120, [](int i) { return i * 3 % 17; });
  write_dataset(own, "own", csv);
  fs::copy(fs::path(source_datasets) / "cos.yaml", own / "cos.yaml");
  check_ran(run_own(place.path(), {"--datasets", "own,cos"}), 0);
  const auto check = [&](const Words& more = {}) {
    return verify(folder, joined({"--datasets-folder", own}, more));
  };
  CHECK(has(check().output, ": 8 of 8 cells agree"));

  lacp::write_file(own / "own.csv", csv + "7,7\n");
  check_ran(check(), 2, "4 cells (own 0 linear, ...) were made from other data", ": 4 of 4 cells agree");

  fs::remove(own / "own.csv");
  check_ran(check(), 0, "missing: own\n", {": 4 of 4 cells agree", "4 left out"});
  check_ran(check({"--sample", "2"}), 0, {}, {": 2 of 2 cells agree", "drawn from 4 "});

  fs::remove(folder / "cells/cos.csv");  // now there is nothing to compare
  CHECK(check().status == 2);
  fs::remove(own / "own.yaml");
  check_ran(check(), 2, "own");
}

TEST_CASE("tasks that failed in the folder are no cells; one that fails here only differs") {
  const TemporaryFolder results;
  check_ran(lacp_program(quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"}),
                         diverging),
            1);
  const fs::path folder = results / "smoke";
  check_has(verify(folder).output, ": 2 of 2 cells agree");

  // A cell of a training that cannot have ended.
  const lacp::Manifest manifest = lacp::load_manifest(folder);
  lacp::Cell cell = found_in(folder, {"concrete", 0, "fixed"}).cell.value();
  cell.task.method = "exp";
  cell.settings = lacp::settings_hash(manifest.experiment, cell.task, cell.data);
  put_cell(folder, cell);
  check_ran(verify(folder), 1, {},
            {": concrete 0 exp: is in the folder, and fails here: ", ": 2 of 3 cells agree"});
}

TEST_CASE("no folder, no manifest, no cells, a sample of none: one line and exit code 2") {
  const TemporaryFolder empty;
  check_ran(verify(empty / "none"), 2, (empty / "none").string() + ": has no manifest.yaml");
  CHECK_FALSE(fs::exists(empty / "none"));
  const Filled filled;
  CHECK(verify(filled.folder, {"--sample", "0"}).status == 2);
  fs::remove_all(filled.folder / "cells");
  check_ran(verify(filled.folder), 2, filled.folder.string() + ": has no cells to verify");
}
