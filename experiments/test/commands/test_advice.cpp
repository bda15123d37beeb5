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

/// A table of these columns: a number each, from the row's.
std::string table(const std::string& header, std::size_t rows,
                  const std::function<std::string(std::size_t, lacp::Stream&)>& row) {
  lacp::Stream stream(1);
  std::string text = header + "\n";
  for (std::size_t i = 0; i < rows; ++i) text += row(i, stream) + "\n";
  return text;
}

struct Advised : Place {
  /// A fit with what was advised, as a shell reads it.
  Ran follow(const std::string& csv, const std::string& options) const {
    Ran ran = shell("\"$0\" fit \"$1\" --model \"$2\" --set training.epochs=2 network.hidden=[4] " + options,
                    {csv, at("followed.lacp")});
    CHECK_MESSAGE(ran.status == 0, options, ": ", ran.messages);
    return ran;
  }
  Ran said(const std::string& csv, const std::vector<std::string>& options = {}) const {
    return lacp_program({"fit", csv, "--model", at("m.lacp")}, options);
  }
};

}  // namespace

TEST_CASE(
    "what fit advises for smaller and for safer intervals works, and so do the settings that it prints") {
  const Advised place;
  const std::string many = place.write("many.csv", houses(1100, 1)),
                    few = place.write("few.csv", houses(80, 1));
  for (const std::string& csv : {many, few}) {
    const std::string said = check_ran(place.said(csv, {"--method", "forest"}), 0).output;
    place.follow(csv, advice(said, "--coverage", 0) + " --method forest");
    place.follow(csv, advice(said, "--coverage", 1) + " --method forest");
    place.follow(csv,
                 advice(said, csv == many ? "(--set" : "--calibration-folds").substr(csv == many ? 1 : 0) +
                     " --method forest");
  }
  // One share that is given adapts the others.
  const std::vector<std::string> halves = {"--method", "fixed", "--set", "predictor.cross_fit=0"};
  check_has(place.said(many, joined(halves, {"split.test=0.4"})).output,
            "330 for the prediction, 330 for the sizes, 440 to calibrate");
  check_has(place.said(many, joined(halves, {"split.proper=0.7"})).output,
            "770 for the prediction, 220 for the sizes, 110 to calibrate");
  check_refused(place.said(many, {"--set", "split.test=0.4", "split.proper=0.8"}), 2,
                "the three shares add up to");

  const Ran fixed = check_ran(place.said(many, {"--method", "fixed"}), 0);
  const std::string model = place.read("m.lacp");
  std::string settings = fixed.output.substr(fixed.output.find("\n  --set") + 8);
  settings = settings.substr(0, settings.find('('));
  std::vector<std::string> words = {"--method", "fixed", "--set"};
  for (const std::string& line : lacp::split_text(settings, '\n'))
    for (const std::string& word : lacp::split_text(lacp::trim(line), ' '))
      if (!word.empty()) words.push_back(word);
  check_ran(place.said(many, words), 0);
  CHECK((place.read("m.lacp") == model));
}

