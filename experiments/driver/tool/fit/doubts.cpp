// What `lacp fit` looks at beside the fit: whether something in the table speaks against its promise, which
// is about new rows from the same source.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "common/coverage.hpp"
#include "common/message.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "tool/class_coverage.hpp"
#include "tool/fit/fit.hpp"
#include "tool/time_order.hpp"

namespace lacp {
namespace {

/// A date that rises, or falls, from row to row, and the rows from the earliest to the latest.
std::pair<std::string, std::vector<arma::uword>> time_order(const Fitted& fit, const CsvSource& source) {
  TimeOrder order(fit.table.columns);
  order.add(source, fit.loaded.table.lines);
  if (order.column().empty()) return {};
  std::vector<arma::uword> rows(fit.table.y.n_elem);
  std::iota(rows.begin(), rows.end(), 0);
  if (order.falls()) std::ranges::reverse(rows);
  return {order.column(), rows};
}

/// Intervals of the last tenth by a fit on the rows before it, or on some thousands of these: "" if as many
/// hold the truth as is to be expected, or if there are too few.
std::string later_rows(const Fitted& fit) {
  constexpr std::size_t fewest = 200, most = 5000;
  const std::size_t n = fit.table.y.n_elem;
  if (n < fewest || std::ranges::count(fit.table.columns.attributes, ColumnKind::date, &Column::kind) == 0)
    return "";
  const DatasetSource& file = *fit.input.description.source;
  const std::string bytes = table_alone(file.contents ? *file.contents : read_file(file.table),
                                        fit.input.description),
                    name = file.table.string();
  const CsvHeader header = read_csv_header(bytes, name, fit.input.description.format);
  const CsvSource source{bytes, name, fit.input.description.format, header};
  const auto [column, ordered] = time_order(fit, source);
  if (ordered.empty()) return "";
  const std::size_t first = n - n / 10, step = (first + most - 1) / most;
  std::vector<arma::uword> before;
  for (std::size_t i = 0; i < first; i += step) before.push_back(ordered[i]);
  TableToFit table = fit.table;
  table.X = fit.table.X.cols(arma::uvec(before));
  table.y = fit.table.y(arma::uvec(before));
  PredictorSettings settings = fit.settings;
  settings.calibration_folds = 0;  // one fit, not ten
  settings.groups.clear();
  if (!fit.settings.groups.empty())
    for (const arma::uword row : before) settings.groups.push_back(fit.settings.groups[row]);
  const TableModel model = TableModel::fit(table, fit.model.levels(), settings);
  const TableIntervals found =
      model.predict(source, {.target = true, .unseen_zeros = true, .skip_bad = true});
  std::set<std::size_t> later;
  for (std::size_t i = first; i < n; ++i) later.insert(fit.loaded.table.lines[ordered[i]]);
  std::vector<std::size_t> covered(model.levels().size());
  std::size_t rows = 0;
  for (arma::uword i = 0; i < found.f.n_elem; ++i) {
    if (!later.contains(found.lines[i])) continue;
    ++rows;
    for (std::size_t l = 0; l < covered.size(); ++l)
      covered[l] += found.lower(l, i) <= found.y(i) && found.y(i) <= found.upper(l, i) ? 1 : 0;
  }
  const std::string shortfall = coverage_shortfall(model, covered, rows, rows);
  if (shortfall.empty()) return "";
  return fmt::format(
      "rows stand in order of {}, and a fit on the first nine tenths has, on the last tenth, coverage {}: expect no more of rows that come later",
      show_text(column), shortfall);
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
std::string groups_seen(const Fitted& fit) {
  constexpr std::size_t fewest = 10;
  if (!fit.settings.groups.empty()) return "";
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
    return fmt::format(
        "{} names {} groups of {:.1f} rows on average; if new rows are of new ones, say --group {}, or coverage will be lower than promised",
        show_text(column.name), names, static_cast<double>(cells.n_elem) / static_cast<double>(names),
        shell_quoted(column.name));
  }
  return "";
}

/// Classes of --by that all have too few rows, so that they calibrate together, as without --by; and the
/// share of rows that would suffice.
std::string classes_too_small(const Fitted& fit) {
  constexpr double most = 0.6;    // of the rows; the others have to learn
  constexpr double margin = 1.2;  // of rows, since they are drawn
  std::size_t needed = std::numeric_limits<std::size_t>::max(), largest = 0, smallest = needed;
  for (const Level& level : fit.model.levels())
    needed = std::min(needed, fit.model.predictor().rows_needed_in_class(level));
  for (const TableModel::Class& own : fit.model.classes()) {
    largest = std::max(largest, own.rows);
    smallest = std::min(smallest, own.rows);
  }
  if (fit.model.by().empty() || largest >= needed) return "";
  const double share =
      static_cast<double>(fit.rows.split.test.size()) / static_cast<double>(fit.table.y.n_elem);
  const auto enough = [&](std::size_t rows) {  // in steps of a twentieth
    return std::ceil(20.0 * margin * share * static_cast<double>(needed) / static_cast<double>(rows)) / 20.0;
  };
  std::string advice = "the table has too few rows";
  if (smallest > 0 && enough(smallest) <= most)
    advice = fmt::format("--set split.test={} would give each about enough", enough(smallest));
  else if (largest > 0 && enough(largest) <= most)
    advice = fmt::format("--set split.test={} would give the most frequent about enough", enough(largest));
  return fmt::format(
      "--by {}: no class has the {} calibration rows that it needs (the largest has {}), so all calibrate together, as without --by, and nothing is promised for each; {}",
      shell_quoted(fit.model.by()), needed, largest, advice);
}

/// The table as it was read, for columns that are no attributes.
std::string text_of_table(const Fitted& fit) {
  const DatasetSource& file = *fit.input.description.source;
  return table_alone(file.contents ? *file.contents : read_file(file.table), fit.input.description);
}

/// Places in ascending order; those that are equal share the mean of theirs.
template <class Value>
std::vector<double> ranks_of(const std::vector<Value>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(begin + end - 1);
  }
  return ranks;
}

/// Pearson's correlation of numbers whose mean is that of 0 to n - 1, as of ranks.
double correlation_of_ranks(const std::vector<double>& a, const std::vector<double>& b) {
  const double middle = 0.5 * (static_cast<double>(a.size()) - 1.0);
  double both = 0.0, of_a = 0.0, of_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - middle) * (b[i] - middle);
    of_a += (a[i] - middle) * (a[i] - middle);
    of_b += (b[i] - middle) * (b[i] - middle);
  }
  return of_a > 0.0 && of_b > 0.0 ? both / std::sqrt(of_a * of_b) : 0.0;
}

