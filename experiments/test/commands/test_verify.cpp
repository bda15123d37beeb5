// `lacp verify`: what is in a folder of results comes out again, byte for byte, or is named; and what cannot
// be compared, or not at all: no folder, other settings, other data.

#include <algorithm>
#include <set>

#include "common/frame.hpp"
#include "described_table.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/settings/experiment.hpp"
#include "experiment/store/cells.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp_program.hpp"

using lacp::Task;

namespace {

struct Filled : DoneRun {
  /// Alters a cell; its checksum is that of what it says then.
  template <class Change>
  void alter(const lacp::Task& task, Change&& change) const {
    lacp::Cell cell = found_in(folder, task).cell.value();
    change(cell);
    put_cell(folder, cell);
  }
};

Ran verify(const fs::path& folder, const std::vector<std::string>& more = {}) {
  return lacp_program({"verify", folder.string()}, more);
}

/// Every file of a folder with its bytes and the time it was written.
std::map<std::string, std::pair<std::string, fs::file_time_type>> everything(const fs::path& folder) {
  std::map<std::string, std::pair<std::string, fs::file_time_type>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[entry.path().string()] = {entry.is_regular_file() ? lacp::read_file(entry.path()) : "",
                                    fs::last_write_time(entry.path())};
  return files;
}

}  // namespace

TEST_CASE("all cells of a folder agree, with any number of threads; nothing is written") {
  const Filled filled;
  const auto before = everything(filled.folder);
  for (const auto& [jobs, threads] : {std::pair{"1", " with 1 thread\n"}, {"3", " with 3 threads\n"}})
    check_ran(verify(filled.folder, {"--jobs", jobs}), 0, {},
              {filled.folder.string() + ": 28 of 28 cells agree byte for byte", threads});
  CHECK(everything(filled.folder) == before);
}

