// `lacp fit`, `lacp predict`, `lacp evaluate`: from a csv to intervals by the command line.
#include <cmath>

#include "fitted_houses.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/table/table_model.hpp"

namespace {

/// Houses, one of them with this area.
std::string with_area(std::size_t n, std::size_t row, const std::string& area) {
  std::vector<std::string> lines = lacp::split_text(houses(n, 1), '\n');
  std::string& line = lines.at(row + 1);
  line = area + line.substr(line.find(','));
  return lacp::join(lines, "\n");
}

}  // namespace

TEST_CASE("fit, predict, evaluate: intervals cover as promised, whatever the order of the columns") {
  const Fitted place;
  const std::string held_out = place.write("new.csv", houses(2000, 2, true));
  check_ran(place.predict(held_out), 0, "held nothing and were filled with the mean of the fit");
  const lacp::Frame out = lacp::read_frame(place.folder / "out.csv"), truth = lacp::read_frame(held_out);
  CHECK(out.header() == std::vector<std::string>{"line", "prediction", "lower_0.05", "upper_0.05",
                                                 "lower_0.1", "upper_0.1", "lower_0.32", "upper_0.32"});
  REQUIRE(out.rows.size() == 2000);
  const Ran evaluated = check_ran(place.evaluate(held_out), 0);
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
  check_has(evaluated.output,
            {"new.csv: 2000 rows\n", "by tenths of the rows, the smallest intervals first"});
}

TEST_CASE("fit uses the settings that the library recommends") {
  const Place place;
  lacp::Stream stream(1);
  arma::mat X(2, 90);
  arma::vec y(90);
  std::string csv = "a,b,y\n";
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    X(0, n) = stream.normal(), X(1, n) = stream.normal(), y(n) = 10.0 + X(0, n) * (1.0 + stream.normal());
    csv += fmt::format("{},{},{}\n", X(0, n), X(1, n), y(n));
  }
  check_ran(place.fit(place.write("t.csv", csv), {"--target", "y"}), 0);
  lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
  settings.training.epochs = 3, settings.network.hidden = {8};
  settings.calibration_folds = 10;  // with fewer than 1,000 rows
  const lacp::LocalPredictor ours = lacp::LocalPredictor::fit(X, y, settings);
  CHECK(lacp::TableModel::load(place.at("m.lacp")).predictor().to_bytes() == ours.to_bytes());
}

TEST_CASE("fit says what it learnt and what it guessed") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(1000, 1));
  const Ran ran =
      must_run({"fit", table, "--target", "price", "--model", place.at("m.lacp")}, short_training);
  check_has(ran.output,
            {"m.lacp: predicts price at levels 0.05, 0.1, 0.32", "guessed, since there is no description",
             "- \"kind\"  # guess: 2 different values in 1000 cells", "marks: [\"NA\"]  # guess: ",
             "do: fill  # guess: ", "  numbers         area", "  category        kind: flat, house",
             "  date            built: weekday, month, year", "  filled          area (",
             "  rows            800 for the prediction and, out of 5 folds, for the sizes, 200 to calibrate",
             "  prediction      ", " boosted trees", " network", "  method          ", " network.hidden=[8] ",
             "tenth of the rows  level 0.05  level 0.1  level 0.32\n"});
  check_has(ran.messages, "houses.csv: 1000 rows, 6 attributes; fitting forest");
  const Ran adapt =
      must_run({"fit", table, "--method", "adapt", "--model", place.at("m.lacp")}, short_training);
  check_has(adapt.output, {"  epochs          ", "the best of ", "  adaptation      "});
  check_has(adapt.messages, "looking for the length of training, at most 3 epochs");
  for (const auto& [method, words] :
       {std::pair{"adapt_75", "\n  adaptation      0.75: sizes as the local error to the power of 0.75\n"},
        {"adapt_100", "\n  adaptation      1: sizes in proportion to the local error\n"}})
    check_has(
        must_run({"fit", table, "--method", method, "--model", place.at("m.lacp")}, short_training).output,
        words);
  // The paper's way.
  const Ran paper =
      must_run({"fit", table, "--model", place.at("m.lacp"), "--method", "exp", "--set", "predictor.kind=knn",
                "predictor.cross_fit=0", "training.epochs=3", "network.hidden=[8]"});
  check_has(paper.output, {"  rows            400 for the prediction, 400 for the sizes, 200 to calibrate",
                           "  K               ", " neighbours\n"});
  check_lacks(paper.output, "adaptation");
}

