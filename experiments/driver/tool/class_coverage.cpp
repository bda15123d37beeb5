#include "tool/class_coverage.hpp"

#include <algorithm>
#include <vector>

#include "common/coverage.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// Whether coverage may be more than its law says, as ties and folds make it.
bool may_be_more(const TableModel& model) {
  return model.predictor().whole() || model.predictor().folds() > 1;
}

bool has_one_quantile(const TableModel& model) { return model.predictor().method() != "mondrian"; }

std::string range_text(const TableModel& model, std::size_t own, const Level& level) {
  const auto [low, high] = class_coverage(model, own, level);
  if (low == 1.0) return "infinite";
  if (high == 1.0) return fmt::format("{:.3f} or more", low);
  return fmt::format("{:.3f} to {:.3f}", low, high);
}

}  // namespace

std::size_t calibrating_rows(const TableModel& model, std::size_t own, const Level& level) {
  if (model.by().empty()) return model.predictor().calibration_size();
  const std::size_t needed = model.predictor().rows_needed_in_class(level);
  if (own >= needed) return own;
  std::size_t together = 0;
  for (const LocalPredictor::Class& each : model.predictor().classes())
    together += each.rows < needed ? each.rows : 0;
  return together;
}

std::pair<double, double> class_coverage(const TableModel& model, std::size_t own, const Level& level) {
  const auto [low, high] =
      expected_coverage(level, model.predictor().sides(), calibrating_rows(model, own, level), 0.025);
  return {low, may_be_more(model) ? 1.0 : high};
}

std::string class_coverage_text(const TableModel& model) {
  constexpr std::size_t most = 12;
  if (model.by().empty() || !has_one_quantile(model)) return "";
  const std::vector<Level>& levels = model.levels();
  std::vector<std::vector<std::string>> table{{"class", "rows"}};
  for (const Level& level : levels) table[0].push_back("coverage " + level.complement().text());
  std::size_t left = 0, small = 0;
  const auto add = [&](const std::string& name, std::size_t rows, std::size_t own) {
    table.push_back({name, fmt::format("{}", rows)});
    for (const Level& level : levels) table.back().push_back(range_text(model, own, level));
  };
  for (const TableModel::Class& own : model.classes()) {
    const auto too_few = [&](const Level& level) {
      return own.rows < model.predictor().rows_needed_in_class(level);
    };
    std::string name = own.value.empty() ? "others" : show_text(own.value);
    if (own.missing) name = "missing";
    if (std::ranges::all_of(levels, too_few))
      small += own.rows;
    else if (table.size() > most)
      ++left;
    else
      add(name, own.rows, own.rows);
  }
  if (small > 0) add("those with few rows", small, 0);
  std::string text = in_columns(table, 4, true);
  if (left > 0) text += fmt::format("    and {} more, which --json has\n", left);
  return text;
}

std::optional<std::pair<double, double>> expected_in(const TableModel& model,
                                                     const std::map<std::size_t, std::size_t>& rows,
                                                     const Level& level) {
  const LocalPredictor& predictor = model.predictor();
  if (predictor.grouped() || !has_one_quantile(model)) return std::nullopt;
  const std::vector<LocalPredictor::Class> classes = predictor.classes();
  std::vector<NewPoints> points;
  NewPoints together{};
  double all = 0.0;
  for (const auto& [place, count] : rows) {
    const std::size_t own = place < classes.size() ? classes[place].rows : 0,
                      calibrating = calibrating_rows(model, own, level);
    all += static_cast<double>(count);
    if (calibrating == own || model.by().empty())
      points.push_back({count, calibrating});
    else
      together = {together.rows + count, calibrating};
  }
  if (together.rows > 0) points.push_back(together);
  const auto [least, most] = expected_covered(level, predictor.sides(), points);
  const double high = may_be_more(model) ? 1.0 : static_cast<double>(most) / all;
  return std::pair(static_cast<double>(least) / all, high);
}

}  // namespace lacp
