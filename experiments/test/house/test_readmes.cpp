// Every shell block of every page is executed, in a copy of the project, and what a page shows below it is
// compared with what it prints. What would take long or leave this machine has a stand-in that still checks
// what it is asked for.
#include <regex>

#include "common/frame.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "lacp_program.hpp"

namespace {

/// One fenced block of a README: "```sh" or "```yaml some/file.yaml".
struct Block {
  std::string kind, file, text;
};

std::vector<Block> blocks_of(const std::string& readme) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string& line : lacp::split_text(readme, '\n')) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) continue;
      const auto words = lacp::split_text(line.substr(3), ' ');
      blocks.push_back({words[0], words.size() > 1 ? words[1] : "", ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

/// Whether an output is what a page shows: "…" there stands for any text within a line, and alone on a line
/// for any number of lines. Notes of progress appear only where a command is slow, so they are left out.
bool is_shown(const std::string& output, const std::string& shown) {
  const std::string printed =
      std::regex_replace(output, std::regex(R"((\d+ of \d+ tasks? done, |\d+ s: )[^\n]*\n)"), "");
  std::string pattern = std::regex_replace(shown, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
  pattern = std::regex_replace(pattern, std::regex("\n…\n"), "\n(?:.*\n)*");
  return std::regex_match(printed, std::regex(std::regex_replace(pattern, std::regex("…"), ".*")));
}

/// All pages but those that the program itself writes, in the order of a reader: README.md, the tutorial, the
/// rest.
std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const char* folder : {".", "lib", "datasets", "experiments", "scripts", "scripts/slurm"})
    for (const auto& entry : fs::directory_iterator((source_folder / folder).lexically_normal()))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found, {}, [](const fs::path& page) {
    return std::pair(page != source_folder / "README.md" && page.filename() != "tutorial.md", page);
  });
  return found;
}

void write_script(const fs::path& file, const std::string& text) {
  lacp::write_file(file, "#!/bin/bash\nset -eu\n" + text);
  fs::permissions(file, fs::perms::owner_all);
}

/// The program without downloads. `little`: runs train for one epoch.
void put_program(const fs::path& root, bool little) {
  write_script(root / "build/lacp",
               fmt::format("real='{}'\n"
                           "case \" $* \" in\n"
                           "  ' run '*) exec \"$real\" \"$@\" {} ;;\n"
                           "  ' datasets '*'fetch '*) exec \"$real\" datasets fetch --help ;;\n"
                           "  *) exec \"$real\" \"$@\" ;;\n"
                           "esac\n",
                           lacp_executable, little ? "--set training.epochs=1" : ""));
}

/// The project's folders as a user has them, and the stand-ins in `tools`.
void make_project(const fs::path& root) {
  for (const char* folder : {"experiments", "scripts"}) fs::create_directories(root / folder);
  for (const auto& entry : fs::directory_iterator(source_folder / "experiments"))
    if (entry.path().extension() == ".yaml" || entry.path().filename() == "reference")
      fs::copy(entry.path(), root / "experiments" / entry.path().filename(), fs::copy_options::recursive);
  fs::copy(source_folder / "datasets", root / "datasets");  // its files alone
  fs::copy(source_folder / "scripts", root / "scripts", fs::copy_options::recursive);

  put_program(root, true);
  // The targets must exist.
  write_script(root / "tools/make", "exec /usr/bin/make -n -C '" + source_folder.string() + "' \"$@\"\n");
  write_script(root / "tools/pip", "[[ $1 == install && $2 == lacp-*.whl ]]\n");
  // The presets must exist, and a build folder must be one of theirs.
  write_script(root / "tools/cmake",
               "cd '" + source_folder.string() +
                   "'\n"
                   "case $1 in\n"
                   "  --preset) grep -q \"\\\"name\\\": \\\"$2\\\"\" CMakePresets.json ;;\n"
                   "  --build | --install) name=${2#build} name=${name#-}\n"
                   "    grep -q \"\\\"name\\\": \\\"${name:-release}\\\"\" CMakePresets.json ;;\n"
                   "  *) exit 1 ;;\n"
                   "esac\n");
  write_script(root / "tools/sbatch",
               "for option; do\n"
               "  case $option in\n"
               "    --output=*) log=${option#--output=} log=${log//%[jA]/42} && touch \"${log//%a/1}\" ;;\n"
               "  esac\n"
               "done\n"
               "cat >/dev/null\n"
               "echo 42\n");
  write_script(root / "tools/tail", "if [[ $1 == -f ]]; then shift; fi\nexec /usr/bin/tail \"$@\"\n");
  // The user's part: a description and its file.
  write_script(
      root / "tools/editor",
      "printf 'title: T\\ncitation: C\\nlicence: L\\nsource: {file: mine.csv}\\ntarget: y\\n' >\"$1\"\n"
      "awk 'BEGIN { print \"a,b,y\"; for (i = 1; i <= 300; i++) print sin(i), cos(i * i), 2 + sin(3 * i) }' |\n"
      "  tr ' ' , >\"${1%.yaml}.csv\"\n");
}

