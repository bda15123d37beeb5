#pragma once

#include <filesystem>

#include "bench_report.hpp"
#include "datasets/catalog.hpp"

namespace lacp::bench {

/// What all measurements share.
struct Context {
  Report& report;
  Catalog catalog;
  double budget = 0.5;           ///< seconds for each comparison
  std::filesystem::path lacp;    ///< the program, for whole protocols
  std::filesystem::path source;  ///< folder of the experiments' yamls
};

void training_steps(Context& context);   ///< a step against its lower bound, and each method's steps
void adam_passes(Context& context);      ///< our Adam against ensmallen's
void knn_selection(Context& context);    ///< the whole cross-validation of K, and mlpack's ways of searching
void boosting(Context& context);         ///< boosted trees: fit, predictions, and how good they are
void csv_reading(Context& context);      ///< from bytes to numbers
void predicting(Context& context);       ///< rows of a table: csv, neighbours, network
void leave_one_out(Context& context);    ///< evaluation of up to a million points
void many_tasks(Context& context);       ///< run, status and table of a grid of ten thousand tasks
void whole_protocols(Context& context);  ///< paper.yaml and release.yaml, on one thread and on two

}  // namespace lacp::bench
