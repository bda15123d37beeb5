// Every shell block of every README is executed, in a copy of the project. What would take long or leave this
// machine has a stand-in that still checks what it is asked for.
#include <doctest/doctest.h>

#include "lacp_program.hpp"
#include "readme_blocks.hpp"

namespace {

const fs::path source = LACP_SOURCE_DIR;

/// All pages but those that the program itself writes.
std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const char* folder : {".", "lib", "datasets", "experiments", "scripts", "scripts/slurm"})
    for (const auto& entry : fs::directory_iterator(source / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

void write_script(const fs::path& file, const std::string& text) {
  lacp::write_file(file, "#!/bin/bash\nset -eu\n" + text);
  fs::permissions(file, fs::perms::owner_all);
}

/// The project's folders as a user has them, and the stand-ins in `tools`.
void make_project(const fs::path& root) {
  for (const char* folder : {"experiments", "datasets", "scripts"}) fs::create_directories(root / folder);
  for (const auto& entry : fs::directory_iterator(source / "experiments"))
    if (entry.path().extension() == ".yaml" || entry.path().filename() == "reference")
      fs::copy(entry.path(), root / "experiments" / entry.path().filename(), fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(source / "datasets"))
    if (entry.is_regular_file()) fs::copy(entry.path(), root / "datasets" / entry.path().filename());
  fs::copy(source / "scripts", root / "scripts", fs::copy_options::recursive);

  // Little training, no downloads.
  write_script(root / "build/lacp", "real='" LACP_PROGRAM
                                    "'\n"
                                    "case \" $* \" in\n"
                                    "  ' run '*) exec \"$real\" \"$@\" --set training.epochs=1 ;;\n"
                                    "  ' datasets '*'fetch '*) exec \"$real\" datasets fetch --help ;;\n"
                                    "  *) exec \"$real\" \"$@\" ;;\n"
                                    "esac\n");
  // The targets must exist.
  write_script(root / "tools/make", "exec /usr/bin/make -n -C '" + source.string() + "' \"$@\"\n");
  // The presets must exist, and a build folder must be one of theirs.
  write_script(
      root / "tools/cmake",
      "cd '" + source.string() +
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

}  // namespace

TEST_CASE("every shell block of every README does what it says") {
  std::size_t executed = 0;
  for (const fs::path& page : pages()) {
    CAPTURE(page.string());
    const TemporaryFolder root;
    make_project(root.path());
    // The cluster, whose jobs only seem to be submitted here, has done its work.
    if (page == source / "scripts/slurm/README.md")
      CHECK(lacp_program({"run", (root / "experiments/paper.yaml").string(), "--datasets", "cos", "--methods",
                          "exp", "--runs", "1", "--set", "training.epochs=1", "--results",
                          (root / "results").string(), "--datasets-folder", (root / "datasets").string()})
                .status == 0);
    for (const Block& block : blocks_of(lacp::read_file(page))) {
      CAPTURE(block.text);
      if (!block.file.empty()) lacp::write_file(root / block.file, block.text);
      // C++ and CMake are compiled by lib.readme and lib.consumer, from lib/README.md.
      if (block.kind == "cpp" || block.kind == "cmake") CHECK(page == source / "lib/README.md");
      if (block.kind != "sh") continue;
      const Ran ran = program({"bash", "-euc",
                               "cd \"$1\"; export PATH=\"$1/tools:$1/build:$PATH\" EDITOR=editor\n"
                               "unset LACP LACP_DATASETS MAKEFLAGS MAKELEVEL; eval \"$2\"",
                               "bash", root.path().string(), block.text});
      CHECK_MESSAGE(ran.status == 0, ran.messages);
      ++executed;
    }
  }
  CHECK(executed >= 7);
}
