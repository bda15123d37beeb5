// scripts/reproduce.sh on a small clone: results that came with it are done again in place, and never lost.
#include <set>

#include "experiment/store/manifest.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"

namespace {

/// A clone with two protocols of two tasks each on `cos`, and on `away`, of which the file is missing.
struct Clone {
  TemporaryFolder root;
  fs::path away = root / "datasets/away.csv";

  Clone() {
    fs::create_directories(root / "scripts");
    fs::copy_file(source_folder / "scripts/reproduce.sh", root / "scripts/reproduce.sh");
    std::string csv = "x,y\n";
    for (int i = 0; i < 400; ++i) csv += fmt::format("{},{}\n", i % 17, i % 17 + i % 3);
    lacp::write_file(away, csv);
    lacp::write_file(root / "datasets/away.yaml",
                     "{title: t, citation: c, licence: l, source: {file: away.csv}, target: y}");
    lacp::write_file(root / "datasets/cos.yaml",
                     "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: 300}}");
    for (const char* name : {"paper", "release"})
      lacp::write_file(root / fmt::format("experiments/{}.yaml", name),
                       "{runs: 1, datasets: [cos, away], methods: [exp, fixed], levels: [0.1], network: "
                       "{hidden: [4]}, training: {epochs: 1}}");
    // What came with the clone: all of it, as if made elsewhere.
    for (const char* name : {"paper", "release"})
      REQUIRE(lacp({"run", fmt::format("experiments/{}.yaml", name)}).status == 0);
    REQUIRE(lacp({"report", "results"}).status == 0);
  }
  Ran shell(const std::string& script) const {
    return program({"sh", "-c",
                    fmt::format("cd '{}' && export LACP='{}' && {} 2>&1", root.path().string(),
                                lacp_executable, script)});
  }
  Ran lacp(const std::vector<std::string>& arguments) const {
    return shell(fmt::format("\"$LACP\" {}", fmt::join(arguments, " ")));
  }
  Ran reproduce() const { return check_ran(shell("bash scripts/reproduce.sh"), 0); }
  std::map<std::string, std::string> cells() const { return cells_in(root / "results/paper"); }
};

}  // namespace

TEST_CASE("what came with the clone is computed again and compared, where its data is available") {
  const Clone clone;
  const auto before = clone.cells();
  const std::string precious = lacp::read_file(clone.away);
  fs::remove(clone.away);
  check_has(clone.reproduce().output, "results/paper: 2 of 2 cells agree byte for byte; 2 left out");
  CHECK(clone.cells() == before);
  lacp::write_file(clone.away, precious);

  // What is not there, or made with other settings, is done.
  put_rows(clone.root / "results/paper", {"cos", 0, "exp"}, "");
  check_has(clone.reproduce().output, {"results/paper: 3 of 3 cells agree", "3 done before, 1 done now"});
  CHECK(clone.cells() == before);
}

TEST_CASE("git sees nothing of a reproduction that gives the same numbers, with whatever gnuplot") {
  const Clone clone;
  if (clone.shell("git --version").status != 0) {
    MESSAGE("skipped: git is not installed");
    return;
  }
  fs::copy_file(fs::path(LACP_SOURCE_DIR) / ".gitignore", clone.root / ".gitignore");
  const fs::path svg = clone.root / "results/paper/figures/adaptivity.svg";
  std::string elsewhere = lacp::read_file(svg);
  elsewhere.insert(elsewhere.find('.', elsewhere.find("translate(")) + 1, "9");
  lacp::write_file(svg, elsewhere);
  const auto git = [&](const std::string& command) {
    return check_ran(clone.shell("git -c user.name=n -c user.email=e " + command), 0).output;
  };
  git("init -q . && git add -A && git -c user.name=n -c user.email=e commit -qm clone");
  CHECK_MESSAGE(!has(git("ls-files"), ".pdf"), git("ls-files"));
  git("clean -qfdx && git status");  // what a clone has
  for (int time = 0; time < 2; ++time) {
    check_has(clone.reproduce().output, {"results/paper: 4 of 4 cells", "results/release: 4 of 4 cells"});
    CHECK(git("status --porcelain") == "");
  }
  CHECK((lacp::read_file(svg) == elsewhere));
  // Nor when everything is done again in place: the same numbers keep how they came to be.
  REQUIRE(clone.lacp({"run", "experiments/paper.yaml", "--force"}).status == 0);
  CHECK(git("status --porcelain") == " M results/paper/manifest.yaml\n");
}