TEST_CASE("what fit advises about columns works") {
  const Advised place;
  const auto number = [](lacp::Stream& stream) { return fmt::format("{}", stream.uniform(0, 100)); };
  const std::string patients =
      place.write("patients.csv", table("patient,dose,y", 400, [&](std::size_t i, auto& s) {
                    return fmt::format("P{:03},{},{}", i % 80, number(s), number(s));
                  }));
  place.follow(patients,
               "--method fixed " + advice(place.said(patients, {"--method", "fixed"}).output, "--group"));

  const std::string marks =
      place.write("marks.csv", table("a,b,y", 300, [&](std::size_t i, auto& s) {
                    return fmt::format("{},{},{}", i % 50 == 7 ? "n.b." : number(s), number(s), number(s));
                  }));
  const Ran refused = check_ran(place.said(marks), 2);
  for (const char* option : {"--missing", "--drop"})
    place.follow(marks, "--method fixed " + advice(refused.messages, option));

  // A name that a shell would take apart, and no column that is surely one of numbers.
  const std::string awkward = place.write(
      "awkward.csv", table("owner's age (years),b,y", 300, [&](std::size_t i, auto& s) {
        return fmt::format("{},{},{}", i % 50 == 7 ? "can't say" : number(s), number(s), number(s));
      }));
  const Ran taken_apart = check_ran(place.said(awkward), 2);
  for (const char* option : {"--missing", "--drop", "--categories"})
    place.follow(awkward, "--method fixed " + advice(taken_apart.messages, option));
  const std::string no_target =
      place.write("no_target.csv", table("kind,zip", 300, [&](std::size_t i, auto&) {
                    return fmt::format("{},{:05}", i % 3 == 0 ? "flat" : "house", 1000 + i % 40);
                  }));
  place.follow(no_target,
               "--method fixed " + advice(check_ran(place.said(no_target), 2).messages, "--target"));
  check_refused(place.said(place.write("words.csv", table("a,b", 300, [](auto...) { return "x,y"; }))), 2,
                "has no column of numbers to predict; its columns: 'a', 'b'");

  const std::string codes =
      place.write("codes.csv", table("zip,b,y", 300, [&](std::size_t i, auto& s) {
                    return fmt::format("{:05},{},{}", 1000 + i % 40, number(s), number(s));
                  }));
  place.follow(codes,
               "--method fixed " + advice(place.said(codes, {"--method", "fixed"}).output, "--numbers"));

  const std::string dates =
      place.write("dates.csv", table("day,b,y", 300, [&](std::size_t i, auto& s) {
                    return fmt::format("{:02}/{:02}/2020,{},{}", 1 + i % 12, 1 + i % 7, number(s), number(s));
                  }));
  place.follow(dates, "--method fixed " + advice(place.said(dates, {"--method", "fixed"}).output, "--date"));

  const std::string marked =
      place.write("comma.csv", table("a;b;y", 300, [&](std::size_t i, auto&) {
                    return fmt::format("{},{:03};{};{}", 1 + i % 9, i % 1000, i % 17, 3 * (i % 17));
                  }));
  place.follow(marked,
               "--method fixed " + advice(place.said(marked, {"--method", "fixed"}).output, "--decimal"));
}

TEST_CASE("what fit advises about repeated rows, sheets and infinite intervals works") {
  const Advised place;
  const std::string once = houses(200, 1), rows = once.substr(once.find('\n') + 1);
  const std::string twice = place.write("twice.csv", once + rows),
                    some = place.write("some.csv", once + rows.substr(0, rows.find('\n') + 1));
  for (const std::string& csv : {twice, some}) {
    const std::string said = check_ran(place.said(csv, {"--method", "fixed"}), 0).messages;
    for (std::size_t nth = 0; nth < (csv == twice ? 1 : 2); ++nth) {
      const std::string copies = advice(said, "--copies", nth);
      CHECK(copies == (csv == twice || nth == 1 ? "--copies keep" : "--copies drop"));
      CHECK_FALSE(has(place.follow(csv, "--method fixed " + copies).messages, "--copies"));  // it is decided
    }
  }

  const std::string cover = place.write("cover.csv", "about\n");
  write_xlsx(cover, place.at("two.xlsx"), "plain", twice);
  const std::string sheets = check_ran(place.said(place.at("two.xlsx")), 2).messages;
  place.follow(place.at("two.xlsx"), "--method fixed " + advice(sheets, "--sheet"));
  write_xlsx(twice, place.at("two.xlsx"), "plain", some);
  const std::string others = check_ran(place.said(place.at("two.xlsx"), {"--method", "fixed"}), 0).messages;
  CHECK_FALSE(has(place.follow(place.at("two.xlsx"), "--method fixed " + advice(others, "--sheet")).messages,
                  "others hold data"));

  const std::string small = place.write("small.csv", houses(100, 1));
  for (const char* sides : {"both", "each"}) {
    const std::string few = fmt::format("--method fixed --coverage 0.92 --sides {} ", sides);
    const std::string said = place.follow(small, few + "--set split.test=0.1").output;
    const std::size_t at =
        said.find("At level 0.08 all intervals are infinite: 10 rows calibrate; use more rows, or ");
    REQUIRE_MESSAGE(at != std::string::npos, said);
    const Ran more = place.follow(small, few + advice(said.substr(at), "--set"));
    CHECK_FALSE(has(more.output, "all intervals are infinite"));
  }
}

