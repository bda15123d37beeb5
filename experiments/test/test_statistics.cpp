#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "../../lib/test/near.hpp"
#include "output/statistics.hpp"

using namespace lacp;

namespace {
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();
constexpr double tight = 1e-12;  // closed forms in double
Near near(double v) { return ::near(v, tight); }
}  // namespace

TEST_CASE("moments are the population's, as in Table 1") {
  const Moments m = moments(std::vector{1.0, 2.0, 3.0, 4.0, 10.0});
  CHECK(m.mean == near(4.0));
  CHECK(m.deviation == near(std::sqrt(10.0)));  // (9 + 4 + 1 + 0 + 36) / 5
  CHECK(m.standard_error() == near(std::sqrt(10.0 / 4.0)));
  CHECK(moments(std::vector{1.0}).mean == 1.0);
  CHECK(std::isnan(moments(std::vector{1.0}).deviation));
  CHECK(std::isnan(moments(std::vector{1.0}).standard_error()));
  CHECK(std::isinf(moments(std::vector{1.0, infinity}).mean));
}

TEST_CASE("incomplete beta function against closed forms") {
  for (const double x : {0.01, 0.3, 0.5, 0.77, 0.999}) {
    CHECK(incomplete_beta(1.0, 3.0, x) == near(1.0 - std::pow(1.0 - x, 3.0)));
    CHECK(incomplete_beta(4.0, 1.0, x) == near(std::pow(x, 4.0)));
    CHECK(incomplete_beta(0.5, 0.5, x) == near(2.0 / std::numbers::pi * std::asin(std::sqrt(x))));
    CHECK(incomplete_beta(2.5, 7.0, x) + incomplete_beta(7.0, 2.5, 1.0 - x) == near(1.0));
  }
}

TEST_CASE("Student's t: closed forms for 1, 2 and 4 degrees, the normal law in the limit, tables") {
  for (const double t : {0.1, 1.0, 2.0, 7.5}) {
    CHECK(student_two_sided_p(t, 1.0) == near(1.0 - 2.0 / std::numbers::pi * std::atan(t)));
    CHECK(student_two_sided_p(-t, 2.0) == near(1.0 - t / std::sqrt(2.0 + t * t)));
    CHECK(student_two_sided_p(t, 1e9) == near(std::erfc(t / std::numbers::sqrt2), 1e-6));
  }
  // Tables, nine decimals.
  CHECK(student_two_sided_t(0.05, 4.0) == near(2.776445105, 1e-8));
  CHECK(student_two_sided_t(0.05, 19.0) == near(2.093024054, 1e-8));
  CHECK(student_two_sided_t(0.01, 49.0) == near(2.679951974, 1e-8));
  CHECK(normal_two_sided_z(0.05) == near(1.959963985, 1e-9));
}

TEST_CASE("Welch's test: a worked example, and what has no spread or too few runs") {
  // Variances 4 and 1 with 5 runs each: standard errors² 0.8 and 0.2, difference 2, z = 2.
  const Moments a{10.0, std::sqrt(4.0 * 4.0 / 5.0), 5}, b{8.0, std::sqrt(4.0 / 5.0), 5};
  const WelchTest w = welch_test(a, b);
  CHECK(w.z == near(2.0));
  CHECK(w.freedom == near(1.0 / (0.64 / 4.0 + 0.04 / 4.0)));
  CHECK(w.p == near(student_two_sided_p(2.0, w.freedom)));
  CHECK(welch_test({1.0, 0.0, 5}, {1.0, 0.0, 5}).p == 1.0);
  CHECK(welch_test({1.0, 0.0, 5}, {0.5, 0.0, 5}).p == 0.0);
  CHECK(std::isnan(welch_test({1.0, 0.0, 1}, b).p));
  CHECK(std::isnan(welch_test({infinity, not_a_number, 5}, b).p));
}

TEST_CASE("Holm's correction") {
  const std::vector<double> adjusted = holm(std::vector{0.01, not_a_number, 0.04, 0.03, 0.005});
  CHECK(adjusted[4] == near(0.02));
  CHECK(adjusted[0] == near(0.03));
  CHECK(adjusted[3] == near(0.06));
  CHECK(adjusted[2] == near(0.06));  // never below the one before
  CHECK(std::isnan(adjusted[1]));
  CHECK(holm(std::vector{0.9, 0.8})[0] == 1.0);
}

TEST_CASE("paired interval") {
  const PairedInterval i = paired_interval(std::vector{1.0, 2.0, 3.0, 4.0, 5.0});
  CHECK(i.mean == near(3.0));
  CHECK(i.upper - i.mean == near(2.7764451 * std::sqrt(0.5), 1e-7));
  CHECK(i.mean - i.lower == near(i.upper - i.mean));
  CHECK(i.p == near(student_two_sided_p(3.0 / std::sqrt(0.5), 4.0)));
  CHECK(std::isinf(paired_interval(std::vector{1.0}).upper));
  CHECK(paired_interval(std::vector{0.0, 0.0}).p == 1.0);
}
