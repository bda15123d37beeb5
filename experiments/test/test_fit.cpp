// `lacp fit`, `lacp predict`, `lacp evaluate`: from a csv to intervals by the command line.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "common/text_table.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/model/kernels/kernels.hpp"
#include "lacp_program.hpp"

namespace {

/// Houses with a category, a date and a tenth of their areas missing.
std::string houses(std::size_t n, std::uint64_t seed, bool other_order = false) {
  lacp::Stream stream(seed);
  std::string text = other_order ? "note,built,area,price,kind\n" : "area,kind,built,price\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double area = stream.uniform(20, 200);
    const bool flat = stream.uniform() < 0.5;
    const double price = 3.0 * area + (flat ? 50.0 : 0.0) + 0.3 * area * stream.normal();
    const std::string cell = stream.uniform() < 0.1 ? "NA" : fmt::format("{}", area);
    const std::string kind = flat ? "flat" : "house", built = fmt::format("{}-06-01", 1990 + i % 30);
    text += other_order ? fmt::format("\"n, {}\",{},{},{},{}\n", i, built, cell, price, kind)
                        : fmt::format("{},{},{},{}\n", cell, kind, built, price);
  }
  return text;
}

const std::vector<std::string> quick = {"--set", "training.epochs=3", "network.hidden=[8]", "--quiet"};

struct Place {
  TemporaryFolder folder;
  std::string at(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    lacp::write_file(folder / name, text);
    return at(name);
  }
  std::string read(const std::string& name) const { return lacp::read_file(folder / name); }

  Ran fit(const std::string& data, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"fit", data, "--model", at("m.lacp")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), quick.begin(), quick.end());
    return lacp_program(arguments);
  }
  Ran predict(const std::string& table, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"predict", at("m.lacp"), table, "--output", at("out.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lacp_program(arguments);
  }
};

/// A place with a model of 600 houses.
struct Fitted : Place {
  Fitted() {
    const Ran ran = fit(write("houses.csv", houses(600, 1)), {"--target", "price"});
    REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  }
};

void check_refused(const Ran& ran, int status, const std::string& part) {
  CHECK(ran.status == status);
  CHECK_MESSAGE(has(ran.messages, part), ran.messages);
  CHECK(std::ranges::count(ran.messages, '\n') == 0);  // one line, whose end is cut off here
}

}  // namespace

TEST_CASE("fit, predict, evaluate: intervals cover as promised, whatever the order of the columns") {
  const Fitted place;
  const std::string held_out = place.write("new.csv", houses(2000, 2, true));
  const Ran ran = place.predict(held_out);
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  CHECK(has(ran.messages, "held nothing and were filled with the mean of the fit"));
  const lacp::TextTable out = lacp::read_text_table(place.folder / "out.csv"),
                        truth = lacp::read_text_table(held_out);
  CHECK(out.header == std::vector<std::string>{"line", "prediction", "lower_0.05", "upper_0.05", "lower_0.1",
                                               "upper_0.1", "lower_0.32", "upper_0.32"});
  REQUIRE(out.rows.size() == 2000);
  const Ran evaluated = lacp_program({"evaluate", place.at("m.lacp"), held_out});
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.messages);
  for (const double level : {0.05, 0.1, 0.32}) {
    double covered = 0, sizes = 0, winkler = 0;
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
      const double y = truth.number(i, "price"), lower = out.number(i, fmt::format("lower_{}", level)),
                   upper = out.number(i, fmt::format("upper_{}", level));
      covered += lower <= y && y <= upper ? 1 : 0;
      sizes += 0.5 * (upper - lower) / 2000;
      winkler += (upper - lower + 2 / level * std::max({lower - y, y - upper, 0.0})) / 2000;
      CHECK(out.count(i, "line") == i + 2);
    }
    // 120 rows calibrate: three standard deviations of a Beta around which 2000 rows are binomial.
    const double band = 3 * std::sqrt(level * (1 - level) * (1.0 / 120 + 1.0 / 2000));
    CHECK(std::abs(covered / 2000.0 - (1 - level)) < band);
    bool found = false;
    for (const std::string& line : lacp::split_text(evaluated.output, '\n'))
      if (has(line, fmt::format(" {}  ", level)) && has(line, fmt::format("{:.4f}", covered / 2000.0)) &&
          has(line, fmt::format("{:.5g}", sizes)) && has(line, fmt::format("{:.5g}", winkler)))
        found = true;
    CHECK_MESSAGE(found, evaluated.output);
  }
  CHECK(has(evaluated.output, "new.csv: 2000 rows\n"));
  CHECK(has(evaluated.output, "by tenths of the rows, the smallest intervals first"));
}

