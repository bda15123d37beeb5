// `lacp predict` and `lacp evaluate`: bad tables, long tables, damaged models.
#include "fitted_houses.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/model/kernels/kernels.hpp"

TEST_CASE("what predict refuses is named with file, line and column, and nothing is written") {
  const Fitted place;
  const auto refused = [&](const std::string& table, const std::string& part) {
    check_refused(place.predict(place.write("new.csv", table)), 2, part);
    CHECK_FALSE(fs::exists(place.folder / "out.csv"));
  };
  refused("area,price\n1,2\n", "new.csv: has no column 'kind', 'built'");
  refused("area,kind,built\n1,tent,2000-01-01\n", "new.csv:2: column 2 'kind': found 'tent'");
  check_refused(place.predict(place.at("none.csv")), 2, "none.csv: cannot be read");
  check_refused(place.predict(place.at("none.csv.gz")), 2, "No such file");
  check_refused(place.predict(place.write("new.xlsx", "x")), 2,
                "new.xlsx: cannot be unpacked: it is no zip archive");
  check_refused(place.evaluate(place.write("no_target.csv", "area,kind,built\n1,flat,2000-01-01\n")), 2,
                "has no column 'price'");
}

TEST_CASE("--unseen zeros counts, --skip-bad keeps what it leaves out in a file with the reason") {
  const Fitted place;
  const std::string table = place.write("new.csv",
                                        "area,kind,built\n"
                                        "50,flat,2000-01-01\n"
                                        "50,tent,2000-01-01\n"
                                        "\"4\"\"4\",flat,2000-01-01\n"
                                        "60,house,2000-01-01\n");
  check_ran(
      place.predict(place.write("one.csv", "area,kind,built\n50,tent,2000-01-01\n"), {"--unseen", "zeros"}),
      0, "1 cell named a category that the fit has not seen");
  check_ran(place.predict(table, {"--skip-bad"}), 0, {"2 rows", place.at("out.bad.csv")});
  check_ran(lacp_program({"predict", "--help"}), 0, {}, "o.bad.csv beside o.csv");
  const lacp::Frame out = lacp::read_frame(place.folder / "out.csv"),
                    bad = lacp::read_frame(place.folder / "out.bad.csv");
  CHECK(out.distinct("line") == std::vector<std::string>{"2", "5"});
  CHECK(bad.distinct("line") == std::vector<std::string>{"3", "4"});
  check_has(bad.rows[0][1], "found 'tent'");
  check_has(bad.rows[1][1], "column 1 'area': found '4\"4'");
}

TEST_CASE("evaluate stops at a bad row, or with --skip-bad leaves it out and says so") {
  const Fitted place;
  const std::string good = houses(200, 5);
  const auto evaluate = [&](const std::string& table, const std::vector<std::string>& more = {}) {
    return place.evaluate(place.write("held_out.csv", table), more);
  };
  const std::string bad = good + "50,tent,2000-01-01,200\n50,flat,2000-01-01,unknown\n";
  check_refused(evaluate(bad), 2, "held_out.csv:202: column 2 'kind': found 'tent'");
  const Ran whole = evaluate(good),
            part = check_ran(evaluate(bad, {"--skip-bad"}), 0,
                             {"2 of 202 rows were left out", "held_out.csv:202: column 2 'kind'"});
  CHECK(part.output == whole.output);
  check_refused(evaluate("area,kind,built,price\n50,flat,2000-01-01,unknown\n", {"--skip-bad"}), 2,
                "found 'unknown'");
}

