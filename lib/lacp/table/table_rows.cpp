// Which rows of a table a fit uses, and for what.
#include <algorithm>
#include <cmath>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/table/table_model.hpp"

namespace lacp {

std::vector<bool> filled_attributes(const Columns& columns) {
  std::vector<bool> fills;
  for (const Column& column : columns.attributes)
    fills.resize(fills.size() + attribute_count(column), column.if_missing == IfMissing::fill);
  return fills;
}

TableToFit read_table(const CsvSource& table, Columns columns) {
  EncodedTable encoded = fit_columns(columns, table, nullptr, DropColumns::later);
  TableToFit fitted{std::move(columns), table.format, std::move(encoded.X), std::move(encoded.y)};
  if (!table.format.header) fitted.format.names = table.header.names;
  return fitted;
}

namespace {

/// Of each of the folds, the attributes of the others among those of columns by mean.
std::vector<std::vector<arma::uword>> hidden_in(const Columns& columns, std::size_t folds) {
  std::vector<std::vector<arma::uword>> hidden(folds);
  arma::uword first = 0;
  for (const Column& column : columns.attributes) {
    const arma::uword here = std::exchange(first, first + attribute_count(column));
    for (std::size_t k = 0; column.kind == ColumnKind::mean && k < folds; ++k)
      for (std::size_t other = 0; other < folds; ++other)
        if (other != k) hidden[k].push_back(here + other);
  }
  return hidden;
}

}  // namespace

FitRows rows_of_fit(const TableToFit& table, const PredictorSettings& settings) {
  FitRows rows{.parts = splits_of_fit(table.X, table.y, settings), .split = {}, .columns = {}, .X = {}};
  std::vector<Split>& splits = rows.parts.splits;
  rows.split = splits.front();
  for (std::size_t k = 1; k < splits.size(); ++k) {
    const Split& fold = splits[k];
    rows.split.train.insert(rows.split.train.end(), fold.train.begin(), fold.train.end());
    rows.split.test.insert(rows.split.test.end(), fold.test.begin(), fold.test.end());
  }
  if (splits.size() > 1) {
    std::vector<arma::uword>& all = rows.split.train;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    rows.split.proper = all;
  }
  std::vector<arma::uword> training = rows.split.proper, attributes;
  if (settings.cross_fit == 0)
    training.insert(training.end(), rows.split.train.begin(), rows.split.train.end());
  rows.columns = learnt_from(table.columns, table.X, training, attributes);
  rows.X = attributes.size() == table.X.n_rows ? table.X : arma::mat(table.X.rows(arma::uvec(attributes)));
  std::vector<std::vector<arma::uword>> teaching;
  for (const Split& fold : splits) teaching.push_back(splits.size() == 1 ? training : fold.train);
  code_by_means(rows.columns, rows.X, table.y, teaching, settings.groups);
  if (splits.size() > 1) rows.parts.hidden = hidden_in(rows.columns, splits.size());
  // A cell that is missing in a column that was not dropped: such a row is refused when it comes to
  // predicting, and no training row has one.
  const std::vector<bool> fills = filled_attributes(rows.columns);
  std::vector<bool> unusable(rows.X.n_cols, false);
  for (arma::uword n = 0; n < rows.X.n_cols; ++n)
    for (arma::uword i = 0; i < rows.X.n_rows; ++i)
      if (std::isnan(rows.X(i, n)) && !fills[i]) {
        unusable[n] = true;
        rows.X(i, n) = 0.0;  // used for nothing
      }
  const auto is_unusable = [&](arma::uword n) { return unusable[n]; };
  std::erase_if(rows.split.test, is_unusable);
  for (Split& split : splits) std::erase_if(split.test, is_unusable);
  if (rows.split.test.empty())
    user_error(
        "every calibration row has a missing cell, so that none is left; drop columns or fill instead");
  return rows;
}

}  // namespace lacp
