// `lacp datasets add`: a draft from a look at the file.
#include <array>
#include <tuple>

#include "described_table.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"
#include "tool/draft/draft.hpp"

namespace {

std::string draft(const std::string& table, const std::string& target = "") {
  return lacp::draft_description({table}, "t.csv", "t.csv", {.target = target}).text;
}

/// A folder with an empty one for data sets in it.
struct Root {
  TemporaryFolder folder;
  fs::path datasets = folder / "datasets";
  Root() { fs::create_directory(datasets); }
  std::string write(const std::string& name, const std::string& text) const {
    lacp::write_file(folder / name, text);
    return (folder / name).string();
  }
  Ran add(const std::vector<std::string>& arguments) const {
    return lacp_program(joined({"datasets", "--datasets-folder", datasets.string(), "add"}, arguments));
  }
};

/// 120 rows with a category, a date, a row number, remarks and gaps.
std::string readings(char delimiter = ',') {
  std::string text = table_of("row,day,kind,remark,x,y", 120, [](int n) {
    const int i = n + 1;
    return fmt::format("{},2024-{:02}-01 08:00,{},\"remark {}\",{},{}", i, 1 + i % 12, i % 2 == 0 ? "a" : "b",
                       i, i % 40 == 0 ? "NA" : fmt::format("{}", 0.5 * i), i * i % 31);
  });
  for (char& c : text)
    if (c == ',') c = delimiter;
  return text;
}

}  // namespace

TEST_CASE("delimiter and header are guessed") {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const lacp::CsvFormat format = lacp::guess_format(readings(delimiter), "t.csv");
    CHECK(format.delimiter == delimiter);
    CHECK(format.header);
  }
  CHECK(lacp::guess_format("1  2 3\n4 5   6\n", "t.csv").delimiter == ' ');
  CHECK_FALSE(lacp::guess_format("1  2 3\n4 5   6\n", "t.csv").header);
  CHECK(lacp::guess_format("\"a\", \"b c\"\n1, 2\n", "t.csv").delimiter == ',');
  CHECK(lacp::guess_format(" a ; b ; c\n 1 ; 2 ; 3\n", "t.csv").delimiter == ';');
  CHECK_REFUSED(lacp::guess_format("\xEF\xBB\xBFsep=;\na;b\n1;2\n", "t.csv"), "t.csv:1: 'sep='");
  CHECK_FALSE(lacp::guess_format("M,0.5\nF,1\n", "t.csv").header);
}

TEST_CASE("a draft describes the columns, each guess with its reason") {
  const std::string text = draft(readings());
  check_has(text, {"target: \"y\"  # guess: the last column of numbers\n",
                   "    - \"row\"  # guess: counts the rows, as '1'\n",
                   "    - \"remark\"  # guess: text: 120 different values in 120 cells, as 'remark 1'\n",
                   "    - \"kind\"  # guess: 2 different values in 120 cells\n",
                   "    \"day\": [hour, weekday, month, year]  # guess: every cell is a date with a time\n",
                   "  marks: [\"NA\"]  # guess: 3 cells of these",
                   "  do: fill  # guess: 3 of 120 rows have such a cell"});
  CHECK(has(draft(readings(), "x"), "target: \"x\"\n"));
  CHECK_REFUSED(draft(readings(), "z"), "--target 'z': t.csv");
  CHECK_REFUSED(draft("a,b\n1,2\n3\n"), "t.csv:3: the row ends after cell 1");
}

