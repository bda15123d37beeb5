#include "lacp/table/table_model.hpp"

#include <algorithm>
#include <bit>
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
#include "lacp/table/gaps.hpp"

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

/// A number that stands for all that was added to it, in its order.
class Hash {
 public:
  void add(std::uint64_t bits) {
    number_ = (number_ ^ bits) * 1099511628211u;
    number_ ^= number_ >> 29;
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  std::uint64_t number() const {
    const std::uint64_t mixed = number_ * 0xbf58476d1ce4e5b9u;
    return mixed ^ (mixed >> 32);
  }

 private:
  std::uint64_t number_ = 14695981039346656037u;
};

std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& text : texts) {
    Hash hash;
    hash.add(text);
    numbers.push_back(hash.number());
  }
  return numbers;
}

/// Keeps the smallest of both, sorted.
void join_known(std::vector<std::uint64_t>& known, const std::vector<std::uint64_t>& more, std::size_t most) {
  known.insert(known.end(), more.begin(), more.end());
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  known.resize(std::min(known.size(), most));
}

std::size_t attribute_named(const Columns& columns, const std::string& name) {
  const std::vector<std::string> names = columns.attribute_names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// The attributes of a column whose values can be told apart.
std::vector<arma::uword> attributes_by(const Columns& columns, const std::string& name) {
  const auto column = std::ranges::find(columns.attributes, name, &Column::name);
  if (column == columns.attributes.end())
    user_error("by {}: is no column that the model learns from; its columns: {}", show_text(name),
               short_list(columns.attribute_names()));
  if (column->kind == ColumnKind::mean || column->kind == ColumnKind::date)
    user_error(
        "by {}: is a {}; expected a category, or a number with few values", show_text(name),
        column->kind == ColumnKind::mean ? "column with too many different texts for categories" : "date");
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
  return fmt::format(
      "the row lies too far from those of the fit for a value there: {} is {}; correct it, or leave the row out",
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
  const StandardArithmetic arithmetic;
  settings.levels = levels;
  if (settings.whole && (!table.prediction.empty() || table.columns.log_target))
    user_error(
        "settings.whole: is for targets that are learnt as they are; expected false with a prediction or log(1 + y)");
  const bool by_gaps = names_gaps(table.columns, table.by);
  if (!table.by.empty() && !by_gaps) settings.by = attributes_by(rows.columns, table.by);
  if (by_gaps && !rows.X.has_nan())
    user_error("by {}: no cell is missing in the columns that the model learns from", table.by);
  arma::vec means, y = table.y;
  arma::mat filled;
  FitSplits parts = rows.parts;
  if (rows.columns.fills_missing()) {
    means = known_means(rows.X.cols(arma::uvec(rows.split.proper)), rows.columns.attribute_names());
    tell_apart(means, rows.X, settings.by);
    filled = rows.X;
    fill_missing(filled, means);
    if (by_gaps) {
      const arma::uword first = filled.n_rows;
      filled = arma::join_cols(filled, gaps_of(rows.columns, rows.X));
      for (arma::uword i = first; i < filled.n_rows; ++i) settings.by.push_back(i);
      parts.hidden = {settings.by};
    }
  }
  const arma::mat& X = means.empty() ? rows.X : filled;
  if (!table.prediction.empty()) {
    const std::size_t centre = attribute_named(rows.columns, table.prediction);
    if (centre == X.n_rows || table.columns.log_target)
      user_error(
          "TableModel: {} is not an attribute of numbers, or log(1 + y) is learnt; expected a prediction of y",
          show_text(table.prediction));
    y -= X.row(centre).t();
    // The centre of the errors is one number, their mean: trees of so large leaves have nothing to split.
    settings.centre = {.kind = CentreKind::boosted};
    BoostedOptions& boosted = settings.centre.boosted;
    boosted.rounds = 1;
    boosted.least_rows = y.n_elem;
    boosted.validation_share = 0.0;
  }
  TableModel model(LocalPredictor::fit(X, y, parts, settings, on_epoch));
  model.columns_ = rows.columns;
  model.format_ = table.format;
  model.means_ = std::move(means);
  model.levels_ = std::move(levels);
  model.prediction_ = table.prediction;
  model.group_ = table.group;
  model.at_fit_ = model.explained_now();
  if (table.row_hashes) model.keep_hashes(rows.X, table.y, table.group_texts, rows.parts.dropped == 0);
  return model;
}

/// What the predictor sees of such rows: missing cells are filled, and behind the others, if it is calibrated
/// by them, stand the numbers that say which they are.
arma::mat TableModel::inputs(const arma::mat& X) const {
  arma::mat seen = X;
  if (means_.empty()) return seen;
  fill_missing(seen, means_);
  if (by_gaps()) seen = arma::join_cols(seen, gaps_of(columns_, X));
  return seen;
}

TableIntervals TableModel::ask(const arma::mat& rows, const Questions& questions,
                               std::vector<arma::uword>* too_far, std::size_t jobs) const {
  if (const std::size_t own = columns_.attribute_columns().size(); rows.n_rows != own)
    user_error("TableModel: {} attributes; the model was fitted on {}", rows.n_rows, own);
  const StandardArithmetic arithmetic;
  const arma::mat X = inputs(rows);
  LevelIntervals found = predictor_.ask(X, questions, jobs);
  if (!found.too_far.empty() && too_far == nullptr)
    user_error("TableModel: row {} (from 0): {}", found.too_far.front(),
               too_far_text(*this, rows.col(found.too_far.front())));
  if (too_far != nullptr) *too_far = std::move(found.too_far);
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
                   fmt::format("{}:{}: {}", table.name, rows.lines[n], too_far_text(*this, rows.X.col(n)))});
  std::ranges::stable_sort(bad, {}, &BadRow::line);
  if (!options.skip_bad && !bad.empty()) throw BadRowError(bad.front().reason);
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
  if (options.target && !known_.empty()) {
    const KnownRows known = known_rows(rows.X, rows.y);
    out.compared = known.compared;
    out.of_fit = known.rows.size();
  }
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
  if (options.gaps) {
    const arma::mat gaps = gaps_of(columns_, rows.X);
    for (arma::uword n = 0; n < gaps.n_cols; ++n) out.gaps.push_back(gaps_text(columns_, gaps.col(n)));
  }
  if (options.classes) out.classes = classes_of(rows.X);
  if (options.contents) {
    std::vector<Hash> hashes(out.lines.size());
    each_cell(table, out.lines,
              [&](std::size_t row, std::size_t, std::string_view text) { hashes[row].add(text); });
    for (const Hash& hash : hashes) out.contents.push_back(hash.number());
  }
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
  const StandardArithmetic arithmetic;
  TableModel other = *this;
  if (!known_.empty()) other.keep_hashes(X, y, groups, true);
  if (!groups.empty()) how.groups = groups_of(groups);
  X = inputs(X);
  if (!prediction_.empty()) y -= X.row(attribute_named(columns_, prediction_)).t();
  if (how.levels.empty()) how.levels = levels_;
  other.predictor_ = predictor_.updated(X, y, how, too_far);
  return other;
}

