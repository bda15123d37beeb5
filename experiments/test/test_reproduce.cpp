// scripts/reproduce.sh on a small clone: results that came with it are done again in place, and never lost.
#include <doctest/doctest.h>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "store/manifest.hpp"

namespace {

/// A clone with two protocols of two tasks each on `cos`, and on `away`, of which the file is missing.
struct Clone {
  TemporaryFolder root;
  fs::path away = root / "datasets/away.csv";

  Clone() {
    const fs::path source(LACP_SOURCE_DIR);
    fs::create_directories(root / "scripts");
    fs::copy_file(source / "scripts/reproduce.sh", root / "scripts/reproduce.sh");
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
    // What came with the clone: all of it, as if made elsewhere, and packed.
    for (const char* name : {"paper", "release"}) {
      REQUIRE(lacp({"run", fmt::format("experiments/{}.yaml", name)}).status == 0);
      REQUIRE(lacp({"pack", fmt::format("results/{}", name)}).status == 0);
    }
  }
  Ran shell(const std::string& script) const {
    return program(
        {"sh", "-c",
         fmt::format("cd '{}' && export LACP='{}' && {} 2>&1", root.path().string(), lacp_executable, script)});
  }
  Ran lacp(const std::vector<std::string>& arguments) const {
    return shell(fmt::format("\"$LACP\" {}", fmt::join(arguments, " ")));
  }
  Ran reproduce() const {
    const Ran ran = shell("bash scripts/reproduce.sh");
    CHECK_MESSAGE(ran.status == 0, ran.output);
    return ran;
  }
  std::map<std::string, std::string> cells() const { return csv_files(root / "results/paper/cells"); }
};

}  // namespace

TEST_CASE("what came with the clone is done again once, where its data is available, and the rest is told") {
  const Clone clone;
  const auto before = clone.cells();
  REQUIRE(before.size() == 2);
  const std::string precious = lacp::read_file(clone.away);
  fs::remove(clone.away);
  const Ran first = clone.reproduce();
  CHECK_MESSAGE(has(first.output, "paper: 4 tasks, 2 done before, 2 done now"), first.output);
  CHECK_MESSAGE(has(first.output,
                    "paper: 2 cells were made here, 2 of them with the bytes that came with the "
                    "folder; 2 are those that came with it: away (missing)\n"),
                first.output);
  CHECK(clone.cells() == before);  // packed again, the same bytes
  const Ran second = clone.reproduce();
  CHECK_MESSAGE(has(second.output, "paper: 4 tasks, 4 done before, 0 done now"), second.output);
  fs::remove_all(clone.root / "build");  // `make clean`
  CHECK(has(clone.reproduce().output, "paper: 4 tasks, 4 done before, 0 done now"));
  CHECK(clone.cells() == before);

  lacp::write_file(clone.away, precious);  // fetched at last
  const Ran third = clone.reproduce();
  CHECK_MESSAGE(has(third.output, "paper: 4 tasks, 2 done before, 2 done now"), third.output);
  CHECK(has(third.output,
            "paper: 4 cells were made here, 4 of them with the bytes that came with the folder\n"));
  CHECK(clone.cells() == before);
}

TEST_CASE("git sees nothing of a reproduction that gives the same numbers, with whatever gnuplot") {
  const Clone clone;
  if (clone.shell("git --version").status != 0) {
    MESSAGE("skipped: git is not installed");
    return;
  }
  fs::copy_file(fs::path(LACP_SOURCE_DIR) / ".gitignore", clone.root / ".gitignore");
  REQUIRE(clone.lacp({"report", "results"}).status == 0);
  const fs::path svg = clone.root / "results/paper/figures/adaptivity.svg";
  std::string elsewhere = lacp::read_file(svg);
  elsewhere.insert(elsewhere.find('.', elsewhere.find("translate(")) + 1, "9");
  lacp::write_file(svg, elsewhere);
  const auto git = [&](const std::string& command) {
    const Ran ran = clone.shell("git -c user.name=n -c user.email=e " + command);
    CHECK_MESSAGE(ran.status == 0, ran.output);
    return ran.output;
  };
  git("init -q . && git add -A && git -c user.name=n -c user.email=e commit -qm clone");
  CHECK_MESSAGE(!has(git("ls-files"), ".pdf"), git("ls-files"));
  git("clean -qfdx && git status");  // what a clone has
  for (int time = 0; time < 2; ++time) {
    clone.reproduce();
    CHECK(git("status --porcelain") == "");
  }
  CHECK((lacp::read_file(svg) == elsewhere));

  // Another number shows: in its cell, in what is made of it, and in the record of who made it.
  const fs::path folder = clone.root / "results/paper";
  const lacp::Task task{"cos", 0, "fixed"};
  lacp::Cell other = lacp::Cells(folder).read(task).value();
  for (lacp::Measurement& value : other.values) value.value *= 1.01;
  lacp::write_file(lacp::cell_path(folder, task), lacp::to_text(other));
  fs::remove(folder / "redone.csv");
  REQUIRE(clone.lacp({"pack", "results/paper"}).status == 0);
  REQUIRE(clone.lacp({"report", "results"}).status == 0);
  git("commit -qam 'of another machine'");
  clone.reproduce();
  const std::string changed = git("status --porcelain");
  for (const char* name :
       {"cells/cos.csv", "manifest.yaml", "times.csv", "table.csv", "README.md", "figures/adaptivity.svg"})
    CHECK_MESSAGE(has(changed, fmt::format(" M results/paper/{}\n", name)), changed);
}