TEST_CASE("what a refusal of fit advises works") {
  const Advised place;
  const std::string csv = place.write("t.csv", houses(300, 1));
  const std::string levels = check_ran(place.said(csv, {"--coverage", "0.1"}), 2).messages;
  place.follow(csv, "--method fixed " + advice(levels, "--coverage", 1));
  const std::string knn = check_ran(place.said(csv, {"--set", "predictor.grid=[3,5]"}), 2).messages;
  place.follow(csv, "--method fixed --set predictor.grid=[3,5] " + advice(knn, "--set", 1));
  const Ran diverged = check_ran(place.said(csv, joined({"--method", "exp"}, diverging)), 1);
  check_has(diverged.messages, "(fixed trains nothing)");
  place.follow(csv, "--method fixed --set training.learning_rate=1e30");
  // A model of the default name.
  const auto in_place = [&](const std::string& more) {
    return shell("cd \"$1\" && \"$0\" fit t.csv --method fixed " + more, {place.at("")});
  };
  CHECK(in_place("").status == 0);
  CHECK(fs::exists(place.folder / "t.lacp"));
  const Ran there = check_ran(in_place(""), 2);
  CHECK(in_place(advice(there.messages, "--model")).status == 0);
}

TEST_CASE("what predict and evaluate advise works") {
  const Advised place;
  const std::string csv = place.write("t.csv", houses(300, 1));
  REQUIRE(place.fit_fixed(csv, {"--target", "price"}).status == 0);
  const std::string unseen =
      place.write("unseen.csv", "area,kind,built,price\n50,boat,1999-06-01,150\n60,flat,1999-06-01,200\n");
  const Ran refused = check_ran(place.predict(unseen), 2);
  check_ran(place.predict(unseen, lacp::split_text(advice(refused.messages, "--unseen"), ' ')), 0);
  check_has(refused.messages, "--skip-bad");
  check_ran(place.predict(unseen, {"--skip-bad"}), 0);
  const Ran nowhere = check_ran(lacp_program({"predict", place.at("m.lacp"), unseen, "--skip-bad"}), 2);
  check_has(nowhere.messages, "name one with --output");
  // Misses above alone.
  const std::string lopsided = place.write(
      "l.csv", table("area,kind,built,price", 900, [](std::size_t i, auto& s) {
        const double area = s.uniform(20, 200), noise = std::max(s.normal(), 0.0);
        return fmt::format("{},house,{}-06-01,{}", area, 1990 + i % 30, 3 * area + 0.45 * area * noise);
      }));
  const std::string said = place.evaluate(lopsided).messages;
  place.follow(csv, advice(said, "--sides"));
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

  const Ran none =
      check_ran(shell("cd \"$1\" && unset LACP_DATASETS && \"$0\" datasets", {empty.path().string()}), 2);
  check_has(none.messages, "name one with --datasets-folder or LACP_DATASETS");
  CHECK(shell("cd \"$1\" && unset LACP_DATASETS && \"$0\" datasets --datasets-folder \"$2\"",
              {empty.path().string(), source_datasets})
            .status == 0);
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
  check_has(check_ran(add({}), 2).messages, "give the data set another name (--name)");
  check_ran(add({"--name", "other"}), 0);
  fs::remove(place.folder / "datasets/houses.yaml");
  place.write("houses.csv", houses(100, 2));
  check_has(check_ran(add({}), 2).messages, "give the data set another name (--name)");
  check_ran(add({"--name", "third"}), 0);
}

TEST_CASE("what fit advises about its options works") {
  const Advised place;
  const std::string csv = place.write("t.csv", houses(300, 1));
  const auto refused = [&](const std::vector<std::string>& options) {
    return check_ran(place.said(csv, joined({"--method", "fixed"}, options)), 2).messages;
  };
  check_has(refused({"--set", "seed=3"}), "a fit has an option for this, --seed");
  place.follow(csv, "--method fixed --seed 3");
  const std::string trees = refused({"--set", "predictor.kind=knn", "predictor.rounds=20"});
  place.follow(csv, "--method fixed --set predictor.rounds=20 " + advice(trees, "--set", 1));
  check_has(refused({"--calibration-folds", "5", "--set", "split.test=0.3"}), "leave out --set split");
  place.follow(csv, "--method fixed --calibration-folds 5");
  place.follow(csv, "--method fixed --coverage 0.9");
  const std::string counts = place.write("counts.csv", table("a,y", 300, [](std::size_t i, auto& s) {
                                           return fmt::format("{},{}", s.uniform(0, 9), i % 7);
                                         }));
  const std::string whole = check_ran(place.said(counts, {"--method", "fixed"}), 0).output;
  check_has(whole, "(--no-whole-ends: any numbers)");
  CHECK_FALSE(has(place.follow(counts, "--method fixed --no-whole-ends").output, "whole numbers"));
}