TEST_CASE("a table packed by gzip is read like any other, and a damaged one leaves nothing") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(8000, 6));
  check_ran(place.predict(table), 0);
  const std::string expected = place.read("out.csv");
  check_ran(program({"gzip", "-k", table}), 0);
  check_ran(place.predict(table + ".gz"), 0);
  CHECK(place.read("out.csv") == expected);

  const std::string packed = place.read("new.csv.gz");
  const std::string cut = place.write("cut.csv.gz", packed.substr(0, packed.size() / 2));
  fs::remove(place.folder / "out.csv");
  for (const std::string& file : {cut, place.write("none.csv.gz", "no gzip")}) {
    for (const char* jobs : {"1", "3"}) {
      const Ran predicted = place.predict(file, {"--jobs", jobs});
      check_refused(predicted, 2, file + ": cannot be unpacked: it is ");
      CHECK_FALSE(has(predicted.messages, "--skip-bad"));
    }
    check_refused(place.fit(file), 2, file + ": cannot be unpacked: it is ");
  }
  CHECK_FALSE(fs::exists(place.folder / "out.csv"));
  // A bad row ends the reading early: that is what is told.
  const std::string bad =
      place.write("bad.csv", "area,kind,built\nx,flat,2000-01-01\n" + houses(20000, 7).substr(22));
  check_ran(program({"gzip", bad}), 0);
  check_refused(place.predict(bad + ".gz"), 2, "bad.csv.gz:2: column 1 'area': found 'x'");
}

TEST_CASE("a long table gives the same bytes with any number of threads, kernels and from a pipe") {
  const Fitted place;
  std::string text = houses(20000, 4, true);  // several pieces, some of which end within quotes
  REQUIRE(text.size() > 3 << 18);
  const std::string table = place.write("new.csv", text);
  const auto predicted = [&](const std::vector<std::string>& more) {
    check_ran(place.predict(table, more), 0);
    return place.read("out.csv");
  };
  const std::string one = predicted({"--jobs", "1"});
  CHECK(std::ranges::count(one, '\n') == 20001);
  CHECK(predicted({"--jobs", "3"}) == one);
  for (const lacp::Kernels* kernels : lacp::usable_kernels())
    CHECK(shell("cat \"$2\" | LACP_KERNELS=\"$3\" \"$0\" predict \"$1\" /dev/stdin --quiet",
                {place.at("m.lacp"), table, kernels->name})
              .output == one);

  // The first bad row of the table is the one that is named, whichever piece is done first.
  const std::size_t second = text.find("\n", text.size() / 2), last = text.rfind("\n", text.size() - 2);
  text.insert(last + 1, "late\n").insert(second + 1, "early\n");
  const std::string bad = place.write("bad.csv", text);
  const auto line = std::ranges::count(text.substr(0, second + 1), '\n') + 1;
  for (const char* jobs : {"1", "3"})
    check_refused(place.predict(bad, {"--jobs", jobs}), 2, fmt::format("bad.csv:{}: the row ends", line));
  CHECK(place.read("out.csv") == one);  // of the last predict that went well
}

TEST_CASE("memory does not grow with the table" * doctest::skip(sanitized)) {
  const Place place;
  check_ran(place.fit_fixed(place.write("houses.csv", houses(200, 1))), 0);
  const std::string text = houses(20000, 5), rows = text.substr(text.find('\n') + 1);
  const auto peak = [&](std::size_t copies) {
    {
      lacp::NewFile file(place.folder / "long.csv");  // no copy in this process, whose memory counts too
      file.append(text);
      for (std::size_t i = 1; i < copies; ++i) file.append(rows);
      file.keep();
    }
    return peak_memory({"predict", place.at("m.lacp"), place.at("long.csv"), "--jobs", "2"});
  };
  const double few = peak(2);
  CHECK(fs::file_size(place.folder / "long.csv") > 1 << 20);
  CHECK(peak(20) < few + (4 << 20));
  CHECK(fs::file_size(place.folder / "long.csv") > 12 << 20);
}

