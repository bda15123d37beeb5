#include <algorithm>
#include <map>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "described_table.hpp"
#include "experiment/settings/experiment.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"

using namespace lacp;

namespace {

/// `lacp datasets ...` with the descriptions of that folder.
Ran run_datasets(const fs::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"datasets", "--datasets-folder", folder.string()});
  return lacp_program(arguments);
}

}  // namespace

TEST_CASE("fetch gets the data sets of an experiment, and no others") {
  const Ran ran = check_ran(run_datasets(source_datasets, {"fetch", "--for", smoke_yaml.string()}), 0);
  check_has(ran.output, {"concrete: ", "cos: "});
  CHECK(std::ranges::count(ran.output, '\n') == 2);
}

TEST_CASE("the list shows every data set, its size and whether its file is there") {
  const TemporaryFolder folder;
  const auto list = [&] { return run_datasets(folder.path(), {}); };
  write_dataset(folder.path(), "mine", "u,v,y\n1,2,3\n2,1,4\n3,3,5\n");
  const std::string wide(60, 'a'), next(30, 'b');  // of a title that takes two lines
  lacp::write_file(folder / "words.yaml",
                   "title: " + wide + " " + next + "\nlicence: L\nsynthetic: {profile: cos}\n");
  lacp::write_file(folder / "gone.yaml",
                   heading + "target: y\nrows: 12\nattributes: 3\nsource:\n  file: a.csv\n");
  const Ran ran = check_ran(
      list(), 0, {},
      {"mine                        3          2  local        L\n    T\n",  // counted in its file
       "words                    1000          3  generated    L\n    " + wide + "\n    " + next + "\n",
       "gone                       12          3  missing      L\n    T\n",
       "\ngone: " + (folder / "a.csv").string() + " is missing; put it there, or name a source.url"});
  CHECK_FALSE(has(ran.output, "`lacp datasets fetch`"));
  lacp::write_file(folder / "mine.csv", "u,v\n1,2\n");  // without its target: still listed
  CHECK(has(list().output, "mine                        ?          ?"));
  write_dataset(folder.path(), "away", "",
                "  url: https://e.org/a.csv\n  sha256: " + std::string(64, 'a') + "\ntarget: y\n");
  CHECK(has(list().output, "`lacp datasets fetch`"));
  lacp::write_file(folder / "broken.yaml", heading + "soruce: 1\n");
  check_ran(list(), 2, "broken.yaml", "mine ");
}

TEST_CASE("the project's own list holds its data sets, and those that it has files of can be read") {
  const Ran ran = run_datasets(source_datasets, {});
  CHECK(ran.status == 0);
  for (const std::string& line : lacp::split_text(ran.output, '\n'))
    CHECK_MESSAGE(lacp::text_width(line) <= 80, line);
  CHECK(has(ran.output, "linear is a method too: "));
  for (const std::string& name : lacp::Catalog(source_datasets).names()) CHECK(has(ran.output, name + " "));
  for (const std::string name : {"concrete", "cos", "squared", "inverse", "linear"})
    CHECK(run_datasets(source_datasets, {"check", name}).status == 0);
}

TEST_CASE("a wrong name exits with 2 and the nearest name") {
  check_ran(run_datasets(fs::path(source_datasets) / "none", {}), 2);
  for (const std::string words :
       {"check concret", "fetch concret", "check", "check none.yaml", "fetch --mirror /nonexistent"})
    check_ran(run_datasets(source_datasets, split_text(words, ' ')), 2,
              has(words, "concret") ? "'concret' in " : "", "");
}

TEST_CASE("fetch gets what it can, exits with 1 if something failed, and check then reads it") {
  const TemporaryFolder folder;
  const std::string table = x_and_y(100, [](int i) { return i * i; });
  const auto describe = [&](const std::string& name, const std::string& sum) {
    lacp::write_file(folder / (name + ".yaml"), heading + "target: y\nsource:\n  url: file://" +
                                                    folder.path().string() + "/server/" + name +
                                                    ".csv\n  sha256: " + sum + "\n");
  };
  describe("absent", lacp::sha256(table));
  describe("good", lacp::sha256(table));
  describe("wrong", lacp::sha256("something else"));
  lacp::write_file(folder / "server/good.csv", table);
  lacp::write_file(folder / "mirror/wrong.csv", table);

  check_ran(run_datasets(folder.path(), {"check", "good"}), 2);
  check_ran(run_datasets(folder.path(), {"fetch", "--mirror", (folder / "mirror").string()}), 1,
            {"absent: file://", lacp::sha256(table), lacp::sha256("something else")},
            fmt::format("good: {} bytes from file://", table.size()));
  check_ran(run_datasets(folder.path(), {"check", "good"}), 0, {}, "rows            100\n");
  check_ran(run_datasets(folder.path(), {"fetch", "good"}), 0);
  check_ran(run_datasets(folder.path(), {"check", (folder / "good.yaml").string()}), 0);
  // What an experiment would refuse.
  write_dataset(folder.path(), "gap", x_and_y(100, [](int i) { return i == 50 ? "" : "1.5"; }));
  check_ran(run_datasets(folder.path(), {"check", "gap"}), 2, "gap.csv:52: column 2 'y': the cell is empty",
            "missing cells   1\n");
}

TEST_CASE("exported rows are those of the run: its parts, scaled, every row once") {
  const TemporaryFolder folder;
  const auto exported = [&](const std::vector<std::string>& more) {
    return lacp_program({"export", std::string(LACP_SOURCE_DIR) + "/experiments/full.yaml", "--output",
                         folder.path().string(), "--datasets-folder", source_datasets},
                        more);
  };
  check_ran(exported({"--datasets", "concrete", "--run", "1"}), 0);
  const Frame table = read_frame(folder / "concrete.csv");
  CHECK(table.header().front() == "part");
  CHECK(table.header()[8] == "x8");
  CHECK(table.header().back() == "y");
  // As the cells of results/full say: rows_proper, rows_train, calibration_points, scored_points.
  std::map<std::string, int> rows;
  for (const Row& row : table) ++rows[row["part"]];
  CHECK(rows ==
        std::map<std::string, int>{{"proper", 412}, {"train", 412}, {"calibration", 103}, {"test", 103}});
  double sum = 0.0;
  for (std::size_t i = 0; i < 412; ++i) sum += table.number(i, "y");
  CHECK(sum / 412 == doctest::Approx(1.0).epsilon(1e-9));  // y in units of mean |y| of the first part

  const std::string text = read_file(folder / "concrete.csv");
  for (const char* run : {"1", "2"}) {
    check_ran(exported({"--datasets", "concrete", "--run", run}), 0);
    CHECK((read_file(folder / "concrete.csv") == text) == (*run == '1'));
  }
  check_ran(exported({"--datasets", "concrete", "--run", "20"}), 2, "--run: found 20; ");
  check_ran(exported({"--datasets", "nowhere"}), 2, "nowhere");
}
