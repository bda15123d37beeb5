// Which rows of a table a fit uses, and for what; what its columns learn from them.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "lacp/base/error.hpp"
#include "table/table_model.hpp"

namespace lacp {
namespace {

/// What some rows of X, as `fit_columns` made it for these columns, teach: a value that none of them has is
/// no attribute, and a column that is dropped for a missing cell is dropped if one of theirs is missing.
/// `attributes` gets the rows of X that stay. UserError if none does.
Columns learnt_from(const Columns& columns, const arma::mat& X, const std::vector<arma::uword>& rows,
                    std::vector<arma::uword>& attributes) {
  Columns learnt = columns;
  learnt.attributes.clear();
  arma::uword first = 0;
  for (const Column& column : columns.attributes) {
    const arma::uword count = attribute_count(column), here = std::exchange(first, first + count);
    const auto any = [&](arma::uword i, const auto& holds) {
      return std::ranges::any_of(rows, [&](arma::uword n) { return holds(X(i, n)); });
    };
    const auto missing = [](double value) { return std::isnan(value); };
    if (count == 0 || (column.if_missing == IfMissing::drop_column && any(here, missing))) continue;
    Column kept = column;
    const bool category = has_indicators(column.kind);
    if (category) kept.values.clear();
    for (arma::uword i = 0; i < count; ++i) {
      if (category && !any(here + i, [](double value) { return value == 1.0; })) continue;
      if (category) kept.values.push_back(column.values[i]);
      attributes.push_back(here + i);
    }
    if (attribute_count(kept) > 0) learnt.attributes.push_back(std::move(kept));
  }
  if (attributes.empty()) user_error("every column has a missing cell; drop rows or fill instead");
  return learnt;
}

constexpr std::size_t folds_of_means = 5;
constexpr double rows_of_all = 5.0;

struct Sum {
  double targets = 0.0, rows = 0.0;
  void add(double y) {
    targets += y;
    rows += 1.0;
  }
  Sum without(const Sum& part) const { return {targets - part.targets, rows - part.rows}; }
  double mean() const { return rows == 0.0 ? 0.0 : targets / rows; }
  double towards(double all) const { return (targets + rows_of_all * all) / (rows + rows_of_all); }
};
/// Of each fold, and of all.
using Sums = std::array<Sum, folds_of_means + 1>;

/// Turns codes of values into means of training rows. Gives those of each value and, last, of any other.
std::vector<double> to_means(arma::rowvec& codes, std::size_t value_count, const arma::vec& y,
                             const std::vector<arma::uword>& training,
                             const std::vector<std::size_t>& groups) {
  // Training rows are in random order, so their places make folds.
  std::vector<std::size_t> fold(y.n_elem, folds_of_means);
  for (std::size_t i = 0; i < training.size(); ++i)
    fold[training[i]] = (groups.empty() ? i : groups[training[i]]) % folds_of_means;
  Sums all;
  std::vector<Sums> values(value_count);
  const auto value_of = [&](arma::uword n) -> Sums& { return values[static_cast<std::size_t>(codes(n))]; };
  for (const arma::uword n : training)
    for (const std::size_t part : {fold[n], folds_of_means}) {
      all[part].add(y(n));
      if (!std::isnan(codes(n))) value_of(n)[part].add(y(n));
    }
  std::vector<double> means;
  for (const Sums& value : values) means.push_back(value[folds_of_means].towards(all[folds_of_means].mean()));
  means.push_back(all[folds_of_means].mean());
  for (arma::uword n = 0; n < codes.n_elem; ++n) {
    const auto others = [&](const Sums& of) {
      return fold[n] < folds_of_means ? of[folds_of_means].without(of[fold[n]]) : of[folds_of_means];
    };
    if (!std::isnan(codes(n))) codes(n) = others(value_of(n)).towards(others(all).mean());
  }
  return means;
}

}  // namespace

void code_by_means(Columns& columns, arma::mat& X, const arma::vec& y,
                   const std::vector<arma::uword>& training, const std::vector<std::size_t>& groups) {
  arma::uword row = 0;
  for (Column& column : columns.attributes) {
    const arma::uword here = std::exchange(row, row + attribute_count(column));
    if (column.kind != ColumnKind::mean) continue;
    arma::rowvec codes = X.row(here);
    const std::vector<std::string> values = std::exchange(column.values, {});
    std::vector<bool> seen(values.size() + 1, false);
    seen.back() = true;  // for any other value
    for (const arma::uword n : training)
      if (!std::isnan(codes(n))) seen[static_cast<std::size_t>(codes(n))] = true;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (seen[i]) column.values.push_back(values[i]);
    const std::vector<double> means = to_means(codes, values.size(), y, training, groups);
    X.row(here) = codes;
    for (std::size_t i = 0; i < means.size(); ++i)
      if (seen[i]) column.means.push_back(means[i]);
  }
}

TableToFit read_table(const CsvSource& table, Columns columns) {
  EncodedTable encoded = fit_columns(columns, table, DropColumns::later);
  TableToFit fitted{std::move(columns), table.format, std::move(encoded.X), std::move(encoded.y)};
  if (!table.format.header) fitted.format.names = table.header.names;
  return fitted;
}

FitRows rows_of_fit(const TableToFit& table, const PredictorSettings& settings) {
  FitRows rows{.parts = split_of_fit(table.X, table.y, settings), .columns = {}, .X = {}};
  Split& split = rows.parts.split;
  std::vector<arma::uword> training = split.proper, attributes;
  if (settings.cross_fit == 0) training.insert(training.end(), split.train.begin(), split.train.end());
  rows.columns = learnt_from(table.columns, table.X, training, attributes);
  rows.X = attributes.size() == table.X.n_rows ? table.X : arma::mat(table.X.rows(arma::uvec(attributes)));
  code_by_means(rows.columns, rows.X, table.y, training, settings.groups);
  // A cell that is missing in a column that was not dropped: such a row is refused when it comes to
  // predicting, and no training row has one.
  const std::vector<const Column*> column_of = rows.columns.attribute_columns();
  std::vector<bool> unusable(rows.X.n_cols, false);
  for (arma::uword n = 0; n < rows.X.n_cols; ++n)
    for (arma::uword i = 0; i < rows.X.n_rows; ++i)
      if (std::isnan(rows.X(i, n)) && column_of[i]->if_missing != IfMissing::fill) {
        unusable[n] = true;
        rows.X(i, n) = 0.0;  // used for nothing
      }
  std::erase_if(split.test, [&](arma::uword n) { return unusable[n]; });
  if (split.test.empty())
    user_error("every calibration row has a missing cell; drop columns or fill instead");
  return rows;
}

}  // namespace lacp