/// A script there, with all that it prints.
Ran in_project(const TemporaryFolder& root, const std::string& script) {
  return program({"bash", "-euc",
                  "exec 2>&1; cd \"$1\"; export PATH=\"$1/tools:$1/build:$PATH\" EDITOR=editor\n"
                  "unset LACP LACP_DATASETS MAKEFLAGS MAKELEVEL; eval \"$2\"",
                  "bash", root.path().string(), script});
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.push_back(at->str(1));
  return found;
}

}  // namespace

TEST_CASE("every link of every page leads to a file, and the address of the repository is a placeholder") {
  std::vector<fs::path> all = pages();
  for (const auto& entry : fs::recursive_directory_iterator(source_folder / "results"))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  std::size_t links = 0;
  for (const fs::path& page : all)
    for (const std::string& target : matches(lacp::read_file(page), R"(\]\(([^)# ]+))")) {
      if (target.starts_with("http")) continue;
      ++links;
      CHECK_MESSAGE(fs::exists(page.parent_path() / target), page.string(), ": ", target);
    }
  CHECK(links > 50);
  std::string where;
  for (const fs::path& page : pages())
    for (const std::string& found :
         matches(lacp::read_file(page), R"((//example\.org/lacp\S*( \(a placeholder)?))"))
      where += page.filename().string() + found + "\n";
  CHECK(where == "README.md//example.org/lacp> (a placeholder\n");  // in one place
}

TEST_CASE("every option of the commands for a table of one's own is named on a page") {
  std::string named;
  for (const fs::path& page : pages())
    if (page.filename() != "CHANGELOG.md") named += lacp::read_file(page);
  for (const Words& command : {Words{"fit"}, {"predict"}, {"evaluate"}, {"update"}, {"datasets", "add"}}) {
    const auto options = matches(must_run(command, {"--help"}).output, R"(\n  (--[a-z-]+))");
    CHECK(options.size() > 10);
    for (const std::string& option : options)
      CHECK_MESSAGE(std::regex_search(named, std::regex(option + "[^a-z-]")), command.back(), " ", option);
  }
}

TEST_CASE("one place says the version, and all others what it says") {
  const TemporaryFolder root;
  fs::create_directories(root / "lib/python");
  fs::create_directories(root / "scripts/package");
  fs::copy(source_folder / "scripts/package/version.sh", root / "scripts/package");
  const auto cited = [&](const std::string& version) {
    return std::map<std::string, std::string>{
        {"CITATION.cff", "\nversion: " + version + "\n"},
        {"codemeta.json", "\"version\": \"" + version + "\""},
        {".zenodo.json", "\"version\": \"" + version + "\""},
        {"lib/python/lacp.py", "\n__version__ = \"" + version + "\"\n"}};
  };
  for (const auto& [file, words] : cited(lacp::version())) {
    CHECK_MESSAGE(has(lacp::read_file(source_folder / file), words), file, ": `make version` was not called");
    fs::copy(source_folder / file, root / file);
  }
  const std::string place = lacp::read_file(source_folder / "CMakeLists.txt");
  check_has(place, "project(lacp VERSION " + lacp::version() + " ");
  lacp::write_file(root / "CMakeLists.txt", std::regex_replace(place, std::regex(lacp::version()), "9.8.7"));
  check_ran(program({"bash", (root / "scripts/package/version.sh").string()}), 0);
  for (const auto& [file, words] : cited("9.8.7")) {
    const std::string text = lacp::read_file(root / file);
    CHECK_MESSAGE((has(text, words) && !has(text, lacp::version())), file);
  }
  CHECK(has(must_run({"--version"}).output, "lacp " + lacp::version() + "\n"));
  // Debian packages; the test `wheel` asks what pip installs.
  CHECK(has(lacp::read_file(source_folder / "scripts/package/package.cmake"),
            "set(version ${PROJECT_VERSION}-1~"));
  const std::vector<std::string> releases =
      matches(lacp::read_file(source_folder / "CHANGELOG.md"), R"(\n## (\d+\.\d+\.\d+)\n)");
  CHECK(releases.at(0) == lacp::version());
}

