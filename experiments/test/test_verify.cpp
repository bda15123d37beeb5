// `lacp verify`: what is in a folder of results comes out again, byte for byte, or is named.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "store/cells.hpp"
#include "store/manifest.hpp"
#include "work/verify.hpp"

using lacp::Task;

namespace {

const fs::path datasets = fs::path(LACP_SOURCE_DIR) / "datasets";

/// The smoke experiment, made once per program; each test works on a copy.
struct Filled {
  TemporaryFolder results;
  fs::path folder = results / "smoke";

  Filled() {
    static const TemporaryFolder made;
    if (!fs::exists(made / "smoke")) {
      const Ran ran = lacp_program(quick_run(made.path()));
      REQUIRE_MESSAGE(ran.status == 0, ran.messages);
    }
    fs::copy(made / "smoke", folder, fs::copy_options::recursive);
  }

  /// Alters a loose cell; its checksum is that of what it says then.
  template <class Change>
  void alter(const Task& task, Change&& change) const {
    lacp::Cell cell = lacp::Cells(folder).read(task).value();
    change(cell);
    lacp::write_file(lacp::cell_path(folder, task), lacp::to_text(cell));
  }
};

Ran verify(const fs::path& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"verify", folder.string(), "--datasets-folder", datasets.string()};
  for (const std::string& word : more) arguments.push_back(word);  // the last of an option counts
  return lacp_program(arguments);
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

TEST_CASE("all cells of a folder agree, loose and packed, with any number of threads; nothing is written") {
  const Filled filled;
  const auto before = everything(filled.folder);
  const Ran loose = verify(filled.folder, {"--jobs", "1"});
  CHECK_MESSAGE(loose.status == 0, loose.output, loose.messages);
  CHECK(
      loose.output.starts_with(filled.folder.string() + ": 28 of 28 cells agree byte for byte; this took "));
  CHECK(has(loose.output, " with 1 thread, all 28 would take about "));
  CHECK(everything(filled.folder) == before);

  REQUIRE(lacp_program({"pack", filled.folder.string()}).status == 0);
  const auto packed = everything(filled.folder);
  const Ran again = verify(filled.folder, {"--jobs", "3"});
  CHECK_MESSAGE(again.status == 0, again.output, again.messages);
  CHECK(has(again.output, ": 28 of 28 cells agree byte for byte"));
  CHECK(everything(filled.folder) == packed);
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
  const std::string expected =
      fmt::format(": concrete 1 erc: value of size_mean,0.1,: 1.25 in the folder, {} here\n", honest);
  const Ran loose = verify(filled.folder);
  CHECK(loose.status == 1);
  CHECK_MESSAGE(has(loose.output, lacp::cell_path(filled.folder, task).string() + expected), loose.output);
  CHECK(has(loose.output, ": 27 of 28 cells agree"));

  REQUIRE(lacp_program({"pack", filled.folder.string()}).status == 0);
  const fs::path pack = filled.folder / "cells/concrete.csv";
  const Ran packed = verify(filled.folder);
  CHECK(packed.status == 1);
  CHECK(has(packed.output, pack.string() + ":"));
  CHECK(has(packed.output, expected));

  // Changed by hand, the checksum left as it was.
  std::string text = lacp::read_file(pack);
  const std::size_t at = text.find("\n0,linear,size_mean,0.05,,");
  REQUIRE(at != std::string::npos);
  text.insert(text.find(",,,,", at), "1");
  lacp::write_file(pack, text);
  const Ran edited = verify(filled.folder);
  CHECK(edited.status == 1);
  CHECK_MESSAGE(has(edited.output, ": concrete 0 linear: value of size_mean,0.05,: "), edited.output);
  CHECK(has(edited.output, ": 26 of 28 cells agree"));
}

TEST_CASE("kept intervals are compared too") {
  const Filled filled;
  const fs::path file = filled.folder / "intervals/cos/exp.csv";
  const std::string honest = lacp::read_file(file);
  const std::size_t second = honest.find('\n', honest.find('\n') + 1);
  lacp::write_file(file, honest.substr(0, second) + "9" + honest.substr(second));  // σ of the first point
  const Ran ran = verify(filled.folder);
  CHECK(ran.status == 1);
  CHECK_MESSAGE(has(ran.output, file.string() + ": cos 0 exp: sigma of "), ran.output);
  CHECK(has(ran.output, ": 27 of 28 cells agree"));
}

TEST_CASE("cells of another algorithm or other settings are named as such, and not as different numbers") {
  const Filled filled;
  const lacp::Manifest manifest = lacp::load_manifest(filled.folder);
  const auto made_by = [&](const Task& task, int algorithm) {
    filled.alter(task, [&](lacp::Cell& cell) {
      cell.settings = lacp::settings_hash(manifest.experiment, task, cell.data, algorithm);
      cell.values[0].value += 1.0;
    });
  };
  const int here = lacp::current_algorithm();
  made_by({"cos", 0, "erc"}, here - 1);
  made_by({"cos", 1, "erc"}, here - 1);
  made_by({"cos", 0, "exp"}, here + 1);
  filled.alter({"concrete", 0, "exp"}, [](lacp::Cell& cell) { cell.settings = std::string(64, 'a'); });
  const Ran ran = verify(filled.folder);
  CHECK(ran.status == 2);
  CHECK_MESSAGE(
      has(ran.messages,
          fmt::format(
              "{}: not compared: 2 cells (cos 0 erc, ...) were made by algorithm {} (commit {}), and this program has algorithm {}; to do them again: lacp run ",
              filled.folder.string(), here - 1, manifest.commits().at(0), here)),
      ran.messages);
  CHECK(has(ran.messages, fmt::format("1 cell (cos 0 exp) was made by algorithm {} ", here + 1)));
  CHECK(has(ran.messages, "1 cell (concrete 0 exp) was made with other settings than manifest.yaml has;"));
  CHECK(has(ran.output, ": 24 of 24 cells agree"));

  // One that differs weighs more.
  filled.alter({"concrete", 1, "exp"}, [](lacp::Cell& cell) { cell.values[0].value += 1.0; });
  CHECK(verify(filled.folder).status == 1);
}

TEST_CASE("the same seed draws the same cells, another seed others") {
  const Filled filled;
  const auto names = [](const std::vector<Task>& tasks) {
    std::vector<std::string> texts;
    for (const Task& task : tasks)
      texts.push_back(fmt::format("{} {} {}", task.dataset, task.run, task.method));
    return lacp::join(texts, ", ");
  };
  std::vector<Task> tasks;
  for (std::size_t run = 0; run < 20; ++run)
    for (const char* method : {"exp", "erc"}) tasks.push_back({"a", run, method});
  // Stated here, since it must be the same on any machine.
  CHECK(names(lacp::draw(tasks, 3, 1)) == "a 3 erc, a 16 erc, a 18 erc");
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
  const lacp::Experiment experiment = lacp::load_manifest(filled.folder).experiment;
  std::vector<Task> cells;
  for (const std::string& dataset : experiment.datasets)
    for (std::size_t run = 0; run < experiment.runs; ++run)
      for (const std::string& method : experiment.methods) cells.push_back({dataset, run, method});
  for (const Task& task : cells) filled.alter(task, [](lacp::Cell& cell) { cell.values[0].value += 1.0; });
  const Ran ran = verify(filled.folder, {"--sample", "4", "--seed", "9"});
  CHECK(ran.status == 1);
  CHECK(has(ran.output, ": 0 of 4 cells agree byte for byte, drawn from 28 with seed 9; "));
  for (const Task& task : lacp::draw(cells, 4, 9))
    CHECK(has(ran.output, fmt::format(": {} {} {}: value of ", task.dataset, task.run, task.method)));
  CHECK(has(verify(filled.folder, {"--sample", "2"}).output, " drawn from 28 with seed 1; "));
}

TEST_CASE("a data set that is not at hand is left out; one that is unknown or other data is an error") {
  const TemporaryFolder place;
  const fs::path own = place / "datasets";
  std::string csv = "x,y\n";
  for (int i = 0; i < 120; ++i) csv += fmt::format("{},{}\n", i, (i * 3) % 17);
  lacp::write_file(own / "own.yaml",
                   "title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n  file: own.csv\n");
  lacp::write_file(own / "own.csv", csv);
  fs::copy(datasets / "cos.yaml", own / "cos.yaml");
  REQUIRE(lacp_program({"run", smoke_yaml.string(), "--results", place.path().string(), "--datasets-folder",
                        own.string(), "--datasets", "own,cos", "--methods", "fixed"})
              .status == 0);
  const fs::path folder = place / "smoke";
  const auto check = [&] {
    return lacp_program({"verify", folder.string(), "--datasets-folder", own.string()});
  };
  CHECK(has(check().output, ": 4 of 4 cells agree"));

  lacp::write_file(own / "own.csv", csv + "7,7\n");
  const Ran changed = check();
  CHECK(changed.status == 2);
  CHECK_MESSAGE(has(changed.messages,
                    "2 cells (own 0 fixed, ...) were made from other data than the data set has now;"),
                changed.messages);
  CHECK(has(changed.output, ": 2 of 2 cells agree"));

  fs::remove(own / "own.csv");
  const Ran missing = check();
  CHECK(missing.status == 0);
  CHECK(has(missing.messages, "left out, because their files are not at hand: own\n"));
  CHECK_MESSAGE(has(missing.output, ": 2 of 2 cells agree byte for byte; 2 left out, since"), missing.output);

  fs::remove_all(folder / "cells/cos");  // now there is nothing to compare
  CHECK(check().status == 2);
  fs::remove(own / "own.yaml");
  const Ran unknown = check();
  CHECK(unknown.status == 2);
  CHECK(has(unknown.messages, "own"));
}

TEST_CASE("a file with another checksum than its description states is an error") {
  const TemporaryFolder place;
  const fs::path own = place / "datasets";
  fs::create_directories(own);
  for (const char* name : {"concrete.yaml", "concrete.csv"}) fs::copy(datasets / name, own / name);
  REQUIRE(lacp_program({"run", smoke_yaml.string(), "--results", place.path().string(), "--datasets-folder",
                        own.string(), "--datasets", "concrete", "--methods", "fixed", "--runs", "1"})
              .status == 0);
  lacp::write_file(own / "concrete.csv", lacp::read_file(own / "concrete.csv") + "1,2,3\n");
  const auto before = everything(place / "smoke");
  const Ran ran = lacp_program({"verify", (place / "smoke").string(), "--datasets-folder", own.string()});
  CHECK(ran.status == 2);
  CHECK_MESSAGE(has(ran.messages, "concrete.csv: is not the file that "), ran.messages);
  CHECK(everything(place / "smoke") == before);
}

TEST_CASE("tasks that failed in the folder are no cells; one that fails here only differs") {
  const TemporaryFolder results;
  REQUIRE(lacp_program(quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete", "--set",
                                                  "training.learning_rate=1e30"}))
              .status == 1);
  const fs::path folder = results / "smoke";
  const auto before = everything(folder);
  CHECK(has(verify(folder).output, ": 2 of 2 cells agree"));

  // A cell of a training that cannot have ended.
  const lacp::Manifest manifest = lacp::load_manifest(folder);
  lacp::Cell cell = lacp::Cells(folder).read({"concrete", 0, "fixed"}).value();
  cell.task.method = "exp";
  cell.settings = lacp::settings_hash(manifest.experiment, cell.task, cell.data);
  lacp::write_file(lacp::cell_path(folder, cell.task), lacp::to_text(cell));
  const Ran ran = verify(folder);
  CHECK(ran.status == 1);
  CHECK_MESSAGE(has(ran.output, "concrete 0 exp: is in the folder, and fails here: "), ran.output);
  CHECK(has(ran.output, ": 2 of 3 cells agree"));
  fs::remove(lacp::cell_path(folder, cell.task));
  for (const auto& [name, file] : before)
    if (!fs::is_directory(name)) CHECK(lacp::read_file(name) == file.first);
}