TEST_CASE("a cell with another number is named, with its file, the column and both values") {
  const Filled filled;
  const Task task{"concrete", 1, "erc"};
  double honest = 0.0;
  filled.alter(task, [&](lacp::Cell& cell) {
    for (lacp::Measurement& m : cell.values)
      if (m.metric == "size_mean" && m.alpha == "0.1") honest = m.value, m.value = 1.25;
  });
  REQUIRE(honest != 0.0);
  const fs::path file = filled.folder / "cells/concrete.csv";
  check_ran(verify(filled.folder), 1, {},
            {file.string() + ":",
             fmt::format(": concrete 1 erc: value of size_mean,0.1,: 1.25 in the folder, {} here\n", honest),
             ": 27 of 28 cells agree"});

  // Changed by hand, the checksum left as it was; and another checksum.
  std::string text = lacp::read_file(file);
  const std::size_t at = text.find("\n0,linear,size_mean,0.05,,");
  REQUIRE(at != std::string::npos);
  text.insert(text.find(",,,,", at), "1");  // perhaps beyond what a number holds: the bytes count
  const std::size_t sum =
      text.find(lacp::checksum_of(found_in(filled.folder, {"concrete", 0, "exp"}).cell.value()));
  text[sum] = text[sum] == '0' ? '1' : '0';
  lacp::write_file(file, text);
  check_ran(verify(filled.folder), 1, {},
            {": concrete 0 linear: ", "is damaged: ", ": 25 of 28 cells agree"});
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
  lacp::write_file(runs, must_run({"table", filled.folder.string(), "--format", "runs"}).output);
  fs::copy(filled.folder / "table.csv", kept);
  const std::string all = lacp::read_file(runs), honest = lacp::read_file(table);
  CHECK(lacp::read_frame(runs).size() == 28 * 3);

  // The report follows from it, and its pages name what they were made from.
  must_run({"report", kept.string()});
  const std::string page = lacp::read_file(kept / "README.md");
  check_has(page, {"28 of 28 tasks done", "from [runs.csv](runs.csv)"});
  check_lacks(page, "e3b0c44298fc1c14");  // the checksum of nothing
  check_lacks(must_run({"table", kept.string()}).messages, "was written before");
  CHECK(lacp::read_file(table) == honest);
  check_ran(verify(kept), 0, {}, ": 28 of 28 cells agree byte for byte");
  check_ran(verify(kept, {"--sample", "2"}), 0, {}, ": 2 of 2 cells agree byte for byte, drawn from 28");

  // A number of the table.
  const auto changed = [](std::string text, const std::string& after) {
    const std::size_t at = text.find(after) + after.size();
    REQUIRE(at >= after.size());
    text[at] = text[at] == '9' ? '8' : '9';
    return text;
  };
  lacp::write_file(table, changed(honest, "concrete,erc,0.1,2,0."));
  check_ran(lacp_program({"report", kept.string()}), 2,
            table.string() + ": does not follow from runs.csv beside it: size_mean of");
  lacp::write_file(table, honest);

  // A number of the runs; with a checksum that fits, it is noticed by the table, and by what comes out again.
  const std::string other = changed(all, "\nconcrete,0,erc,0.1,0.");
  lacp::write_file(runs, other);
  for (const char* command : {"report", "verify"})
    check_ran(lacp_program({command, kept.string()}), 2, runs.string() + ": is damaged: ");
  const std::string rows = other.substr(other.find('\n') + 1);
  const auto write_sealed = [&](const std::string& text) {
    lacp::write_file(runs, "# sha256 of the lines below: " + lacp::sha256(text) + "\n" + text);
  };
  write_sealed(rows);
  check_ran(lacp_program({"report", kept.string()}), 2, "does not follow from runs.csv beside it");
  check_ran(verify(kept), 1, {}, {": concrete 0 erc: size_mean at α = 0.1: 0.", ": 27 of 28 cells agree"});

  // A number that is gone, and a row.
  std::string fewer = all.substr(all.find('\n') + 1);
  const std::size_t at = fewer.find("\nconcrete,0,erc,0.1,") + 20, comma = fewer.find(',', at);
  write_sealed(std::string(fewer).erase(at, comma - at));
  check_ran(verify(kept), 1, {},
            {": concrete 0 erc: size_mean at α = 0.1: none in the folder, 0.", ": 27 of 28 cells agree"});
  write_sealed(fewer.erase(at - 19, fewer.find('\n', at) - at + 20));
  check_ran(verify(kept), 1, {},
            {": concrete 0 erc: ", " at α = 0.1: none in the folder, 0.", ": 27 of 28 cells agree"});

  // Another checksum of a cell stands for numbers that are not kept; the pages are those of other cells.
  const lacp::Cell cell = found_in(filled.folder, {"concrete", 0, "exp"}).cell.value();
  const auto write_another = [&](const std::string& of) {
    std::string foreign = all.substr(all.find('\n') + 1);
    write_sealed(foreign.replace(foreign.find(of), of.size(), lacp::sha256("another")));
  };
  write_another(cell.checksum);
  check_ran(verify(kept), 1, {}, {": concrete 0 exp: checksum of the cell: ", ": 27 of 28 cells agree"});
  check_has(must_run({"table", kept.string()}).messages, "README.md: was written before");

  // Made by another algorithm, it does not count, and the table stays.
  write_another(cell.settings);
  lacp::write_file(table, honest);
  must_run({"report", kept.string()});
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
  CHECK(lacp::draw(tasks, 3, 1) != lacp::draw(tasks, 3, 2));
  CHECK(lacp::draw(tasks, 1000, 1) == tasks);
  std::set<Task> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<Task> drawn = lacp::draw(tasks, 3, seed);
    CHECK(std::set(drawn.begin(), drawn.end()).size() == 3);
    seen.insert(drawn.begin(), drawn.end());
  }
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