TEST_CASE("options of fit: method, levels, seed, settings") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(300, 1));
  const auto model = [&](const std::vector<std::string>& more) {
    check_ran(place.fit(table, joined({"--calibration-folds", "0"}, more)), 0);
    return place.read("m.lacp");
  };
  const std::string usual = model({});
  CHECK(model({}) == usual);
  CHECK(model({"--target", "price"}) == usual);  // the last column of numbers
  CHECK(model({"--seed", "1", "--method", "auto", "--jobs", "1", "--coverage", "0.95,0.9,0.68"}) == usual);
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--seed", "2"},
                                             {"--method", "erc"},
                                             {"--coverage", "0.8"},
                                             {"--set", "predictor.rounds=3"},
                                             {"--set", "predictor.kind=knn"}})
    CHECK(model(more) != usual);
  check_refused(place.fit(table, {"--method", "expp"}), 2,
                "no method is called 'expp' (did you mean 'exp'?)");
  check_refused(place.fit(table, {"--coverage", "1.5"}), 2, "--coverage 1.5: expected decimals");
  check_refused(place.fit(table, {"--coverage", "195"}), 2,
                "--coverage 195: expected decimals between 0 and 1 with at most 9 digits, such as 0.95");
  CHECK(model({"--coverage", "95,0.9,68.0"}) == usual);  // percent
  CHECK(model({"--seed", "001"}) == usual);
  for (const char* seed : {"-1", "18446744073709551616", "1e3", "1.5"})
    check_refused(place.fit(table, {"--seed", seed}), 2,
                  fmt::format("lacp: --seed: found '{}'; expected a whole number from 0 to ", seed));
  CHECK(model({"--coverage", "0.95,0.9,.68"}) == usual);
  check_refused(place.fit(table, {"--coverage", "0.05"}), 2, "--coverage 0.05: expected 0.5 or more; ");
  check_refused(place.fit(table, {"--coverage", "0.9,0.90"}), 2, "--coverage: 0.9 is given twice");
  check_refused(place.fit(table, {"--method", "mixture", "--set", "evaluation.sides=each"}), 2,
                "sides: each is for methods whose intervals are f ± q·s(x); mixture is none of them");
  check_refused(place.fit(table, {"--method", "mixture", "--set", "training.objective=adaptation"}), 2,
                "--set training.objective: found adaptation, which needs a method whose intervals are");
  check_refused(place.fit(table, {"--set", "training.epoch=3"}), 2, "training.epoch");
  check_refused(place.fit(table, {"--set", "runs=3"}), 2, "--set runs=3: is no setting of a fit");
  check_refused(place.fit(table, {"--set", "predictor.grid=[3]"}), 2,
                "--set predictor.grid=[3]: is for K nearest neighbours alone; add --set predictor.kind=knn");
  check_refused(place.fit(table, {"--set", "predictor.kind=mlp", "predictor.rounds=3"}), 2,
                "--set predictor.rounds=3: is for boosted trees and stacks alone");
  check_refused(place.fit(table, {"--set", "seed=3"}), 2,
                "--set seed=3: a fit has an option for this, --seed");
  check_refused(place.fit(table, {"--target", "prize"}), 2, "has no such column (did you mean 'price'?)");
  check_refused(place.fit(place.at("none.csv")), 2, "none.csv: is not there");
  check_refused(place.fit("concret"), 2, "there is no data set 'concret'");
  check_refused(place.fit("cos"), 2, "cos: is synthetic");
}

