// `lacp datasets add`: a draft from a look at the file.
#include "datasets/draft.hpp"
#include "described_table.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

namespace {

std::string draft(const std::string& table, const std::string& target = "") {
  return lacp::draft_description(table, "t.csv", "t.csv", {.target = target}).text;
}

Ran add(const fs::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"datasets", "--datasets-folder", folder.string(), "add"});
  return lacp_program(arguments);
}

/// 120 rows with a category, a date, a row number, remarks and gaps.
std::string table(char delimiter = ',') {
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
    const lacp::CsvFormat format = lacp::guess_format(table(delimiter), "t.csv");
    CHECK(format.delimiter == delimiter);
    CHECK(format.header);
  }
  CHECK(lacp::guess_format("1  2 3\n4 5   6\n", "t.csv").delimiter == ' ');
  CHECK_FALSE(lacp::guess_format("1  2 3\n4 5   6\n", "t.csv").header);
  CHECK(lacp::guess_format("\"a\", \"b c\"\n1, 2\n", "t.csv").delimiter == ',');
  CHECK(lacp::guess_format(" a ; b ; c\n 1 ; 2 ; 3\n", "t.csv").delimiter == ';');
  check_has(message_of<lacp::UserError>([] { lacp::guess_format("\xEF\xBB\xBFsep=;\na;b\n1;2\n", "t.csv"); }),
            "t.csv:1: 'sep=' tells a spreadsheet");
  CHECK_FALSE(lacp::guess_format("M,0.5\nF,1\n", "t.csv").header);
}

TEST_CASE("a draft describes the columns, each guess with its reason") {
  const std::string text = draft(table());
  check_has(text, {"target: \"y\"  # guess: the last column of numbers\n",
                   "    - \"row\"  # guess: counts the rows, as '1'\n",
                   "    - \"remark\"  # guess: text: 120 different values in 120 cells, as 'remark 1'\n",
                   "    - \"kind\"  # guess: 2 different values in 120 cells\n",
                   "    \"day\": [hour, weekday, month, year]  # guess: every cell is a date with a time\n",
                   "  marks: [\"NA\"]  # guess: 3 cells of these",
                   "  do: fill  # guess: 3 of 120 rows have such a cell"});
  CHECK(has(draft(table(), "x"), "target: \"x\"\n"));
  check_has(message_of<lacp::UserError>([] { draft(table(), "z"); }),
            "--target 'z': t.csv has no such column");
  CHECK(has(message_of<lacp::UserError>([] { draft("a,b\nx,y\nz,w\n"); }), "no column of numbers"));
  check_has(message_of<lacp::UserError>([] { draft("a,b\n1,2\n3\n"); }),
            "t.csv:3: the row ends after cell 1");
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

TEST_CASE(
    "add writes a draft that an experiment can read, beside a copy of the file, and overwrites nothing") {
  const TemporaryFolder root;
  fs::create_directory(root / "datasets");
  lacp::write_file(root / "my table.csv", table());
  const std::string file = (root / "my table.csv").string();
  check_ran(add(root / "datasets", {file, "--target", "y"}), 0, {},
            {"  category        kind: a, b\n", "An experiment can read this data set.\n"});
  CHECK(lacp::read_file(root / "datasets/my table.csv") == table());
  const std::string yaml = lacp::read_file(root / "datasets/my_table.yaml");

  check_ran(add(root / "datasets", {file, "--target", "x"}), 2,
            "my_table.yaml: is there already; nothing was changed");
  CHECK(lacp::read_file(root / "datasets/my_table.yaml") == yaml);
  fs::remove(root / "datasets/my_table.yaml");
  lacp::write_file(root / "datasets/my table.csv", "else\n");
  CHECK(has(add(root / "datasets", {file}).messages, "is there already, and is not "));
  CHECK(lacp::read_file(root / "datasets/my table.csv") == "else\n");
  CHECK_FALSE(fs::exists(root / "datasets/my_table.yaml"));
}

TEST_CASE("a file that add cannot use leaves nothing behind") {
  const TemporaryFolder root;
  fs::create_directory(root / "datasets");
  lacp::write_file(root / "t.csv", table());
  lacp::write_file(root / "t.zip", "PK");
  CHECK(add(root / "datasets", {(root / "t.csv").string(), "--target", "nothing"}).status == 2);
  check_ran(add(root / "datasets", {(root / "t.csv").string(), "--target", "kind"}), 2,
            (root / "t.csv").string() +
                ": column 'kind' holds no number, so it cannot be predicted; columns of numbers: 'x', 'y'");
  CHECK(add(root / "datasets", {(root / "t.zip").string()}).status == 2);
  CHECK(add(root / "datasets", {(root / "none.csv").string()}).status == 2);
  CHECK(fs::is_empty(root / "datasets"));
}

TEST_CASE(
    "names that no data set may have: another is taken, or nothing is left behind, and `datasets` goes on") {
  const TemporaryFolder root;
  fs::create_directory(root / "datasets");
  for (const auto& [file, name] :
       {std::pair{"-x.csv", "x"}, {".z.csv", "_z"}, {"..csv", "_"}, {"a\nb.csv", "a_b"}}) {
    lacp::write_file(root / file, table());
    check_ran(add(root / "datasets", {(root / file).string()}), 0);
    CHECK(fs::exists(root / "datasets" / (std::string(name) + ".yaml")));
    CHECK(fs::exists(root / "datasets" / (std::string(name) + ".csv")));
  }
  const std::string file = (root / "-x.csv").string();
  check_ran(add(root / "datasets", {file, "--name", "mine"}), 0);
  CHECK(lacp::read_file(root / "datasets/mine.csv") == table());
  const auto files = [&] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(root / "datasets"))
      found.push_back(entry.path());
    return found.size();
  };
  const std::size_t before = files();
  check_ran(add(root / "datasets", {file, "--name", "../mine"}), 2,
            "--name '../mine': is no name of a data set");
  check_ran(add(root / "datasets", {file, "--name", "mine"}), 2, "mine.yaml: is there already");
  check_ran(add(root / "datasets", {file, "--name", std::string(200, 'a')}), 2);
  // A description that would be too long to be read again.
  std::string wide, row;
  for (int i = 0; i < 999; ++i)
    wide += std::string(300, 'c') + std::to_string(i) + ",", row += i % 2 == 0 ? "a," : "b,";
  std::string text = wide + "y\n";
  for (int i = 0; i < 120; ++i)
    text += (i % 2 == 0 ? row : std::string(row).replace(0, 1, "c")) + std::to_string(i * i % 31) + "\n";
  lacp::write_file(root / "long.csv", text);
  check_ran(add(root / "datasets", {(root / "long.csv").string()}), 2, "at most 262144");
  CHECK(files() == before);
  CHECK(lacp_program({"datasets", "--datasets-folder", (root / "datasets").string()}).status == 0);
}