TEST_CASE("the first difference of two csv texts, also where one has a line more") {
  const std::string csv = "# a\nmetric,alpha,bin,value\nsize,0.1,,2\nsize,0.2,1,3\n", last = "size,0.2,1,3\n";
  const std::string shorter = csv.substr(0, csv.size() - last.size());
  CHECK(lacp::first_difference(csv, csv) == "");
  CHECK(lacp::first_difference(shorter + "size,0.2,1,4\n", csv) ==
        "value of size,0.2,1: 4 in the folder, 3 here");
  check_has(lacp::first_difference(shorter, csv), "'' in the folder, 'size,0.2,1,3' here");
  check_has(lacp::first_difference(csv, shorter), "'size,0.2,1,3' in the folder, '' here");
  check_has(lacp::first_difference("", csv), "'' in the folder");
}

TEST_CASE("cells of other settings or another version are named as such, and not as different numbers") {
  const Filled filled;
  for (const Task& task : {Task{"cos", 0, "erc"}, {"cos", 1, "erc"}})
    filled.alter(task, [](lacp::Cell& cell) { cell.settings = std::string(64, 'a'); });
  check_ran(verify(filled.folder), 2, ": not compared: 2 cells (cos 0 erc, ...)", ": 26 of 26 cells agree");

  // One that differs weighs more.
  filled.alter({"concrete", 1, "exp"}, [](lacp::Cell& cell) { cell.values[0].value += 1.0; });
  CHECK(verify(filled.folder).status == 1);
}

TEST_CASE("a data set that is missing is left out; one that is unknown or other data is an error") {
  const TemporaryFolder place;
  const fs::path own = place / "datasets", folder = place / "results/smoke";
  const std::string csv = x_and_y(120, [](int i) { return i * 3 % 17; });
  write_dataset(own, "own", csv);
  fs::copy(fs::path(source_datasets) / "cos.yaml", own / "cos.yaml");
  check_ran(run_own(place.path(), {"--datasets", "own,cos"}), 0);
  const auto check = [&](const std::vector<std::string>& more = {}) {
    return verify(folder, joined({"--datasets-folder", own.string()}, more));
  };
  CHECK(has(check().output, ": 8 of 8 cells agree"));

  lacp::write_file(own / "own.csv", csv + "7,7\n");
  check_ran(check(), 2, "4 cells (own 0 linear, ...) were made from other data", ": 4 of 4 cells agree");

  const std::string described = lacp::read_file(own / "own.yaml"), file = "file: own.csv\n";
  std::string stated = described;
  stated.insert(stated.find(file) + file.size(), "  sha256: " + lacp::sha256(csv) + "\n");
  lacp::write_file(own / "own.yaml", stated);
  check_ran(check(), 2, "own.csv: is not the file that ");
  lacp::write_file(own / "own.yaml", described);

  fs::remove(own / "own.csv");
  check_ran(check(), 0, "missing: own\n", {": 4 of 4 cells agree", "4 left out"});
  // A sample is drawn from what can be computed.
  for (const char* seed : {"1", "2", "3", "4", "5"})
    check_ran(check({"--sample", "2", "--seed", seed}), 0, {}, {": 2 of 2 cells agree", "drawn from 4 "});

  fs::remove(folder / "cells/cos.csv");  // now there is nothing to compare
  check_ran(check(), 1, "4 tasks are missing (cos 0 linear, ...)", ": 0 of 0 cells agree");
  CHECK(check({"--allow-missing"}).status == 2);
  fs::remove(own / "own.yaml");
  check_ran(check(), 2, "own");
}