TEST_CASE("fit says what it learnt and what it guessed") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(600, 1));
  const Ran ran = lacp_program({"fit", table, "--target", "price", "--model", place.at("m.lacp"), "--set",
                                "training.epochs=3", "network.hidden=[8]"});
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  for (const char* part :
       {"m.lacp: predicts price at levels 0.05, 0.1, 0.32", "guessed, since there is no description",
        "- \"kind\"  # guess: 2 different values in 600 cells", "marks: [\"NA\"]  # guess: ",
        "do: fill  # guess: ", "  numbers         area", "  category        kind: flat, house",
        "  date            built: weekday, month, year", "  filled          area (",
        "  rows            240 for the prediction, 240 for the sizes, 120 to calibrate", "  K               ",
        " neighbours\n", "  epochs          ", "the best of 3 tried",
        "tenth of the rows  level 0.05  level 0.1  level 0.32\n"})
    CHECK_MESSAGE(has(ran.output, part), part, ran.output);
  CHECK(has(ran.messages, "houses.csv: 600 rows, 6 attributes; fitting exp"));
  CHECK(has(ran.messages, "choosing the number of epochs, at most 3"));
}

TEST_CASE("fit with boosted trees, out of folds, with a quantile for each side") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(600, 1)),
                    more = place.write("new.csv", houses(2000, 2));
  const std::vector<std::string> fit = {"fit",
                                        table,
                                        "--target",
                                        "price",
                                        "--model",
                                        place.at("m.lacp"),
                                        "--set",
                                        "training.epochs=3",
                                        "network.hidden=[8]",
                                        "predictor.kind=boosted",
                                        "predictor.cross_fit=5",
                                        "evaluation.sides=each"};
  const Ran ran = lacp_program(fit);
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  for (const char* part :
       {"  rows            480 for the prediction and, out of 5 folds, for the sizes, 120 to calibrate",
        "  prediction      ", " boosted trees\n"})
    CHECK_MESSAGE(has(ran.output, part), part, ran.output);
  const Ran evaluated = lacp_program({"evaluate", place.at("m.lacp"), more});
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.messages);
  CHECK(has(evaluated.output, "new.csv: 2000 rows\n"));

  std::vector<std::string> mixture = fit;
  mixture.insert(mixture.end(), {"--method", "mixture"});
  const Ran refused = lacp_program(mixture);
  CHECK(refused.status == 2);
  CHECK(has(refused.messages,
            "sides: each is for methods whose intervals are f ± q·s(x); mixture is none of them"));
}

