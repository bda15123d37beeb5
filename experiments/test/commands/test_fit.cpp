// `lacp fit`, `lacp predict`, `lacp evaluate`: from a csv to intervals by the command line.
#include <cmath>

#include "fitted_houses.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/predictor/predictor.hpp"
#include "lacp/table/table_model.hpp"

namespace {

/// Houses, one of them with this area.
std::string with_area(std::size_t n, std::size_t row, const std::string& area) {
  std::vector<std::string> lines = lacp::split_text(houses(n, 1), '\n');
  std::string& line = lines.at(row + 1);
  line = area + line.substr(line.find(','));
  return lacp::join(lines, "\n");
}

/// Options of a fit whose folds cost little.
const std::vector<std::string> quick_folds = {"--method", "knn_error", "--set", "predictor.kind=boosted",
                                              "predictor.rounds=5"};

}  // namespace

TEST_CASE("fit, predict, evaluate: intervals cover as promised, whatever the order of the columns") {
  const Fitted place;
  const std::string held_out = place.write("new.csv", houses(2000, 2, true));
  check_ran(place.predict(held_out), 0, "held nothing and were filled as in the fit");
  const lacp::Frame out = lacp::read_frame(place.folder / "out.csv"), truth = lacp::read_frame(held_out);
  CHECK(out.header() == std::vector<std::string>{"line", "prediction", "lower_95", "upper_95", "lower_90",
                                                 "upper_90", "lower_68", "upper_68"});
  REQUIRE(out.rows.size() == 2000);
  const lacp::Frame scores = place.scores(held_out);
  for (std::size_t l = 0; const double level : {0.05, 0.1, 0.32}) {
    double covered = 0, sizes = 0, winkler = 0;
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
      const double y = truth.number(i, "price"),
                   lower = out.number(i, fmt::format("lower_{}", 100 - 100 * level)),
                   upper = out.number(i, fmt::format("upper_{}", 100 - 100 * level));
      covered += lower <= y && y <= upper ? 1.0 / 2000 : 0;
      sizes += 0.5 * (upper - lower) / 2000;
      winkler += (upper - lower + 2 / level * std::max({lower - y, y - upper, 0.0})) / 2000;
      CHECK(out.count(i, "line") == i + 2);
    }
    // 120 rows calibrate: three standard deviations of a Beta around which 2000 rows are binomial.
    const double band = 3 * std::sqrt(level * (1 - level) * (1.0 / 120 + 1.0 / 2000));
    CHECK(std::abs(covered - (1 - level)) < band);
    for (const auto& [name, value] :
         {std::pair{"level", level}, {"coverage", covered}, {"half_width", sizes}, {"winkler", winkler}})
      CHECK(scores.number(l, name) == doctest::Approx(value).epsilon(1e-9));
    ++l;
  }
  check_has(place.evaluate(held_out).output, {"new.csv: 2000 rows\n", "by tenths of the rows"});
}

TEST_CASE("fit uses the settings that the library recommends") {
  const Place place;
  arma::mat X(2, 60);
  arma::vec y(60);
  const std::string csv = drawn("a,b,y", 60, [&](int i, lacp::Stream& stream) {
    const auto n = static_cast<arma::uword>(i);
    X(0, n) = stream.normal(), X(1, n) = stream.normal(), y(n) = 10.0 + X(0, n) * (1.0 + stream.normal());
    return fmt::format("{},{},{}", X(0, n), X(1, n), y(n));
  });
  check_ran(place.fit(place.write("t.csv", csv)), 0);
  lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
  settings.training.epochs = 3, settings.network.hidden = {8};
  settings.calibration_folds = 10;  // with fewer than 1,000 rows
  const lacp::LocalPredictor ours = lacp::LocalPredictor::fit(X, y, settings);
  CHECK(lacp::TableModel::load(place.at("m.lacp")).predictor().to_bytes() == ours.to_bytes());
}