TEST_CASE("outside a project add makes ./datasets, and only for a table that it takes") {
  const TemporaryFolder root;
  lacp::write_file(root / "t.csv", table());
  lacp::write_file(root / "bad.csv", "a,b\nx,y\nz,w\n");
  const std::string script = "cd \"$1\" && unset LACP_DATASETS && \"$0\" datasets add \"$2\"";
  check_ran(shell(script, {root.path().string(), "bad.csv"}), 2, "no column of numbers");
  CHECK_FALSE(fs::exists(root / "datasets"));
  check_ran(shell(script, {root.path().string(), "t.csv"}), 0, "wrote datasets/t.yaml");
  CHECK(fs::exists(root / "datasets/t.csv"));
}

TEST_CASE("a copy is whole or not there") {
  const TemporaryFolder root;
  fs::create_directory(root / "datasets");
  lacp::write_file(root / "t.csv", table());
  // A file may have 2 kB: the table has more.
  const Ran ran = shell("ulimit -f 2; \"$0\" datasets --datasets-folder \"$1/datasets\" add \"$1/t.csv\"",
                        {root.path().string()});
  CHECK_MESSAGE(ran.status != 0, ran.messages);
  CHECK(fs::is_empty(root / "datasets"));
  check_ran(add(root / "datasets", {(root / "t.csv").string()}), 0);
}

TEST_CASE("add unpacks a compressed table, and uses a file in place") {
  const TemporaryFolder folder;
  lacp::write_file(folder / "t.csv", table(';'));
  REQUIRE(program({"gzip", (folder / "t.csv").string()}).status == 0);
  const Ran ran = check_ran(add(folder.path(), {(folder / "t.csv.gz").string()}), 0, {},
                            "  date            day: hour, weekday, month, year\n");
  CHECK_FALSE(has(ran.messages, "a copy of"));
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
  const fs::path descriptions = root / "datasets";
  write_descriptions(descriptions);
  check_ran(run_own(root.path(), {"--datasets", "mine"}), 0);
  CHECK(cells_in(root / "results/smoke").size() == 4);
  CHECK(has(lacp::read_file(root / "results/smoke/manifest.yaml"), "\n  datasets: [mine]\n"));
  CHECK(has(run_own(root.path(), {"--datasets", "mine"}).messages, "4 done before, 0 done now"));
  const auto before = cells_in(root / "results/smoke");

  const std::string yaml = lacp::read_file(descriptions / "mine.yaml");
  lacp::write_file(descriptions / "mine.yaml", yaml + "columns: {drop: [b]}\n");
  CHECK(has(run_own(root.path(), {"--datasets", "mine"}).messages, "0 done before, 4 done now"));
  lacp::write_file(descriptions / "mine.yaml", yaml);
  const std::string csv = lacp::read_file(descriptions / "mine.csv");
  lacp::write_file(descriptions / "mine.csv", csv + "0,0,3\n");
  check_has(run_own(root.path(), {"--datasets", "mine"}).messages,
            {"4 tasks done with other settings or data: done again\n", "0 done before, 4 done now"});
  CHECK(cells_in(root / "results/smoke") != before);
  lacp::write_file(descriptions / "mine.csv", csv);
  check_ran(run_own(root.path(), {"--datasets", "mine"}), 0, "4 done before, 0 done now");
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
  check_ran(run_own(root.path(), {"--datasets", "mine"}), 1,
            {"4 of 4 tasks failed:\n  data set mine, run 0, method fixed: ",
             " (and 3 more for the same reason)\nTo try them again: "});
  const Ran again = run_own(root.path(), {"--datasets", "mine"});
  CHECK(again.status == 1);
  CHECK_MESSAGE(!has(again.messages, "failed: data set mine"), again.messages);  // told of, not tried
  CHECK(has(again.messages, "--retry-failed"));
  lacp::write_file(root / "datasets/mine.csv", good);
  CHECK(run_own(root.path(), {"--datasets", "mine"}).status == 0);
}
