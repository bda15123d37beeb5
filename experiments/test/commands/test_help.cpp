// What the program says about itself, and the pages that repeat it.
#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "settings/settings.hpp"

namespace {

/// What a page has between "<!-- lacp COMMAND -->" and "<!-- end -->".
std::string part_of_page(const std::string& page, const std::string& command) {
  const std::string text = lacp::read_file(fs::path(LACP_SOURCE_DIR) / page),
                    begin = "<!-- " + command + " -->\n";
  const std::size_t start = text.find(begin);
  REQUIRE(start != std::string::npos);
  const std::size_t from = start + begin.size();
  return text.substr(from, text.find("<!-- end -->", from) - from);
}

/// Why `--set key=value` is refused.
std::string refusal(const std::string& key, double value) {
  return message_of([&] { lacp::load_experiment(smoke_yaml, {fmt::format("{}={}", key, value)}); });
}

}  // namespace

TEST_CASE("lines are as long as a terminal is wide, and words stay whole") {
  CHECK(lacp::text_width("φ ± ∞") == 5);
  CHECK(lacp::padded("é", 3) + lacp::padded_left("é", 3) == "é    é");
  CHECK(lacp::wrapped("one two  three", 2, 0, 7) == "one two\n  three");
  CHECK(lacp::wrapped("αβγ δεζ η", 0, 0, 9) == "αβγ δεζ η");
  CHECK(lacp::wrapped("one two", 1, 4, 7) == "one\n two");
  CHECK(lacp::wrapped("a wordthatislong b", 0, 0, 5) == "a\nwordthatislong\nb");
  CHECK(lacp::wrapped("") == "");
}

TEST_CASE("the pages repeat what the program says of settings and methods") {
  const std::string settings = lacp_program({"help", "settings", "--markdown"}).output;
  CHECK(part_of_page("experiments/README.md", "lacp help settings --markdown") == settings);
  const std::string methods = lacp_program({"methods", "--markdown"}).output;
  CHECK(part_of_page("experiments/README.md", "lacp methods --markdown") == methods);
  CHECK(part_of_page("lib/README.md", "lacp methods --markdown") == methods);
}

TEST_CASE("every key that a manifest has is explained, and every method") {
  const std::string page = lacp::settings_markdown();
  for (const lacp::Setting& setting : lacp::setting_values(lacp::Experiment{})) {
    CAPTURE(setting.key);
    CHECK(has(page, "| `" + setting.key + "` | "));
    CHECK(lacp::setting_meaning(setting.key).size() > 10);
  }
  CHECK(has(page, "| `based_on` | "));
  const std::string methods = lacp_program({"methods"}).output;
  for (const std::string& name : lacp::method_names()) {
    CAPTURE(name);
    CHECK(has(methods, "\n" + name + " "));
    CHECK(lacp::find_method(name).about.size() > 10);
    CHECK(has(methods, std::string(lacp::find_method(name).equation)));
  }
}

TEST_CASE("every key of a description is explained in datasets/README.md, and nothing else is") {
  std::set<std::string> explained, known;
  const std::string page = lacp::read_file(fs::path(LACP_SOURCE_DIR) / "datasets/README.md");
  for (const std::string& row : lacp::split_text(page.substr(page.find("## The keys\n")), '\n')) {
    if (!row.starts_with("| `")) continue;
    const std::string keys = row.substr(0, row.find(" | "));
    const std::regex quoted("`([a-z0-9_.]+)`");
    for (std::sregex_iterator key(keys.begin(), keys.end(), quoted), end; key != end; ++key)
      explained.insert(key->str(1));
  }

  // What the reader says that it knows, where it finds a key that it does not.
  const TemporaryFolder folder;
  const std::vector<std::string> groups = {"source", "format", "target", "columns", "missing", "synthetic"};
  const auto ask = [&](const std::string& prefix, const std::string& yaml) {
    lacp::write_file(folder / "set.yaml", "title: T\n" + yaml);
    const std::string said = lacp_program({"datasets", "check", (folder / "set.yaml").string()}).messages,
                      before = "unknown key '" + prefix + "zzz'; known here: ";
    const std::size_t at = said.find(before);
    REQUIRE_MESSAGE(at != std::string::npos, said);
    for (const std::string& key : lacp::split_text(lacp::trim(said.substr(at + before.size())), ','))
      if (const std::string name(lacp::trim(key)); std::ranges::find(groups, name) == groups.end())
        known.insert(prefix + name);
  };
  const std::string file = "source: {file: a.csv}\n", target = "target: y\n";
  ask("", file + target + "zzz: 1\n");
  ask("source.", "source: {file: a.csv, zzz: 1}\n" + target);
  ask("target.", file + "target: {column: y, zzz: 1}\n");
  ask("synthetic.", "synthetic: {profile: cos, zzz: 1}\n");
  for (const std::string group : {"format", "columns", "missing"})
    ask(group + ".", file + target + group + ": {zzz: 1}\n");
  known.insert("target");  // a key with a value of its own, and a group
  CHECK(known.size() > 25);
  CHECK(explained == known);
}