TEST_CASE("fit takes a data set's name or its yaml, with a target of log(1 + y)") {
  const Place place;
  place.write("houses.csv", houses(120, 1));
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
  check_ran(place.predict(place.write("new.csv", "kind,area\nflat,50\nhouse,100\n")), 0,
            "the model learnt log(1 + y); predictions and intervals are turned back");
  const lacp::Frame out = lacp::read_frame(place.folder / "out.csv");
  CHECK(out.number(1, "prediction") > 100);  // 300 or so; its logarithm is below 6
  CHECK(out.number(1, "lower_0.1") < out.number(1, "prediction"));
}

TEST_CASE("a training that fails says what to do, and writes no model") {
  const Place place;
  check_refused(
      place.fit(place.write("houses.csv", houses(300, 1)),
                {"--method", "adapt", "--set", "training.learning_rate=1e30", "training.loss=plain"}),
      1, "no model was written; try smaller steps (--set training.learning_rate=1e+29)");
  CHECK_FALSE(fs::exists(place.folder / "m.lacp"));
}

TEST_CASE("a fit that fails before anything is trained has no advice about training") {
  const Place place;
  const lacp::Split split = lacp::split_of_fit(300, {});
  const std::string table = place.write("houses.csv", with_area(300, split.train.front(), "1e45"));
  const Ran ran =
      place.fit(table, {"--method", "fixed", "--set", "predictor.kind=mlp", "predictor.cross_fit=0"});
  check_refused(ran, 1, "for a row that lies far out: attribute 1 is ");
  CHECK(has(ran.messages, "; no model was written"));
  CHECK_FALSE(has(ran.messages, "learning_rate"));
  CHECK_FALSE(fs::exists(place.folder / "m.lacp"));
}

TEST_CASE("a calibration row that lies too far out is left out of the tenths, and counted") {
  const Place place;
  const lacp::Split split = lacp::split_of_fit(300, {});
  const Ran ran = check_ran(
      place.fit_fixed(place.write("houses.csv", with_area(300, split.test.front(), "1e45")),
                      {"--coverage", "0.9"}),
      0, {},
      "  1 calibration row lies too far from those of the fit for a value there: left out of the tenths.\n");
  std::vector<std::string> sizes;  // of the first and the last tenth, which `fixed` gives the same size
  for (const std::string& line : lacp::split_text(ran.output, '\n'))
    if (const std::string text(lacp::trim(line)); text.starts_with("1  ") || text.starts_with("10  "))
      sizes.emplace_back(lacp::trim(text.substr(2)));
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[0] == sizes[1]);
}

TEST_CASE("fit says at which levels all intervals are infinite, also with a quantile for each side") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(100, 1));  // 20 calibrate
  const std::vector<std::string> both = {"--coverage", "0.95,0.68"},
                                 each = joined(both, {"--set", "evaluation.sides=each", "split.test=0.2"});
  const std::string sentence = "At level 0.05 all intervals are infinite: 20 rows calibrate";
  CHECK_FALSE(has(check_ran(place.fit_fixed(table, both), 0).output, sentence));
  const Ran two = check_ran(place.fit_fixed(table, each), 0, {}, sentence);
  CHECK(two.messages.find(sentence) == std::string::npos);
  check_has(place.fit_fixed(table, joined(each, {"--quiet"})).messages, sentence);
  CHECK_FALSE(has(two.output, "At level 0.32"));
}

