// What `lacp fit`, `predict` and `evaluate` say, keep and take: for people and for programs.
#include <cmath>

#include "common/yaml.hpp"
#include "fitted_houses.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/table_model.hpp"

namespace {

/// Houses with the prediction of a model of one's own, which is 100 too high, and a district.
std::string predicted_houses(int n, std::uint64_t seed) {
  const auto row = [](int i, lacp::Stream& stream) {
    const double area = stream.uniform(20, 200), price = 3 * area + (10 + 0.3 * area) * stream.normal();
    return fmt::format("{},{},{},{}", area, i % 3 == 0 ? "north" : "south", 3 * area + 100, price);
  };
  return drawn("area,district,guess,price", n, row, seed);
}

}  // namespace

TEST_CASE("fit says with headings what it did, how good it is and what coverage to expect") {
  const Place place;
  const std::string table = place.write("t.csv", predicted_houses(120, 1));
  const Ran ran = check_ran(place.fit_fixed(table, {"--drop", "guess", "--coverage", "0.9"}), 0);
  std::size_t at = 0;
  for (const char* heading :
       {"\ncolumns\n", "\nrows\n", "\nsettings\n", "\nwhat to expect\n", "\nwhat next\n"}) {
    at = ran.output.find(heading, at);
    REQUIRE_MESSAGE(at != std::string::npos, heading, ran.output);
  }
  // 24 rows calibrate, so coverage is Beta(23, 2): its quantiles at 0.05 and 0.95.
  check_has(ran.output,
            {"  not used        guess: --drop\n", "  method          fixed, seed 1\n", "predictor.rounds=400",
             "  prediction      RMSE ", ", on 24 calibration rows, ", " have 0.817 to 0.985\n"});
  CHECK(has(lacp_program({"help", "fit"}).output, "predictor.rounds=400"));
  const Ran json =
      check_ran(place.fit_fixed(table, {"--drop", "guess", "--coverage", "0.9", "--json", "--quiet"}), 0);
  const lacp::YamlMap map = lacp::YamlMap::parse(json.output, "json");
  CHECK(map.get<std::string>("target") == "price");
  CHECK(map.get<std::size_t>("calibration_rows") == 24);
  CHECK(map.get<double>("r2") > 0.5);
  check_has(json.output, {"{\"column\":\"guess\",\n\"reason\":\"--drop\"}", "\"expected_low\":0.8171"});
}

TEST_CASE("RMSE and R² are out of folds where there are folds: near those of new rows, and of more rows") {
  const Place place;
  const std::string table = place.write("t.csv", predicted_houses(300, 1)),
                    more = place.write("new.csv", predicted_houses(4000, 2));
  const auto fit = [&](const std::vector<std::string>& options) {
    const Ran ran = must_run({"fit", table, "--model", place.at("m.lacp"), "--json", "--quiet", "--method",
                              "knn_error", "--coverage", "0.9", "--calibration-folds", "0"},
                             options);
    return lacp::YamlMap::parse(ran.output, "json");
  };
  const lacp::YamlMap folds = fit({"--drop", "guess"});
  CHECK(folds.get<std::string>("rmse_rows") == "out of folds, on 240 training rows");
  const lacp::Frame frame = place.scores(more);
  // The noise, whose deviation grows from 16 to 70, has a kurtosis of 5.7: four standard deviations of the
  // mean of 240 squares.
  CHECK(std::abs(std::pow(folds.get<double>("rmse") / frame.number(0, "rmse"), 2) - 1.0) <
        4 * std::sqrt(4.7 / 240));
  CHECK(fit({"--drop", "guess", "--set", "predictor.cross_fit=0"}).get<std::string>("rmse_rows") ==
        "on 60 calibration rows, which it has not seen");
  // Around a prediction of one's own, which is 100 too high, nothing is learnt about f.
  const lacp::YamlMap own = fit({"--prediction", "guess"});
  CHECK(own.get<std::string>("rmse_rows") ==
        "on 60 calibration rows; whether it was made without them, the table does not say");
}

