// A csv of houses and a model of it, for the tests of `lacp fit`, `predict` and `evaluate`.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "common/frame.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

/// Houses with a category, a date and a tenth of their areas missing.
inline std::string houses(std::size_t n, std::uint64_t seed, bool other_order = false) {
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

inline const std::vector<std::string> quick = {"--set", "training.epochs=3", "network.hidden=[8]", "--quiet"};

struct Place {
  TemporaryFolder folder;
  std::string at(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    lacp::write_file(folder / name, text);
    return at(name);
  }
  std::string read(const std::string& name) const { return lacp::read_file(folder / name); }

  Ran fit(const std::string& data, const std::vector<std::string>& more = {}) const {
    return lacp_program(joined({"fit", data, "--model", at("m.lacp")}, more), quick);
  }
  /// One that says what it does.
  Ran fit_fixed(const std::string& data, const std::vector<std::string>& more = {}) const {
    return lacp_program({"fit", data, "--model", at("m.lacp"), "--method", "fixed"}, more);
  }
  Ran evaluate(const std::string& table, const std::vector<std::string>& more = {}) const {
    return lacp_program({"evaluate", at("m.lacp"), table}, more);
  }
  Ran predict(const std::string& table, const std::vector<std::string>& more = {}) const {
    return lacp_program({"predict", at("m.lacp"), table, "--output", at("out.csv")}, more);
  }
  lacp::Frame intervals(const std::string& table, const std::vector<std::string>& more = {}) const {
    check_ran(predict(table, more), 0);
    return lacp::read_frame(folder / "out.csv");
  }
};

/// A place with a model of 600 houses.
struct Fitted : Place {
  Fitted() { check_ran(fit(write("houses.csv", houses(600, 1)), {"--target", "price"}), 0); }
};

inline void check_refused(const Ran& ran, int status, const std::string& part) {
  CHECK(ran.status == status);
  check_has(ran.messages, part);
  CHECK(std::ranges::count(ran.messages, '\n') == 0);  // one line, whose end is cut off here
}
