// What other programs ask of a model: `lacp info`, and rows as bytes (`lacp predict --doubles`).
#include <cstring>

#include "fitted_houses.hpp"

TEST_CASE("info says what a model was fitted for, to people and to programs") {
  const Fitted place;
  const std::string text = must_run({"info", place.at("m.lacp")}).output;
  check_has(text,
            {place.at("m.lacp") + ": predicts price\n", "0.05 (coverage 0.95), 0.1 (coverage 0.9)", "forest",
             "number            area\n", "category          kind\n", "date              built\n"});
  const auto json = [&](const std::string& code) {
    return shell("\"$0\" info \"$1\" --json | python3 -c \"import json, sys; m = json.load(sys.stdin); $2\"",
                 {place.at("m.lacp"), code})
        .output;
  };
  CHECK(
      json("print([c['kind'] for c in m['columns']], m['levels'][0], m['plain'], m['target'], m['least'])") ==
      "['number', 'category', 'date'] {'level': 0.05, 'coverage': 0.95} True price None\n");
  // A decimal comma: rows that a program writes are not what this model reads.
  const std::string table = table_of("a;y", 100, [](int i) { return fmt::format("{},5;{}", i, i % 17); });
  check_ran(place.fit_fixed(place.write("comma.csv", table), {"--clip", "0,20"}), 0);
  CHECK(json("print(m['plain'], m['least'], m['most'])") == "False 0 20\n");
  check_refused(lacp_program({"info", place.at("comma.csv")}), 2, "comma.csv");
  // What turns the direction of a text reaches no terminal, and is json all the same.
  const std::string turned =
      table_of("a\u202eb,y", 100, [](int i) { return fmt::format("{}.5,{}.25", i * 37 % 101, i % 17); });
  const Ran ran = check_ran(place.fit_fixed(place.write("turned.csv", turned)), 0, {}, "a\\xe2\\x80\\xaeb");
  check_lacks(ran.output + ran.messages + must_run({"info", place.at("m.lacp")}).output, "\u202e");
  CHECK(json("print(ascii(m['columns'][0]['column']))") == "'a\\u202eb'\n");
}

TEST_CASE("with --by each value of a column is calibrated by its own rows, and fit and info say which") {
  const Place place;
  const std::string table = drawn("area,region,built,price", 1000, [](int i, lacp::Stream& stream) {
    const char* region = i % 40 == 0 ? "west" : i % 3 == 0 ? "south" : "north";
    return fmt::format("{},{},2020-01-{:02},{}", stream.uniform(), region, 1 + i % 28,
                       (*region == 's' ? 20.0 : 1.0) * stream.normal());
  });
  const std::string csv = place.write("t.csv", table);
  const Words by = {"--target", "price", "--by", "region"};
  check_ran(
      place.fit_fixed(csv, by), 0, {},
      {"calibrated by   'region', each by its own rows: 'north'",
       "together, since each has fewer than 30: 'west'", "coverage 0.95 needs 19 rows, but these have"});
  check_has(must_run({"info", place.at("m.lacp")}).output,
            {"by region         each by its own rows: 'north' (",
             "together, since each has fewer than 30: 'west' ("});
  // At a level that takes more rows than a class has, it is calibrated with the others, and predict says so.
  check_ran(
      place.predict(csv, {"--coverage", "0.99"}), 0,
      "coverage 0.99 needs 99 rows of a class; calibrated together with smaller ones, since they have fewer: 'south'");
  check_ran(place.predict(csv, {"--upper", "0.99"}), 0, "coverage 0.99 needs 99 rows of a class");
  check_lacks(place.predict(csv).messages, "needs");
  check_has(must_run({"info", place.at("m.lacp"), "--json"}).output,
            {"\"value\":\"west\"", "\"by_itself\":false"});
  const lacp::Frame rows = place.intervals(csv, {"--keep", "region"});
  std::map<std::string, double> width;
  for (const lacp::Row& row : rows) width[row["region"]] = row.number("upper_90") - row.number("lower_90");
  CHECK(width.at("south") > 10.0 * width.at("north"));
  CHECK(std::isinf(width.at("west")));
  // Few rows: some are set aside, though all could calibrate in folds.
  const std::string few = table.substr(0, table.find('\n', 9000) + 1);
  check_ran(place.fit(place.write("few.csv", few), joined(by, {"--json"})), 0, {},
            {"\"calibration_folds\":0", "\"by\":\"region\""});
  for (const auto& [more, part] :
       Refusals{{{"--by", "built"}, "is a date"}, {{"--by", "region", "--calibration-folds", "5"}, "--by"}})
    check_refused(place.fit(csv, more), 2, part);
}

TEST_CASE("rows as doubles have the predictions of the same rows as a csv") {
  const Place place;
  const auto table = [](int n, std::uint64_t seed) {
    const auto row = [](int i, lacp::Stream& stream) {
      const double a = stream.normal(), b = stream.uniform();
      return fmt::format("{},{},{}", i % 9 == 0 ? "" : fmt::format("{}", a), b, a + b * stream.normal());
    };
    return drawn("a,b,y", n, row, seed);
  };
  const Words options = {"--target", "y", "--coverage", "0.9,0.995", "--quiet"};
  check_ran(place.fit_fixed(place.write("t.csv", table(400, 1)), options), 0);
  const auto doubles = [&](const std::vector<double>& numbers, const Words& more = {}) {
    place.write("rows", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    return shell(
        "model=\"$1\" rows=\"$2\"; shift 2; \"$0\" predict \"$model\" - --doubles \"$@\" < \"$rows\"",
        joined({place.at("m.lacp"), place.at("rows")}, more));
  };
  const lacp::Frame expected = place.intervals(place.write("new.csv", table(10000, 2)));
  std::vector<double> rows;
  for (const lacp::Row& row : lacp::read_frame(place.folder / "new.csv"))
    for (const char* name : {"a", "b"}) rows.push_back(row[name].empty() ? NAN : row.number(name));
  const std::string bytes = check_ran(doubles(rows, {"--jobs", "1"}), 0).output;
  std::vector<double> found(5 * expected.rows.size());
  REQUIRE(bytes.size() == found.size() * sizeof(double));
  std::memcpy(found.data(), bytes.data(), bytes.size());
  std::size_t i = 0;
  for (const lacp::Row& row : expected)
    for (const char* name : {"prediction", "lower_90", "upper_90", "lower_99.5", "upper_99.5"})
      CHECK(found[i++] == row.number(name));
  CHECK(doubles(rows, {"--jobs", "3"}).output == bytes);

  CHECK(check_ran(doubles({}), 0).output.empty());
  rows[4099 * 2 + 1] = INFINITY;
  check_refused(doubles(rows), 2, "row 4099 from 0, column 'b': found inf");
  check_refused(doubles({1.0}), 2, "ends within a row of 2 doubles");
  check_refused(lacp_program({"predict", place.at("m.lacp"), place.at("new.csv"), "--doubles"}), 2,
                "expected -, ");
  const Fitted houses;
  check_refused(shell("\"$0\" predict \"$1\" - --doubles < /dev/null", {houses.at("m.lacp")}), 2,
                "--doubles: column 'kind'");
}