TEST_CASE("a cell that comes out with other bytes is told, stays as it came, and ends in exit code 1") {
  const Clone clone;
  const fs::path folder = clone.root / "results/paper";
  lacp::Cell other = found_in(folder, {"cos", 0, "fixed"}).cell.value();  // as another machine might have it
  other.values.back().value *= 1.0 + 1e-15;
  put_cell(folder, other);
  const auto before = clone.cells();
  check_ran(clone.shell("bash scripts/reproduce.sh"), 1, {},
            {": cos 0 fixed: value of ", "results/paper: 3 of 4 cells agree",
             "came out with other bytes than results/ has: paper\n", "results/release: 4 of 4 cells agree"});
  CHECK(clone.cells() == before);
}

TEST_CASE("failures are tried again: one that does not come again is told, and ends in exit code 1") {
  const Clone clone;
  const fs::path folder = clone.root / "results/paper";
  lacp::Cell failure = found_in(folder, {"cos", 0, "fixed"}).cell.value();
  failure.values.clear(), failure.failure = "made up";
  put_cell(folder, failure);
  check_ran(clone.shell("bash scripts/reproduce.sh"), 1, {},
            {": cos 0 fixed: failed in the folder: made up; is done here",
             "0 of 1 failure with the same reason", "than results/ has: paper\n"});
}

TEST_CASE(
    "make verify draws from every folder with a seed of its own each time, or with the one it is given") {
  const auto commands = [](const Words& more) {
    return check_ran(program(joined({"make", "-n", "-C", LACP_SOURCE_DIR, "verify"}, more)), 0).output;
  };
  for (const char* name : {"frontier", "uacqr", "ibug", "foundation", "verdict/paper", "full"})
    check_has(commands({}), name);
  CHECK(commands({}) != commands({}));
  check_has(commands({"SEED=7"}), "--seed 7");
  CHECK(commands({"SEED=7"}) == commands({"SEED=7"}));
}

TEST_CASE("cells of your own data sets stay through a reproduction") {
  const Clone clone;
  lacp::write_file(clone.root / "datasets/mine.yaml",
                   "{title: t, citation: c, licence: l, synthetic: {profile: linear, samples: 300}}");
  REQUIRE(clone.lacp({"run", "experiments/paper.yaml", "--datasets", "mine", "--name", "mine"}).status == 0);
  REQUIRE(clone.lacp({"run", "experiments/paper.yaml", "--datasets", "mine", "--force"}).status == 0);
  const auto own = cells_in(clone.root / "results/mine");
  REQUIRE(own.size() == 2);
  REQUIRE(clone.cells().contains("mine/0/exp"));
  clone.reproduce();
  CHECK(cells_in(clone.root / "results/mine") == own);
  CHECK(clone.cells().contains("mine/0/exp"));
}

TEST_CASE("make hands the program of its preset to every script") {
  for (const char* target : {"reproduce", "reproduce-all", "ablation", "verdict"}) {
    const Ran made = check_ran(program({"make", "-n", "-C", LACP_SOURCE_DIR, "PRESET=debug", target}), 0, {},
                               "LACP=build-debug/lacp scripts/");
    CHECK_FALSE(has(made.output, "\nbuild/lacp"));
  }
}