bool TableModel::by_gaps() const {
  const std::vector<arma::uword>& by = predictor_.by();
  return !by.empty() && by.front() >= columns_.attribute_columns().size();
}

DriftTest TableModel::drift_test(arma::mat X, arma::vec y, const Level& level,
                                 const std::vector<std::string>& groups, std::size_t jobs) const {
  const StandardArithmetic arithmetic;
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
  if (by_gaps()) return std::string(by_missing);
  return predictor_.by().empty() ? "" : columns_.attribute_columns().at(predictor_.by().front())->name;
}

std::vector<TableModel::Class> TableModel::classes() const {
  std::vector<Class> all;
  if (predictor_.by().empty()) return all;
  if (by_gaps()) {
    for (const auto& [numbers, rows] : predictor_.classes())
      all.push_back({.value = gaps_text(columns_, numbers), .rows = rows});
    return all;
  }
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

void TableModel::keep_hashes(const arma::mat& X, const arma::vec& y, const std::vector<std::string>& groups,
                             bool copies_count) {
  const std::vector<std::uint64_t> numbers = row_numbers(X, y);
  const std::vector<std::size_t> group = groups_of(groups);
  std::vector<std::pair<std::uint64_t, std::size_t>> rows;  // with what counts once: a group, or a row
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const std::size_t own = group.empty() ? n : group[n];
    rows.emplace_back(numbers[n], copies_count ? own : 0);
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::size_t different = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_new = i == 0 || rows[i].first != rows[i - 1].first;
    different += is_new ? 1 : 0;
    if (different > most_known) break;
    ++known_[rows[i].first];
  }
  while (known_.size() > most_known) known_.erase(std::prev(known_.end()));
  std::vector<std::string> named = groups;
  std::erase(named, "");
  join_known(known_groups_, numbers_of(named), most_known);
}

/// Of each row a number by which to know it again: of its target and attributes, without means of targets and
/// predictions of the caller's, which are others for a new row.
std::vector<std::uint64_t> TableModel::row_numbers(const arma::mat& X, const arma::vec& y) const {
  const std::vector<const Column*> column_of = columns_.attribute_columns();
  std::vector<std::uint64_t> numbers;
  for (arma::uword n = 0; n < X.n_cols; ++n) {
    Hash hash;
    const auto add = [&](double value) {
      const double plain = std::isnan(value) ? -1e308 : value + 0.0;  // −0 is 0
      hash.add(std::bit_cast<std::uint64_t>(plain));
    };
    add(y(n));
    for (arma::uword i = 0; i < X.n_rows; ++i)
      if (column_of[i]->kind != ColumnKind::mean && column_of[i]->name != prediction_) add(X(i, n));
    numbers.push_back(hash.number());
  }
  return numbers;
}

TableModel::KnownRows TableModel::known_rows(const arma::mat& X, const arma::vec& y) const {
  KnownRows found;
  if (known_.empty()) return found;
  const bool all = known_.size() < most_known;
  const std::uint64_t largest = known_.rbegin()->first;
  const std::vector<std::uint64_t> numbers = row_numbers(X, y);
  for (arma::uword n = 0; n < numbers.size(); ++n) {
    if (all || numbers[n] <= largest) ++found.compared;
    if (known_.contains(numbers[n])) found.rows.push_back(n);
  }
  return found;
}

TableModel::SeenRows TableModel::seen_rows() const {
  std::uint64_t rows = 0, repeated = 0;
  for (const auto& [number, times] : known_) {
    rows += times;
    if (times > 1) repeated += times;
  }
  return {rows, rows == 0 ? 0.0 : static_cast<double>(repeated) / static_cast<double>(rows)};
}

std::vector<arma::uword> TableModel::known_groups(const std::vector<std::string>& groups) const {
  const std::vector<std::uint64_t> numbers = numbers_of(groups);
  std::vector<arma::uword> found;
  for (arma::uword n = 0; n < numbers.size(); ++n)
    if (std::ranges::binary_search(known_groups_, numbers[n])) found.push_back(n);
  return found;
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
