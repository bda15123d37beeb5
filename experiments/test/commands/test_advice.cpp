// Every advice that the program gives is taken out of what it printed, and followed: it has to work.
#include <functional>
#include <tuple>

#include "fitted_houses.hpp"

namespace {

/// "--group patient" out of a text that advises it; `nth`: the option may stand there before.
std::string advice(const std::string& said, const std::string& option, std::size_t nth = 0) {
  std::string text;  // without the breaks of its lines
  for (const std::string& word : lacp::split_text(said, '\n')) text.append(lacp::trim(word)).append(" ");
  std::size_t at = text.find(option);
  for (; nth > 0 && at != std::string::npos; --nth) at = text.find(option, at + 1);
  REQUIRE_MESSAGE(at != std::string::npos, option, " is not advised: ", text);
  std::size_t end = at + option.size() + 1;
  bool quoted = false;  // up to where a shell would end the word, or a sentence goes on
  for (; end < text.size() && (quoted || std::string_view(" ,;)`").find(text[end]) == std::string_view::npos);
       ++end)
    if (text[end] == '\\' && !quoted)
      ++end;
    else
      quoted = quoted != (text[end] == '\'');
  const bool stop = text[end] == ' ' && (text[end - 1] == '.' || text[end - 1] == ':');
  return text.substr(at, end - at - (stop ? 1 : 0));
}

struct Advised : Place {
  /// A fit of `fixed` with what was advised, as a shell reads it.
  Ran follow(const std::string& csv, const std::string& options) const {
    Ran ran = shell("\"$0\" fit \"$1\" --model \"$2\" --method fixed " + options, {csv, at("followed.lacp")});
    CHECK_MESSAGE(ran.status == 0, options, ": ", ran.messages);
    return ran;
  }
  /// What a fit said, whether it was refused or not.
  std::string said(const std::string& csv, const Words& options = {}) const {
    const Ran ran = fit_fixed(csv, options);
    return ran.messages + "\n" + ran.output;
  }
};

}  // namespace

TEST_CASE("what fit advises for smaller and safer intervals works, as do the settings that it prints") {
  const Advised place;
  const std::string csv = place.write("t.csv", houses(300, 1));
  for (const auto& [folds, safer] : {std::pair{"0", "(--set"}, {"5", "--calibration-folds"}}) {
    const std::string said = place.said(csv, {"--calibration-folds", folds});
    place.follow(csv, advice(said, "--coverage", 0));
    place.follow(csv, advice(said, "--coverage", 1));
    const std::string option = advice(said, safer);
    place.follow(csv, option.substr(option[0] == '(' ? 1 : 0));
  }
  // One share that is given adapts the others.
  check_has(place.said(csv, {"--set", "predictor.cross_fit=0", "split.proper=0.7"}),
            "210 for the prediction, 60 for the sizes, 30 to calibrate");
  check_refused(place.fit_fixed(csv, {"--set", "split.test=0.4", "split.proper=0.8"}), 2, "three shares");

  const std::string said = place.said(csv), model = place.read("m.lacp");
  std::string settings = said.substr(said.find("\n  --set") + 8);
  Words words = {"--set"};
  for (const std::string& line : lacp::split_text(settings.substr(0, settings.find('(')), '\n'))
    for (const std::string& word : lacp::split_text(lacp::trim(line), ' '))
      if (!word.empty()) words.push_back(word);
  check_ran(place.fit_fixed(csv, words), 0);
  CHECK((place.read("m.lacp") == model));
}

TEST_CASE("what fit advises about columns works") {
  const Advised place;
  struct Advising {
    std::string header;
    std::function<std::string(int, lacp::Stream&)> row;
    Words options;
  };
  const auto before_two = [](const std::function<std::string(int)>& first) {
    return [first](int i, lacp::Stream& s) {
      return fmt::format("{},{},{}", first(i % 50 == 7 ? -1 : i), s.uniform(0, 100), s.uniform(0, 100));
    };
  };
  for (const auto& [header, row, options] : std::vector<Advising>{
           {"patient,b,y",
            before_two([](int i) { return fmt::format("P{:03}", (i + 80) % 80); }),
            {"--group"}},
           // A name that a shell would take apart, and no column that is surely one of numbers.
           {"owner's age (years),b,y",
            before_two([](int i) { return i < 0 ? "can't say" : fmt::format("{}.5", i * 37 % 101); }),
            {"--missing", "--drop", "--categories"}},
           {"kind,zip",
            [](int i, auto&) {
              return fmt::format("{},{:05}", i % 3 == 0 ? "flat" : "house", 1000 + i % 40);
            },
            {"--target"}},
           {"zip,b,y", before_two([](int i) { return fmt::format("{:05}", 1001 + i % 40); }), {"--numbers"}},
           {"day,b,y",
            before_two([](int i) { return fmt::format("{:02}/{:02}/2020", 2 + i % 11, 2 + i % 7); }),
            {"--date"}},
           {"a;b;y",
            [](int i, auto&) {
              return fmt::format("{},{:03};{};{}", 1 + i % 9, i % 1000, i % 17, 3 * (i % 17));
            },
            {"--decimal"}}}) {
    const std::string csv = place.write("t.csv", drawn(header, 300, row)), said = place.said(csv);
    for (const std::string& option : options) place.follow(csv, advice(said, option));
  }

  const std::string once = houses(200, 1), again = once.substr(once.rfind('\n', once.size() - 2) + 1),
                    csv = place.write("once.csv", once), some = place.write("some.csv", once + again);
  for (const std::size_t nth : {0u, 1u}) {
    const std::string option = advice(place.said(some), "--copies", nth);
    check_lacks(place.follow(some, option).messages, "--copies");  // it is decided
  }
  write_xlsx(csv, place.at("two.xlsx"), "plain", some);
  const std::string sheet = advice(place.said(place.at("two.xlsx")), "--sheet");
  check_lacks(place.follow(place.at("two.xlsx"), sheet).messages, "others hold data");

  const std::string small = place.write("small.csv", houses(100, 1)), infinite = "all intervals are infinite";
  for (const char* sides : {"both", "each"}) {
    const std::string few = fmt::format("--coverage 0.92 --sides {} ", sides),
                      said = place.follow(small, few + "--set split.test=0.1").output;
    const std::size_t at = said.find("At level 0.08 " + infinite);
    REQUIRE_MESSAGE(at != std::string::npos, said);
    check_lacks(place.follow(small, few + advice(said.substr(at), "--set")).output, infinite);
  }
}