TEST_CASE("models that are damaged, cut or none are refused") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(10, 3)), model = place.read("m.lacp");
  const auto refused = [&](const std::string& bytes, const std::string& part) {
    place.write("m.lacp", bytes);
    for (const char* command : {"predict", "evaluate"})
      check_refused(lacp_program({command, place.at("m.lacp"), table}), 2, place.at("m.lacp") + ": " + part);
  };
  std::string damaged = model;
  damaged[model.size() / 2] ^= 1;
  refused(damaged, "is not a usable model: it is damaged: its checksum");
  refused(model.substr(0, model.size() / 2), "is not a usable model: it is damaged");
  refused("area,price\n1,2\n", "is not a usable model: it does not start as one");
  check_refused(lacp_program({"predict", place.at("none.lacp"), table}), 2, "none.lacp: cannot be read");
}

// The thread sanitizer's own memory is a file, so that no program starts under such a limit.
TEST_CASE("a full disk under the output is told and leaves nothing" * doctest::skip(sanitizer == "thread")) {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(20000, 6));
  check_ran(shell("ulimit -f 64; exec \"$0\" predict \"$1\" \"$2\" --output \"$3\"",
                  {place.at("m.lacp"), table, place.at("out.csv")}),
            1, "out.csv: writing failed: File too large");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(place.folder.path())) ++files;
  CHECK(files == 3);  // the two tables and the model
}

TEST_CASE("predict has any level, bounds of one side, quantiles and draws, whatever the fit was asked for") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(200, 3));
  const auto asked = [&](const std::vector<std::string>& options) { return place.intervals(table, options); };
  const lacp::Frame usual = asked({}), more = asked({"--coverage", "0.97,0.95,90,0.68,0.6"});
  CHECK(more.rows[0].fields.size() == 2 + 2 * 5);
  for (std::size_t n = 0; n < 200; ++n) {
    for (const char* name : {"prediction", "lower_95", "upper_95", "lower_90", "upper_68"})
      CHECK(more.rows[n][name] == usual.rows[n][name]);
    CHECK(more.number(n, "lower_97") <= more.number(n, "lower_95"));
    CHECK(more.number(n, "upper_60") <= more.number(n, "upper_68"));
  }
  const lacp::Frame one = asked({"--upper", "0.95", "--lower", "95", "--quantiles", "0.9,0.1"});
  check_has(place.read("out.csv"), "line,prediction,lower_bound_95,upper_bound_95,quantile_10,quantile_90\n");
  for (std::size_t n = 0; n < 200; ++n) {
    CHECK(one.number(n, "lower_bound_95") <= one.number(n, "quantile_10"));
    CHECK(one.number(n, "quantile_10") <= one.number(n, "quantile_90"));
    CHECK(one.number(n, "quantile_90") <= one.number(n, "upper_bound_95"));
  }
  asked({"--names", "level", "--coverage", "0.9", "--upper", "0.95", "--quantiles", "0.1"});
  check_has(place.read("out.csv"), "line,prediction,lower_0.1,upper_0.1,upper_bound_0.95,quantile_0.1\n");
  const lacp::Frame draws = asked({"--samples", "20", "--seed", "7"});
  const std::string first = place.read("out.csv");
  asked({"--samples", "20", "--seed", "8"});
  CHECK(place.read("out.csv") != first);
  asked({"--samples", "20", "--seed", "7"});
  CHECK(place.read("out.csv") == first);
  std::size_t inside = 0;
  for (std::size_t n = 0; n < 200; ++n)
    for (std::size_t k = 2; k < 22; ++k) {
      const double draw = std::stod(draws.rows[n][k]);
      inside += one.number(n, "quantile_10") <= draw && draw <= one.number(n, "quantile_90") ? 1 : 0;
    }
  CHECK(inside > 3100);  // 3,200 on average, of 4,000
  CHECK(inside < 3300);
  check_ran(place.predict(table, {"--coverage", "0.999"}), 0, "needs at least 999 calibration rows");
  check_ran(place.predict(table, {"--names", "coverage", "--coverage", "0.99999999,0.99999998"}), 0);
  check_has(place.read("out.csv"), ",lower_99.999999,upper_99.999999,lower_99.999998,upper_99.999998\n");
  for (const auto& [option, value] :
       {std::pair{"--quantiles", "2"}, {"--upper", "0.9,0.9"}, {"--coverage", "0.1"}})
    check_refused(place.predict(table, {option, value}), 2, option);
}

