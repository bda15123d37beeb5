#pragma once

#include <functional>

#include "lacp_program.hpp"
#include "near.hpp"
#include "report/report.hpp"

namespace lacp {

/// What is wrong with the sample, for tests of how that shows.
struct SampleFlaws {
  bool incomplete = false;  ///< erc on concrete lacks runs 3 and 4, erc_error_fit all runs
  bool infinite = false;    ///< linear on energy has infinite intervals at 0.05 in run 1
};

/// Made-up numbers near Table 1: two of its data sets and two synthetic ones, all methods, five runs.
Experiment sample_experiment();

/// Writes manifest, cells and kept intervals of the sample into an emptied `folder`, and reads them back.
/// `change` may alter its settings.
Results write_sample(const std::filesystem::path& folder, const SampleFlaws& flaws = {},
                     const std::function<void(Experiment&)>& change = {});

/// A sample of two methods on one data set, without published numbers or intervals.
void make_small(Experiment& experiment);

/// Stores results of the sample as a run would; later ones take the place of earlier ones.
void store_sample(const std::filesystem::path& folder, const Experiment& experiment,
                  const std::vector<TaskResult>& results);

/// Made-up results of an experiment that compares intervals: on every data set size falls and coverage of the
/// hardest tenth rises from `fixed` by `erc`, `exp` (`sigma` is the same) and `linear` to `ml`; `adapt` has
/// the smallest Winkler score, then `cqr`, and `mondrian` the largest.
Results frontier_results(std::size_t datasets = 6, std::size_t runs = 4);

double& value_of(Results& results, const Task& task, std::string_view metric, std::string_view alpha);

/// Changes each value of a metric, as (task, value).
template <class Change>
void change_values(Results& results, std::string_view metric, const Change& change) {
  for (auto& [task, cell] : results.cells)
    for (Measurement& m : cell.values)
      if (m.metric == metric) change(task, m);
}

/// The first row of a table with these texts; an exception if there is none.
const Row& row_of(const Frame& table, const Keys& keys);

/// The published numbers for the sample: its true means.
Frame sample_reference();

}  // namespace lacp
