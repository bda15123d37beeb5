// scripts/reproduce.sh on a small clone: results that came with it are done again in place, and never lost.
#include "described_table.hpp"
#include "lacp_program.hpp"
#include "store/manifest.hpp"

namespace {

/// A clone with two protocols of two tasks each on `cos`, and on `away`, of which the file is missing.
struct Clone {
  TemporaryFolder root;
  fs::path away = root / "datasets/away.csv";

  Clone() {
    write_dataset(root / "datasets", "away", x_and_y(400, [](int i) { return i % 17 + i % 3; }));
    lacp::write_file(root / "scripts/reproduce.sh", lacp::read_file(source_folder / "scripts/reproduce.sh"));
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
  Ran lacp(const Words& arguments) const {
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

  // What is not there, or made with other settings, is done; cells of your own data sets stay.
  lacp::write_file(clone.root / "datasets/mine.yaml",
                   "{title: t, citation: c, licence: l, synthetic: {profile: linear, samples: 300}}");
  REQUIRE(clone.lacp({"run", "experiments/paper.yaml", "--datasets", "mine", "--force"}).status == 0);
  const auto with_own = clone.cells();
  REQUIRE(with_own.contains("mine/0/exp"));
  put_rows(clone.root / "results/paper", {"cos", 0, "exp"}, "");
  check_has(clone.reproduce().output, {"results/paper: 5 of 5 cells agree", "done before, 1 done now"});
  CHECK(clone.cells() == with_own);
}

TEST_CASE("git sees nothing of a reproduction that gives the same numbers, with whatever gnuplot") {
  const Clone clone;
  fs::copy_file(source_folder / ".gitignore", clone.root / ".gitignore");
  const fs::path svg = clone.root / "results/paper/figures/adaptivity.svg";
  std::string elsewhere = lacp::read_file(svg);
  elsewhere.insert(elsewhere.find('.', elsewhere.find("translate(")) + 1, "9");
  lacp::write_file(svg, elsewhere);
  const fs::path manifest = clone.root / "results/paper/manifest.yaml";  // older than a setting
  std::string older = lacp::read_file(manifest);
  const std::string younger = "    excess_risk: false\n";
  lacp::write_file(manifest, older.erase(older.find(younger), younger.size()));
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

TEST_CASE("make hands the program of its preset to every script") {
  for (const char* target : {"reproduce", "reproduce-all", "ablation", "verdict"})
    check_ran(program({"make", "-n", "-C", LACP_SOURCE_DIR, "PRESET=debug", target}), 0, {},
              "LACP=build-debug/lacp scripts/");
}

TEST_CASE("studies.sh frontier takes experiments, and options of lacp run") {
  const TemporaryFolder root;
  lacp::write_file(root / "scripts/studies.sh", lacp::read_file(source_folder / "scripts/studies.sh"));
  const auto check = [&](const std::string& arguments, const Parts& commands) {
    const std::string script = "LACP=echo bash \"$1/scripts/studies.sh\" frontier " + arguments;
    return check_ran(shell(script, {root.path()}), 0, {}, commands).output;
  };
  check("--jobs 4", {"run experiments/frontier.yaml --jobs 4\n", "run experiments/ibug.yaml --jobs 4\n"});
  check_lacks(check("uacqr --jobs 4", "run experiments/uacqr.yaml --jobs 4\n"), "foundation");
}

TEST_CASE("studies.sh folds prints the rows of the table in lib/README.md, from fits of made tables") {
  const TemporaryFolder root;
  lacp::write_file(
      root / "lacp",
      "#!/bin/sh\n"
      "case \"$1\" in\n"
      "  fit) echo \"$*\" >>\"${0%/*}/fits\" ;;\n"
      "  evaluate) [ \"$(wc -l <\"$3\")\" = 201 ] && printf \"rows,level,coverage\\n200,0.05,0.94\\n"
      "200,0.1,0.89\\n200,0.32,0.7\\n\" ;;\n"
      "esac\n");
  fs::permissions(root / "lacp", fs::perms::owner_all);
  const Ran ran = check_ran(
      shell("LACP=\"$1\" bash \"$2\" folds 2", {root / "lacp", source_folder / "scripts/studies.sh"}), 0);
  const std::string page = lacp::read_file(source_folder / "lib/README.md");
  std::size_t rows = 0;
  for (const std::string& line : lacp::split_text(ran.output, '\n')) {
    if (!line.starts_with("| `")) continue;
    check_has(line, " | 0.940 / 0.890 / 0.700 | 0.000 / 0.000 / 0.000 |");
    check_has(page, line.substr(0, line.find("0.940")));  // "| `auto` around trees | 40 | "
    ++rows;
  }
  CHECK(rows == count(page, "` around "));
  CHECK(count(lacp::read_file(root / "fits"), "--calibration-folds 10") == 2 * (5 * 6 + 2 * 4));
}
