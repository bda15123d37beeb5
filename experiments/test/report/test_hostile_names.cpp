// Names and titles that somebody else made up: in LaTeX, in markdown, on a terminal.
#include <doctest/doctest.h>

#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "report/words.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const std::string escape = "\033]0;owned\007\033[31m", control = "\xc2\x9b";  // U+009B is ESC [ in one
const std::string tex = "p}\\immediate\\write18{touch pwned}\\label{q";

bool is_clean(const std::string& text) {
  return !has(text, "\033") && !has(text, "\007") && !has(text, control);
}

}  // namespace

TEST_CASE("an experiment is not named after a file whose name is more than a name") {
  const TemporaryFolder folder;
  for (const std::string& stem : {tex, "a" + escape, std::string("two\nlines"), std::string("<img src=x>"),
                                  std::string("-rf"), std::string("a$(touch x)")}) {
    const fs::path yaml = folder / (stem + ".yaml");
    fs::copy_file(smoke_yaml, yaml);
    const auto run = [&](std::vector<std::string> more) {
      more.insert(more.begin(),
                  {"run", yaml.string(), "--results", (folder / "results").string(), "--dry-run"});
      return lacp_program(more);
    };
    const Ran refused = run({});
    CHECK_MESSAGE(refused.status == 2, stem);
    check_has(refused.messages, {"expected a name of letters, digits, '_', '-', '.'", "--name NAME"});
    CHECK(is_clean(refused.messages));
    CHECK(run({"--name", "fine"}).status == 0);
  }
  CHECK_FALSE(fs::exists(folder / "results"));
}

TEST_CASE("nothing is made of a folder whose name is more than a name") {
  const TemporaryFolder folder;
  write_sample(folder / "fine");
  for (const std::string& name : {tex, "a" + escape, "b" + control, std::string("[x](javascript:y)")}) {
    const fs::path renamed = folder / name.substr(0, name.find('/'));
    fs::rename(folder / "fine", renamed);
    for (const char* command : {"table", "compare", "figures", "report", "status"}) {
      const Ran ran = lacp_program({command, renamed.string()});
      CHECK_MESSAGE(ran.status == 2, command, ": ", name);
      CHECK_MESSAGE((is_clean(ran.messages) && is_clean(ran.output)), command);
    }
    CHECK_FALSE(fs::exists(renamed / "table.tex"));
    CHECK_FALSE(fs::exists(renamed / "README.md"));
    fs::rename(renamed, folder / "fine");
  }
}

TEST_CASE("a title is text: on every page, in LaTeX, on a terminal") {
  const TemporaryFolder folder;
  const std::string title =
      "A_b | \\ </script><script>alert(1)</script> [x](javascript:y) ```\n\n# fence " + escape + control;
  for (const char* name : {"mine", "other"})
    write_sample(folder / name, {}, [&](Experiment& e) { e.title = title, e.datasets = {"concrete"}; });
  Cell failed{.task = {"concrete", 0, "erc"}, .settings = "", .data = "", .values = {}};
  failed.failure = "<b>`x`</b>";
  put_cell(folder / "mine", failed);
  must_run({"report", folder.path().string()});
  for (const char* page : {"README.md", "mine/README.md"}) {
    const std::string text = read_file(folder / page);
    CHECK_MESSAGE(!has(text, "</script><script>"), page);
    CHECK_MESSAGE(!has(text, "[x]("), page);
    CHECK_MESSAGE(!has(text, "```"), page);
    CHECK_MESSAGE(!has(text, "\n# fence"), page);
    CHECK_MESSAGE(has(text, "A\\_b "), page);
    CHECK_MESSAGE(is_clean(text), page);
  }
  CHECK(has(read_file(folder / "mine/README.md"), "| \\<b\\>\\`x\\`\\</b\\> |"));
  for (const char* name : {"table.tex", "comparison.tex"}) {
    const std::string text = read_file(folder / "mine" / name);
    CHECK_MESSAGE(!has(text, "\n\n"), name);
    CHECK_MESSAGE(has(text, "\\#{} fence") + has(text, "\\# fence") == 1, name);
    CHECK_MESSAGE(is_clean(text), name);
  }
  for (const char* command : {"table", "compare", "status"}) {
    const Ran ran = lacp_program({command, (folder / "mine").string()});
    CHECK_MESSAGE((is_clean(ran.messages) && is_clean(ran.output)), command);
  }
}

TEST_CASE("no control character of others reaches a terminal, and the program's own do") {
  CHECK(for_terminal("\r3 of 4\033[K") == "\r3 of 4\033[K");
  CHECK(for_terminal("a\tb\n\033[1m0.5\033[0m “α” é\n") == "a\tb\n\033[1m0.5\033[0m “α” é\n");
  CHECK(for_terminal("a" + escape + "b") == "a\\x1b]0;owned\\x07\\x1b[31mb");
  CHECK(for_terminal("a" + control + "31m") == "a\\x9b31m");
  CHECK(for_terminal("a\x9b"
                     "31m\x7f") == "a\\x9b31m\\x7f");  // as terminals of eight bits take it
  CHECK(for_terminal("done\rfaked") == "done\\x0dfaked");
  CHECK(for_terminal("\xc3") == "\xc3");
  CHECK(one_line("ß\xc2\x85\n") == "ß\\x85\\x0a");
  CHECK(markdown_link("../my (1)/é") == "../my%20%281%29/%C3%A9");
  CHECK(markdown_code("a`b\nc") == "`a'b c`");

  const TemporaryFolder folder;
  write_file(
      folder / "d/bad.yaml",
      "{title: \"t\\e]0;owned\\a\\x9b\", citation: c, licence: \"l\\e\", synthetic: {profile: cos, samples: 300}}");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"datasets", "--datasets-folder", (folder / "d").string()},
           {"datasets", "check", "bad", "--datasets-folder", (folder / "d").string()},
           {"table", (folder / ("no" + escape + control)).string()},
           {"table", "--format", escape, "x"},
           {"no" + escape}}) {
    const Ran ran = lacp_program(command);
    CHECK_MESSAGE((is_clean(ran.messages) && is_clean(ran.output)), command[0], ran.output, ran.messages);
  }
}