TEST_CASE("evaluate has RMSE, R², groups, json and csv, and knows the rows of the fit") {
  const Place place;
  const std::string table = place.write("t.csv", predicted_houses(1000, 1)),
                    more = place.write("new.csv", predicted_houses(900, 2));
  check_ran(place.fit_fixed(table, {"--drop", "guess", "--coverage", "0.9"}), 0);
  const lacp::Frame frame = place.scores(more, {"--by", "district"});
  REQUIRE(frame.size() == 3);
  CHECK(frame.distinct("group") == std::vector<std::string>{"", "north", "south"});
  CHECK(frame.count(1, "rows") == 300);
  // All rows are those of both groups.
  for (const char* column : {"coverage", "half_width", "winkler"})
    CHECK(std::abs((frame.number(1, column) + 2 * frame.number(2, column)) / 3 - frame.number(0, column)) <
          1e-6 * frame.number(0, column));
  // The same from the output of predict.
  const lacp::Frame out = place.intervals(more), truth = lacp::read_frame(more);
  double errors = 0, mean = 0, spread = 0;
  for (std::size_t i = 0; i < 900; ++i) mean += truth.number(i, "price") / 900;
  for (std::size_t i = 0; i < 900; ++i) {
    errors += std::pow(truth.number(i, "price") - out.number(i, "prediction"), 2) / 900;
    spread += std::pow(truth.number(i, "price") - mean, 2) / 900;
  }
  CHECK(std::abs(frame.number(0, "rmse") - std::sqrt(errors)) < 1e-6 * std::sqrt(errors));
  CHECK(std::abs(frame.number(0, "r2") - (1 - errors / spread)) < 1e-6);
  CHECK(has(place.evaluate(more, {"--json"}).output, "[{\"group\":\"\",\"rows\":900,\"rmse\":"));
  check_has(place.evaluate(more, {"--by", "district"}).output,
            {fmt::format("  prediction: RMSE {:.5g}, R² {:.4f}\n", std::sqrt(errors), 1 - errors / spread),
             "\nby 'district'\n"});
  check_refused(place.evaluate(more, {"--by", "area"}), 2, "--by 'area': has more than 30");
  check_refused(place.evaluate(more, {"--by", "distrct"}), 2, "(did you mean 'district'?)");
  check_has(place.evaluate(table).messages, "1000 of 1000 rows compared equal one of the fit");
}

TEST_CASE("predict copies columns, names levels by coverage, and reads standard input and xlsx") {
  const Place place;
  check_ran(place.fit_fixed(place.write("t.csv", predicted_houses(300, 1)), {"--coverage", "0.995,0.9"}), 0);
  const std::string table =
      place.write("new.csv", "note,area,guess,district\n\"a, \"\"b\"\"\",50,160,north\n7,60,170,south\n");
  const lacp::Frame out = place.intervals(table, {"--keep", "note,district", "--names", "coverage"});
  CHECK(out.header() == std::vector<std::string>{"line", "note", "district", "prediction", "lower_99.5",
                                                 "upper_99.5", "lower_90", "upper_90"});
  CHECK(out.rows[0]["note"] == "a, \"b\"");
  CHECK(out.rows[1]["district"] == "south");
  check_refused(place.predict(table, {"--keep", "notes"}), 2, "(did you mean 'note'?)");
  check_refused(place.predict(table, {"--keep", "prediction"}), 2, "--keep prediction: ");
  check_ran(place.predict(table), 0);
  const std::string expected = place.read("out.csv");
  for (const std::string input : {"-", "/dev/stdin"})
    CHECK(shell("\"$0\" predict \"$1\" \"$2\" --quiet < \"$3\"", {place.at("m.lacp"), input, table}).output ==
          expected);
  const std::string model = place.read("m.lacp");
  check_ran(shell("cat \"$1\" | \"$0\" fit - --model \"$2\" --method fixed --coverage 0.995,0.9 --quiet",
                  {place.at("t.csv"), place.at("m.lacp")}),
            0);
  CHECK(place.read("m.lacp") == model);
  // The same table as a sheet.
  write_xlsx(table, place.at("NEW.XLSX"));
  check_ran(place.predict(place.at("NEW.XLSX")), 0);
  CHECK(place.read("out.csv") == expected);
  check_refused(place.fit(place.at("NEW.XLSX"), {"--target", "rent"}), 2, "NEW.XLSX, sheet 1 ");
  // Levels that five digits do not tell apart.
  check_ran(place.fit_fixed(place.at("t.csv"), {"--coverage", "0.99999999,0.99999998"}), 0);
  CHECK(place.intervals(table, {"--names", "coverage"}).header() ==
        std::vector<std::string>{"line", "prediction", "lower_99.999999", "upper_99.999999",
                                 "lower_99.999998", "upper_99.999998"});
}

