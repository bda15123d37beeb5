#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_table.hpp"
#include "output/results.hpp"

namespace lacp {

/// A gnuplot script that is part of the program (experiments/figures/*.gp).
struct FigureScript {
  std::string_view name;  ///< "figure1.gp"
  std::string_view text;
};
const std::vector<FigureScript>& figure_scripts();

/// One panel of Figure 1, sorted by x: x, y, f, the true band f_true ± z σ(x), and for each method the lower
/// and the upper end of its intervals. Nothing if the experiment kept no intervals of the data set, or if it
/// has several attributes.
std::optional<TextTable> panel_data(const Results& results, const std::string& dataset);

/// The level whose coverage is drawn: the middle one.
const Level& drawn_level(const Experiment& experiment);

/// Size relative to `fixed` with its 95 % interval, paired by run.
TextTable relative_sizes(const Results& results);

/// What an axis shows.
struct AxisRange {
  double low = 0.5, high = 2.0;
};

/// Twice the interquartile range from the quartiles of the ratios (of their logarithms; at least a factor of
/// 1.5), and 1: a method far from all others must not squeeze the axis.
AxisRange fences(std::vector<double> ratios);

/// Every ratio with its interval, as far as it lies within the fences.
AxisRange sizes_axis(const TextTable& sizes);

/// Coverage and relative size by decile of the local error, mean over runs with its standard error.
TextTable by_local_error(const Results& results);

/// What came of the figures of an experiment.
struct Figures {
  std::vector<std::string> there;     ///< "sizes": its svg shows the data as it is
  std::vector<std::string> problems;  ///< why others are not there
};

/// Writes the data and the scripts into <experiment>/figures/ and draws figure1, sizes, adaptivity, frontier
/// and ranks, each as svg and pdf, as far as the experiment has their data. What shows this data already is
/// not drawn again, and a picture of other data does not stay.
Figures write_figures(const Results& results);

}  // namespace lacp
