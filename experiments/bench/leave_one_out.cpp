#include <fmt/format.h>

#include <cmath>

#include "lacp/base/sums.hpp"
#include "lacp/conformal/classes/transformation_class.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/registry.hpp"
#include "sections.hpp"
#include "timing.hpp"

namespace lacp::bench {
namespace {

/// Slope of log(seconds) against log(n), by least squares.
double growth(const std::vector<double>& n, const std::vector<double>& seconds) {
  const arma::vec x = arma::log(arma::vec(n)), y = arma::log(arma::vec(seconds));
  const arma::vec centred = x - arma::mean(x);
  return dot_of(centred.memptr(), y.memptr(), y.n_elem) /
         dot_of(centred.memptr(), centred.memptr(), centred.n_elem);
}

}  // namespace

void leave_one_out(Context& context) {
  context.report.section(
      "Leave-one-out evaluation",
      "Every point calibrated by all others at α = 0.1. Evaluation: scores, thresholds, half-widths, mean size and share of points inside, in seconds;\nall metrics: everything that a result file holds for one level (slabs, deciles, correlations) on top.");
  const Level level = Level::parse("0.1");
  const TransformationClass& method = find_class("exp");
  std::vector<double> sizes, evaluation, everything;
  Frame table({"points", "evaluation, s", "with all metrics, s"});
  for (const std::size_t n : {1000u, 10000u, 100000u, 1000000u}) {
    Stream stream(13);
    arma::mat g(1, n);
    arma::vec error(n), log_a(n), scores;
    for (std::size_t i = 0; i < n; ++i) {
      g(0, i) = stream.normal(), error(i) = stream.normal();
      log_a(i) = 2.0 * std::log(std::abs(error(i)));
    }
    ScoredIntervals intervals{.X = g,
                              .f = arma::vec(n, arma::fill::zeros),
                              .y = error,
                              .bounds = {},
                              .local_error = arma::abs(error)};
    arma::vec half_width;
    const auto evaluate = [&] {
      method.scores({}, log_a, g, {}, scores);
      method.half_widths({}, lacp::leave_one_out(scores, level), g, {}, half_width);
      double size = 0.0;
      std::size_t inside = 0;
      for (std::size_t i = 0; i < n; ++i) {
        size += half_width(i);
        inside += std::abs(error(i)) <= half_width(i) ? 1 : 0;
      }
      keep(size), keep(inside);
    };
    sizes.push_back(static_cast<double>(n));
    evaluation.push_back(shortest(evaluate, context.budget));
    everything.push_back(shortest(
        [&] {
          evaluate();
          intervals.bounds = Bounds::symmetric(half_width);
          Stream slabs(1);
          keep(measure(intervals, level, slabs));
        },
        0.0));
    table.add({std::to_string(n), fmt::format("{:.6f}", evaluation.back()),
               fmt::format("{:.6f}", everything.back())});
    context.report.number(fmt::format("leave_one_out/{}", n), evaluation.back());
  }
  table.add(
      {"growth exponent", display(growth(sizes, evaluation), 2), display(growth(sizes, everything), 2)});
  context.report.number("leave_one_out/exponent", growth(sizes, evaluation));
  context.report.table(table);
}

}  // namespace lacp::bench