TEST_CASE("predict and evaluate read limits and times as the fit did") {
  const Place place;
  const auto table = [&](bool plain) {
    return drawn("lead,finish,y", 200, [&](int, lacp::Stream& stream) {
      const double lead = stream.uniform(), seconds = std::floor(stream.uniform(0, 20000));
      const auto whole = static_cast<int>(seconds);
      const std::string y = fmt::format("{}", 10 * lead + 0.001 * seconds + stream.normal());
      if (plain) return fmt::format("{},{},{}", lead < 0.3 ? 0.15 : lead, seconds, y);
      return fmt::format("{},{}:{:02}:{:02},{}", lead < 0.3 ? "<0.3" : fmt::format("{}", lead), whole / 3600,
                         whole / 60 % 60, whole % 60, y);
    });
  };
  const auto predictions = [&](bool plain, const Words& more) {
    const std::string csv = place.write("t.csv", table(plain));
    check_ran(place.fit_fixed(csv, more), 0);
    check_ran(place.evaluate(csv), 0);
    check_ran(place.predict(csv), 0);
    return place.read("out.csv");
  };
  CHECK(predictions(false, {"--below-limit", "half"}) == predictions(true, {}));
  const std::string described = place.write(
      "t.yaml",
      "title: T\nsource: {file: t.csv}\ntarget: y\ncolumns: {numbers: {lead: {limits: half}, finish: {time: hours}}}\n");
  check_refused(place.fit_fixed(described, {"--below-limit", "half"}), 2, "leave --missing, ");
  place.write("t.csv", table(false));
  check_ran(place.fit_fixed(described), 0, {}, "finish (seconds)");
  check_ran(place.predict(place.at("t.csv")), 0);
  CHECK(place.read("out.csv") == predictions(true, {}));
}

TEST_CASE("missing categories are filled with shares, and numbers with means: fit says which") {
  const Place place;
  const std::string csv = place.write(
      "t.csv", drawn("kind,x,y", 200, [](int i, lacp::Stream& stream) {
        return fmt::format("{},{},{}",
                           i % 9 == 0   ? ""
                           : i % 2 == 0 ? "a"
                                        : "b",
                           i % 7 == 0 ? "NA" : fmt::format("{}", stream.uniform()), stream.normal());
      }));
  check_ran(
      place.fit_fixed(csv), 0, {},
      {"filled          x (29 missing cells), with the mean over training rows\n",
       "filled          kind (23 missing cells), with the share of each category among training rows\n"});
}

TEST_CASE("--by a column of hundreds of values is refused, since none of them can calibrate") {
  const Place place;
  const std::string csv =
      place.write("t.csv", drawn("lead,x,y", 600, [](int i, lacp::Stream& stream) {
                    return fmt::format("{},{},{}", i * 37 % 211, stream.uniform(), stream.normal());
                  }));
  check_refused(place.fit_fixed(csv, {"--by", "lead", "--quiet"}), 2,
                "--by 'lead': has 211 different values, and none of them the 30 calibration rows");
}

