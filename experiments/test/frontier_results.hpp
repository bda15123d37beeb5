#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/choice.hpp"
#include "lacp/base/random.hpp"
#include "sample_results.hpp"

/// Made-up results of an experiment that compares intervals: on every data set size falls and coverage of the
/// hardest tenth rises with θ, `adapt` has the smallest Winkler score, then `cqr`, and `rlcp` the largest.
/// Never on disk, so that the methods need not be known to the program.
inline lacp::Results frontier_results(std::size_t datasets = 6, std::size_t runs = 4) {
  using namespace lacp;
  Results results;
  results.folder = "sample_frontier";
  results.source = "sample_frontier.yaml";
  Experiment& e = results.experiment;
  e.name = "sample_frontier", e.runs = runs;
  for (std::size_t i = 0; i < datasets; ++i) e.datasets.push_back(fmt::format("set_{}", i + 1));
  e.methods = {"fixed", "exp", "adapt_25", "adapt_50", "adapt_75", "adapt_100", "adapt", "cqr", "rlcp"};
  for (const char* alpha : {"0.05", "0.1", "0.32"}) e.levels.push_back(Level::parse(alpha));
  for (std::size_t d = 0; d < datasets; ++d)
    for (const std::string& method : e.methods)
      for (std::size_t run = 0; run < runs; ++run) {
        const double theta = adaptation_of(method).value_or(method == "exp" ? 0.5 : 0.9);
        Stream stream({1, e.datasets[d], run, method, "made up"});
        const double jitter = 1.0 + 0.004 * stream.normal();
        Cell cell;
        cell.task = {e.datasets[d], run, method};
        for (const Level& level : e.levels) {
          const auto add = [&](const char* metric, double value, std::size_t bin = 0) {
            cell.values.push_back({metric, level.text(), bin, value});
          };
          const double size = (1.0 - 0.2 * theta) * jitter * (method == "rlcp" ? 1.5 : 1.0);
          const double score = method == "adapt"  ? 1.5
                               : method == "cqr"  ? 1.7
                               : method == "rlcp" ? 4.0
                                                  : 3.0 - theta;
          add("size_mean", size);
          add("infinite", 0.0);
          add("winkler", score * jitter * (1.0 + static_cast<double>(d)));
          add("coverage_by_error", 0.5 + 0.4 * theta - 0.01 * static_cast<double>(d), 10);
        }
        results.cells.emplace(cell.task, std::move(cell));
      }
  return results;
}

/// The value of one cell, to change it.
inline double& value_of(lacp::Results& results, const lacp::Task& task, std::string_view metric,
                        std::string_view alpha) {
  for (lacp::Measurement& m : results.cells.at(task).values)
    if (m.metric == metric && m.alpha == alpha) return m.value;
  throw std::out_of_range(std::string(metric));
}