TEST_CASE("fit drops copies where every row has as many, else keeps all and says so; --copies decides") {
  const Place place;
  const std::string once = houses(200, 1), rows = once.substr(once.find('\n') + 1);
  const std::string table = place.write("houses.csv", once), twice = place.write("twice.csv", once + rows);
  const Ran plain = check_ran(place.fit_fixed(table), 0);
  CHECK_FALSE(has(plain.output, "repeated rows"));
  CHECK_FALSE(has(plain.messages, "--copies"));
  const std::string model = place.read("m.lacp");
  check_ran(place.fit_fixed(twice), 0,
            "each different row occurs 2 times, so each is used once; --copies keep uses all 400 rows\n",
            "  repeated rows   200 of 400 rows equal an earlier one, target included: each different row is "
            "used once\n");
  CHECK(place.read("m.lacp") == model);
  // Whoever has decided is told in the report alone.
  const Ran kept =
      check_ran(place.fit_fixed(twice, {"--copies", "keep"}), 0, {},
                "  repeated rows   200 of 400 rows equal an earlier one, target included: all are used\n");
  CHECK_FALSE(has(kept.messages, "--copies"));
  CHECK(place.read("m.lacp") != model);

  // One row less, and the table does not tell copies from rows that repeat.
  const std::string some = place.write("some.csv", once + rows.substr(rows.find('\n') + 1));
  check_ran(place.fit_fixed(some, {"--quiet", "--json"}), 0,
            "199 of 399 rows equal an earlier one, target included; all are used. Coverage is as promised if",
            "\"repeated_rows\":199,\n\"copies_dropped\":0,");
  check_ran(place.fit_fixed(some, {"--copies", "drop", "--json"}), 0, {},
            "\"repeated_rows\":199,\n\"copies_dropped\":199,");
  check_refused(place.fit_fixed(some, {"--copies", "some"}), 2, "--copies: some not in {keep,drop}");
}

TEST_CASE("rows that belong together stay in one part, and their column is no attribute") {
  const Place place;
  std::string text = "patient,area,price\n";
  lacp::Stream stream(1);
  for (int i = 0; i < 600; ++i) {
    const double area = stream.uniform(20, 200);
    text += fmt::format("p{},{},{}\n", i / 5, area, 3.0 * area + 10.0 * stream.normal());
  }
  const std::string table = place.write("visits.csv", text);
  check_ran(
      place.fit_fixed(table, {"--group", "patient"}), 0, {},
      {"  numbers         area\n",
       "  groups          of 'patient', each in one part and one fold; one row of each calibrates\n",
       "  rows            480 for the prediction and, out of 5 folds, for the sizes, 24 to calibrate\n"});
  CHECK(place.predict(place.write("new.csv", "area\n50\n")).status == 0);
  check_refused(place.fit_fixed(table, {"--group", "patients"}), 2, "--group 'patients': ");
  check_refused(place.fit_fixed(table, {"--group", "price"}), 2, "is the target");
  // Told to, a fit takes the column as an attribute, too.
  const std::string yaml = place.write("visits.yaml",
                                       "title: V\nsource: {file: visits.csv}\ntarget: price\n"
                                       "columns: {use: [area, visit], categories: [visit]}\n");
  place.write("visits.csv", [&] {
    std::string numbered = "visit,area,price\n";
    for (int i = 0; i < 600; ++i)
      numbered += fmt::format("v{},{},{}\n", i % 40, i % 97, 3 * (i % 97) + i % 7);
    return numbered;
  }());
  check_ran(place.fit_fixed(yaml, {"--group", "visit"}), 0, {},
            {"  category        visit: ", ", 20 to calibrate"});
  // Of 40 groups half, as the levels need them; of 12, in a small table, all, in folds of two.
  const std::string few = place.write("few.csv", text.substr(0, text.find("p12,")));
  check_has(
      must_run({"fit", few, "--group", "patient", "--model", place.at("m.lacp")}, short_training).output,
      "12 groups, in 6 folds: a row of each calibrates, by a model of");
  // Groups count, not rows: of 120 in 600 rows all calibrate, too.
  check_has(must_run({"fit", place.write("visits.csv", text), "--group", "patient", "--model",
                      place.at("m.lacp"), "--method", "forest"})
                .output,
            "120 groups, in 10 folds: a row of each calibrates, by a model");
  check_refused(place.fit(few, {"--group", "patient", "--calibration-folds", "7"}), 2,
                "expected 0, or 2 to 6, half of the groups");
  check_refused(place.fit(place.write("two.csv", houses(40, 1)), {"--group", "kind"}), 2,
                "--group 'kind': has 2 groups; expected at least 3");
}