double root_mean_square(const arma::vec& errors) {
  std::vector<double> squares;
  for (const double error : errors) squares.push_back(error * error);
  return std::sqrt(mean_of(std::span(squares)));
}

/// Predictions of one's own that are far better than the program's on rows that the latter have not seen.
std::string too_good(const Fitted& fit) {
  const std::vector<std::string> names = fit.table.columns.attribute_names();
  if (fit.table.prediction.empty() || names.size() < 2) return "";
  TableToFit table = fit.table;
  table.prediction.clear();
  std::erase_if(table.columns.attributes, [&](const Column& c) { return c.name == fit.table.prediction; });
  const auto row = static_cast<arma::uword>(std::ranges::find(names, fit.table.prediction) - names.begin());
  table.X.shed_row(row);
  PredictorSettings settings = fit.settings;
  settings.method = "fixed";
  settings.sides = Sides::both;
  settings.cross_fit = settings.calibration_folds = 0;
  settings.proper = 0.7;
  settings.train = 0.1;
  settings.calibration = 0.2;
  const FitRows rows = rows_of_fit(table, settings);
  const arma::uvec unseen(rows.split.test);
  std::vector<arma::uword> too_far;
  const TableIntervals own =
      TableModel::fit(table, fit.model.levels(), settings).predict(rows.X.cols(unseen), &too_far);
  const arma::vec given = fit.table.X.row(row).t();
  arma::vec errors = table.y(unseen) - own.f, theirs = table.y(unseen) - given(unseen);
  errors.shed_rows(arma::uvec(too_far));
  theirs.shed_rows(arma::uvec(too_far));
  theirs -= mean_of(theirs);  // as the fit moves them
  const double ours = root_mean_square(errors), of_given = root_mean_square(theirs);
  if (of_given > 0.6 * ours) return "";
  return fmt::format(
      "{} has an RMSE of {} where boosted trees, on rows that they have not seen, have {}: were these predictions made without their row? If not, coverage will be far lower than promised",
      show_text(fit.table.prediction), five_digits(of_given), five_digits(ours));
}

}  // namespace

