#include "table/value_codes.hpp"

#include <algorithm>
#include <cmath>

#include "table/date.hpp"

namespace lacp {

double code_of_member(std::size_t i) { return std::ldexp(1.0, static_cast<int>(i)); }

bool has_member(double code, std::size_t i) {
  return std::fmod(code, 2.0 * code_of_member(i)) >= code_of_member(i);
}

bool is_one_code(const Column& column) {
  return column.kind == ColumnKind::number || column.kind == ColumnKind::ordered ||
         (column.kind == ColumnKind::mean && column.means.empty());
}

void write_attributes(const Column& column, double code, double* out) {
  const std::size_t count = attribute_count(column), values = column.values.size();
  if (is_one_code(column) || std::isnan(code)) {
    std::fill_n(out, count, code);
  } else if (column.kind == ColumnKind::date) {
    for (std::size_t i = 0; i < count; ++i) out[i] = part_of_date(column.parts[i], code);
  } else if (column.kind == ColumnKind::list) {
    for (std::size_t i = 0; i < count; ++i) out[i] = has_member(code, i) ? 1.0 : 0.0;
  } else {
    const std::size_t place = code == unseen_value ? values : static_cast<std::size_t>(code);
    for (std::size_t i = 0; i < count; ++i)
      out[i] = column.kind == ColumnKind::mean ? column.means[i * (values + 1) + place] : i == place;
  }
}

std::vector<std::string> learn_values(arma::mat& codes, const ColumnRole& role) {
  std::vector<double> place(role.values.size(), unseen_value);
  const auto place_of_code = [&](double code) -> double& { return place[static_cast<std::size_t>(code)]; };
  for (arma::uword n = 0; n < codes.n_cols; ++n)
    if (const double code = codes(role.row, n); !std::isnan(code)) place_of_code(code) = 0.0;
  std::vector<std::string> values;
  for (const auto& [value, code] : role.values) {
    if (place_of_code(code) == unseen_value) continue;  // in dropped rows only
    place_of_code(code) = static_cast<double>(values.size());
    values.push_back(value);
  }
  codes.row(role.row).transform([&](double code) { return std::isnan(code) ? code : place_of_code(code); });
  return values;
}

std::vector<std::string> learn_members(arma::mat& codes, const ColumnRole& role) {
  std::vector<std::string> members;
  std::vector<std::size_t> places;  // of these in the codes
  const arma::rowvec cells = codes.row(role.row);
  for (const auto& [member, code] : role.values) {
    const auto place = static_cast<std::size_t>(code);
    const auto has = [&](double cell) { return has_member(cell, place); };
    if (std::none_of(cells.begin(), cells.end(), has)) continue;
    members.push_back(member);
    places.push_back(place);
  }
  codes.row(role.row).transform([&](double cell) {
    if (std::isnan(cell)) return cell;
    double sum = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i)
      sum += has_member(cell, places[i]) ? code_of_member(i) : 0.0;
    return sum;
  });
  return members;
}

}  // namespace lacp
