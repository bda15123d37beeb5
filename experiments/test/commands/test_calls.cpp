// What commands call, called by itself: the help and its bounds, the fit and the library, the drawing of
// verify.
#include <set>

#include "commands/program.hpp"
#include "common/advice.hpp"
#include "common/frame.hpp"
#include "common/message.hpp"
#include "experiment/engine/plan.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "models/predictor/predictor.hpp"
#include "table/table_model.hpp"
#include "tool/fit/fit.hpp"

using lacp::Task;

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
}

TEST_CASE("an error says what to do in the words of the program; to another program it says what it is") {
  using lacp::FaultKind;
  for (const auto& [kind, values, advice] :
       std::vector<std::tuple<FaultKind, std::vector<std::string>, std::string>>{
           {FaultKind::no_number, {"2 x"}, "say --missing '2 x' (or missing.marks)"},
           {FaultKind::decimal_mark, {"", "1.5"}, "say `format: {decimal: comma}`, or write 1.5"},
           {FaultKind::decimal_mark, {"4228.7", ""}, "say `format: {decimal: point}`, or write 4228.7"},
           {FaultKind::decimal_mark,
            {"4228", "4.2"},
            "{decimal: point}` if it means 4228, comma if it means 4.2"},
           {FaultKind::unseen_category, {"boat"}, "--unseen zeros"},
           {FaultKind::few_validation_rows, {}, "training.selection.validation_share"},
           {FaultKind::bad_row, {}, "--skip-bad"}}) {
    const std::string said = lacp::with_advice(lacp::UserError("it is wrong", {kind, values}));
    CHECK(said.starts_with("it is wrong; "));
    check_has(said, advice);
  }
  CHECK(lacp::with_advice(lacp::UserError("it is wrong")) == "it is wrong");
  CHECK(lacp::json_of(lacp::UserError("t.csv:2: no", {FaultKind::unseen_category, {"boat"}, 2})) ==
        R"({"code":"unseen_category","values":["boat"],"line":2,"message":"t.csv:2: no"})");
}

TEST_CASE("what was removed is refused in one line that says what to use instead") {
  for (const lacp::RemovedWord& word : lacp::removed_words()) {
    std::vector<std::string> words = lacp::split_text(std::string(word.command), ' ');
    if (!word.option.empty()) words.emplace_back(word.option);
    const std::string called = lacp::join(words, " ");
    check_refused(lacp_program(words), 2, fmt::format("lacp: {}: was removed; {}", called, word.instead));
    CHECK_MESSAGE((word.instead.size() > 10 && word.instead.size() <= 110), called);
  }
  CHECK(!lacp::removed_words().empty());
}

TEST_CASE("every key that a manifest has is explained, and every method") {
  const std::string page = lacp::settings_text(), methods = lacp_program({"methods"}).output;
  for (const lacp::Setting& setting : lacp::setting_values(lacp::Experiment{})) {
    check_has(page, "\n  " + setting.key + "\n");
    CHECK_MESSAGE(std::string_view(setting.about).size() > 10, setting.key);
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

TEST_CASE("fit uses the settings that the library recommends") {
  const TemporaryFolder folder;
  arma::mat X(2, 60);
  arma::vec y(60);
  lacp::Stream stream(1);
  std::string csv = "a,b,y\n";
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    X(0, n) = stream.normal();
    X(1, n) = stream.normal();
    y(n) = 10.0 + X(0, n) * (1.0 + stream.normal());
    csv += fmt::format("{},{},{}\n", X(0, n), X(1, n), y(n));
  }
  lacp::write_file(folder / "t.csv", csv);
  must_run({"fit", (folder / "t.csv").string(), "--model", (folder / "m.lacp").string(), "--set",
            "training.epochs=3", "network.hidden=[8]"});
  lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
  settings.training.epochs = 3;
  settings.network.hidden = {8};
  settings.every_row = true;  // up to 5,000
  const lacp::LocalPredictor ours = lacp::LocalPredictor::fit(X, y, settings);
  CHECK(lacp::TableModel::load(folder / "m.lacp").predictor().to_bytes() == ours.to_bytes());
}

TEST_CASE("with many rows 50,000 calibrate, unless shares or classes are asked for") {
  const auto calibrating = [](std::size_t rows, const lacp::FitOptions& options) {
    lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
    lacp::share_rows(settings, {lacp::Level(0.1)}, rows, options);
    CHECK(settings.proper + settings.train + settings.calibration == doctest::Approx(1.0));
    return settings.calibration * static_cast<double>(rows);
  };
  CHECK(calibrating(100'000, {}) == doctest::Approx(20'000));
  CHECK(calibrating(1'000'000, {}) == doctest::Approx(50'000));
  lacp::FitOptions by;
  by.by = "city";
  CHECK(calibrating(1'000'000, by) == doctest::Approx(200'000));
  lacp::FitOptions shares;
  shares.set = {"split.test=0.3"};
  CHECK(calibrating(1'000'000, shares) == doctest::Approx(200'000));  // as it is without them
}

TEST_CASE("the same seed draws the same cells, another seed others") {
  std::vector<Task> tasks;
  for (std::size_t run = 0; run < 20; ++run)
    for (const char* method : {"exp", "erc"}) tasks.push_back({"a", run, method});
  // Stated here, since it must be the same on any machine.
  CHECK(lacp::draw(tasks, 3, 1) == std::vector<Task>{{"a", 3, "erc"}, {"a", 16, "erc"}, {"a", 18, "erc"}});
  CHECK(lacp::draw(tasks, 3, 1) != lacp::draw(tasks, 3, 2));
  CHECK(lacp::draw(tasks, 1000, 1) == tasks);
  std::set<Task> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<Task> drawn = lacp::draw(tasks, 3, seed);
    CHECK(std::set(drawn.begin(), drawn.end()).size() == 3);
    seen.insert(drawn.begin(), drawn.end());
  }
  CHECK(seen.size() == tasks.size());
}
