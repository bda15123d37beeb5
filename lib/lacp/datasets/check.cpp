#include "lacp/datasets/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/synthetic.hpp"
#include "lacp/datasets/load.hpp"

namespace lacp {
namespace {

std::size_t count_duplicates(const Dataset& data) {
  const std::size_t row_bytes = data.X.n_rows * sizeof(double);
  // Bytes, not numbers, are compared: that is an order even when cells are NaN.
  const auto compare = [&](std::size_t a, std::size_t b) {
    const int inputs = std::memcmp(data.X.colptr(a), data.X.colptr(b), row_bytes);
    return inputs != 0 ? inputs : std::memcmp(&data.y[a], &data.y[b], sizeof(double));
  };
  std::vector<std::size_t> order(data.y.n_elem);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
  std::size_t duplicates = 0;
  for (std::size_t i = 1; i < order.size(); ++i) duplicates += compare(order[i - 1], order[i]) == 0 ? 1 : 0;
  return duplicates;
}

std::vector<std::string> find_constants(const Dataset& data) {
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < data.X.n_rows; ++i) {
    bool constant = true;
    for (std::size_t n = 1; constant && n < data.X.n_cols; ++n) constant = data.X(i, n) == data.X(i, 0);
    if (constant) constants.push_back(data.attributes[i]);
  }
  return constants;
}

void describe_target(const arma::vec& y, DatasetCheck& check) {
  const arma::vec known = y.elem(arma::find_finite(y));
  if (known.is_empty()) return;
  check.target_min = known.min();
  check.target_mean = arma::mean(known);
  check.target_max = known.max();
}

std::string refusal(const DatasetDescription& description, const DatasetCheck& check) {
  if (check.missing.cells > 0) return check.missing.first;
  if (check.rows < fewest_rows)
    return fmt::format("has {} rows; an experiment needs at least {}", check.rows, fewest_rows);
  if (check.target_min == check.target_max)
    return fmt::format("{}: the target is {} in every row; there is nothing to predict",
                       description.target.where, check.target_min);
  return "";
}

}  // namespace

DatasetCheck check_dataset(const DatasetDescription& description) {
  DatasetCheck check;
  Stream stream({.seed = 1, .dataset = description.name, .run = 0, .method = "", .purpose = "check"});
  const Dataset data = is_synthetic(description) ? generate_synthetic(description, stream)
                                                 : load_for_check(description, check.missing);
  check.rows = data.y.n_elem;
  check.attributes = data.X.n_rows;
  check.constants = find_constants(data);
  check.duplicates = count_duplicates(data);
  describe_target(data.y, check);
  check.refusal = refusal(description, check);
  return check;
}

std::string check_text(const DatasetDescription& description, const DatasetCheck& check) {
  std::string text = fmt::format("{}: {}\n", description.name, description.title);
  const auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<16}{}\n", label, value);
  };
  if (description.source) {
    line("file", description.source->table.string());
    line("target", description.target.columns[0]);
  } else {
    line("generated", fmt::format("noise profile {}, one draw", description.synthetic->profile));
  }
  line("rows", fmt::format("{}", check.rows));
  line("columns", fmt::format("{} attributes and the target", check.attributes));
  line("target range",
       fmt::format("{:.6g} to {:.6g}, mean {:.6g}", check.target_min, check.target_max, check.target_mean));
  line("constants", check.constants.empty() ? "none" : join(check.constants, ", "));
  line("duplicate rows", fmt::format("{}", check.duplicates));
  line("missing cells", fmt::format("{}", check.missing.cells));
  return text;
}

}  // namespace lacp