std::string coverage_shortfall(const TableModel& model, const std::vector<std::size_t>& covered,
                               std::size_t rows, std::size_t units,
                               std::map<std::size_t, std::size_t> classes) {
  if (model.by().empty()) classes = {{0, units}};
  std::vector<std::string> levels;
  for (std::size_t l = 0; l < covered.size() && units > 1; ++l) {
    const LocalPredictor& predictor = model.predictor();
    const auto [low, high] =
        expected_share(model.levels()[l], predictor.sides(), predictor.calibration_size(), units);
    const double coverage = static_cast<double>(covered[l]) / static_cast<double>(rows);
    if (coverage >= low) continue;
    // What is named is the range of expected_low and expected_high, which fewer rows leave by chance.
    const auto range = classes.empty() ? std::nullopt : expected_in(model, classes, model.levels()[l]);
    const auto [least, most] = range.value_or(std::pair(low, high));
    if (coverage >= least) continue;
    levels.push_back(fmt::format("{:.3f} where {:.3f} {} was to be expected (level {})", coverage, least,
                                 most == 1.0 ? "or more" : fmt::format("to {:.3f}", most),
                                 model.levels()[l].text()));
  }
  return join(levels, ", ");
}

std::string extreme_targets(const Fitted& fit) {
  constexpr std::size_t few = 50;  // one in this many
  constexpr double far = 10.0;     // times as large as the next
  std::vector<double> sizes;
  for (const double y : fit.table.y) sizes.push_back(std::abs(y));
  std::ranges::sort(sizes);
  const std::size_t n = sizes.size();
  if (fit.table.columns.log_target || sizes[n / 2] == 0.0) return "";
  double factor = 0.0;
  std::size_t count = 0;
  for (std::size_t i = n - 1 - std::max<std::size_t>(1, n / few); i + 1 < n; ++i)
    if (const double times = sizes[i + 1] / sizes[i]; sizes[i] > 0.0 && times > std::max(factor, far)) {
      factor = times;
      count = n - 1 - i;
    }
  if (count == 0) return "";
  return fmt::format(
      "{} of {} targets {} more than {} times as large as all others: check {}; RMSE and R² are about {} alone",
      count, n, count == 1 ? "is" : "are", five_digits(std::floor(factor)),
      count == 1 ? "its unit" : "their unit", count == 1 ? "it" : "them");
}

std::string leak_of(const Fitted& fit, const std::string& column, const std::string& why) {
  constexpr double much = 0.8;
  const bool names_rows =
      why.starts_with("an id") || why.starts_with("an index") || why.starts_with("counts");
  if (!names_rows) return "";
  const std::string bytes = text_of_table(fit), name = fit.input.description.source->table.string();
  const CsvHeader header = read_csv_header(bytes, name, fit.input.description.format);
  const CsvSource source{bytes, name, fit.input.description.format, header};
  std::vector<std::pair<std::size_t, std::string>> ids;  // in the order of numbers, also in P0017
  for (auto& row : read_texts(source, {column_named(source, column, "")}, fit.loaded.table.lines))
    ids.emplace_back(row[0].size(), std::move(row[0]));
  const double correlation =
      correlation_of_ranks(ranks_of(ids), ranks_of(arma::conv_to<std::vector<double>>::from(fit.table.y)));
  if (std::abs(correlation) < much) return "";
  return fmt::format(
      "it follows the target (rank correlation {:.2f}): it would leak what is to be predicted, and so may others that were made from it",
      correlation);
}

std::string weak_prediction(double r2) {
  if (!(r2 < 0.05)) return "";
  return fmt::format("R² is {:.3f}: {}", r2,
                     r2 < 0.0 ? "the mean of the target would predict better than these columns do"
                              : "these columns say next to nothing about the target");
}

std::vector<std::string> find_doubts(const Fitted& fit) {
  std::vector<std::string> doubts;
  for (const auto look : {later_rows, groups_seen, classes_too_small, too_good}) try {
      if (std::string found = look(fit); !found.empty()) doubts.push_back(std::move(found));
    } catch (const Error&) {  // it cannot be made, say with too few rows for a second fit, and finds nothing
    }
  return doubts;
}

}  // namespace lacp
