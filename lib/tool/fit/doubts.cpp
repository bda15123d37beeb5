// What `lacp fit` looks at beside the fit: whether something in the table speaks against its promise, which
// is about new rows from the same source.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "common/message.hpp"
#include "common/process.hpp"
#include "lacp/base/text.hpp"
#include "tool/drift.hpp"
#include "tool/fit/fit.hpp"

namespace lacp {
namespace {

/// The attributes of a column that put rows in an order: a number, or the parts of a date, the largest first.
std::vector<arma::uword> ordering(const Column& column, arma::uword first) {
  if (column.kind == ColumnKind::number || column.kind == ColumnKind::ordered) return {first};
  if (column.kind != ColumnKind::date) return {};
  std::vector<arma::uword> attributes;
  for (const DatePart part :
       {DatePart::year, DatePart::month, DatePart::day, DatePart::hour, DatePart::minute, DatePart::second})
    if (const auto found = std::ranges::find(column.parts, part); found != column.parts.end())
      attributes.push_back(first + static_cast<arma::uword>(found - column.parts.begin()));
  return attributes;
}

/// Whether they never fall, or never rise, from row to row.
bool goes_one_way(const arma::mat& X, const std::vector<arma::uword>& attributes) {
  constexpr std::size_t fewest_steps = 3;
  std::size_t up = 0, down = 0;
  for (arma::uword n = 1; n < X.n_cols; ++n) {
    const auto differs = [&](arma::uword i) { return X(i, n) != X(i, n - 1); };
    const auto first = std::ranges::find_if(attributes, differs);
    if (first == attributes.end()) continue;
    if (!std::isfinite(X(*first, n)) || !std::isfinite(X(*first, n - 1))) return false;
    ++(X(*first, n) > X(*first, n - 1) ? up : down);
  }
  return (up == 0 || down == 0) && up + down >= fewest_steps;
}

/// Attributes of columns that never fall, or never rise, as dates and numbers of weeks.
std::vector<arma::uword> rising_attributes(const Columns& columns, const arma::mat& X) {
  std::vector<arma::uword> rising;
  arma::uword first = 0;
  for (const Column& column : columns.attributes) {
    const std::vector<arma::uword> own = ordering(column, first);
    if (!own.empty() && goes_one_way(X, own)) rising.insert(rising.end(), own.begin(), own.end());
    first += attribute_count(column);
  }
  return rising;
}

/// Errors that move in the order of the rows, as the errors of later rows will: those of rows that were not
/// seen, and what the prediction owes to attributes that rise, with which no tree goes on.
std::string moving(const Fitted& fit) {
  constexpr arma::uword fewest = 50;
  UnseenRows unseen = unseen_rows(fit);
  if (unseen.y.n_elem < fewest) return "";
  const std::vector<arma::uword> rising = rising_attributes(fit.model.columns(), fit.rows.X);
  arma::vec errors = unseen.y - unseen.f;
  if (!rising.empty() && fit.table.prediction.empty()) {
    const arma::mat X = fit.rows.X.cols(unseen.rows);
    arma::mat halted = X;
    for (const arma::uword i : rising) halted.row(i).fill(fit.rows.X(i, fit.rows.X.n_cols / 2));
    std::vector<arma::uword> too_far;
    errors += fit.model.predict(X, &too_far, fit.settings.jobs).f -
              fit.model.predict(halted, &too_far, fit.settings.jobs).f;
  }
  const arma::uvec known = arma::find_finite(errors);
  const arma::uvec order = arma::sort_index(arma::uvec(unseen.rows(known)));
  const arma::vec in_order = arma::vec(errors(known))(order);
  if (!is_trend(sign_trend(in_order), in_order.n_elem)) return "";
  const std::string what = rising.empty()
                               ? "the order of the rows"
                               : show_text(fit.model.columns().attribute_columns().at(rising.front())->name);
  return fmt::format("errors move with {}: later rows are covered less; predict changes instead", what);
}

/// Whether a column of this name tells who or what was measured, and not what was found.
bool names_somebody(const std::string& name) {
  constexpr auto words = std::to_array<std::string_view>(
      {"id", "patient", "subject", "customer", "client", "user", "person", "participant", "household",
       "family", "school", "store", "shop", "device", "machine", "station", "batch", "player", "animal",
       "vehicle",
       // German, French and Spanish
       "kunde", "kundin", "kunden", "kundennummer", "patienten", "patientin", "haushalt", "familie", "schule",
       "filiale", "probandin", "proband", "maschine", "personne", "ménage", "menage", "école", "ecole",
       "famille", "magasin", "cliente", "paciente", "persona", "hogar", "familia", "escuela", "colegio",
       "tienda"});
  std::string lower = lower_case(name);
  for (const char mark : std::string_view("_-.#")) std::ranges::replace(lower, mark, ' ');
  for (const std::string& word : split_text(lower, ' '))
    if (std::ranges::find(words, word) != words.end()) return true;
  return name.ends_with("Id") || name.ends_with("ID");
}

/// A column of names with many rows each: for new names the promise needs --group.
Notice groups_seen(const Fitted& fit) {
  constexpr std::size_t fewest = 10;
  if (!fit.settings.groups.empty()) return {};
  std::size_t attribute = 0;
  for (const Column& column : fit.table.columns.attributes) {
    const std::size_t first = std::exchange(attribute, attribute + attribute_count(column));
    if (column.kind == ColumnKind::date || column.kind == ColumnKind::ordered ||
        (column.kind != ColumnKind::mean && !names_somebody(column.name)))
      continue;
    const arma::rowvec cells = fit.table.X.row(first);
    std::set<double> numbers;
    for (const double cell : cells)
      if (!std::isnan(cell)) numbers.insert(cell);
    const bool whole = std::ranges::all_of(numbers, [](double x) { return x == std::floor(x); });
    const std::size_t names = column.kind == ColumnKind::number ? numbers.size() : column.values.size();
    if (!whole || names < fewest || 2 * names > cells.n_elem) continue;
    const std::string groups = fmt::format("{} groups of {:.1f} rows", names,
                                           static_cast<double>(cells.n_elem) / static_cast<double>(names));
    return {"unnamed_groups",
            {column.name, groups},
            fmt::format("{} names {}: for rows of new ones say --group {}", show_text(column.name), groups,
                        shell_quoted(column.name))};
  }
  return {};
}

/// Classes of --by that all have too few rows, so that they calibrate together, as without --by.
Notice classes_too_small(const Fitted& fit) {
  if (fit.model.by().empty()) return {};
  std::size_t needed = std::numeric_limits<std::size_t>::max(), largest = 0;
  for (const Level& level : fit.model.levels())
    needed = std::min(needed, fit.model.predictor().rows_needed_in_class(level));
  for (const TableModel::Class& own : fit.model.classes()) largest = std::max(largest, own.rows);
  if (largest >= needed) return {};
  const std::string why =
      fmt::format("all calibrate together, no class has {} rows (the largest has {})", needed, largest);
  return {
      "small_classes", {fit.model.by(), why}, fmt::format("--by {}: {}", shell_quoted(fit.model.by()), why)};
}

std::string of_targets(const Fitted& fit) {
  return fit.table.columns.log_target ? "" : extreme_targets(fit.table.y);
}

std::string weak_prediction(double r2) {
  if (!(r2 < 0.05)) return "";
  return fmt::format("R² is {:.3f}: {}", r2,
                     r2 < 0.0 ? "the mean would predict better" : "these columns say little");
}

}  // namespace

std::string extreme_targets(const arma::vec& y) {
  constexpr std::size_t few = 50;  // one in this many
  constexpr double far = 10.0;     // times as large as the next
  std::vector<double> sizes;
  for (const double value : y) sizes.push_back(std::abs(value));
  std::ranges::sort(sizes);
  const std::size_t n = sizes.size();
  if (n < 2 || sizes[n / 2] == 0.0) return "";
  double factor = 0.0;
  std::size_t count = 0;
  for (std::size_t i = n - 1 - std::max<std::size_t>(1, n / few); i + 1 < n; ++i)
    if (const double times = sizes[i + 1] / sizes[i]; sizes[i] > 0.0 && times > std::max(factor, far)) {
      factor = times;
      count = n - 1 - i;
    }
  if (count == 0) return "";
  return fmt::format("{} of {} targets more than {} times as large as all others: check their unit", count, n,
                     five_digits(std::floor(factor)));
}

std::vector<Notice> find_doubts(const Fitted& fit, double r2) {
  const std::string extreme = of_targets(fit);
  std::vector<Notice> doubts{{"", {}, moving(fit)},
                             groups_seen(fit),
                             classes_too_small(fit),
                             {"", {}, extreme},
                             {"", {}, extreme.empty() ? weak_prediction(r2) : ""}};
  std::erase_if(doubts, [](const Notice& doubt) { return doubt.text.empty(); });
  return doubts;
}

}  // namespace lacp
