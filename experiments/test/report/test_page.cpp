#include <cmath>
#include <limits>
#include <set>

#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "report/words.hpp"
#include "sample_results.hpp"

// What the page shows and does is tested in a browser: browser/test_page.py.
using namespace lacp;

TEST_CASE("json: no text can end or begin an element, and numbers that are none are no numbers") {
  CHECK(json_text("a \"b\" \\ </script>\n&") == "\"a \\\"b\\\" \\\\ \\u003c/script\\u003e\\u000a\\u0026\"");
  CHECK(json_text("é α") == "\"é α\"");
  CHECK(json_number(0.1) == "0.1");
  CHECK(json_number(1.0 / 3.0, 4) == "0.3333");
  CHECK(json_number(-0.0) == "0");
  CHECK(json_number(std::nan("")) == "null");
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "\"inf\"");
}

TEST_CASE("no two methods look alike, and a label is LaTeX's") {
  std::set<std::string> looks, colours;
  for (const std::string& method : method_names())
    CHECK_MESSAGE(looks.insert(method_style(method)["colour"] + method_style(method)["mark"]).second, method);
  // Of more methods than can be told apart these are drawn.
  for (const std::string method : {"fixed", "erc", "exp", "adapt", "knn_error", "cqr"})
    CHECK_MESSAGE(colours.insert(method_style(method)["colour"]).second, method);
  CHECK(method_label_tex("erc_error_fit") == "\\texttt{erc} (error fit)");
  CHECK(method_label_tex("knn_error") == "\\texttt{knn\\_error}");
}

TEST_CASE("one file with all it needs, in the same bytes every time; only its own scripts may run") {
  fs::remove_all("sample_page");
  write_sample("sample_page/mine");
  CHECK(must_run({"report", "sample_page"}).output == "sample_page/README.md\nsample_page/index.html\n");
  const std::string page = read_file("sample_page/index.html");
  CHECK(count(page, "<script") == count(page, "</script>"));
  CHECK(count(page, "'sha256-") == count(page, "<script>"));  // a browser compares the checksums
  CHECK(has(page, "default-src 'none'; script-src 'sha256-"));
  for (const char* part : {" src=", "<link", "'self'"}) CHECK_MESSAGE(!has(page, part), part);
  const auto again = [](const fs::path& path, const fs::path& folder) {
    return page_html(page_data(load_report({path}, "sample_page"), folder));
  };
  CHECK((again("sample_page", "sample_page") == page));
  // One experiment alone has its own page, whose links lead from its folder.
  CHECK(count(page, "\"link\":\"mine\"") == 1);
  CHECK(count(again("sample_page/mine", "sample_page/mine"), "\"link\":\".\"") == 1);
}

// ---- Names and titles that somebody else made up: in LaTeX, in markdown, on a terminal.

namespace {

const std::string escape = "\033]0;owned\007\033[31m", control = "\xc2\x9b";  // U+009B is ESC [ in one
const std::string tex = "p}\\immediate\\write18{touch pwned}\\label{q";

bool is_clean(const std::string& text) {
  return !has(text, "\033") && !has(text, "\007") && !has(text, control);
}

}  // namespace

TEST_CASE(
    "no experiment is named after a file, and nothing is made of a folder, whose name is more than a name") {
  const TemporaryFolder folder;
  write_sample(folder / "fine", {}, make_small);
  for (const std::string& name : {tex, "a" + escape, std::string("two\nlines"), std::string("-rf")}) {
    const fs::path yaml = folder / (name + ".yaml"), renamed = folder / name;
    fs::copy_file(smoke_yaml, yaml);
    const std::vector<std::string> run = {
        "run",       yaml.string(), "--results",      (folder / "results").string(),
        "--dry-run", "--set",       "reference.file="};
    CHECK(is_clean(check_ran(lacp_program(run), 2, "--name NAME").messages));
    must_run(run, {"--name", "fine"});
    CHECK_FALSE(fs::exists(folder / "results"));

    fs::rename(folder / "fine", renamed);
    for (const char* command : {"table", "report", "status"}) {
      const Ran ran = check_ran(lacp_program({command, renamed.string()}), 2);
      CHECK_MESSAGE((is_clean(ran.messages) && is_clean(ran.output)), command);
    }
    for (const char* made : {"table.tex", "README.md"}) CHECK_FALSE(fs::exists(renamed / made));
    fs::rename(renamed, folder / "fine");
  }
}

TEST_CASE("a title is text: on every page, in LaTeX, on a terminal") {
  const TemporaryFolder folder;
  const std::string title =
      "A_b | \\ </script><script>alert(1)</script> [x](javascript:y) ```\n\n# fence " + escape + control;
  for (const char* name : {"mine", "other"})
    write_sample(folder / name, {}, [&](Experiment& e) { e.title = title, e.datasets = {"concrete"}; });
  Cell failed = found_in(folder / "mine", {"concrete", 0, "erc"}).cell.value();
  failed.values.clear();
  failed.failure = "<b>`x`</b>";
  put_rows(folder / "mine", failed.task, to_rows(failed));
  must_run({"report", folder.path().string()});
  CHECK_FALSE(has(read_file(folder / "index.html"), "<script>alert"));
  for (const char* page : {"README.md", "mine/README.md"}) {
    const std::string text = read_file(folder / page);
    check_lacks(text, {"</script><script>", "[x](", "```", "\n# fence"});
    check_has(text, "A\\_b ");
    CHECK_MESSAGE(is_clean(text), page);
  }
  CHECK(has(read_file(folder / "mine/README.md"), "| \\<b\\>\\`x\\`\\</b\\> |"));
  const std::string table = read_file(folder / "mine/table.tex");
  CHECK(has(table, "\\# fence"));
  check_lacks(table, "\n\n");
  CHECK(is_clean(table));
  for (const char* command : {"table", "compare", "status"}) {
    const Ran ran = lacp_program({command, (folder / "mine").string()});
    CHECK_MESSAGE((is_clean(ran.messages) && is_clean(ran.output)), command);
  }
}

TEST_CASE("no control character of others reaches a terminal, and the program's own do") {
  for (const std::string own : {"\r3 of 4\033[K", "a\tb\n\033[1m0.5\033[0m “α” é\n", "\xc3"})
    CHECK(for_terminal(own) == own);
  CHECK(for_terminal("a" + escape + "b") == "a\\x1b]0;owned\\x07\\x1b[31mb");
  CHECK(for_terminal("a" + control + "31m") == "a\\x9b31m");
  CHECK(for_terminal("a\x9b"
                     "31m\x7f") == "a\\x9b31m\\x7f");  // as terminals of eight bits take it
  CHECK(for_terminal("done\rfaked") == "done\\x0dfaked");
  CHECK(one_line("ß\xc2\x85\n") == "ß\\x85\\x0a");
  CHECK(one_line("a\u202eb\u2066\u2014") == "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6\u2014");
  CHECK(json_text("a\u202eb\u2066\u2014") == "\"a\\u202eb\\u2066\u2014\"");
  CHECK(markdown_link("../my (1)/é") == "../my%20%281%29/%C3%A9");
  CHECK(markdown_code("a`b\nc") == "`a'b c`");
}