TEST_CASE("options of fit: method, levels, seed, settings") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(300, 1));
  const auto model = [&](const std::vector<std::string>& more) {
    const Ran ran = place.fit(table, more);
    REQUIRE_MESSAGE(ran.status == 0, ran.messages);
    return place.read("m.lacp");
  };
  const std::string usual = model({});
  CHECK(model({}) == usual);
  CHECK(model({"--target", "price"}) == usual);  // the last column of numbers
  CHECK(model({"--seed", "1", "--method", "exp", "--levels", "0.05,0.1,0.32"}) == usual);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--seed", "2"}, {"--method", "erc"}, {"--levels", "0.2"}, {"--set", "predictor.grid=[3]"}})
    CHECK(model(more) != usual);
  check_refused(place.fit(table, {"--method", "expp"}), 2,
                "no method is called 'expp' (did you mean 'exp'?)");
  check_refused(place.fit(table, {"--levels", "1.5"}), 2, "1.5");
  check_refused(place.fit(table, {"--levels", "0.1,0.10"}), 2, "--levels: 0.1 is given twice");
  check_refused(place.fit(table, {"--set", "training.epoch=3"}), 2, "training.epoch");
  check_refused(place.fit(table, {"--set", "runs=3"}), 2, "--set runs=3: is no setting of a fit");
  check_refused(place.fit(table, {"--set", "seed=3"}), 2,
                "--set seed=3: a fit has an option for this, --seed");
  check_refused(place.fit(table, {"--target", "prize"}), 2, "has no column 'prize' (did you mean 'price'?)");
  check_refused(place.fit(place.at("none.csv")), 2, "none.csv: is not there");
  check_refused(place.fit("concret"), 2, "there is no data set 'concret'");
  check_refused(place.fit("cos"), 2, "cos: is synthetic");
}

TEST_CASE("fit takes a data set's name or its yaml, with a target of log(1 + y)") {
  const Place place;
  place.write("houses.csv", houses(300, 1));
  const std::string yaml =
      place.write("houses.yaml",
                  "title: H\nsource: {file: houses.csv}\ntarget: {sum: [price], log: true}\n"
                  "columns: {categories: [kind], drop: [built]}\nmissing: {marks: [NA], do: fill}\n");
  REQUIRE(place.fit(yaml).status == 0);
  const std::string by_yaml = place.read("m.lacp");
  REQUIRE(place.fit("houses", {"--datasets-folder", place.folder.path().string()}).status == 0);
  CHECK(place.read("m.lacp") == by_yaml);
  check_refused(place.fit(yaml, {"--target", "price"}), 2,
                "says already what is predicted, 'log(1 + price)'");
  const Ran ran = place.predict(place.write("new.csv", "kind,area\nflat,50\nhouse,100\n"));
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  CHECK(has(ran.messages, "the model learnt log(1 + y); predictions and intervals are turned back"));
  const lacp::TextTable out = lacp::read_text_table(place.folder / "out.csv");
  CHECK(out.number(1, "prediction") > 100);  // 300 or so; its logarithm is below 6
  CHECK(out.number(1, "lower_0.1") < out.number(1, "prediction"));
}

TEST_CASE("a training that fails says what to do, and writes no model") {
  const Place place;
  const Ran ran = place.fit(place.write("houses.csv", houses(300, 1)),
                            {"--set", "training.learning_rate=1e30", "training.loss=plain"});
  check_refused(ran, 1, "no model was written; try smaller steps (--set training.learning_rate=1e+29)");
  CHECK_FALSE(fs::exists(place.folder / "m.lacp"));
}