TEST_CASE("a cell that comes out with other bytes is replaced, and told") {
  const Clone clone;
  const fs::path folder = clone.root / "results/paper";
  const lacp::Task task{"cos", 0, "fixed"};
  lacp::Cell other = lacp::Cells(folder).read(task).value();  // as another machine might have it
  other.values.back().value *= 1.0 + 1e-15;
  const std::string honest = lacp::to_text(lacp::Cells(folder).read(task).value());
  lacp::write_file(lacp::cell_path(folder, task), lacp::to_text(other));
  const Ran ran = clone.reproduce();
  CHECK_MESSAGE(has(ran.output, "paper: 4 cells were made here, 3 of them with the bytes that came"),
                ran.output);
  CHECK(lacp::to_text(lacp::Cells(folder).read(task).value()) == honest);
}

TEST_CASE("cells of your own data sets stay through a reproduction") {
  const Clone clone;
  lacp::write_file(clone.root / "datasets/mine.yaml",
                   "{title: t, citation: c, licence: l, synthetic: {profile: linear, samples: 300}}");
  REQUIRE(clone.lacp({"run", "experiments/paper.yaml", "--datasets", "mine", "--name", "mine"}).status == 0);
  REQUIRE(clone.lacp({"run", "experiments/paper.yaml", "--datasets", "mine", "--force"}).status == 0);
  const auto own = csv_files(clone.root / "results/mine/cells");
  const auto among = csv_files(clone.root / "results/paper/cells/mine");
  REQUIRE(among.size() == 2);
  clone.reproduce();
  CHECK(csv_files(clone.root / "results/mine/cells") == own);
  CHECK(lacp::Cells(clone.root / "results/paper").read({"mine", 0, "exp"}).has_value());
}

TEST_CASE("make hands the program of its preset to every script") {
  for (const char* target : {"reproduce", "reproduce-all", "ablation", "verdict"}) {
    const Ran made = program({"make", "-n", "-C", LACP_SOURCE_DIR, "PRESET=debug", target});
    CHECK_MESSAGE(made.status == 0, made.messages);
    CHECK_MESSAGE(has(made.output, "LACP=build-debug/lacp scripts/"), made.output);
    CHECK_FALSE(has(made.output, "\nbuild/lacp"));
  }
}

TEST_CASE("frontier.sh: an argument that begins with a dash is an option of lacp run, not an experiment") {
  const TemporaryFolder root;
  fs::create_directories(root / "scripts");
  fs::copy_file(fs::path(LACP_SOURCE_DIR) / "scripts/frontier.sh", root / "scripts/frontier.sh");
  const auto commands = [&](const std::string& arguments) {
    const Ran ran = program(
        {"sh", "-c",
         fmt::format("cd '{}' && LACP=echo bash scripts/frontier.sh {}", root.path().string(), arguments)});
    CHECK_MESSAGE(ran.status == 0, ran.messages);
    return ran.output;
  };
  for (const char* name : {"frontier", "frontier_boosted", "frontier_mlp", "frontier_two_sides"})
    CHECK(has(commands("--jobs 4"), fmt::format("run experiments/{}.yaml --jobs 4\n", name)));
  const std::string one = commands("frontier_mlp --jobs 4");
  CHECK(has(one, "run experiments/frontier_mlp.yaml --jobs 4\n"));
  CHECK_FALSE(has(one, "frontier_boosted"));
}