TEST_CASE("fit says what it learnt and what it guessed") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(300, 1));
  const auto said = [&](const std::string& method, const std::vector<std::string>& set = {}) {
    return must_run({"fit", table, "--method", method, "--model", place.at("m.lacp"), "--calibration-folds",
                     "0", "--set", "training.epochs=3", "network.hidden=[8]"},
                    set);
  };
  const Ran ran = said("forest");
  check_has(ran.output,
            {"m.lacp: predicts price at levels 0.05, 0.1, 0.32", "guessed, since there is no description",
             "- \"kind\"  # guess: 2 different values in 300 cells", "marks: [\"NA\"]  # guess: ",
             "do: fill  # guess: ", "  numbers         area", "  category        kind: flat, house",
             "  date            built: weekday, month, year", "  filled          area (",
             "  rows            240 for the prediction and, out of 5 folds, for the sizes, 60 to calibrate",
             "  prediction      ", " boosted trees", " network", "  method          ", " network.hidden=[8] ",
             "tenth of the rows  level 0.05  level 0.1  level 0.32\n"});
  check_has(ran.messages, "houses.csv: 300 rows, 6 attributes; fitting forest");
  const Ran adapt = said("adapt");
  check_has(adapt.output, {"  epochs          ", "the best of ", "  adaptation      "});
  check_has(adapt.messages, "at most 3 epochs");
  // The paper's way.
  const Ran paper = said("exp", {"predictor.kind=knn", "predictor.cross_fit=0"});
  check_has(paper.output, {"  rows            120 for the prediction, 120 for the sizes, 60 to calibrate",
                           "  K               ", " neighbours\n"});
  check_lacks(paper.output, "adaptation");
}

TEST_CASE("options of fit: method, levels, seed, settings") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(100, 1));
  const auto model = [&](const std::string& method, const std::vector<std::string>& more = {}) {
    check_ran(place.fit(table, joined({"--method", method, "--calibration-folds", "0"}, more)), 0);
    return place.read("m.lacp");
  };
  const std::string usual = model("fixed");
  CHECK(model("fixed", {"--target", "price", "--seed", "001", "--coverage", "95,0.9,68.0"}) == usual);
  CHECK(model("fixed", {"--seed", "1", "--jobs", "1", "--coverage", "0.95,0.9,.68"}) == usual);
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--seed", "2"},
                                             {"--coverage", "0.8"},
                                             {"--set", "predictor.rounds=3"},
                                             {"--set", "predictor.kind=knn"}})
    CHECK(model("fixed", more) != usual);
  check_ran(place.fit(table, {"--calibration-folds", "0"}), 0);
  const std::string automatic = place.read("m.lacp");
  CHECK(model("auto") == automatic);
  CHECK(model("erc") != automatic);
  for (const auto& [more, part] : Refusals{
           {{"--method", "expp"}, "'expp' (did you mean 'exp'?)"},
           {{"--coverage", "1.5"}, "--coverage 1.5: "},
           {{"--coverage", "195"}, "--coverage 195: "},
           {{"--coverage", "0.9,0.90"}, "--coverage: 0.9 is given twice"},
           {{"--seed", "-1"}, "--seed: found '-1'"},
           {{"--seed", "18446744073709551616"}, "--seed: found '18446744073709551616'"},
           {{"--seed", "1e3"}, "--seed: found '1e3'"},
           {{"--method", "mixture", "--set", "evaluation.sides=each"}, "sides: each"},
           {{"--method", "mixture", "--set", "training.objective=adaptation"}, "--set training.objective: "},
           {{"--set", "training.epoch=3"}, "training.epoch"},
           {{"--set", "runs=3"}, "--set runs=3: is no setting of a fit"},
           {{"--set", "predictor.kind=mlp", "predictor.rounds=3"}, "--set predictor.rounds=3: "},
           {{"--target", "prize"}, "(did you mean 'price'?)"}}) {
    CAPTURE(more);
    check_refused(place.fit(table, more), 2, part);
  }
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
  check_ran(place.fit_fixed(yaml), 0);
  const std::string by_yaml = place.read("m.lacp");
  check_ran(place.fit_fixed("houses", {"--datasets-folder", place.folder.path().string()}), 0);
  CHECK(place.read("m.lacp") == by_yaml);
  check_refused(place.fit_fixed(yaml, {"--target", "price"}), 2, "'log(1 + price)'");
  check_ran(place.predict(place.write("new.csv", "kind,area\nflat,50\nhouse,100\n")), 0, "log(1 + y)");
  const lacp::Frame out = lacp::read_frame(place.folder / "out.csv");
  CHECK(out.number(1, "prediction") > 100);  // 300 or so; its logarithm is below 6
  CHECK(out.number(1, "lower_90") < out.number(1, "prediction"));
}