TEST_CASE("limits and times are described, and what cells may mean besides is said, a line each") {
  const std::string table = table_of("lead,zinc,start,agent,sex,load,y", 120, [](int i) {
    constexpr std::array agents{9, 240, 14, 7, 1};
    return fmt::format("{},{},{}:{:02},{},{},{},{}", i % 3 == 0 ? "<0.5" : fmt::format("0.{}", 5 + i % 5),
                       i % 40 == 0 ? ">90" : fmt::format("{}.1", i % 80), 5 + i % 7, i * 7 % 60,
                       agents.at(static_cast<std::size_t>(i % 5)),
                       i % 2 == 0   ? "F"
                       : i % 3 == 0 ? "f"
                                    : "M",
                       i % 10 == 0 ? "-999.0" : fmt::format("{}.5", i * 13 % 50), i * i % 31);
  });
  const auto drafted = [&](lacp::DraftOptions options) {
    return lacp::draft_description({table}, "t.csv", "t.csv", options);
  };
  const lacp::Draft usual = drafted({});
  check_has(usual.text, {"\"lead\": {decimal: point, limits: whole}  # guess: 40 cells as '<0.5'",
                         "\"zinc\": {decimal: point, limits: whole}  # guess: 3 cells as '>90'",
                         "\"start\": {decimal: point, time: hours}  # guess: times are numbers of seconds"});
  const auto lacks_note = [](const lacp::Draft& draft, const std::string& part) {
    return std::ranges::none_of(draft.notes, [&](const std::string& note) { return has(note, part); });
  };
  CHECK(
      usual.notes ==
      Words{
          "column 'agent' holds 5 different whole numbers; if they are codes, which measure nothing, say --categories agent",
          "column 'sex' has categories that differ by case only: 'F' and 'f'; if they are the same, write them alike",
          "column 'load' is -999 in 12 cells, far from all others; if that means that nothing is known, say --missing -999",
          "cells that say no more than a limit are read as that limit (--below-limit half: as half of it): 'lead' (40 cells, as '<0.5'), 'zinc' (3 cells, as '>90')"});
  const lacp::Draft told =
      drafted({.missing = {"-999", "foo"}, .categories = {"agent"}, .below_limit = "half"});
  check_has(told.text, {"limits: half", "marks: [\"-999\", \"foo\"]  # guess: 12 cells of these"});
  for (const char* part : {"-999", "agent"}) CHECK(lacks_note(told, part));
  CHECK_FALSE(lacks_note(told, "--missing foo: no cell is 'foo'"));
  const lacp::Draft target = drafted({.target = "start"});
  CHECK_FALSE(lacks_note(target, "target 'start' holds times: predictions and intervals are in seconds"));
  // Numbers that count, are years, or come in steps are no codes.
  for (const auto& [name, values, hint] : {std::tuple{"x", "1,2,3,5", false},
                                           {"x", "1990,1995,2003,2011", false},
                                           {"x", "10,20,50,100", false},
                                           {"x", "0,1,2,40", false},
                                           {"x", "3,17,88,91", true},
                                           {"room_type", "1,2,3,5", true}}) {
    const Words of = lacp::split_text(values, ',');
    const auto row = [&](int i) {
      return fmt::format("{},{}.5", of[static_cast<std::size_t>(i % 4)], i * 7 % 31);
    };
    const std::string coded = table_of(fmt::format("{},y", name), 100, row);
    CHECK_MESSAGE(lacks_note(lacp::draft_description({coded}, "t.csv", "t.csv", {}), "--categories") != hint,
                  values);
  }
}

TEST_CASE("columns with cells that are neither are named at once") {
  const std::string table = table_of("a,b,c,y", 100, [](int i) {
    return fmt::format("{},{},{},{}.5", i == 7 ? "trace" : fmt::format("{}.1", i),
                       i == 9 ? "lost" : fmt::format("{}.2", i), i * 3 % 17, i * 5 % 31);
  });
  CHECK_REFUSED(draft(table), "t.csv:9: column 1 'a': 1 of 100 cells");
  CHECK_REFUSED(draft(table), "cells of other columns are like that, too: 'b'");
}

TEST_CASE("columns are listed with commas, which a name may hold itself") {
  const std::string text = table_of("\"a,b\",a,c,y", 40, [](int i) {
    return fmt::format("{},{},{},{}", i * 7 % 13, i * 5 % 11, i * 3 % 17, i * i % 31);
  });
  const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
      {{"a,b"}, {"a,b"}}, {{"a,b,c"}, {"a,b", "c"}}, {{"c,a,b"}, {"a,b", "c"}}, {{"a", "c"}, {"a", "c"}}};
  for (const auto& [given, dropped] : cases) {
    const lacp::Draft made = lacp::draft_description({text}, "t.csv", "t.csv", {.drop = given});
    REQUIRE(made.unused.size() == dropped.size());
    for (std::size_t i = 0; i < dropped.size(); ++i) CHECK(made.unused[i].first == dropped[i]);
  }
  CHECK_REFUSED(lacp::draft_description({text}, "t.csv", "t.csv", {.drop = {"a,d"}}), "--drop 'd': t.csv");
}

TEST_CASE("a column in brackets is itself, not a list") {
  const Root root;
  const std::string file = root.write("t.csv", table_of("a,[a],y", 40, [](int i) {
                                        return fmt::format("{},{},{}", i * 7 % 13, i * 5 % 11, i * i % 31);
                                      }));
  check_has(root.add({file, "--drop", "[a]"}).messages, "column '[a]' is not used: --drop");
}

