#include "table/table_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"

namespace lacp {
namespace {

/// e^t − 1 of every number, what log(1 + y) came from; ends of intervals are moved outward, by what the
/// rounding of t and of the result may be (lower_end).
void turn_back(arma::mat& values, double outward = 0.0) {
  values.transform([outward](double t) {
    const double y = math::expm1(t);
    if (outward == 0.0 || !std::isfinite(y) || !std::isfinite(t)) return y;
    return y +
           outward * std::numeric_limits<double>::epsilon() * 4.0 * (std::abs(t) * (1.0 + y) + std::abs(y));
  });
}

std::size_t attribute_named(const Columns& columns, const std::string& name) {
  const std::vector<std::string> names = columns.attribute_names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// The attributes of a column whose values can be told apart.
std::vector<arma::uword> attributes_by(const Columns& columns, const std::string& name) {
  const auto column = std::ranges::find(columns.attributes, name, &Column::name);
  if (column == columns.attributes.end())
    user_error("by {}: no such attribute; there are {}", show_text(name),
               short_list(columns.attribute_names()));
  if (column->kind != ColumnKind::number && column->kind != ColumnKind::category &&
      column->kind != ColumnKind::ordered)
    user_error("by {}: expected a category, or a number with few values", show_text(name));
  const std::vector<const Column*> column_of = columns.attribute_columns();
  std::vector<arma::uword> attributes;
  for (arma::uword i = 0; i < column_of.size(); ++i)
    if (column_of[i] == &*column) attributes.push_back(i);
  return attributes;
}

/// Missing cells of these attributes are a class of their own: what fills them is no value of another row, by
/// a difference that no prediction notices.
void tell_apart(arma::vec& means, const arma::mat& X, const std::vector<arma::uword>& attributes) {
  constexpr double little = 1e-9;
  for (const arma::uword i : attributes) {
    const arma::rowvec values = X.row(i);
    while (arma::any(values == means(i))) means(i) += little * std::max(1.0, std::abs(means(i)));
  }
}

/// Names the attribute that is farthest out.
std::string too_far_text(const TableModel& model, const arma::vec& x) {
  const Scaling& scaling = model.predictor().scaling();
  const arma::uword worst =
      arma::abs((x - scaling.mean.head(x.n_elem)) / scaling.deviation.head(x.n_elem)).index_max();
  return fmt::format("the row lies too far from those of the fit: {} is {}",
                     show_text(model.columns().attribute_names().at(worst)), x(worst));
}

}  // namespace

TableModel TableModel::fit(const TableToFit& table, std::vector<Level> levels, PredictorSettings settings,
                           const std::function<void(const EpochReport&)>& on_epoch) {
  settings.levels = levels;
  refuse("settings", check_of(settings));
  return fit(table, rows_of_fit(table, settings), std::move(levels), settings, on_epoch);
}

TableModel TableModel::fit(const TableToFit& table, const FitRows& rows, std::vector<Level> levels,
                           PredictorSettings settings,
                           const std::function<void(const EpochReport&)>& on_epoch) {
  settings.levels = levels;
  if (settings.whole && (!table.prediction.empty() || table.columns.log_target))
    user_error("settings.whole: expected false with a prediction or log(1 + y)");
  if (!table.by.empty()) settings.by = attributes_by(rows.columns, table.by);
  arma::vec means, y = table.y;
  arma::mat filled;
  if (rows.columns.fills_missing()) {
    means = known_means(rows.X.cols(arma::uvec(rows.parts.split.proper)), rows.columns.attribute_names());
    tell_apart(means, rows.X, settings.by);
    filled = rows.X;
    fill_missing(filled, means);
  }
  const arma::mat& X = means.empty() ? rows.X : filled;
  if (!table.prediction.empty()) {
    const std::size_t centre = attribute_named(rows.columns, table.prediction);
    if (centre == X.n_rows || table.columns.log_target)
      user_error("prediction {}: expected an attribute of numbers, and no log(1 + y)",
                 show_text(table.prediction));
    y -= X.row(centre).t();
    // The centre of the errors is one number, their mean: trees of so large leaves have nothing to split.
    settings.centre = {.kind = CentreKind::boosted};
    BoostedOptions& boosted = settings.centre.boosted;
    boosted.rounds = 1;
    boosted.least_rows = y.n_elem;
    boosted.validation_share = 0.0;
  }
  TableModel model(LocalPredictor::fit(X, y, rows.parts, settings, on_epoch));
  model.columns_ = rows.columns;
  model.format_ = table.format;
  model.means_ = std::move(means);
  model.levels_ = std::move(levels);
  model.prediction_ = table.prediction;
  model.group_ = table.group;
  model.constant_ = table.constant;
  model.at_fit_ = model.explained_now();
  return model;
}

/// What the predictor sees of such rows: missing cells are filled.
arma::mat TableModel::inputs(const arma::mat& X) const {
  arma::mat seen = X;
  if (!means_.empty()) fill_missing(seen, means_);
  return seen;
}

TableIntervals TableModel::ask(const arma::mat& rows, const Questions& questions,
                               std::vector<arma::uword>* too_far, std::size_t jobs) const {
  if (const std::size_t own = columns_.attribute_columns().size(); rows.n_rows != own)
    user_error("TableModel: {} attributes; the model was fitted on {}", rows.n_rows, own);
  const arma::mat X = inputs(rows);
  LevelIntervals found = predictor_.ask(X, questions, jobs);
  if (!found.too_far.empty() && too_far == nullptr)
    user_error("TableModel: row {} (from 0): {}", found.too_far.front(),
               too_far_text(*this, rows.col(found.too_far.front())));
  if (too_far != nullptr) *too_far = std::move(found.too_far);
  return in_target_units(std::move(found), X);
}

TableIntervals TableModel::calibrating(std::size_t jobs) const {
  return in_target_units(predictor_.calibrating(levels_, jobs), predictor_.calibration_rows());
}

/// X: as the predictor sees the rows.
TableIntervals TableModel::in_target_units(LevelIntervals found, const arma::mat& X) const {
  TableIntervals out;
  out.new_classes = found.new_classes;
  out.lower.set_size(found.bounds.size(), X.n_cols);
  out.upper.set_size(found.bounds.size(), X.n_cols);
  for (std::size_t l = 0; l < found.bounds.size(); ++l) {
    const Intervals at = found.at(l);
    const arma::uvec empty = arma::find(at.half_width() < 0.0);
    arma::vec lower = at.lower(), upper = at.upper();
    lower(empty).fill(arma::datum::nan);
    upper(empty).fill(arma::datum::nan);
    out.lower.row(l) = lower.t();
    out.upper.row(l) = upper.t();
  }
  out.f = std::move(found.f);
  out.single = std::move(found.single);
  arma::rowvec centre;
  if (!prediction_.empty()) {
    centre = X.row(attribute_named(columns_, prediction_));
    for (arma::uword n = 0; n < X.n_cols; ++n)
      if (!std::isnan(out.f(n))) out.f(n) = centre(n);
  }
  const auto clip = [](arma::mat& values, double least, double most) {
    values.transform(
        [&](double value) { return std::isnan(value) ? value : std::clamp(value, least, most); });
  };
  const auto finish = [&](arma::mat& ends, double outward, bool whole) {
    // Outward by what the rounding of y − f and of these sums may be.
    if (!centre.empty())
      ends.each_row([&](arma::rowvec& row) {
        row += centre +
               outward * std::numeric_limits<double>::epsilon() * 2.0 * (arma::abs(row) + arma::abs(centre));
      });
    if (columns_.log_target) turn_back(ends, outward);
    clip(ends, whole ? std::ceil(columns_.least) : columns_.least,
         whole ? std::floor(columns_.most) : columns_.most);
  };
  if (columns_.log_target) turn_back(out.f);
  clip(out.f, columns_.least, columns_.most);
  finish(out.lower, -1.0, found.whole);
  finish(out.upper, 1.0, found.whole);
  finish(out.single.lower, -1.0, false);
  finish(out.single.upper, 1.0, false);
  return out;
}

TableIntervals TableModel::predict(const CsvSource& table, const TableOptions& options) const {
  std::vector<BadRow> bad;
  EncodedTable rows = encode(
      columns_, table, {.target = options.target, .unseen_zeros = options.unseen_zeros, .bad_rows = &bad});
  std::vector<arma::uword> too_far;
  TableIntervals out;
  if (rows.X.n_cols > 0) out = ask(rows.X, options.questions.value_or(Questions{levels_}), &too_far);
  for (const arma::uword n : too_far)
    bad.push_back({rows.lines[n],
                   fmt::format("{}: {}", place_of(table, rows.lines[n]), too_far_text(*this, rows.X.col(n))),
                   {.line = rows.lines[n]}});
  std::ranges::stable_sort(bad, {}, &BadRow::line);
  if (!options.skip_bad && !bad.empty()) throw BadRowError(bad.front().reason, bad.front().fault);
  if (!too_far.empty()) {
    const arma::uvec left_out(too_far);
    out.f.shed_rows(left_out);
    for (arma::mat* ends : {&out.lower, &out.upper, &out.single.lower, &out.single.upper})
      ends->shed_cols(left_out);
    rows.X.shed_cols(left_out);
    if (!rows.y.empty()) rows.y.shed_rows(left_out);
    for (auto n = too_far.rbegin(); n != too_far.rend(); ++n)
      rows.lines.erase(rows.lines.begin() + static_cast<std::ptrdiff_t>(*n));
  }
  out.lines = std::move(rows.lines);
  std::vector<std::size_t> columns;
  for (const std::string& name : options.keep) columns.push_back(column_named(table, name, "column"));
  const auto is_there = [&](const std::string& name) {
    return std::ranges::find(table.header.names, name) != table.header.names.end();
  };
  if (std::ranges::all_of(options.keep_if_there, is_there))
    for (const std::string& name : options.keep_if_there)
      columns.push_back(column_named(table, name, "column"));
  if (!columns.empty()) out.kept = read_texts(table, columns, out.lines);
  if (options.groups && is_there(group_))
    for (std::vector<std::string>& text :
         read_texts(table, {column_named(table, group_, "column")}, out.lines))
      out.groups.push_back(std::move(text.front()));
  if (options.classes) out.classes = classes_of(rows.X);
  if (options.rows) {
    out.X = std::move(rows.X);
    out.learnt = rows.y;
  }
  out.y = std::move(rows.y);
  if (columns_.log_target) turn_back(out.y);
  out.filled = std::accumulate(rows.filled.begin(), rows.filled.end(), std::size_t{0});
  out.unseen = rows.unseen;
  out.without_target = rows.dropped_rows;
  out.bad_rows = std::move(bad);
  return out;
}

TableModel TableModel::updated(arma::mat X, arma::vec y, LocalPredictor::NewRows how,
                               const std::vector<std::string>& groups,
                               std::vector<arma::uword>* too_far) const {
  TableModel other = *this;
  if (!groups.empty()) how.groups = groups_of(groups);
  X = inputs(X);
  if (!prediction_.empty()) y -= X.row(attribute_named(columns_, prediction_)).t();
  if (how.levels.empty()) how.levels = levels_;
  other.predictor_ = predictor_.updated(X, y, how, too_far);
  return other;
}

DriftTest TableModel::drift_test(arma::mat X, arma::vec y, const Level& level,
                                 const std::vector<std::string>& groups, std::size_t jobs) const {
  X = inputs(X);
  if (!prediction_.empty()) y -= X.row(attribute_named(columns_, prediction_)).t();
  std::vector<std::size_t> numbers;
  if (!groups.empty()) numbers = groups_of(groups);
  return predictor_.drift_test(X, y, level, numbers, jobs);
}

Explained TableModel::explained_now() const {
  if (!prediction_.empty()) return {arma::datum::nan, arma::datum::nan, arma::datum::nan};
  const auto turned_back = [](double t) { return math::expm1(t); };
  if (columns_.log_target) return predictor_.explained_rows(turned_back);
  return predictor_.explained_rows();
}

std::vector<std::size_t> TableModel::classes_of(const arma::mat& X) const {
  return predictor_.classes_of(inputs(X));
}

std::string TableModel::by() const {
  return predictor_.by().empty() ? "" : columns_.attribute_columns().at(predictor_.by().front())->name;
}

std::vector<TableModel::Class> TableModel::classes() const {
  std::vector<Class> all;
  if (predictor_.by().empty()) return all;
  const Column& column = *columns_.attribute_columns().at(predictor_.by().front());
  const auto is_filled = [&](const arma::vec& values) {
    constexpr double rounding = 1e-12;
    if (means_.empty()) return false;
    const arma::vec filled = means_(arma::uvec(predictor_.by()));
    return arma::all(arma::abs(values - filled) <=
                     rounding * arma::max(arma::ones(arma::size(filled)), arma::abs(filled)));
  };
  const auto level_at = [&](double place) -> std::string {
    const auto k = static_cast<std::size_t>(std::llround(place));
    return k < column.values.size() ? column.values[k] : "";
  };
  for (const auto& [values, rows] : predictor_.classes()) {
    Class own{.value = fmt::format("{:.6g}", values(0) + 0.0), .missing = is_filled(values), .rows = rows};
    if (column.kind == ColumnKind::ordered) own.value = level_at(values(0));
    if (column.kind == ColumnKind::category)
      own.value = values.max() > 0.5 ? level_at(static_cast<double>(values.index_max())) : "";
    if (own.missing) own.value.clear();
    all.push_back(std::move(own));
  }
  if (column.kind == ColumnKind::category) std::ranges::stable_sort(all, {}, &Class::value);
  std::stable_partition(all.begin(), all.end(), [](const Class& own) { return !own.missing; });
  return all;
}

std::vector<std::size_t> groups_of(const std::vector<std::string>& texts) {
  std::map<std::string, std::size_t> places;
  std::vector<std::size_t> groups;
  std::size_t next = 0;
  for (const std::string& text : texts) {
    const auto [place, is_new] = places.emplace(text, next);
    const bool own = text.empty() || is_new;
    groups.push_back(own ? next : place->second);
    if (own) ++next;
  }
  return groups;
}

std::vector<std::size_t> TableModel::count_covered(const arma::mat& X, arma::vec y, std::size_t jobs) const {
  std::vector<arma::uword> too_far;
  const TableIntervals at = predict(X, &too_far, jobs);
  if (columns_.log_target) turn_back(y);
  std::vector<std::size_t> counts(levels_.size());
  for (std::size_t l = 0; l < levels_.size(); ++l)
    for (arma::uword n = 0; n < y.n_elem; ++n)
      counts[l] += at.lower(l, n) <= y(n) && y(n) <= at.upper(l, n) ? 1 : 0;
  return counts;
}

}  // namespace lacp