TEST_CASE("a fit that fails writes no model; advice about training is for what is trained") {
  const Place place;
  const auto fails = [&](const std::string& table, const std::vector<std::string>& more) {
    const Ran ran = place.fit(place.write("houses.csv", table), more);
    check_refused(ran, 1, "no model was written");
    CHECK_FALSE(fs::exists(place.folder / "m.lacp"));
    return ran.messages;
  };
  check_has(fails(houses(300, 1),
                  {"--method", "adapt", "--set", "training.learning_rate=1e30", "training.loss=plain"}),
            "--set training.learning_rate=1e+29");
  const std::string untrained =
      fails(with_area(300, lacp::split_of_fit(300, {}).train.front(), "1e45"),
            {"--method", "fixed", "--set", "predictor.kind=mlp", "predictor.cross_fit=0"});
  check_has(untrained, "far out: attribute 1 is ");
  check_lacks(untrained, "learning_rate");
}

TEST_CASE("a calibration row that lies too far out is left out of the tenths, and counted") {
  const Place place;
  const lacp::Split split = lacp::split_of_fit(300, {});
  const Ran ran =
      check_ran(place.fit_fixed(place.write("houses.csv", with_area(300, split.test.front(), "1e45")),
                                {"--coverage", "0.9"}),
                0, {}, "  1 calibration row lies too far ");
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
  const std::string infinite = "At level 0.05 all intervals are infinite: 20 rows calibrate";
  check_lacks(check_ran(place.fit_fixed(table, both), 0).output, infinite);
  const Ran two = check_ran(place.fit_fixed(table, each), 0, {}, infinite);
  check_lacks(two.messages, infinite);
  check_lacks(two.output, "At level 0.32");
  check_has(place.fit_fixed(table, joined(each, {"--quiet"})).messages, infinite);
  // A level that is infinite anyway takes no rows from the others.
  const std::string more = place.write("more.csv", houses(600, 1));
  check_ran(
      place.fit_fixed(more, {"--coverage", "0.999,0.95"}), 0, {},
      {"for the sizes, 120 to calibrate", "At level 0.001 all intervals are infinite: 120 rows calibrate"});
  check_ran(place.fit_fixed(more, {"--coverage", "0.995,0.95"}), 0, {}, "for the sizes, 201 to calibrate");
}

TEST_CASE("fit drops copies where every row has as many, else keeps all and says so; --copies decides") {
  const Place place;
  const std::string once = houses(200, 1), rows = once.substr(once.find('\n') + 1);
  const std::string table = place.write("houses.csv", once), twice = place.write("twice.csv", once + rows);
  const Ran plain = check_ran(place.fit_fixed(table), 0);
  check_lacks(plain.output + plain.messages, {"repeated rows", "--copies"});
  const std::string model = place.read("m.lacp");
  check_ran(place.fit_fixed(twice), 0, {"each different row occurs 2 times", "--copies keep"},
            "  repeated rows   200 of 400 rows");
  CHECK(place.read("m.lacp") == model);
  // Whoever has decided is told in the report alone.
  const Ran kept = check_ran(place.fit_fixed(twice, {"--copies", "keep"}), 0, {}, ": all are used\n");
  check_lacks(kept.messages, "--copies");
  CHECK(place.read("m.lacp") != model);

  // One row less, and the table does not tell copies from rows that repeat.
  const std::string some = place.write("some.csv", once + rows.substr(rows.find('\n') + 1));
  check_ran(place.fit_fixed(some, {"--quiet", "--json"}), 0, {"199 of 399 rows", "all are used"},
            "\"repeated_rows\":199,\n\"copies_dropped\":0,");
  check_ran(place.fit_fixed(some, {"--copies", "drop", "--json"}), 0, {},
            "\"repeated_rows\":199,\n\"copies_dropped\":199,");
  check_refused(place.fit_fixed(some, {"--copies", "some"}), 2, "--copies: some not in {keep,drop}");
}