TEST_CASE("evaluate has the CRPS and the PIT of the quantiles of predict, or says that there are none") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(300, 3));
  std::string taus;
  for (int k = 1; k < 100; ++k) taus += fmt::format("{}{:.2f}", k == 1 ? "" : ",", k / 100.0);
  const lacp::Frame found = place.intervals(table, {"--quantiles", taus, "--keep", "price"});
  double crps = 0.0;
  std::vector<double> pit(10);
  for (const lacp::Row& row : found) {
    const double y = std::stod(row["price"]);
    std::vector<double> q;
    for (std::size_t k = 3; k < 102; ++k) q.push_back(std::stod(row[k]));
    REQUIRE(q.size() == 99);
    double below = 0.0;
    for (std::size_t k = 0; k < 99; ++k) {
      const double tau = static_cast<double>(k + 1) / 100.0;
      crps += 2.0 * std::max(tau * (y - q[k]), (tau - 1.0) * (y - q[k])) / 99.0 / 300.0;
      below += q[k] < y ? 0.01 : q[k] == y ? 0.005 : 0.0;
    }
    pit[static_cast<std::size_t>(10.0 * (below + 0.005))] += 1.0 / 300.0;
  }
  const lacp::Frame scores = place.scores(table);
  CHECK(scores.number(0, "crps") == doctest::Approx(crps).epsilon(1e-9));
  std::string expected;
  for (const double part : pit) expected += fmt::format("{}{:.4f}", expected.empty() ? "" : " ", part);
  CHECK(scores.rows[0]["pit"] == expected);
  check_has(place.evaluate(table).output, {"distribution: CRPS", "0.9–1.0"});
  check_ran(
      place.fit(place.write("few.csv", houses(100, 1)), {"--method", "cqr", "--calibration-folds", "0"}), 0);
  check_ran(place.evaluate(table), 0, "no CRPS: method cqr");
}

TEST_CASE("quantiles and draws of whole numbers are values that can be, and have their mean") {
  const Place place;
  for (const bool binary : {true, false}) {
    // 0 or 1 with mean 1/4; counts with mean 3/2, the number of ten tries that succeed.
    const auto row = [binary](int, lacp::Stream& stream) {
      const double x = stream.uniform();
      int y = 0;
      for (int k = 0; k < (binary ? 1 : 10); ++k) y += stream.uniform() < (binary ? 0.5 : 0.3) * x ? 1 : 0;
      return fmt::format("{},{}", x, y);
    };
    check_ran(place.fit(place.write("t.csv", drawn("x,y", 1200, row))), 0);
    const std::string fresh = place.write("new.csv", drawn("x,y", 600, row, 2));
    const lacp::Frame found = place.intervals(
                          fresh, {"--quantiles", "0.1,0.25,0.5,0.9", "--samples", "20", "--names", "level"}),
                      truth = lacp::read_frame(fresh);
    double drawn_sum = 0, sum = 0, below = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      sum += truth.number(i, "y");
      below += truth.number(i, "y") <= found.number(i, "quantile_0.9") ? 1 : 0;
      for (const char* quantile : {"quantile_0.1", "quantile_0.25", "quantile_0.5", "quantile_0.9"})
        CHECK(found.number(i, quantile) >= 0.0);
      for (int k = 1; k <= 20; ++k) {
        const double y = found.number(i, fmt::format("sample_{}", k));
        CHECK((y >= 0.0 && y == std::round(y) && (!binary || y <= 1.0)));
        drawn_sum += y / 20;
      }
    }
    INFO(binary, " ", drawn_sum / sum);
    CHECK(drawn_sum / sum > 0.85);
    CHECK(drawn_sum / sum < 1.15);
    CHECK(below / 600 > 0.9 - 4 * std::sqrt(0.09 * (1.0 / 240 + 1.0 / 600)));
    // The PIT is spread where a number has many quantiles: each tenth has about a tenth.
    const std::vector<std::string> pit = lacp::split_text(place.scores(fresh).rows[0]["pit"], ' ');
    for (const std::string& share : pit)
      CHECK(std::abs(std::stod(share) - 0.1) < 4 * std::sqrt(0.09 * (1.0 / 240 + 1.0 / 600)));
  }
}

