// What the program says about itself, and the pages that repeat it.
#include <regex>

#include "common/message.hpp"
#include "experiment/settings/settings.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"

namespace {

/// What a page has between "<!-- lacp COMMAND -->" and "<!-- end -->".
std::string part_of_page(const std::string& page, const std::string& command) {
  const std::string text = lacp::read_file(source_folder / page), begin = "<!-- " + command + " -->\n";
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find("<!-- end -->", from) - from);
}

std::string refusal(const std::string& key, double value) {
  return message_of([&] { lacp::load_experiment(smoke_yaml, {fmt::format("{}={}", key, value)}); });
}

}  // namespace

TEST_CASE("lines are as long as a terminal is wide, and words stay whole") {
  CHECK(lacp::padded("é", 3) + lacp::padded_left("é", 3) == "é    é");
  CHECK(lacp::wrapped("αβγ δεζ  η", 2, 0, 7) == "αβγ δεζ\n  η");
  CHECK(lacp::wrapped("one two", 1, 4, 7) == "one\n two");
  CHECK(lacp::wrapped("a wordthatislong b", 0, 0, 5) == "a\nwordthatislong\nb");
}

TEST_CASE("the pages repeat what the program says of settings and methods") {
  for (const auto& [page, words] : {std::pair{"experiments/README.md", "help settings --markdown"},
                                    {"lib/README.md", "methods --markdown"}})
    CHECK(part_of_page(page, std::string("lacp ") + words) ==
          lacp_program(lacp::split_text(words, ' ')).output);
}

TEST_CASE("every key that a manifest has is explained, and every method") {
  const std::string page = lacp::settings_markdown(), methods = lacp_program({"methods"}).output;
  for (const lacp::Setting& setting : lacp::setting_values(lacp::Experiment{})) {
    check_has(page, "| `" + setting.key + "` | ");
    CHECK_MESSAGE(lacp::setting_meaning(setting.key).size() > 10, setting.key);
  }
  for (const std::string& name : lacp::method_names()) {
    check_has(methods, {"\n" + name + " ", std::string(lacp::find_method(name).equation)});
    CHECK_MESSAGE(lacp::find_method(name).about.size() > 10, name);
  }
}

TEST_CASE("every key of a description is explained in datasets/README.md, and nothing else is") {
  std::set<std::string> explained, known;
  const std::string page = lacp::read_file(source_folder / "datasets/README.md");
  const std::regex quoted("`([a-z0-9_.]+)`");
  for (const std::string& row : lacp::split_text(page.substr(page.find("## The keys\n")), '\n')) {
    const std::string keys = row.starts_with("| `") ? row.substr(0, row.find(" | ")) : "";
    for (std::sregex_iterator key(keys.begin(), keys.end(), quoted), end; key != end; ++key)
      explained.insert(key->str(1));
  }

  // What the reader says that it knows, where it finds a key that it does not.
  const TemporaryFolder folder;
  const Words groups = {"source", "format", "target", "columns", "missing", "synthetic"};
  const auto ask = [&](const std::string& prefix, const std::string& yaml) {
    lacp::write_file(folder / "set.yaml", "title: T\n" + yaml);
    const std::string said = lacp_program({"datasets", "check", folder / "set.yaml"}).messages,
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
  CHECK(explained == known);
}

TEST_CASE("the bounds that help names are those that an experiment is held to") {
  std::vector<lacp::Setting> numbers = lacp::setting_values(lacp::Experiment{});
  std::erase_if(numbers, [](const lacp::Setting& setting) { return !setting.range; });
  CHECK(numbers.size() > 20);
  check_has(refusal("training.epochs", 0), lacp::setting_meaning("training.epochs"));
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

TEST_CASE("help settings takes one key or a group, and names the nearest to a wrong one") {
  const std::string one = lacp_program({"help", "settings", "training.epochs"}).output;
  check_has(one, {"training.epochs\n", "default 50"});
  check_lacks(one, "training.batch");
  check_has(lacp_program({"help", "settings", "training"}).output, "training.batch\n");
  check_has(lacp_program({"help", "settings", "cross_fit"}).output, "predictor.cross_fit\n");
  check_ran(lacp_program({"help", "settings", "epoch"}), 2, "'epoch' (did you mean 'epochs'?)");
}

TEST_CASE("every command is listed, and explained within 80 columns") {
  std::vector<Words> commands = {{}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    bool listed = false;
    for (const std::string& line : lacp::split_text(lacp_program(commands[i], {"--help"}).output, '\n')) {
      CHECK_MESSAGE(lacp::text_width(line) <= lacp::terminal_columns, line);
      listed = line == "Commands:" || (listed && !line.empty());
      if (listed && line.starts_with("  ") && line[2] != ' ')
        commands.push_back(joined(commands[i], {line.substr(2, line.find(' ', 2) - 2)}));
    }
  }
  CHECK(commands.size() >= 15);
}

TEST_CASE("the examples of a command have its options and arguments") {
  std::size_t examples = 0;
  for (const std::string command : {"fit", "predict", "evaluate", "info", "datasets add", "datasets fetch",
                                    "run", "compare", "report", "verify"}) {
    const std::string help = lacp_program(lacp::split_text(command, ' '), {"--help"}).output;
    const std::size_t begin = help.find("Examples:\n");
    REQUIRE_MESSAGE(begin != std::string::npos, help);
    const std::string shown = std::regex_replace(help.substr(begin), std::regex("\n {6,}"), " ");
    for (const std::string& line : lacp::split_text(shown, '\n')) {
      if (!line.starts_with("  lacp ")) continue;
      ++examples;
      for (const std::string& word : lacp::split_text(line, ' '))
        if (word.starts_with("--")) CHECK_MESSAGE(has(help.substr(0, begin), "\n  " + word + " "), line);
    }
  }
  CHECK(examples == 12);
}
