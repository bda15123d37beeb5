// `lacp fit`, `lacp predict`, `lacp evaluate`: from a csv to intervals by the command line.
#include "fitted_houses.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/table/table_model.hpp"

namespace {

std::string with_area(std::size_t n, std::size_t row, const std::string& area) {
  Words lines = lacp::split_text(houses(n, 1), '\n');
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
  CHECK(out.header() == Words{"line", "prediction", "lower_0.05", "upper_0.05", "lower_0.1", "upper_0.1",
                              "lower_0.32", "upper_0.32"});
  REQUIRE(out.rows.size() == 2000);
  const lacp::Frame scores = place.scores(held_out);
  for (std::size_t l = 0; const double level : {0.05, 0.1, 0.32}) {
    double covered = 0, sizes = 0, winkler = 0;
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
      const double y = truth.number(i, "price"), lower = out.number(i, fmt::format("lower_{}", level)),
                   upper = out.number(i, fmt::format("upper_{}", level));
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
  const auto said = [&](const std::string& method, const Words& set = {}) {
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
  const Ran adapt = said("adapt_75");
  check_has(adapt.output, {"  epochs          ", "the best of ", "  adaptation      0.75: "});
  check_has(adapt.messages, "at most 3 epochs");
  check_has(said("exp", {"predictor.kind=knn", "predictor.cross_fit=0"}).output,
            {"  rows            120 for the prediction, 120 for the sizes, 60 to calibrate",
             "  K               ", " neighbours\n"});
}

TEST_CASE("options of fit: method, levels, seed, settings") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(100, 1));
  const auto model = [&](const std::string& method, const Words& more = {}) {
    check_ran(place.fit(table, joined({"--method", method, "--calibration-folds", "0"}, more)), 0);
    return place.read("m.lacp");
  };
  const std::string usual = model("fixed");
  CHECK(model("fixed", {"--target", "price", "--seed", "001", "--coverage", "95,0.9,68.0"}) == usual);
  CHECK(model("fixed", {"--seed", "1", "--jobs", "1", "--coverage", "0.95,0.9,.68"}) == usual);
  for (const auto& [option, value] :
       {std::pair("--seed", "2"), {"--coverage", "0.8"}, {"--set", "predictor.rounds=3"}})
    CHECK(model("fixed", {option, value}) != usual);
  check_ran(place.fit(table, {"--calibration-folds", "0"}), 0);
  const std::string automatic = place.read("m.lacp");
  CHECK(model("auto") == automatic);
  for (const auto& [more, part] : Refusals{
           {{"--method", "expp"}, "'expp' (did you mean 'exp'?)"},
           {{"--coverage", "195"}, "--coverage 195: "},
           {{"--coverage", "0.9,0.90"}, "--coverage: 0.9 is given twice"},
           {{"--seed", "-1"}, "--seed: found '-1'"},
           {{"--seed", "18446744073709551616"}, "--seed: found '18446744073709551616'"},
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
  const std::string same = table_of("x,y", 50, [](int i) { return fmt::format("{},3", i * 7 % 17); });
  check_refused(place.fit(place.write("t.csv", same), {"--target", "y"}), 2,
                "t.csv: target 'y' (--target) is 3 in every row");  // not of a yaml that is not there
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
  check_ran(place.fit_fixed("houses", {"--datasets-folder", place.folder.path()}), 0);
  CHECK(place.read("m.lacp") == by_yaml);
  check_refused(place.fit_fixed(yaml, {"--target", "price"}), 2, "'log(1 + price)'");
  check_ran(place.predict(place.write("new.csv", "kind,area\nflat,50\nhouse,100\n")), 0, "log(1 + y)");
}

TEST_CASE("a fit that fails writes no model; advice about training is for what is trained") {
  const Place place;
  const auto fails = [&](const std::string& table, const Words& more) {
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
  const std::string table = with_area(300, lacp::split_of_fit(300, {}).test.front(), "1e45");
  check_ran(place.fit_fixed(place.write("houses.csv", table), {"--coverage", "0.9"}), 0, {},
            "  1 calibration row lies too far ");
}

TEST_CASE("fit says at which levels all intervals are infinite, also with a quantile for each side") {
  const Place place;
  const std::string table = place.write("houses.csv", houses(100, 1));  // 20 calibrate
  const Words both = {"--coverage", "0.95,0.68"},
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
  check_ran(place.fit_fixed(table), 0);
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
}

TEST_CASE("rows that belong together stay in one part, and their column is no attribute") {
  const Place place;
  const auto visits = [&](int n, int each) {
    return place.write("visits.csv", drawn("patient,area,price", n, [&](int i, lacp::Stream& stream) {
                         const double area = stream.uniform(20, 200);
                         return fmt::format("p{},{},{}", i / each, area, 3 * area + 10 * stream.normal());
                       }));
  };
  const Words by_patient = {"--group", "patient"};
  check_ran(
      place.fit_fixed(visits(600, 5), by_patient), 0, {},
      {"  numbers         area\n", "  groups          of 'patient'",
       "  rows            480 for the prediction and, out of 5 folds, for the sizes, 24 to calibrate\n"});
  check_ran(place.predict(place.write("new.csv", "area\n50\n")), 0);
  // Told to, a fit takes the column as an attribute, too. Of 40 groups half calibrate, as levels need them.
  visits(600, 15);
  const std::string yaml = place.write("visits.yaml",
                                       "title: V\nsource: {file: visits.csv}\ntarget: price\n"
                                       "columns: {use: [area, patient], categories: [patient]}\n");
  check_ran(place.fit_fixed(yaml, by_patient), 0, {}, {"  category        patient: ", ", 20 to calibrate"});
  // Of few groups all calibrate: groups count, not rows.
  const std::string few = visits(60, 5);
  check_has(must_run({"fit", few, "--group", "patient", "--model", place.at("m.lacp"), "--method",
                      "knn_error", "--set", "predictor.rounds=5"})
                .output,
            "12 groups, in 6 folds: a row of each calibrates");
  for (const auto& [more, part] : Refusals{{{"--group", "patients"}, "--group 'patients': "},
                                           {{"--group", "price"}, "is the target"},
                                           {{"--group", "patient", "--calibration-folds", "7"}, "2 to 6"}})
    check_refused(place.fit_fixed(few, more), 2, part);
  check_refused(place.fit_fixed(place.write("two.csv", houses(40, 1)), {"--group", "kind"}), 2,
                "--group 'kind': has 2 groups; expected at least 3");
}

TEST_CASE("intervals end where the target does") {
  const Place place;
  const auto row = [](int, lacp::Stream& stream) {
    const double x = stream.uniform(-1.0, 1.0);
    return fmt::format("{},{}", x, std::max(0.0, x + 0.5 * stream.normal()));
  };
  const std::string table = place.write("rows.csv", drawn("x,y", 500, row)),
                    rest = place.write("more.csv", drawn("x,y", 400, row, 2));
  const auto intervals = [&](const Words& options) {
    check_ran(place.fit_fixed(table, options), 0);
    return place.intervals(rest);
  };
  const lacp::Frame free = intervals({}), cut = intervals({"--clip", "0,"});
  std::size_t below = 0;
  for (std::size_t n = 0; n < 400; ++n) {
    below += free.number(n, "lower_0.1") < 0.0;
    for (const char* end : {"lower_0.1", "upper_0.1"})
      CHECK(cut.number(n, end) == std::max(0.0, free.number(n, end)));
    CHECK(cut.number(n, "prediction") >= 0.0);
  }
  CHECK(below > 100);
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
  const auto fit = [&](const Words& more, const std::string& table = "few.csv") {
    return must_run(joined({"fit", place.at(table), "--model", place.at("m.lacp")}, more)).output;
  };
  const std::string folds = fit({}), apart = fit({"--calibration-folds", "0"});
  place.write("130.csv", houses(130, 1)), place.write("520.csv", houses(520, 1));
  for (const std::string& enough :
       {folds, fit({"--coverage", "0.99", "--calibration-folds", "2"}, "130.csv"),
        fit({"--coverage", "0.99", "--calibration-folds", "0", "--method", "fixed"}, "520.csv")})
    check_lacks(enough, "all intervals are infinite");
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

TEST_CASE("where all targets are whole numbers, so are the ends of intervals, unless told otherwise") {
  const Place place;
  const std::string table =
      place.write("counts.csv", drawn("a,y", 100, [](int, lacp::Stream& stream) {
                    const double a = stream.uniform(0, 5);
                    return fmt::format("{},{}", a, std::floor(a * stream.uniform(0, 2)));
                  }));
  const auto whole = [&] {
    std::size_t ends = 0;
    for (const double end : place.intervals(table).numbers("upper_0.32")) ends += end == std::round(end);
    return ends;
  };
  for (const char* folds : {"0", "5"}) {
    const Words more = {"--target", "y", "--calibration-folds", folds};
    check_ran(place.fit_fixed(table, more), 0, {}, "ends            whole numbers");
    CHECK(whole() == 100);
    check_ran(place.fit_fixed(table, joined(more, {"--no-whole-ends"})), 0);
    CHECK(whole() < 20);
  }
}