TEST_CASE("the bounds that help names are those that an experiment is held to") {
  std::vector<lacp::Setting> numbers = lacp::setting_values(lacp::Experiment{});
  std::erase_if(numbers, [](const lacp::Setting& setting) { return !setting.range; });
  CHECK(numbers.size() > 20);
  for (const lacp::Setting& setting : numbers) {
    const auto& [key, range] = std::pair(setting.key, *setting.range);
    CAPTURE(key);
    const double step = setting.whole ? 1.0 : 0.001;
    for (const auto& [bound, outwards] : {std::pair{range.low, -step}, {range.high, step}}) {
      if (!std::isfinite(bound)) continue;
      CHECK(refusal(key, bound + outwards) != "nothing was thrown");
      // The last value that is allowed; shares of a split must also add up to 1.
      const std::string last = refusal(key, range.open ? bound - outwards : bound);
      if (!key.starts_with("split.") && key != "evaluation.scored") CHECK(last == "nothing was thrown");
    }
  }
}

TEST_CASE("an error about a key quotes its meaning") {
  const std::string meaning = "(meaning of the key: " + lacp::setting_meaning("training.epochs") + ")";
  CHECK(has(refusal("training.epochs", 0), "--set training.epochs: found 0; expected "));
  CHECK(has(refusal("training.epochs", 0), meaning));
  CHECK(has(refusal("training.epochs", 0.5), meaning));
}

TEST_CASE("help settings takes one key or a group, and names the nearest to a wrong one") {
  const std::string one = lacp_program({"help", "settings", "training.epochs"}).output;
  check_has(one, {"training.epochs\n", "default 50"});
  check_lacks(one, "training.batch");
  const std::string group = lacp_program({"help", "settings", "training"}).output;
  check_has(group, "training.batch\n");
  check_lacks(group, "split.proper");
  check_has(lacp_program({"help", "settings", "cross_fit"}).output, "predictor.cross_fit\n");
  check_ran(lacp_program({"help", "settings", "epoch"}), 2,
            "no setting is called 'epoch' (did you mean 'epochs'?)");
}

// Completion by the shells themselves, with the words of the program.

namespace {

const fs::path source = LACP_SOURCE_DIR;

/// What bash offers after `lacp WORDS`; the last word is being written. Joined by blanks.
std::string bash_offers(const std::vector<std::string>& words) {
  const Ran ran =
      check_ran(program(joined({"bash", "-euc",
                                "source <(\"$1\" completion bash)\n"
                                "cd \"$2\"; export LACP_DATASETS=\"$2/datasets\"; program=$1; shift 2\n"
                                "COMP_WORDS=(\"$program\" \"$@\") COMP_CWORD=$#\n"
                                "complete -p lacp | grep -q -- '-F _lacp'\n"
                                "_lacp || true\n"
                                "echo \"${COMPREPLY[*]}\"",
                                "bash", lacp_executable, source.string()},
                               words)),
                0);
  return ran.output.substr(0, ran.output.find('\n'));
}

}  // namespace