TEST_CASE("many gaps are filled, but for the target's") {
  const auto cells = [](int i) {
    return fmt::format("{},{},{},{}", i % 4 == 0 ? "?" : fmt::format("{}", i % 7),
                       i % 20 == 0 ? "." : fmt::format("{}.5", i % 3), i % 3 == 0 ? "1" : "n/a",
                       i % 30 == 0 ? "" : fmt::format("{}", i));
  };
  const std::string drafted = draft(table_of("a,b,c,y", 100, cells), "y");
  CAPTURE(drafted);
  check_has(drafted,
            {"  marks: [\"\", \".\", \"?\"]", "  do: fill", "  drop_rows: [\"y\"]",
             "  drop:\n    - \"c\"  # guess: more than half of its cells hold nothing, 66 of 100\n"});
  CHECK_FALSE(has(drafted, "categories"));
}

TEST_CASE("add writes a draft for experiments beside a copy of the file, and overwrites nothing") {
  const Root root;
  const std::string file = root.write("my table.csv", readings());
  check_ran(root.add({file, "--target", "y"}), 0, {},
            {"  category        kind: a, b\n", "An experiment can read this data set.\n"});
  const fs::path copy = root.datasets / "my table.csv", described = root.datasets / "my_table.yaml";
  CHECK(lacp::read_file(copy) == readings());
  const std::string yaml = lacp::read_file(described);

  check_ran(root.add({file, "--target", "x"}), 2, "my_table.yaml: is there already");
  CHECK(lacp::read_file(described) == yaml);
  fs::remove(described);
  lacp::write_file(copy, "else\n");
  check_ran(root.add({file}), 2, "is there already, and is not ");
  CHECK(lacp::read_file(copy) == "else\n");
  CHECK_FALSE(fs::exists(described));
}

TEST_CASE("a file that add cannot use leaves nothing behind, and a copy is whole or not there") {
  const Root root;
  const std::string csv = root.write("t.csv", readings());
  for (const auto& [words, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{csv, "--target", "nothing"}, "'nothing'"},
           {{csv, "--target", "kind"}, csv + ": column 'kind' holds no number"},
           {{root.write("t.zip", "PK")}, "t.zip"},
           {{(root.folder / "none.csv").string()}, "none.csv"}})
    check_ran(root.add(words), 2, part);
  // A file may have 2 kB: the table has more.
  CHECK(
      shell("ulimit -f 2; \"$0\" datasets --datasets-folder \"$1\" add \"$2\"", {root.datasets.string(), csv})
          .status != 0);
  CHECK(fs::is_empty(root.datasets));
  check_ran(root.add({csv}), 0);
}

TEST_CASE("of a name that no data set may have another is made, or nothing is left behind") {
  const Root root;
  for (const auto& [file, name] :
       {std::pair{"-x.csv", "x"}, {".z.csv", "_z"}, {"..csv", "_"}, {"a\nb.csv", "a_b"}}) {
    check_ran(root.add({root.write(file, readings())}), 0);
    CHECK(fs::exists(root.datasets / (std::string(name) + ".yaml")));
    CHECK(fs::exists(root.datasets / (std::string(name) + ".csv")));
  }
  const std::string file = (root.folder / "-x.csv").string();
  check_ran(root.add({file, "--name", "mine"}), 0);
  CHECK(lacp::read_file(root.datasets / "mine.csv") == readings());
  const auto files = [&] { return std::distance(fs::recursive_directory_iterator(root.datasets), {}); };
  const auto before = files();
  check_ran(root.add({file, "--name", "../mine"}), 2, "--name '../mine': is no name of a data set");
  check_ran(root.add({file, "--name", std::string(200, 'a')}), 2);
  // A description that would be too long to be read again.
  std::string names, letters;
  for (int i = 0; i < 999; ++i)
    names += std::string(300, 'c') + std::to_string(i) + ",", letters += i % 2 == 0 ? "a," : "b,";
  const std::string wide = table_of(names + "y", 120, [&](int i) {
    return (i % 2 == 0 ? letters : std::string(letters).replace(0, 1, "c")) + std::to_string(i * i % 31);
  });
  check_ran(root.add({root.write("long.csv", wide)}), 2, "at most 262144");
  CHECK(files() == before);
  check_ran(lacp_program({"datasets", "--datasets-folder", root.datasets.string()}), 0);
}