TEST_CASE("on a terminal a fit in folds says which of how many it is at") {
  const Place place;
  const std::string csv = place.write("t.csv", houses(100, 1));
  const Ran ran = shell(
      "script -qec \"'$0' fit '$1' --model '$2' --method fixed --calibration-folds 4 --jobs 1 --set predictor.rounds=2\" /dev/null",
      {csv, place.at("m.lacp")});
  check_ran(ran, 0, {}, {"\rfitting fold 1 of 4", "\rfitting fold 2 of 4", "\rfitting fold 4 of 4"});
}

TEST_CASE("a column may be the prediction: intervals lie around it, and cover as promised") {
  const Place place;
  const std::string table = place.write("t.csv", predicted_houses(1000, 1)),
                    more = place.write("new.csv", predicted_houses(3000, 2));
  check_ran(lacp_program({"fit", table, "--target", "price", "--prediction", "guess", "--model",
                          place.at("m.lacp"), "--coverage", "0.9", "--method", "knn_error"}),
            0, {}, "  prediction      from column 'guess'\n");
  const lacp::Frame out = place.intervals(more), truth = lacp::read_frame(more);
  double covered = 0, centre = 0;
  std::vector<double> small, large;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double lower = out.number(i, "lower_90"), upper = out.number(i, "upper_90");
    CHECK(out.number(i, "prediction") == truth.number(i, "guess"));
    covered += lower <= truth.number(i, "price") && truth.number(i, "price") <= upper ? 1 : 0;
    centre += (0.5 * (lower + upper) - truth.number(i, "guess")) / 3000;
    (truth.number(i, "area") > 160 ? large : small).push_back(upper - lower);
  }
  CHECK(std::abs(covered / 3000 - 0.9) < 4 * std::sqrt(0.09 * (1.0 / 200 + 1.0 / 3000)));
  CHECK(std::abs(centre + 100) < 10);  // it is 100 too high
  CHECK(arma::mean(arma::vec(large)) > 1.3 * arma::mean(arma::vec(small)));
  CHECK(std::abs(place.scores(more).number(0, "coverage") - covered / 3000) < 1e-9);
  check_refused(place.fit_fixed(table, {"--prediction", "district"}), 2, "--prediction 'district': ");
}

TEST_CASE("R² keeps its digits where targets lie far from zero, and there is none of equal targets") {
  const Place place;
  arma::vec y(120);
  const std::string table = place.write("t.csv", table_of("x,y", 120, [&](int i) {
                                          y(static_cast<arma::uword>(i)) = i % 30 + i % 7;
                                          return fmt::format("{},{}", i % 30, 1'600'000'000 + i % 30 + i % 7);
                                        }));
  check_ran(place.fit_fixed(table), 0);
  const lacp::Frame frame = place.scores(table);
  CHECK(std::abs(frame.number(0, "r2") - (1 - std::pow(frame.number(0, "rmse"), 2) / arma::var(y, 1))) <
        1e-6);
  check_has(place.evaluate(place.write("one.csv", "x,y\n3,1600000005\n")).output, "no R²");
}

TEST_CASE("a wrong option is answered with the nearest") {
  for (const auto& [words, part] : Refusals{
           {{"fit", "t.csv", "--targt", "price"}, "'--targt' (did you mean '--target'?); `lacp help fit`"},
           {{"datasets", "add", "t.csv", "--mising=x"}, "'--missing'?); `lacp help datasets add`"},
           {{"evaluate", "a", "b", "c"}, "more words than evaluate takes"},
           // Before anything else is missed, and of the program itself.
           {{"predict", "--outptu", "x"}, "'--outptu' (did you mean '--output'?)"},
           {{"--hlep"}, "'--hlep' (did you mean '--help'?)"},
           {{"run", "x.yaml", "--runs", "0"}, "--runs: "}})
    check_refused(lacp_program(words), 2, part);
}