TEST_CASE("bash completes commands, options and their values") {
  CHECK(bash_offers({"ru"}) == "run");
  CHECK(bash_offers({"datasets", ""}) == "fetch check add");
  CHECK(bash_offers({"run", "--datasets"}) == "--datasets --datasets-folder");
  CHECK(bash_offers({"run", "e.yaml", "--retr"}) == "--retry-failed");
  CHECK(bash_offers({"run", "e.yaml", "--datasets", "en"}) == "energy energy_with_y1");
  CHECK(bash_offers({"run", "e.yaml", "--datasets", "cos,sq"}) == "cos,squared");
  CHECK(bash_offers({"run", "e.yaml", "--methods", ""}) == lacp::join(lacp::method_names(), " "));
  CHECK(bash_offers({"run", "e.yaml", "--methods", "exp,e"}) == "exp,erc_error_fit exp,erc");
  CHECK(bash_offers({"run", "e.yaml", "--set", "training.ep"}) == "training.epsilon= training.epochs=");
  CHECK(bash_offers({"run", "e.yaml", "--force", "--set", "split.pr"}) == "split.proper=");
  CHECK(bash_offers({"help", "settings", "evaluation.m"}) == "evaluation.mode");
  CHECK(bash_offers({"table", "--format", "="}) == "text csv latex markdown");
  CHECK(bash_offers({"table", "--format", "=", "m"}) == "markdown");
  CHECK(bash_offers({"datasets", "check", "conc"}) == "concrete");
  CHECK(bash_offers({"completion", ""}) == "bash zsh");
  CHECK(bash_offers({"run", "experiments/rel"}) == "experiments/release.yaml");
  CHECK(bash_offers({"table", "experiments/refer"}) == "experiments/reference");
  CHECK(bash_offers({"compl"}) == "completion");  // what the completion itself asks is hidden
}

TEST_CASE("every command and option is offered and explained within 80 columns") {
  std::vector<std::vector<std::string>> commands = {{}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::vector<std::string> words = joined({"complete"}, commands[i]);
    const std::string text = lacp_program(commands[i], {"--help"}).output;
    for (const std::string& line : lacp::split_text(text, '\n'))
      CHECK_MESSAGE(lacp::text_width(line) <= lacp::terminal_columns, line);
    for (const char* beginning : {"", "--"}) {
      for (const std::string& line : lacp::split_text(lacp_program(words, {beginning}).output, '\n')) {
        const std::vector<std::string> fields = lacp::split_text(line, '\t');
        if (fields.size() < 2 || fields[1].empty()) continue;
        const bool is_command = has(text, "Commands:") && *beginning == '\0';
        if (!is_command && *beginning == '\0') continue;  // a value
        CHECK_MESSAGE(has(text, "\n  " + fields[0]), fields[0]);
        for (const std::string& word : lacp::split_text(fields[1], ' ')) CHECK_MESSAGE(has(text, word), word);
        if (is_command) commands.push_back(joined(commands[i], {fields[0]}));
      }
    }
  }
  CHECK(commands.size() >= 15);
}

TEST_CASE("the scripts are those that are installed, and zsh reads its own") {
  CHECK(lacp_program({"completion", "bash"}).output ==
        lacp::read_file(source / "experiments/completion/lacp.bash"));
  CHECK(lacp_program({"completion", "zsh"}).output ==
        lacp::read_file(source / "experiments/completion/_lacp"));
  CHECK(lacp_program({"completion", "fish"}).status == 2);
  const std::string rules = lacp::read_file(source / "experiments/CMakeLists.txt");
  for (const char* file : {"completion/lacp.bash", "completion/_lacp"})
    CHECK(has(rules, std::string("install(FILES ") + file + " DESTINATION share/"));
  if (program({"sh", "-c", "command -v zsh || true"}).output.empty()) {
    MESSAGE("skipped: zsh is not installed, so its script is not read");
    return;
  }
  check_ran(program({"zsh", "-n", (source / "experiments/completion/_lacp").string()}), 0);
}