TEST_CASE("rows that belong together stay in one part, and their column is no attribute") {
  const Place place;
  const auto visits = [&](int n, int each) {
    return place.write("visits.csv", drawn("patient,area,price", n, [&](int i, lacp::Stream& stream) {
                         const double area = stream.uniform(20, 200);
                         return fmt::format("p{},{},{}", i / each, area, 3 * area + 10 * stream.normal());
                       }));
  };
  const std::vector<std::string> by_patient = {"--group", "patient"};
  check_ran(
      place.fit_fixed(visits(600, 5), by_patient), 0, {},
      {"  numbers         area\n", "  groups          of 'patient'",
       "  rows            480 for the prediction and, out of 5 folds, for the sizes, 24 to calibrate\n"});
  check_ran(place.predict(place.write("new.csv", "area\n50\n")), 0);
  // Told to, a fit takes the column as an attribute, too. Of 40 groups half calibrate, as the levels need
  // them.
  visits(600, 15);
  const std::string yaml = place.write("visits.yaml",
                                       "title: V\nsource: {file: visits.csv}\ntarget: price\n"
                                       "columns: {use: [area, patient], categories: [patient]}\n");
  check_ran(place.fit_fixed(yaml, by_patient), 0, {}, {"  category        patient: ", ", 20 to calibrate"});
  // Of few groups all calibrate: groups count, not rows.
  const auto in_folds = [&](const std::string& table) {
    return must_run(joined({"fit", table, "--group", "patient", "--model", place.at("m.lacp")}, quick_folds));
  };
  check_has(in_folds(visits(1000, 50)).output, "20 groups, in 10 folds: a row of each calibrates");
  const std::string few = visits(60, 5);
  check_has(in_folds(few).output, "12 groups, in 6 folds: a row of each calibrates");
  for (const auto& [more, part] : Refusals{{{"--group", "patients"}, "--group 'patients': "},
                                           {{"--group", "price"}, "is the target"},
                                           {{"--group", "patient", "--calibration-folds", "7"}, "2 to 6"}})
    check_refused(place.fit_fixed(few, more), 2, part);
  check_refused(place.fit_fixed(place.write("two.csv", houses(40, 1)), {"--group", "kind"}), 2,
                "--group 'kind': has 2 groups; expected at least 3");
}

TEST_CASE("intervals end where the target does, and cover as much as before") {
  const Place place;
  const auto row = [](int, lacp::Stream& stream) {
    const double x = stream.uniform(-1.0, 1.0);
    return fmt::format("{},{}", x, std::max(0.0, x + 0.5 * stream.normal()));
  };
  const std::string table = place.write("rows.csv", drawn("x,y", 500, row)),
                    rest = place.write("more.csv", drawn("x,y", 400, row, 2));
  const auto intervals = [&](const std::vector<std::string>& options) {
    check_ran(place.fit_fixed(table, options), 0);
    return place.intervals(rest);
  };
  const lacp::Frame free = intervals({}), cut = intervals({"--clip", "0,"});
  const lacp::Frame truth = lacp::read_frame(place.folder / "more.csv");
  std::size_t below = 0, inside = 0, inside_cut = 0;
  for (std::size_t n = 0; n < 400; ++n) {
    const double y = truth.number(n, "y"), low = free.number(n, "lower_90"),
                 high = free.number(n, "upper_90");
    below += low < 0.0;
    inside += low <= y && y <= high;
    inside_cut += cut.number(n, "lower_90") <= y && y <= cut.number(n, "upper_90");
    CHECK(cut.number(n, "lower_90") == std::max(0.0, low));
    CHECK(cut.number(n, "upper_90") == std::max(0.0, high));
    CHECK(cut.number(n, "prediction") >= 0.0);
  }
  CHECK(below > 100);
  CHECK(inside <= inside_cut);  // an interval below 0 is cut to 0
  for (const auto& [clip, part] :
       {std::pair{"0.1,", "'y' is 0 in a row"}, {"5", "--clip '5': "}, {"3,2", "--clip '3,2': "}})
    check_refused(place.fit_fixed(table, {"--clip", clip}), 2, part);
  // A description says it, too.
  const std::string yaml =
      place.write("rows.yaml", "title: Rows\nsource: {file: rows.csv}\ntarget: {column: y, min: 0}\n");
  const std::string by_option = place.read("out.csv");
  check_ran(place.fit_fixed(yaml), 0);
  place.intervals(rest);
  CHECK(place.read("out.csv") == by_option);
}

