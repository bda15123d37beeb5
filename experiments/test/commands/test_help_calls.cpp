// What the program says about itself, checked against the functions that it says it of.
#include "common/message.hpp"
#include "experiment/settings/settings.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"

namespace {

std::string refusal(const std::string& key, double value) {
  return message_of([&] { lacp::load_experiment(smoke_yaml, {fmt::format("{}={}", key, value)}); });
}

}  // namespace

TEST_CASE("lines are as long as a terminal is wide, and words stay whole") {
  CHECK(lacp::padded("é", 3) + lacp::padded_left("é", 3) == "é    é");
  CHECK(lacp::wrapped("αβγ δεζ  η", 2, 0, 7) == "αβγ δεζ\n  η");
  CHECK(lacp::wrapped("one two", 1, 4, 7) == "one\n two");
  CHECK(lacp::wrapped("a wordthatislong b", 0, 0, 5) == "a\nwordthatislong\nb");
  CHECK(lacp::wrapped("one 2 % more", 0, 0, 6) == "one\n2 %\nmore");
  const std::string advice = std::string(70, 'a') + " do `lacp update m.lacp t.csv` again";
  CHECK(lacp::wrapped_around_commands(advice, 2, 0) ==
        std::string(70, 'a') + " do\n  `lacp update m.lacp t.csv` again");
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