TEST_CASE("what a refusal of fit advises works") {
  const Advised place;
  const std::string csv = place.write("t.csv", houses(300, 1));
  const auto refused = [&](const Words& options) {
    return check_ran(place.fit_fixed(csv, options), 2).messages;
  };
  place.follow(csv, advice(refused({"--coverage", "0.1"}), "--coverage", 1));
  for (const std::string set : {"predictor.grid=[3,5]", "predictor.kind=knn predictor.rounds=20"}) {
    const Words words = joined({"--set"}, lacp::split_text(set, ' '));
    place.follow(csv, "--set " + words.back() + " " + advice(refused(words), "--set", 1));
  }
  place.follow(csv, advice(refused({"--set", "seed=3"}), "--seed") + " 3");
  check_has(refused({"--calibration-folds", "5", "--set", "split.test=0.3"}), "leave out --set split");
  place.follow(csv, "--calibration-folds 5");
  check_ran(lacp_program({"fit", csv, "--model", place.at("m.lacp"), "--method", "exp"}, diverging), 1,
            "(fixed trains nothing)");
  place.follow(csv, "--set training.learning_rate=1e30");
  // A model of the default name.
  const auto in_place = [&](const std::string& more) {
    return shell("cd \"$1\" && \"$0\" fit t.csv --method fixed " + more, {place.at("")});
  };
  check_ran(in_place(""), 0);
  CHECK(fs::exists(place.folder / "t.lacp"));
  check_ran(in_place(advice(check_ran(in_place(""), 2).messages, "--model")), 0);
}

TEST_CASE("what run advises works") {
  const DoneRun done;
  const Words other = joined(done.command, {"--set", "training.epochs=1", "--methods", "fixed"});
  check_ran(lacp_program(other, {"--name", "NAME"}), 0);
  check_ran(lacp_program(other, {"--force"}), 0);

  // All three shares are named, with those that were set as they are, if they can be.
  for (const auto& [set, advised] :
       {std::pair("split.test=0.4", "split.proper=0.3 split.train=0.3 split.test=0.4"),
        {"split.proper=0.8 split.test=0.4", "split.proper=0.5 split.train=0.25 split.test=0.25"}}) {
    const auto run = [&](const std::string& settings) {
      return shell(
          "\"$0\" \"$@\" --set " + settings,
          joined(done.command, {"--name", "shares", "--force", "--methods", "fixed", "--runs", "1"}));
    };
    const std::string said = check_ran(run(set), 2).messages;
    const std::size_t at = said.find("say --set ") + 10;
    CHECK(said.substr(at, said.find(" (", at) - at) == advised);
    check_ran(run(said.substr(at, said.find(" (", at) - at)), 0);
  }

  const TemporaryFolder empty;
  lacp::write_file(
      empty / "own.yaml",
      fmt::format("based_on: {}\nreference: {{file: gone.csv, beside: gone.csv}}\n", done.command[1]));
  Words own = joined(done.command, {"--name", "own", "--methods", "fixed", "--runs", "1"});
  own[1] = (empty / "own.yaml").string();
  const auto run = [&](const std::string& more) { return shell("\"$0\" \"$@\" " + more, own); };
  const std::string file = advice(check_ran(run(""), 2).messages, "--set");
  const std::string beside = advice(check_ran(run(file), 2).messages, "--set");
  CHECK(file + beside == "--set reference.file=--set reference.beside=");
  check_ran(run(file + " " + beside), 0);
}

TEST_CASE("what is advised about failed tasks and arrays works") {
  const DoneRun done;
  const auto failing = joined(quick_run(done.results.path(), {"--name", "it's new", "--runs", "1",
                                                              "--datasets", "cos", "--methods", "exp,fixed"}),
                              diverging);
  check_refused(lacp_program(failing), 2, "expected a name of letters");  // and so needs no quotes
  auto named = failing;
  *std::ranges::find(named, "it's new") = "new";
  const std::string failed = check_ran(lacp_program(named), 1).messages;
  const std::string retry = failed.substr(failed.find("To try them again: lacp ") + 24);
  check_ran(shell("\"$0\" " + retry), 1, {"1 task, 0 done, 1 to run", "To try them again: lacp " + retry});

  // An array that was begun again in part: which share it is, is known; how many there are, is not.
  for (const auto& [first, last, shard] : {std::tuple("0", "6", "--shard 1/N"), {"3", "7", "--shard 3/N"}}) {
    const auto in_array = [&, id = first, end = last](const std::string& more) {
      return shell(
          fmt::format("export SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_ID={0} SLURM_ARRAY_TASK_MIN={0} "
                      "SLURM_ARRAY_TASK_MAX={1}; \"$0\" \"$@\" --dry-run {2}",
                      id, end, more),
          done.command);
    };
    const std::string advised = advice(check_ran(in_array(""), 2).messages, "--shard");
    CHECK(advised == shard);
    check_ran(in_array(advised.substr(0, advised.size() - 1) + "8"), 0);
  }
}
