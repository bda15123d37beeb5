#include "lacp/conformal/table_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lacp/base/arithmetic.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/missing.hpp"

namespace lacp {
namespace {

bool fills(const Columns& columns) {
  return std::ranges::any_of(columns.attributes,
                             [](const Column& column) { return column.if_missing == IfMissing::fill; });
}

/// exp(y) − 1 of every number, what log(1 + y) came from.
void turn_back(arma::mat& values) {
  values.transform([](double value) { return math::exp(value) - 1.0; });
}

}  // namespace

FittedTable read_fitted(const CsvSource& table, Columns columns) {
  EncodedTable encoded = fit_columns(columns, table);
  FittedTable fitted{std::move(columns), table.format, std::move(encoded.X), std::move(encoded.y)};
  if (!table.format.header) fitted.format.names = table.header.names;
  return fitted;
}

TableModel::TableModel(Columns columns, CsvFormat format, arma::vec means, std::vector<Level> levels,
                       LocalPredictor predictor)
    : columns_(std::move(columns)),
      format_(std::move(format)),
      means_(std::move(means)),
      levels_(std::move(levels)),
      predictor_(std::move(predictor)) {}

TableModel TableModel::fit(const FittedTable& table, std::vector<Level> levels, PredictorSettings settings,
                           const std::function<void(const EpochReport&)>& on_epoch) {
  const StandardArithmetic arithmetic;
  if (levels.empty()) user_error("TableModel: there are no levels; expected at least one");
  settings.levels = levels;
  refuse("settings", find_problem(settings));
  arma::vec means;
  arma::mat X = table.X;
  if (fills(table.columns)) {
    const Split split = split_of_fit(X.n_cols, settings);
    means = known_means(X.cols(arma::uvec(split.proper)), table.columns.attribute_names());
    fill_missing(X, means);
  }
  return {table.columns, table.format, std::move(means), std::move(levels),
          LocalPredictor::fit(X, table.y, settings, on_epoch)};
}

TableIntervals TableModel::predict_filled(arma::mat X, std::vector<arma::uword>& too_far) const {
  if (X.n_rows != predictor_.attributes())
    user_error("TableModel: {} attributes; the model was fitted on {}", X.n_rows, predictor_.attributes());
  const StandardArithmetic arithmetic;
  if (!means_.empty()) fill_missing(X, means_);
  TableIntervals out;
  LevelIntervals found = predictor_.predict(X, levels_);
  too_far = std::move(found.too_far);
  out.lower.set_size(levels_.size(), X.n_cols), out.upper.set_size(levels_.size(), X.n_cols);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Bounds& bounds = found.bounds[l];
    const arma::vec half_width = bounds.half_width();
    for (arma::uword n = 0; n < X.n_cols; ++n) {
      const bool empty = half_width(n) < 0.0;
      out.lower(l, n) = empty ? arma::datum::nan : found.f(n) - bounds.below(n);
      out.upper(l, n) = empty ? arma::datum::nan : found.f(n) + bounds.above(n);
    }
  }
  out.f = std::move(found.f);
  if (!columns_.log_target) return out;
  for (arma::mat* values : {static_cast<arma::mat*>(&out.f), &out.lower, &out.upper}) turn_back(*values);
  return out;
}

/// Names the attribute that is farthest out.
std::string TableModel::too_far_text(const arma::vec& x) const {
  const Scaling& scaling = predictor_.scaling();
  const arma::uword worst = arma::abs((x - scaling.mean) / scaling.deviation).index_max();
  return fmt::format(
      "the row lies too far from those of the fit for a value there: {} is {}; correct it, or leave the row out",
      show_text(columns_.attribute_names().at(worst)), x(worst));
}

TableIntervals TableModel::predict(arma::mat X, std::vector<arma::uword>* listed) const {
  std::vector<arma::uword> too_far;
  const arma::mat queries = X;
  TableIntervals out = predict_filled(std::move(X), too_far);
  if (!too_far.empty() && listed == nullptr)
    user_error("TableModel: row {} (from 0): {}", too_far.front(),
               too_far_text(queries.col(too_far.front())));
  if (listed != nullptr) *listed = std::move(too_far);
  return out;
}

TableIntervals TableModel::predict(const CsvSource& table, const TableOptions& options) const {
  std::vector<BadRow> bad;
  EncodedTable rows = encode(columns_, table,
                             {.target = options.target,
                              .unseen_zeros = options.unseen_zeros,
                              .bad_rows = options.skip_bad ? &bad : nullptr});
  std::vector<arma::uword> too_far;
  TableIntervals out;
  if (rows.X.n_cols > 0) out = predict_filled(rows.X, too_far);
  for (const arma::uword n : too_far) {
    std::string reason = fmt::format("{}:{}: {}", table.name, rows.lines[n], too_far_text(rows.X.col(n)));
    if (!options.skip_bad) throw UserError(reason);
    bad.push_back({rows.lines[n], std::move(reason)});
  }
  if (!too_far.empty()) {
    const arma::uvec left_out(too_far);
    out.f.shed_rows(left_out), out.lower.shed_cols(left_out), out.upper.shed_cols(left_out);
    if (!rows.y.empty()) rows.y.shed_rows(left_out);
    for (auto n = too_far.rbegin(); n != too_far.rend(); ++n)
      rows.lines.erase(rows.lines.begin() + static_cast<std::ptrdiff_t>(*n));
  }
  std::ranges::stable_sort(bad, {}, &BadRow::line);
  out.lines = std::move(rows.lines);
  out.y = std::move(rows.y);
  if (columns_.log_target) turn_back(out.y);
  out.filled = std::accumulate(rows.filled.begin(), rows.filled.end(), std::size_t{0});
  out.unseen = rows.unseen;
  out.bad_rows = std::move(bad);
  return out;
}

}  // namespace lacp