TEST_CASE("many draws of many rows take little memory") {
  const Fitted place;
  place.write("new.csv", houses(1500, 2));
  const auto peak = [&](const char* draws) {
    return peak_memory({"predict", place.at("m.lacp"), place.at("new.csv"), "--samples", draws, "--output",
                        place.at("out.csv"), "--jobs", "1"});
  };
  // A line of draws is some 50 kB, all of them 80 MB.
  if (!sanitized) CHECK(peak("3000") < peak("1") + 25e6);
}

TEST_CASE("the PIT of whole numbers that are far apart counts every row once") {
  const Place place;
  const auto row = [](int, lacp::Stream& stream) {
    const double x = stream.uniform();
    return fmt::format("{},{:.0f}", x, 1e5 * (x + stream.uniform()));
  };
  check_ran(place.fit_fixed(place.write("t.csv", drawn("x,y", 300, row))), 0);
  const std::string fresh = place.write("new.csv", drawn("x,y", 100, row, 2));
  check_ran(place.evaluate(fresh), 0);
  double sum = 0;
  for (const std::string& share : lacp::split_text(place.scores(fresh).rows[0]["pit"], ' '))
    sum += std::stod(share);
  CHECK(std::abs(sum - 1.0) < 1e-3);
}

TEST_CASE("draws reach into the tails, are those of the row wherever it stands, and others for another row") {
  const Place place;
  const auto row = [](int i, lacp::Stream& stream) {
    return fmt::format("{},{},{}", i, stream.normal(), stream.normal());
  };
  check_ran(place.fit_fixed(place.write("t.csv", drawn("id,x,y", 2000, row)),
                            {"--set", "predictor.kind=knn", "--drop", "id"}),
            0);
  const auto draws = [&](const std::string& rows, std::size_t line) {
    const lacp::Frame found =
        place.intervals(place.write("new.csv", "id,x\n" + rows),
                        {"--samples", "2000", "--quantiles", "0.02,0.98", "--names", "level"});
    arma::vec values(2000);
    for (int k = 0; k < 2000; ++k)
      values(static_cast<arma::uword>(k)) = found.number(line, fmt::format("sample_{}", k + 1));
    const double low = found.number(line, "quantile_0.02"), high = found.number(line, "quantile_0.98");
    // A share of 0.02 beyond each, give or take four standard errors, and hardly any twice.
    CHECK(std::abs(arma::accu(values < low) / 2000.0 - 0.02) < 4 * std::sqrt(0.02 / 2000));
    CHECK(std::abs(arma::accu(values > high) / 2000.0 - 0.02) < 4 * std::sqrt(0.02 / 2000));
    CHECK(arma::unique(values).eval().n_elem > 1900);
    return values;
  };
  const arma::vec first = draws("1,0.5\n", 0), second = draws("2,-0.3\n", 0);
  CHECK(arma::approx_equal(draws("2,-0.3\n1,0.5\n", 1), first, "absdiff", 0.0));
  CHECK(std::abs(lacp::correlation_of(first, second)) < 0.1);
  CHECK(std::abs(lacp::correlation_of(first, draws("3,0.5\n", 0))) < 0.1);  // another id
}
