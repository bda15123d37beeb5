// Every advice that the program gives is taken out of what it printed, and followed: it has to work.
#include <functional>
#include <tuple>

#include "fitted_houses.hpp"
#include "lacp/base/text.hpp"

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
  std::string said(const std::string& csv, const std::vector<std::string>& options = {}) const {
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
  const std::vector<std::string> halves = {"--set", "predictor.cross_fit=0"};
  check_has(place.said(csv, joined(halves, {"split.test=0.4"})),
            "90 for the prediction, 90 for the sizes, 120 to calibrate");
  check_has(place.said(csv, joined(halves, {"split.proper=0.7"})),
            "210 for the prediction, 60 for the sizes, 30 to calibrate");
  check_refused(place.fit_fixed(csv, {"--set", "split.test=0.4", "split.proper=0.8"}), 2, "three shares");

  // Ten models take longer than one: it is said why, and how to have one.
  const Ran slow = lacp_program({"fit", csv, "--model", place.at("m.lacp"), "--set", "predictor.rounds=2"});
  check_has(slow.messages, {"with fewer than 1,000 rows ", "10 models are fitted"});
  check_lacks(place.follow(csv, advice(slow.messages, "--calibration-folds")).messages, "models are fitted");

  const std::string said = place.said(csv), model = place.read("m.lacp");
  std::string settings = said.substr(said.find("\n  --set") + 8);
  std::vector<std::string> words = {"--set"};
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
    std::vector<std::string> options;
  };
  const auto number = [](lacp::Stream& stream) { return fmt::format("{}", stream.uniform(0, 100)); };
  const auto before_two = [&](const std::function<std::string(int)>& first) {
    return [&number, first](int i, lacp::Stream& s) {
      return fmt::format("{},{},{}", i % 50 == 7 ? first(-1) : first(i), number(s), number(s));
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
           {"agent,b,y",
            before_two([](int i) { return fmt::format("{}", 1 + (i + 5) % 5 * 47); }),
            {"--categories"}},
           {"load,b,y",
            before_two([](int i) { return i < 0 ? "-999.0" : fmt::format("{}.5", i % 50); }),
            {"--missing"}},
           {"lead,b,y",
            before_two([](int i) { return i < 0 ? "<0.5" : fmt::format("0.{}", 5 + i % 5); }),
            {"--below-limit"}},
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

  const std::string once = houses(200, 1), rows = once.substr(once.find('\n') + 1);
  const std::string twice = place.write("twice.csv", once + rows),
                    some = place.write("some.csv", once + rows.substr(0, rows.find('\n') + 1));
  for (const auto& [csv, copies] :
       {std::pair{twice, std::vector{"--copies keep"}}, {some, {"--copies drop", "--copies keep"}}})
    for (std::size_t nth = 0; nth < copies.size(); ++nth) {
      const std::string option = advice(place.said(csv), "--copies", nth);
      CHECK(option == copies[nth]);
      check_lacks(place.follow(csv, option).messages, "--copies");  // it is decided
    }

  write_xlsx(place.write("cover.csv", "about\n"), place.at("two.xlsx"), "plain", twice);
  place.follow(place.at("two.xlsx"), advice(place.said(place.at("two.xlsx")), "--sheet"));
  write_xlsx(twice, place.at("two.xlsx"), "plain", some);
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
  const auto refused = [&](const std::vector<std::string>& options) {
    return check_ran(place.fit_fixed(csv, options), 2).messages;
  };
  place.follow(csv, advice(refused({"--coverage", "0.1"}), "--coverage", 1));
  for (const std::string set : {"predictor.grid=[3,5]", "predictor.kind=knn predictor.rounds=20"}) {
    const std::vector<std::string> words = joined({"--set"}, lacp::split_text(set, ' '));
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

  const std::string counts = place.write("counts.csv", drawn("a,y", 300, [](int i, auto& s) {
                                           return fmt::format("{},{}", s.uniform(0, 9), i % 7);
                                         }));
  const std::string whole = place.said(counts);
  check_has(whole, "whole numbers");
  check_lacks(place.follow(counts, advice(whole, "--no-whole-ends")).output, "whole numbers");
}

TEST_CASE("what predict and evaluate advise works") {
  const Advised place;
  const std::string csv = place.write("t.csv", houses(300, 1));
  check_ran(place.fit_fixed(csv), 0);
  const std::string unseen =
      place.write("unseen.csv", "area,kind,built,price\n50,boat,1999-06-01,150\n60,flat,1999-06-01,200\n");
  const Ran refused = check_ran(place.predict(unseen), 2);
  check_ran(place.predict(unseen, lacp::split_text(advice(refused.messages, "--unseen"), ' ')), 0);
  check_ran(lacp_program({"predict", place.at("m.lacp"), unseen, "--skip-bad"}), 2, "name one with --output");
  check_ran(place.predict(unseen, {"--skip-bad"}), 0);
  // Misses above alone.
  const std::string lopsided = place.write(
      "l.csv", drawn("area,kind,built,price", 900, [](int i, auto& s) {
        const double area = s.uniform(20, 200), noise = std::max(s.normal(), 0.0);
        return fmt::format("{},house,{}-06-01,{}", area, 1990 + i % 30, 3 * area + 0.45 * area * noise);
      }));
  place.follow(csv, advice(place.evaluate(lopsided).messages, "--sides"));
}

TEST_CASE("what run and datasets advise works") {
  const DoneRun done;
  const std::vector<std::string> other =
      joined(done.command, {"--set", "training.epochs=1", "--methods", "fixed"});
  check_ran(lacp_program(other, {"--name", "NAME"}), 0);
  check_ran(lacp_program(other, {"--force"}), 0);

  // All three shares are named, with those that were set as they are, if they can be.
  for (const auto& [set, advised] :
       {std::pair("split.test=0.4", "split.proper=0.3 split.train=0.3 split.test=0.4"),
        {"split.proper=0.8 split.test=0.1", "split.proper=0.8 split.train=0.1 split.test=0.1"},
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
  std::vector<std::string> own = joined(done.command, {"--name", "own", "--methods", "fixed", "--runs", "1"});
  own[1] = (empty / "own.yaml").string();
  const auto run = [&](const std::string& more) { return shell("\"$0\" \"$@\" " + more, own); };
  const std::string file = advice(check_ran(run(""), 2).messages, "--set");
  const std::string beside = advice(check_ran(run(file), 2).messages, "--set");
  CHECK(file + beside == "--set reference.file=--set reference.beside=");
  check_ran(run(file + " " + beside), 0);

  const std::string elsewhere = "cd \"$1\" && unset LACP_DATASETS && \"$0\" datasets ";
  check_ran(shell(elsewhere, {empty.path().string()}), 2, "--datasets-folder or LACP_DATASETS");
  check_ran(shell(elsewhere + "--datasets-folder \"$2\"", {empty.path().string(), source_datasets}), 0);
}

TEST_CASE("what is advised about failed tasks, arrays and data sets works") {
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

  const Advised place;
  fs::create_directory(place.folder / "datasets");
  const std::string csv = place.write("houses.csv", houses(100, 1));
  const auto add = [&](const std::vector<std::string>& more) {
    return lacp_program({"datasets", "--datasets-folder", place.at("datasets"), "add", csv}, more);
  };
  check_ran(add({}), 0);
  check_ran(add({}), 2, "another name (--name)");
  check_ran(add({"--name", "other"}), 0);
}