TEST_CASE("intervals end where the target does, and cover as much as before") {
  const Place place;
  std::string rows = "x,y\n", more = rows;
  lacp::Stream stream(4);
  for (int n = 0; n < 900; ++n) {
    const double x = stream.uniform(-1.0, 1.0), y = std::max(0.0, x + 0.5 * stream.normal());
    (n < 500 ? rows : more) += fmt::format("{},{}\n", x, y);
  }
  const std::string table = place.write("rows.csv", rows), rest = place.write("more.csv", more);
  const auto intervals = [&](const std::vector<std::string>& options) {
    check_ran(place.fit(table, options), 0);
    return place.intervals(rest);
  };
  const lacp::Frame free = intervals({}), cut = intervals({"--clip", "0,"});
  const lacp::Frame truth = lacp::read_frame(place.folder / "more.csv");
  std::size_t below = 0, inside = 0, inside_cut = 0;
  for (std::size_t n = 0; n < 400; ++n) {
    const double y = truth.number(n, "y"), low = free.number(n, "lower_0.1"),
                 high = free.number(n, "upper_0.1");
    below += low < 0.0;
    inside += low <= y && y <= high;
    inside_cut += cut.number(n, "lower_0.1") <= y && y <= cut.number(n, "upper_0.1");
    CHECK(cut.number(n, "lower_0.1") == std::max(0.0, low));
    CHECK(cut.number(n, "upper_0.1") == std::max(0.0, high));
    CHECK(cut.number(n, "prediction") >= 0.0);
  }
  CHECK(below > 100);
  CHECK(inside <= inside_cut);  // an interval below 0 is cut to 0
  check_refused(place.fit(table, {"--clip", "0.1,"}), 2, "'y' is 0 in a row; expected 0.1 to inf, as --clip");
  check_refused(place.fit(table, {"--clip", "5"}), 2, "--clip '5': expected the least and the largest value");
  check_refused(place.fit(table, {"--clip", "3,2"}), 2, "--clip '3,2': the first number must be smaller");
  // A description says it, too.
  const std::string yaml =
      place.write("rows.yaml", "title: Rows\nsource: {file: rows.csv}\ntarget: {column: y, min: 0}\n");
  check_ran(place.fit(yaml), 0);
  place.intervals(rest);
  const std::string described = place.read("out.csv");
  intervals({"--clip", "0,"});
  CHECK(place.read("out.csv") == described);
}

TEST_CASE("where rows are few all of them calibrate, in folds, and that is said") {
  const Place place;
  // All of 22 rows calibrate; of these alone, eleven: enough for 0.1, but not for 0.05.
  const auto fit = [&](const std::vector<std::string>& more) {
    return must_run(
               joined({"fit", place.write("few.csv", houses(22, 1)), "--model", place.at("m.lacp")}, more))
        .output;
  };
  const std::string folds = fit({}), apart = fit({"--calibration-folds", "0"});
  CHECK_FALSE(has(folds, "all intervals are infinite"));
  check_has(
      folds,
      {"22 rows, in 10 folds: each calibrates, by a model of the", "out of folds, on 22 rows",
       "0.95 on average, or more (up to four tenths fewer misses were measured where rows calibrate in folds); with 22 rows to calibrate nineteen models of twenty have 0.8"});
  check_has(apart, "At level 0.05 all intervals are infinite: 11 rows calibrate; use more rows.\n");
  check_has(fit({"--coverage", "0.99"}),
            "At level 0.01 all intervals are infinite: 22 rows calibrate; use more rows.\n");
  CHECK_FALSE(has(apart, "At level 0.1 all intervals"));
  const std::string few = place.at("few.csv");
  check_refused(place.fit(few, {"--calibration-folds", "12"}), 2, "expected 0, or 2 to 11, half of the rows");
  check_refused(place.fit(few, {"--calibration-folds", "5", "--sides", "each"}), 2, "--sides both");
  check_refused(place.fit(few, {"--calibration-folds", "5", "--set", "split.test=0.2"}), 2,
                "no rows are set aside then");
  check_has(fit({"--sides", "each"}), "method          knn_error, seed 1, a quantile for each side");
  check_refused(place.fit(place.write("few.csv", houses(19, 1))), 2, "has 19 rows; a fit needs at least 20");
  // A column that is read by means of the target, too.
  std::string shops = "shop,x,y\n";
  for (int i = 0; i < 210; ++i)
    shops += fmt::format("shop {},{},{}\n", i % 70, i * 7 % 11, i % 70 + i * 7 % 13);
  const std::string table = place.write("shops.csv", shops);
  check_has(must_run({"fit", table, "--target", "y", "--model", place.at("m.lacp"), "--method", "fixed",
                      "--calibration-folds", "5"})
                .output,
            {"read by the mean of the target", "210 rows, in 5 folds: each calibrates, by a model of the"});
  CHECK(place.intervals(table).size() == 210);
}

