#pragma once

#include <string>
#include <vector>

#include "analysis/results.hpp"

namespace lacp {

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