TEST_CASE("what a deposit says of the program is what CITATION.cff says") {
  const std::string cited = lacp::read_file(source_folder / "CITATION.cff");
  const auto field = [&](const char* pattern) { return matches(cited, pattern).at(0); };
  for (const char* name : {"codemeta.json", ".zenodo.json"}) {
    CAPTURE(name);
    check_ran(program({"python3", "-m", "json.tool", (source_folder / name).string()}), 0);
    const std::string text = lacp::read_file(source_folder / name);
    CHECK(matches(text, R"-("license": "(?:https://spdx.org/licenses/)?([^"]*)")-") ==
          std::vector{field(R"(\nlicense: (.+)\n)")});
    for (const char* pattern : {R"-(\ntitle: "(.+)"\n)-", R"(\nauthors:\n  - name: (.+)\n)"})
      CHECK(has(text, "\": \"" + field(pattern) + "\""));
    CHECK(has(text, field(R"(\n    url: https://arxiv.org/abs/(.+)\n)") + "\""));
  }
}

TEST_CASE("an experiment of one task is submitted as one shard") {
  const TemporaryFolder root;
  make_project(root.path());
  check_ran(
      in_project(root,
                 "scripts/slurm/submit.sh experiments/smoke.yaml -- --datasets cos --methods fixed --runs 1"),
      0, {}, "smoke: 1 task in 1 shard; array job 42 (1-1), ");
}

TEST_CASE("what a page shows is compared with what is printed") {
  for (const auto& [printed, shown, same] :
       {std::tuple("a.b (c)\n1 ± 2\n", "a.b (c)\n1 ± 2\n", true),
        {"axb\n", "a.b\n", false},
        {"a\nb\n", "a\n", false},
        {"took 3 s, 0 failed\n", "took …, 0 failed\n", true},
        {"took 3 s, 1 failed\n", "took …, 0 failed\n", false},
        {"took 3 s\nb, 0 failed\n", "took …, 0 failed\n", false},
        {"a\nb\n", "a\n…\nb\n", true},
        {"a\n1\n2\nb\n", "a\n…\nb\n", true},
        {"a\n1\n2\n", "a\n…\nb\n", false},
        {"1 of 2 tasks done, about 3 s left; 1 running: data set b\n10 s: fitting\na\n", "a\n", true},
        {"mine: 2 tasks, 1 done before\na\n", "a\n", false}})
    CHECK_MESSAGE(is_shown(printed, shown) == same, printed, shown);
}

TEST_CASE("every block of every page does what it says, one page after another in one project") {
  std::map<std::string, int> blocks;
  const TemporaryFolder root;
  make_project(root.path());
  for (const fs::path& page : pages()) {
    CAPTURE(page.string());
    put_program(root.path(), page.filename() != "tutorial.md");
    // The cluster, whose jobs only seem to be submitted here, has done its work.
    if (page == source_folder / "scripts/slurm/README.md")
      must_run({"run", (root / "experiments/paper.yaml").string(), "--datasets", "cos", "--methods", "exp",
                "--runs", "1", "--set", "training.epochs=1", "--results", (root / "results").string(),
                "--datasets-folder", (root / "datasets").string()});
    std::string output;
    for (const Block& block : blocks_of(lacp::read_file(page))) {
      CAPTURE(block.text);
      ++blocks[block.kind];
      if (!block.file.empty()) {
        lacp::write_file(root / block.file, block.text);
      } else if (block.kind == "cpp" || block.kind == "cmake") {
        CHECK(page == source_folder / "lib/README.md");  // compiled by lib.readme and lib.consumer
      } else if (block.kind == "python") {
        CHECK(page == source_folder / "README.md");  // run by python.estimator
      } else if (block.kind == "text") {
        CHECK_MESSAGE(is_shown(output, block.text), output);
      } else {
        REQUIRE(block.kind == "sh");
        output = check_ran(in_project(root, block.text), 0).output;
      }
    }
    if (page == source_folder / "README.md")
      CHECK(lacp::read_frame(root / "intervals.csv").rows.size() == 206);
  }
  CHECK(blocks["sh"] >= 25);
  CHECK(blocks["text"] >= 15);
}