TEST_CASE("high coverage is fitted with a few hundred rows") {
  const Place place;
  for (const std::size_t rows : {130u, 520u}) {
    CAPTURE(rows);
    const std::string output =
        must_run({"fit", place.write("t.csv", houses(rows, 1)), "--model", place.at("m.lacp"), "--coverage",
                  "0.99", "--calibration-folds", rows == 130 ? "2" : "0"})
            .output;
    CHECK_FALSE(has(output, "all intervals are infinite"));
  }
}

TEST_CASE("a table of nearly all zeros is fitted, whatever the seed") {
  const Place place;
  std::string text = "a,y\n";
  for (int i = 0; i < 80; ++i) text += fmt::format("{},{}\n", (i * 37) % 80, i == 41 ? 1.5 : 0.0);
  const std::string table = place.write("zeros.csv", text);
  for (const char* seed : {"1", "2", "3"})
    for (const char* folds : {"0", "4"})
      check_ran(place.fit(table, {"--target", "y", "--seed", seed, "--calibration-folds", folds}), 0);
}

TEST_CASE("where all targets are whole numbers, so are the ends of intervals, unless told otherwise") {
  const Place place;
  lacp::Stream stream(3);
  std::string text = "a,y\n";
  for (int i = 0; i < 100; ++i) {
    const double a = stream.uniform(0, 5);
    text += fmt::format("{},{}\n", a, std::floor(std::abs(a * stream.normal())));
  }
  const std::string table = place.write("counts.csv", text);
  const auto share_of_whole = [&] {
    const lacp::Frame out = place.intervals(table);
    double whole = 0;
    for (std::size_t i = 0; i < out.rows.size(); ++i)
      for (const char* end : {"lower_0.05", "upper_0.05", "lower_0.32", "upper_0.32"}) {
        const double value = out.number(i, end);
        whole += value == std::round(value) && value >= 0.0 ? 1.0 : 0.0;
      }
    return whole / static_cast<double>(4 * out.rows.size());
  };
  for (const char* folds : {"0", "5"}) {
    const std::vector<std::string> more = {"--target", "y", "--clip", "0,", "--calibration-folds", folds};
    check_has(check_ran(place.fit_fixed(table, more), 0).output,
              "ends            whole numbers, as all targets are");
    CHECK(share_of_whole() == 1.0);
    const Ran ran = check_ran(place.fit_fixed(table, joined(more, {"--no-whole-ends"})), 0);
    CHECK_FALSE(has(ran.output, "whole numbers"));
    CHECK(share_of_whole() < 0.7);  // some are cut to 0
  }
}

TEST_CASE("a level that all intervals are infinite at takes no rows from the others") {
  const Place place;
  const std::string table = place.write("t.csv", houses(600, 1));
  check_has(
      check_ran(place.fit_fixed(table, {"--coverage", "0.999,0.95"}), 0).output,
      {"for the sizes, 120 to calibrate", "At level 0.001 all intervals are infinite: 120 rows calibrate"});
  check_has(check_ran(place.fit_fixed(table, {"--coverage", "0.995,0.95"}), 0).output,
            "for the sizes, 201 to calibrate");
}
