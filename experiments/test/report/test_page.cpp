#include <cmath>
#include <limits>
#include <set>

#include "common/message.hpp"
#include "lacp/base/sha256.hpp"
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
  CHECK(json_number(1.0 / 3.0) == "0.3333333333");
  CHECK(json_number(1.0 / 3.0, 4) == "0.3333");
  CHECK(json_number(-0.0) == "0");
  CHECK(json_number(std::nan("")) == "null");
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "\"inf\"");
  CHECK(json_object({{"a", "1"}, {"b", json_texts(std::vector<std::string>{"x", "y"})}}) ==
        "{\"a\":1,\n\"b\":[\"x\",\"y\"]}");
}

TEST_CASE("a method is drawn alike by gnuplot and on the page, and not as another is") {
  Results results = write_sample("sample_page_styles");
  const std::vector<std::string> known = method_names();
  results.experiment.methods.insert(results.experiment.methods.end(),
                                    {"unknown", "adapt_30", "cqr_x", "erc_"});
  write_figures(results);
  std::string script, expected;
  for (const char* file : {"names.gp", "style.gp"})
    script += read_file(fs::path("sample_page_styles/figures") / file);
  for (const std::string& method : results.experiment.methods) {
    const Row& style = method_style(method);
    for (const char* choice : {"colour", "dash", "mark", "label"})
      script += fmt::format("print \"\".{}(\"{}\")\n", choice, method);
    expected +=
        fmt::format("{}\n{}\n{}\n{}\n", style["colour"], style["dash"], style["mark"], method_label(method));
  }
  write_file("sample_page_styles/ask.gp", script);
  const Ran gnuplot = program({"env", "LC_ALL=C.UTF-8", "gnuplot", "sample_page_styles/ask.gp"});
  CHECK(gnuplot.messages == trim(expected));
  CHECK(method_label_tex("erc_error_fit") == "\\texttt{erc} (error fit)");
  CHECK(method_label_tex("adapt_25") == "\\texttt{adapt\\_25}");
  CHECK(method_style("adapt_30")["colour"] == method_style("adapt_100")["colour"]);
  std::set<std::string> looks, colours;
  for (const std::string& method : known)
    CHECK_MESSAGE(looks.insert(method_style(method)["colour"] + method_style(method)["mark"]).second, method);
  // Of more methods than can be told apart these are drawn.
  for (const std::string method : {"fixed", "erc", "exp", "adapt_100", "adapt", "knn_error", "cqr", "uniform"})
    CHECK_MESSAGE(colours.insert(method_style(method)["colour"]).second, method);
}

TEST_CASE("one file with all it needs, in the same bytes every time; only its own scripts may run") {
  fs::remove_all("sample_page");
  const std::string bad = "</script><script>alert(1)</script>";
  write_sample("sample_page/mine", {.incomplete = true, .infinite = true},
               [&](Experiment& e) { e.title = "A \"title\" " + bad; });
  const Ran report = lacp_program({"report", "sample_page"});
  CHECK(report.output == "sample_page/README.md\nsample_page/index.html\n");
  const std::string page = read_file("sample_page/index.html");
  CHECK(count(page, "<script") == count(page, "</script>"));
  CHECK(count(page, "<script>alert") == 0);
  CHECK(count(page, "A \\\"title\\\" \\u003c/script\\u003e\\u003cscript\\u003ealert(1)") >= 1);
  CHECK(count(page, "A \\\"title\\\" \\\\\\u003c/script") >= 1);  // in an answer, which is markdown
  CHECK(count(page, " src=") == 0);
  CHECK(count(page, "<link") == 0);
  CHECK(count(page, "'self'") == 0);
  CHECK(has(page, "default-src 'none'; script-src 'sha256-"));
  CHECK(count(page, "'sha256-") == count(page, "<script>"));
  // Python's own library agrees with the checksum of the largest script.
  const Ran python =
      program({"python3", "-c",
               "import base64, hashlib, re, sys; page = open(sys.argv[1], encoding='utf-8').read(); "
               "print(all(\"'sha256-\" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "
               "\"'\" in page for s in re.findall('<script>(.*?)</script>', page, re.S)))",
               "sample_page/index.html"});
  CHECK(python.output == "True\n");

  const auto again = [](const fs::path& path, const fs::path& folder) {
    return page_html(page_data(load_report({path}, "sample_page"), folder));
  };
  CHECK((again("sample_page", "sample_page") == page));
  // One experiment alone has its own page, whose links lead from its folder.
  const std::string alone = again("sample_page/mine", "sample_page/mine");
  CHECK(count(page, "\"link\":\"mine\"") == 1);
  CHECK(count(alone, "\"link\":\".\"") == 1);
}

TEST_CASE(
    "the page's data: what is missing is null, what is infinite says so, the paper's numbers beside ours") {
  fs::remove_all("sample_page_data");
  write_sample("sample_page_data/paper", {.incomplete = true, .infinite = true});
  const std::string data =
      page_data(load_report({"sample_page_data"}, "sample_page_data"), "sample_page_data");
  CHECK(count(data, "\"inf\"") > 0);
  CHECK(count(data, "nan") == 0);
  const Frame table = table_entries(load_results("sample_page_data/paper"));
  std::string sizes, validities;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    for (const auto& [name, column] : {std::pair{"size_mean", &sizes}, {"validity_mean", &validities}}) {
      const std::string& text = table.rows[i][table.column(name)];
      *column += (i == 0 ? "" : ",") + (text.empty() ? "null" : text == "inf" ? "\"inf\"" : text);
    }
  CHECK(count(data, "\"mean\":[" + sizes + "]") == 1);
  CHECK(count(data, "\"mean\":[" + validities + "]") == 1);
  CHECK(count(data, "\"published\":{") == 2);
  CHECK(has(data, "\"main\":false"));
  CHECK(has(data, "\"advised\":\"\""));  // the classes of the paper alone: no other intervals to choose from
  CHECK(count(data, "\"name\":\"winkler\"") == 1);
  CHECK(count(data, "\"name\":\"coverage_by_error\"") == 10);
  CHECK(count(data, "\"dataset\":\"cos\"") == 1);  // Figure 1
  CHECK(has(data, "[\"erc\",\"erc\",\"#D55E00\",\"5\",\"9\"]"));
  CHECK_FALSE(has(data, "reference/table1.csv"));  // a path that depends on the working folder
}

// ---- Names and titles that somebody else made up: in LaTeX, in markdown, on a terminal.

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
      more.insert(more.begin(), {"run", yaml.string(), "--results", (folder / "results").string(),
                                 "--dry-run", "--set", "reference.file="});
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