TEST_CASE("outside a project add makes ./datasets, and only for a table that it takes") {
  const TemporaryFolder root;
  lacp::write_file(root / "t.csv", readings());
  lacp::write_file(root / "bad.csv", "a,b\nx,y\nz,w\n");
  const std::string script = "cd \"$1\" && unset LACP_DATASETS && \"$0\" datasets add \"$2\"";
  check_ran(shell(script, {root.path().string(), "bad.csv"}), 2, "no column of numbers");
  CHECK_FALSE(fs::exists(root / "datasets"));
  check_ran(shell(script, {root.path().string(), "t.csv"}), 0, "wrote datasets/t.yaml");
  CHECK(fs::exists(root / "datasets/t.csv"));
}

TEST_CASE("add unpacks a compressed table, and uses a file in place") {
  const Root root;
  const std::string file = root.write("datasets/t.csv", readings(';'));
  check_ran(program({"gzip", file}), 0);
  const Ran ran =
      check_ran(root.add({file + ".gz"}), 0, {}, "  date            day: hour, weekday, month, year\n");
  check_lacks(ran.messages, "a copy of");
}

namespace {

/// A folder of descriptions with one data set whose file is there, and one whose file is missing.
void write_descriptions(const fs::path& folder) {
  lacp::Stream stream(1);
  const auto row = [&](int) {
    const double a = stream.uniform(-1, 1), b = stream.uniform(-1, 1);
    return fmt::format("{},{},{}", a, b, 3 + a * b + (0.1 + 0.5 * a * a) * stream.normal());
  };
  write_dataset(folder, "mine", table_of("a,b,y", 300, row));
  write_dataset(folder, "away", "",
                fmt::format("  url: https://example.org/away.csv\n  sha256: {:0>64}\ntarget: y\n", 0));
}

}  // namespace

TEST_CASE("a new data set is one yaml; a changed description or file does it again") {
  const TemporaryFolder root;
  write_descriptions(root / "datasets");
  const auto run = [&](const std::string& done) {
    check_ran(run_own(root.path(), {"--datasets", "mine"}), 0, done);
    return cells_in(root / "results/smoke");
  };
  const auto before = run("0 done before, 4 done now");
  check_has(lacp::read_file(root / "results/smoke/manifest.yaml"), "\n  datasets: [mine]\n");
  run("4 done before, 0 done now");
  for (const auto& [file, more] :
       {std::pair{"mine.yaml", "columns: {drop: [b]}\n"}, {"mine.csv", "0,0,3\n"}}) {
    const fs::path path = root / "datasets" / file;
    const std::string text = lacp::read_file(path);
    lacp::write_file(path, text + more);
    CHECK(run("4 tasks done with other settings or data: done again") != before);
    lacp::write_file(path, text);
  }
  run("4 done before, 0 done now");
  must_run({"pack", (root / "results/smoke").string()});  // without the cells of other data
  CHECK(cells_in(root / "results/smoke") == before);
}

TEST_CASE("a data set whose file is missing is left out and named, with the command that gets it") {
  const TemporaryFolder root;
  write_descriptions(root / "datasets");
  check_ran(run_own(root.path(), {"--datasets", "away,mine"}), 0,
            "missing: away\nTo get them: lacp datasets fetch away");
  CHECK(cells_in(root / "results/smoke").size() == 4);
  CHECK(run_own(root.path(), {"--datasets", "away,mine", "--strict"}).status == 1);
  fs::remove(root / "datasets/mine.csv");
  const Ran local = run_own(root.path(), {"--datasets", "away,mine", "--force"});
  check_has(local.messages, {"mine: " + (root / "datasets/mine.csv").string() + " is not there; put it there",
                             "To get them: lacp datasets fetch away"});
}

TEST_CASE("a file that an experiment refuses fails once, and again only when it has changed") {
  const TemporaryFolder root;
  write_descriptions(root / "datasets");
  const std::string good = lacp::read_file(root / "datasets/mine.csv");
  lacp::write_file(root / "datasets/mine.csv", good.substr(0, good.size() / 20));
  const auto run = [&] { return run_own(root.path(), {"--datasets", "mine"}); };
  check_ran(run(), 1, {"4 of 4 tasks failed:\n  data set mine, run 0, method fixed: ", " (and 3 more "});
  const Ran again = check_ran(run(), 1, "--retry-failed");
  check_lacks(again.messages, "failed: data set mine");  // told of, not tried
  lacp::write_file(root / "datasets/mine.csv", good);
  check_ran(run(), 0);
}