TEST_CASE("where rows are few all of them calibrate, in folds, and that is said") {
  const Place place;
  // All of 22 rows calibrate; of these alone, eleven: enough for 0.1, but not for 0.05.
  const std::string few = place.write("few.csv", houses(22, 1));
  const auto fit = [&](const std::vector<std::string>& more) {
    return must_run(joined({"fit", few, "--model", place.at("m.lacp")}, more)).output;
  };
  const std::string folds = fit({}), apart = fit({"--calibration-folds", "0"});
  check_lacks(folds, "all intervals are infinite");
  check_has(folds, {"22 rows, in 10 folds: each calibrates", "out of folds, on 22 rows",
                    "with 22 rows to calibrate nineteen models of twenty have 0.8"});
  check_has(apart, "At level 0.05 all intervals are infinite: 11 rows calibrate");
  check_lacks(apart, "At level 0.1 all intervals");
  check_has(fit({"--coverage", "0.99"}), "At level 0.01 all intervals are infinite: 22 rows calibrate");
  check_has(fit({"--sides", "each"}), "method          knn_error, seed 1, a quantile for each side");
  check_refused(place.fit(few, {"--calibration-folds", "12"}), 2, "expected 0, or 2 to 11");
  check_refused(place.fit(few, {"--calibration-folds", "5", "--sides", "each"}), 2, "--sides both");
  check_refused(place.fit(place.write("19.csv", houses(19, 1))), 2, "has 19 rows; a fit needs at least 20");
  // A column that is read by means of the target, too.
  const std::string table =
      place.write("shops.csv", table_of("shop,x,y", 210, [](int i) {
                    return fmt::format("shop {},{},{}", i % 70, i * 7 % 11, i % 70 + i * 7 % 13);
                  }));
  check_ran(place.fit_fixed(table, {"--calibration-folds", "5"}), 0, {},
            {"read by the mean of the target", "210 rows, in 5 folds: each calibrates"});
  CHECK(place.intervals(table).size() == 210);
}

TEST_CASE("high coverage is fitted with a few hundred rows") {
  const Place place;
  for (const std::size_t rows : {130u, 520u}) {
    CAPTURE(rows);
    const std::string output =
        must_run({"fit", place.write("t.csv", houses(rows, 1)), "--model", place.at("m.lacp"), "--coverage",
                  "0.99", "--calibration-folds", rows == 130 ? "2" : "0"},
                 short_training)
            .output;
    check_lacks(output, "all intervals are infinite");
  }
}

TEST_CASE("a table of nearly all zeros is fitted, whatever the seed") {
  const Place place;
  const std::string table = place.write("zeros.csv", table_of("a,y", 80, [](int i) {
                                          return fmt::format("{},{}", (i * 37) % 80, i == 41 ? 1.5 : 0.0);
                                        }));
  for (const char* seed : {"1", "2", "3"})
    for (const char* folds : {"0", "4"})
      check_ran(place.fit(table, {"--target", "y", "--seed", seed, "--calibration-folds", folds}), 0);
}

TEST_CASE("where all targets are whole numbers, so are the ends of intervals, unless told otherwise") {
  const Place place;
  const std::string table =
      place.write("counts.csv", drawn("a,y", 100, [](int, lacp::Stream& stream) {
                    const double a = stream.uniform(0, 5);
                    return fmt::format("{},{}", a, std::floor(a * stream.uniform(0, 2)));
                  }));
  const auto share_of_whole = [&] {
    const lacp::Frame out = place.intervals(table);
    double whole = 0;
    for (std::size_t i = 0; i < out.rows.size(); ++i)
      for (const char* end : {"lower_95", "upper_95", "lower_68", "upper_68"}) {
        const double value = out.number(i, end);
        whole += value == std::round(value) && value >= 0.0 ? 1.0 : 0.0;
      }
    return whole / static_cast<double>(4 * out.rows.size());
  };
  for (const char* folds : {"0", "5"}) {
    const std::vector<std::string> more = {"--target", "y", "--clip", "0,", "--calibration-folds", folds};
    check_ran(place.fit_fixed(table, more), 0, {}, "ends            whole numbers");
    CHECK(share_of_whole() == 1.0);
    check_ran(place.fit_fixed(table, joined(more, {"--no-whole-ends"})), 0);
    CHECK(share_of_whole() < 0.7);  // some are cut to 0
  }
}