TEST_CASE("what predict refuses is named with file, line and column, and nothing is written") {
  const Fitted place;
  const auto refused = [&](const std::string& table, const std::string& part,
                           const std::vector<std::string>& more = {}) {
    check_refused(place.predict(place.write("new.csv", table), more), 2, part);
    CHECK_FALSE(fs::exists(place.folder / "out.csv"));
  };
  refused("area,price\n1,2\n", "new.csv: has no column 'kind', 'built'");
  refused(
      "area,kind,built\n1,tent,2000-01-01\n",
      "new.csv:2: column 2 'kind': found 'tent', a level that was never seen; expected one of 'flat', 'house'");
  refused("area,kind,built\n1,flat,2000-01-01\nx,flat,2000-01-01\n", "new.csv:3: column 1 'area': found 'x'");
  refused("area,kind,built\n1,flat,soon\n",
          "new.csv:2: column 3 'built': found 'soon'; expected an ISO date");
  refused("area,kind,built\n1,flat\n", "new.csv:2: the row ends after cell 2");
  refused("area,kind,built\n1e300,flat,2000-01-01\n", "new.csv:2: the row lies too far");
  refused("area,kind,built\n", "new.csv: holds a header and no rows");
  refused("", "new.csv: is empty");
  check_refused(place.predict(place.at("none.csv")), 2, "none.csv: cannot be read");
  check_refused(place.predict(place.write("new.csv.gz", "x")), 2, "unpack it, or write <(zcat");
  const std::string table = place.write("new.csv", houses(10, 3));
  check_refused(lacp_program({"predict", place.at("m.lacp"), table, "--skip-bad"}), 2,
                "--skip-bad: rows that are left out go to a file beside the output");
  check_refused(lacp_program({"predict", place.at("m.lacp"), table, "--output", table}), 2,
                "is the same file as");
  CHECK(place.read("new.csv") == houses(10, 3));
  check_refused(lacp_program({"evaluate", place.at("m.lacp"),
                              place.write("no_target.csv", "area,kind,built\n1,flat,2000-01-01\n")}),
                2, "has no column 'price'");
}

TEST_CASE("--unseen zeros counts, --skip-bad keeps what it leaves out in a file with the reason") {
  const Fitted place;
  const std::string table = place.write("new.csv",
                                        "area,kind,built\n"
                                        "50,flat,2000-01-01\n"
                                        "50,tent,2000-01-01\n"
                                        "\"4\"\"4\",flat,2000-01-01\n"
                                        "60,house,2000-01-01\n");
  const Ran zeros =
      place.predict(place.write("one.csv", "area,kind,built\n50,tent,2000-01-01\n"), {"--unseen", "zeros"});
  CHECK_MESSAGE(zeros.status == 0, zeros.messages);
  CHECK(has(zeros.messages,
            "1 cell named a category that the fit has not seen and was taken for none of those seen"));
  const Ran ran = place.predict(table, {"--skip-bad"});
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  CHECK(has(ran.messages, "2 rows could not be predicted and are in " + place.at("out.bad.csv")));
  const lacp::TextTable out = lacp::read_text_table(place.folder / "out.csv"),
                        bad = lacp::read_text_table(place.folder / "out.bad.csv");
  REQUIRE(out.rows.size() == 2);
  CHECK(out.count(0, "line") == 2);
  CHECK(out.count(1, "line") == 5);
  REQUIRE(bad.rows.size() == 2);
  CHECK(bad.count(0, "line") == 3);
  CHECK(has(bad.rows[0][1], "found 'tent', a level that was never seen"));
  CHECK(bad.count(1, "line") == 4);
  CHECK(has(bad.rows[1][1], "column 1 'area': found '4\"4'"));
}

TEST_CASE("a long table gives the same bytes with any number of threads, kernels and from a pipe") {
  const Fitted place;
  std::string text = houses(20000, 4, true);  // several pieces, some of which end within quotes
  REQUIRE(text.size() > 3 << 18);
  const std::string table = place.write("new.csv", text);
  const auto predicted = [&](const std::vector<std::string>& more) {
    const Ran ran = place.predict(table, more);
    REQUIRE_MESSAGE(ran.status == 0, ran.messages);
    return place.read("out.csv");
  };
  const std::string one = predicted({"--jobs", "1"});
  CHECK(std::ranges::count(one, '\n') == 20001);
  CHECK(predicted({"--jobs", "3"}) == one);
  CHECK(lacp_program({"predict", place.at("m.lacp"), table, "--quiet"}).output == one);
  const Ran piped = program({"bash", "-c", "cat \"$3\" | \"$1\" predict \"$2\" /dev/stdin --quiet", "bash",
                             LACP_PROGRAM, place.at("m.lacp"), table});
  CHECK(piped.output == one);
  for (const lacp::Kernels* kernels : lacp::usable_kernels())
    CHECK(program({"env", std::string("LACP_KERNELS=") + kernels->name, LACP_PROGRAM, "predict",
                   place.at("m.lacp"), table, "--quiet"})
              .output == one);

  // The first bad row of the table is the one that is named, whichever piece is done first.
  const std::size_t second = text.find("\n", text.size() / 2), last = text.rfind("\n", text.size() - 2);
  text.insert(last + 1, "late\n").insert(second + 1, "early\n");
  const std::string bad = place.write("bad.csv", text);
  for (const char* jobs : {"1", "3"})
    check_refused(
        place.predict(bad, {"--jobs", jobs}), 2,
        "the row ends after cell 1; expected 5 cells, the next for column 2 'built'; nothing was written (--skip-bad would leave such rows out)");
  const Ran first = place.predict(bad, {"--jobs", "1"}), again = place.predict(bad, {"--jobs", "3"});
  CHECK(first.messages == again.messages);
  CHECK(place.read("out.csv") == one);  // of the last predict that went well
}