TEST_CASE(
    "failures are tried again: the same reason agrees, another one, a success or a new failure differs") {
  const TemporaryFolder results;
  check_ran(lacp_program(quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"}),
                         diverging),
            1);
  const fs::path folder = results / "smoke";
  check_lacks(check_ran(verify(folder), 0, {},
                        ": 2 of 2 cells agree byte for byte, 2 of 2 failures with the same reason; ")
                  .messages,
              "failed");
  check_ran(verify(folder, {"--sample", "3"}), 0, {}, "drawn from 4 with seed 1");

  // Another reason, and one for a task that ends well.
  const Task exp{"concrete", 0, "exp"}, fixed{"concrete", 0, "fixed"};
  lacp::Cell failure = found_in(folder, exp).cell.value(), cell = found_in(folder, fixed).cell.value();
  const lacp::Cell honest = cell;
  const std::string reason = std::exchange(failure.failure, "made up");
  put_cell(folder, failure);
  cell.values.clear(), cell.failure = "made up";
  put_cell(folder, cell);
  check_ran(verify(folder), 1, {},
            {": concrete 0 exp: failed in the folder: made up; fails here: " + reason + "\n",
             ": concrete 0 fixed: failed in the folder: made up; is done here\n",
             ": 1 of 1 cell agree byte for byte, 1 of 3 failures with the same reason"});
  put_cell(folder, honest);

  // A failure by chance says nothing of its task: it is missing.
  failure.settings = "", failure.data = "", failure.failure = "not enough memory";
  put_cell(folder, failure);
  check_ran(verify(folder), 1, "1 task is missing (concrete 0 exp); to run it: lacp run ",
            ": 2 of 2 cells agree byte for byte, 1 of 1 failure with the same reason, 1 missing");

  // A cell of a training that cannot have ended.
  const lacp::Manifest manifest = lacp::load_manifest(folder);
  cell = honest, cell.task.method = "exp";
  cell.settings = lacp::settings_hash(manifest.experiment, cell.task, cell.data);
  put_cell(folder, cell);
  check_ran(verify(folder), 1, {},
            {": concrete 0 exp: is in the folder, and fails here: ", ": 2 of 3 cells agree"});
}

TEST_CASE("tasks that are not there are counted, and fail unless that is allowed") {
  const Filled filled;
  for (const char* method : {"erc", "exp"}) put_rows(filled.folder, {"concrete", 1, method}, "");
  for (const Words& sample : {Words{}, {"--sample", "3"}}) {
    check_ran(verify(filled.folder, sample), 1, "2 tasks are missing (concrete 1 erc, ...); to run them: ",
              " cells agree byte for byte, 2 missing");
    check_ran(verify(filled.folder, joined(sample, {"--allow-missing"})), 0, {}, ", 2 missing");
  }
}

TEST_CASE("table.csv and units.csv are checked against cells and data") {
  const Filled filled;
  const fs::path table = filled.folder / "table.csv";
  const std::string honest = lacp::read_file(table), of = "\nconcrete,erc,0.1,2,0.";
  std::string changed = honest;
  changed[changed.find(of) + of.size()] ^= 1;  // another digit
  REQUIRE(changed != honest);
  lacp::write_file(table, changed);
  check_ran(verify(filled.folder, {"--sample", "1"}), 1, {},
            {table.string() + ": does not follow from the cells: size_mean of ", ": 1 of 1 cell agree"});

  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--methods", "fixed", "--set", "predictor.cross_fit=3"}));
  const fs::path folder = results / "smoke", file = folder / "units.csv";
  check_ran(verify(folder), 0, {}, ": 4 of 4 cells agree");
  lacp::Units units = lacp::read_units(folder);
  units[{"concrete", 1}].used *= 10.0;
  lacp::write_units(folder, units);  // with its checksum
  check_ran(verify(folder, {"--sample", "1"}), 1, {}, file.string() + ": concrete, run 1: mean_abs_y: ");
  units.erase({"concrete", 1});
  lacp::write_units(folder, units);
  check_ran(verify(folder), 1, {}, file.string() + ": concrete, run 1: is missing");
  lacp::write_file(file, lacp::read_file(file) + "concrete,1,1,1,\n");
  check_ran(verify(folder), 1, {}, file.string() + ": was changed, or ");
}

TEST_CASE("no folder, no manifest, no cells, a sample of none: one line and exit code 2") {
  const TemporaryFolder empty;
  check_ran(verify(empty / "none"), 2, (empty / "none").string() + ": has no manifest.yaml");
  CHECK_FALSE(fs::exists(empty / "none"));
  CHECK(verify(empty.path()).status == 2);
  const Filled filled;
  CHECK(verify(filled.folder, {"--sample", "0"}).status == 2);
  fs::remove_all(filled.folder / "cells");
  check_ran(verify(filled.folder), 2, filled.folder.string() + ": has no cells to verify");
}
