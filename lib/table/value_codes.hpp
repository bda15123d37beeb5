// The numbers that stand for the cells of a table, one for each, until they become attributes.
#pragma once

#include <armadillo>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "table/columns.hpp"

namespace lacp {

inline constexpr double missing_value = std::numeric_limits<double>::quiet_NaN(), unseen_value = -1.0;
inline constexpr std::size_t unseen_member = most_members;  // its place in the code of a list

/// A column in use, and where it is in a table.
struct ColumnRole {
  const Column* column = nullptr;
  bool is_target = false;
  std::size_t index = 0, row = 0;                          ///< of the table's columns, of the codes
  std::map<std::string, double, std::less<>> values = {};  ///< with the code of each
  std::size_t gaps = 0;                                    ///< cells that hold nothing and are NaN
};

/// The code of a list is the sum of those of its members, which are powers of two.
double code_of_member(std::size_t i);
bool has_member(double code, std::size_t i);

/// Whether the attribute is the code itself; that of a mean is until the means are learnt.
bool is_one_code(const Column& column);

/// The attributes that one code stands for.
void write_attributes(const Column& column, double code, double* out);

/// The values that occur, in sorted order; the codes become their places.
std::vector<std::string> learn_values(arma::mat& codes, const ColumnRole& role);

/// The same of a list: its members that occur.
std::vector<std::string> learn_members(arma::mat& codes, const ColumnRole& role);

}  // namespace lacp