#ifndef LACP_SANITIZED  // which keeps memory of its own
TEST_CASE("memory does not grow with the table") {
  const Place place;
  REQUIRE(place.fit(place.write("houses.csv", houses(200, 1)), {"--method", "fixed"}).status == 0);
  const std::string text = houses(20000, 5), rows = text.substr(text.find('\n') + 1);
  const auto peak_kilobytes = [&](std::size_t copies) {
    {
      lacp::NewFile file(place.folder / "long.csv");  // no copy in this process, whose memory counts too
      file.append(text);
      for (std::size_t i = 1; i < copies; ++i) file.append(rows);
      file.keep();
    }
    const pid_t child = start_program({"predict", place.at("m.lacp"), place.at("long.csv"), "--jobs", "2"});
    int status = 0;
    struct rusage usage {};
    REQUIRE(::wait4(child, &status, 0, &usage) == child);
    CHECK(status == 0);
    return usage.ru_maxrss;
  };
  const long few = peak_kilobytes(2);
  CHECK(fs::file_size(place.folder / "long.csv") > 1 << 20);
  CHECK(peak_kilobytes(20) < few + 4096);
  CHECK(fs::file_size(place.folder / "long.csv") > 12 << 20);
}
#endif

TEST_CASE("models that are damaged, cut, newer or none are refused") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(10, 3)), model = place.read("m.lacp");
  const auto refused = [&](const std::string& bytes, const std::string& part) {
    place.write("m.lacp", bytes);
    for (const char* command : {"predict", "evaluate"})
      check_refused(lacp_program({command, place.at("m.lacp"), table}), 2, place.at("m.lacp") + ": " + part);
  };
  std::string damaged = model, newer = model.substr(0, model.size() - 64);
  damaged[model.size() / 2] ^= 1;
  newer[std::string("lacp table model\n").size()] = 9;
  refused(damaged, "is not a usable model: it is damaged: its checksum does not match");
  refused(model.substr(0, model.size() / 2), "is not a usable model: it is damaged");
  refused(newer + lacp::sha256(newer), "is not a usable model: it has format 9, which a newer program wrote");
  refused("area,price\n1,2\n", "is not a usable model: it does not start as one");
  check_refused(lacp_program({"predict", place.at("none.lacp"), table}), 2, "none.lacp: cannot be read");
}

TEST_CASE("a full disk under the output is told and leaves nothing") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(20000, 6));
  const Ran ran = program({"bash", "-c", "ulimit -f 64; exec \"$1\" predict \"$2\" \"$3\" --output \"$4\"",
                           "bash", LACP_PROGRAM, place.at("m.lacp"), table, place.at("out.csv")});
  CHECK(ran.status == 1);
  CHECK(has(ran.messages, "out.csv: writing failed: File too large"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(place.folder.path())) ++files;
  CHECK(files == 3);  // the two tables and the model
}
