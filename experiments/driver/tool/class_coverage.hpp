#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lacp/table/table_model.hpp"

// The coverage to expect in the classes of --by.
namespace lacp {

/// The rows that calibrate a class at a level: its own, or those of all classes that have too few of them.
std::size_t calibrating_rows(const TableModel& model, std::size_t own, const Level& level);

/// The range in which the coverage of a class with this many calibration rows lies, for nineteen models of
/// twenty; up to 1 where ties of whole numbers may make it more. (1, 1): its intervals are infinite.
std::pair<double, double> class_coverage(const TableModel& model, std::size_t own, const Level& level);

/// That of each class as a table for people; "" without classes, and for a method with several quantiles.
std::string class_coverage_text(const TableModel& model);

/// The same for what is seen in rows of these classes (place in predictor().classes() → rows): the range in
/// which the covered share lies nineteen times of twenty, or more often. None where nothing says how much it
/// varies: for rows that belong together, and for a method with several quantiles.
std::optional<std::pair<double, double>> expected_in(const TableModel& model,
                                                     const std::map<std::size_t, std::size_t>& rows,
                                                     const Level& level);

}  // namespace lacp