TEST_CASE(
    "studies.sh frontier: an argument that begins with a dash is an option of lacp run, not an experiment") {
  const TemporaryFolder root;
  fs::create_directories(root / "scripts");
  fs::copy_file(fs::path(LACP_SOURCE_DIR) / "scripts/studies.sh", root / "scripts/studies.sh");
  const auto commands = [&](const std::string& arguments) {
    return check_ran(shell("LACP=echo bash \"$1/scripts/studies.sh\" frontier " + arguments,
                           {root.path().string()}),
                     0)
        .output;
  };
  for (const char* name : {"frontier", "uacqr", "foundation", "ibug"})
    CHECK(has(commands("--jobs 4"), fmt::format("run experiments/{}.yaml --jobs 4\n", name)));
  check_lacks(commands("uacqr --jobs 4"), "foundation");
}

TEST_CASE("the hours that studies.sh frontier takes are those of its cells") {
  double all = 0.0, fastest = 0.0;
  for (const char* name : {"frontier", "uacqr", "foundation", "ibug"})
    for (const auto& entry : fs::directory_iterator(source_folder / "results" / name / "cells")) {
      std::map<std::string, std::vector<double>> seconds;  // by method
      const lacp::CellFiles file(entry.path(), entry.path().stem().string());
      for (const auto& [task, place] : file.cells())
        seconds[task.method].push_back(file.read(task, place).cell.value().seconds.value());
      for (const auto& [method, of_runs] : seconds) {
        for (const double run : of_runs) all += run / 3600.0;
        fastest += static_cast<double>(of_runs.size()) * std::ranges::min(of_runs) / 3600.0;
      }
    }
  check_has(
      lacp::read_file(source_folder / "scripts/studies.sh"),
      {fmt::format("add up to {:.1f} hours of one thread", all), fmt::format("it is {:.1f} hours", fastest)});
  check_has(lacp::read_file(source_folder / "Makefile"), fmt::format("({:.1f} hours of one core", fastest));
}

TEST_CASE("studies.sh folds prints the rows of the table in lib/README.md, from fits of made tables") {
  const TemporaryFolder root;
  lacp::write_file(
      root / "lacp",
      "#!/bin/sh\n"
      "case \"$1\" in\n"
      "  fit) cat \"$2\" >>\"${0%/*}/known\" && echo \"$*\" >>\"${0%/*}/fits\" ;;\n"
      "  evaluate) [ \"$(wc -l <\"$3\")\" = 201 ] && printf \"rows,level,coverage\\n200,0.05,0.94\\n"
      "200,0.1,0.89\\n200,0.32,0.7\\n\" ;;\n"
      "esac\n");
  fs::permissions(root / "lacp", fs::perms::owner_all);
  const Ran ran =
      check_ran(shell("LACP=\"$1\" bash \"$2\" folds 2",
                      {(root / "lacp").string(), (source_folder / "scripts/studies.sh").string()}),
                0);
  const std::string page = lacp::read_file(source_folder / "lib/README.md");
  std::size_t rows = 0;
  for (const std::string& line : lacp::split_text(ran.output, '\n')) {
    if (!line.starts_with("| `")) continue;
    check_has(line, " | 0.940 / 0.890 / 0.700 | 0.000 / 0.000 / 0.000 |");
    const std::string row = line.substr(0, line.find("0.940"));  // "| `auto` around trees | 40 | "
    CHECK_MESSAGE(has(page, row), row);
    ++rows;
  }
  CHECK(rows == count(page, "` around "));
  CHECK(count(lacp::read_file(root / "fits"), "--calibration-folds 10") == 2 * (5 * 6 + 2 * 4));
  // Rows differ between seeds and kinds; those of a larger table begin with those of a smaller one.
  std::set<std::string> different;
  for (const std::string& line : lacp::split_text(lacp::read_file(root / "known"), '\n'))
    if (has(line, ".")) different.insert(line);
  CHECK(different.size() == 2 * (4 * 60 + 2 * 50));
}