TEST_CASE("no folder, no manifest, no cells, a sample of none: one line and exit code 2") {
  const TemporaryFolder empty;
  const Ran none = verify(empty / "none");
  CHECK(none.status == 2);
  CHECK(has(none.messages, (empty / "none").string() + ": has no manifest.yaml; expected a folder"));
  CHECK_FALSE(fs::exists(empty / "none"));
  CHECK(verify(empty.path()).status == 2);
  const Filled filled;
  CHECK(verify(filled.folder, {"--sample", "0"}).status == 2);
  fs::remove_all(filled.folder / "cells");
  const Ran bare = verify(filled.folder);
  CHECK(bare.status == 2);
  CHECK(has(bare.messages, filled.folder.string() + ": has no cells to verify; "));
  CHECK(std::ranges::count(bare.messages, '\n') <= 1);
}

TEST_CASE("the first difference of two csv texts") {
  const std::string csv = "# a\nmetric,alpha,bin,value\nsize,0.1,,2\nsize,0.2,1,3\n# sum: 1\n";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = csv;
    return lacp::first_difference(text.replace(text.find(from), from.size(), to), csv);
  };
  CHECK(lacp::first_difference(csv, csv) == "");
  CHECK(changed("1,3", "1,4") == "value of size,0.2,1: 4 in the folder, 3 here");
  CHECK(changed("# a\n", "# b\n") == "the line '# b' in the folder, '# a' here");
  CHECK(changed("size,0.2", "width,0.2") == "the line 'width,0.2,1,3' in the folder, 'size,0.2,1,3' here");
  CHECK(changed("size,0.2,1,3\n", "") == "the line '' in the folder, 'size,0.2,1,3' here");
  CHECK(lacp::first_difference("", csv) == "the line '' in the folder, 'metric,alpha,bin,value' here");
}
