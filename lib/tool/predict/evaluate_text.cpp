// What `lacp evaluate` prints and draws: numbers for people and for programs, and coverage over a column.
#include "common/coverage.hpp"
#include "common/gnuplot.hpp"
#include "common/json.hpp"
#include "common/message.hpp"
#include "common/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/evaluate.hpp"
#include "tool/tool.hpp"

namespace lacp {

Frame frame_of(const std::map<std::string, Scores>& groups, const TableModel& model, const OfAllRows& all) {
  const std::vector<Level>& levels = model.levels();
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string tenths;
  for (const TenthOfRows& tenth : all.tenths)
    tenths += fmt::format("{}{:.4f}", tenths.empty() ? "" : " ", tenth.coverage);
  Frame frame({"group",         "rows",       "rmse",    "r2",         "promised", "coverage", "below",
               "above",         "half_width", "size",    "winkler",    "infinite", "empty",    "expected_low",
               "expected_high", "outside",    "drift_p", "drift_rows", "r2_fit",   "over",     "advice"});
  for (const auto& [name, scores] : groups) {
    const auto n = static_cast<double>(scores.rows);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const LevelScore& score = scores.levels[l];
      const double size = score.sizes / (n - static_cast<double>(score.empty));
      const double coverage = static_cast<double>(score.covered) / n;
      const auto [low, high] =
          expected_in(model, scores.classes, levels[l]).value_or(std::pair(unknown, unknown));
      const char* outside = coverage < low ? "below" : "";
      if (coverage > high) outside = "above";
      frame.add({name,
                 scores.rows,
                 scores.rmse(),
                 scores.r2(),
                 levels[l].complement().value(),
                 coverage,
                 static_cast<double>(score.below) / n,
                 static_cast<double>(score.above) / n,
                 size,
                 size / (scores.absolute / n),
                 score.winkler / n,
                 score.infinite,
                 score.empty,
                 low,
                 high,
                 outside,
                 unknown,
                 unknown,
                 unknown,
                 "",
                 ""});
      if (!name.empty()) continue;  // the rest is known of all rows together
      Row& row = frame.rows.back();
      row.set("drift_p", all.drift.test.p);
      row.set("drift_rows", all.drift.test.new_rows);
      row.set("r2_fit", all.drift.at_fit.r2);
      row.set("over", tenths);
      row.set("advice", all.advice);
    }
  }
  return frame;
}

std::string json_of(const Frame& frame) {
  const auto object = [&](const Row& row) {
    std::vector<std::string> members;
    for (const Field& field : row.fields)
      members.push_back(json_text(frame.header()[members.size()]) + ":" +
                        (field.is_number ? json_number(field.number) : json_text(field.text)));
    return "{" + join(members, ",") + "}";
  };
  return json_list(frame, object) + "\n";
}

std::string outside_text(const Frame& groups, const TableModel& model, const std::string& by) {
  const auto outside =
      std::ranges::count_if(groups.rows, [](const Row& row) { return !row["outside"].empty(); });
  if (outside == 0) return "";
  const std::string help =
      model.by() == by ? "" : fmt::format("; fit --by {} calibrates each", shell_quoted(by));
  return fmt::format("{} of {} of groups outside the expected range (*), 1 of 20 by chance{}", outside,
                     counted(groups.rows.size(), "coverage"), help);
}

std::string r2_text(double r2) {
  return std::isnan(r2) ? "no R²: all targets are alike" : fmt::format("R² {:.4f}", r2);
}

std::string scores_text(const Frame& frame, bool by_group) {
  std::vector<std::vector<std::string>> table{{"promised", "coverage", "expected", "half-width", "size",
                                               "Winkler", "below", "above", "infinite", "empty"}};
  if (by_group) table[0].insert(table[0].begin(), {"group", "rows"});
  for (const Row& row : frame) {
    const auto share_of = [&](const char* column) { return fmt::format("{:.4f}", row.number(column)); };
    const double size = row.number("size"), low = row.number("expected_low"),
                 high = row.number("expected_high");
    std::string expected = std::isnan(low) ? "" : fmt::format("{:.3f} to {:.3f}", low, high);
    if (high == 1.0) expected = fmt::format("{:.3f} or more", low);
    table.push_back({fmt::format("{:.4g}", row.number("promised")),
                     share_of("coverage") + (row["outside"].empty() ? " " : "*"), expected,
                     five_digits(row.number("half_width")),
                     size < 1e6 ? share_of("size") : fmt::format("{:.4g}", size),
                     five_digits(row.number("winkler")), share_of("below"), share_of("above"),
                     row["infinite"], row["empty"]});
    if (by_group) table.back().insert(table.back().begin(), {one_line(row["group"]), row["rows"]});
  }
  return in_columns(table, 2);
}

std::string deciles_text(const std::vector<Level>& levels, std::vector<LevelScore>& scores) {
  constexpr std::size_t deciles = 10;
  std::vector<std::vector<std::string>> table{{"tenth"}};
  for (std::size_t k = 1; k <= deciles; ++k) table.push_back({fmt::format("{}", k)});
  for (std::size_t l = 0; l < levels.size(); ++l) {
    table[0].insert(table[0].end(), {"half-width", "coverage " + levels[l].complement().text()});
    std::vector<LevelScore::Row>& rows = scores[l].rows;
    std::ranges::stable_sort(rows, {}, &LevelScore::Row::size);
    for (std::size_t k = 0; k < deciles; ++k) {
      const std::size_t begin = rows.size() * k / deciles, end = rows.size() * (k + 1) / deciles;
      double sizes = 0.0;
      std::size_t covered = 0;
      for (std::size_t i = begin; i < end; ++i) {
        sizes += std::max(rows[i].size, 0.0);
        covered += rows[i].covered ? 1 : 0;
      }
      const auto n = static_cast<double>(end - begin);
      table[k + 1].insert(table[k + 1].end(),
                          {begin == end ? "" : five_digits(sizes / n),
                           begin == end ? "" : fmt::format("{:.4f}", static_cast<double>(covered) / n)});
    }
  }
  return in_columns(table, 2);
}

namespace {

/// Without an order of the column only where day and month cannot be taken for each other.
std::optional<DateTime> date_in(const std::string& cell, DateOrder order) {
  if (order != DateOrder::iso) return parse_date(cell, order);
  const auto day_first = parse_date(cell, DateOrder::day_first),
             month_first = parse_date(cell, DateOrder::month_first);
  const bool points = cell.find('.') != std::string::npos;
  const bool alike = day_first && month_first && day_first->seconds == month_first->seconds;
  return points || alike ? day_first : std::nullopt;
}

}  // namespace

double Over::read(const std::string& cell, std::size_t line) {
  const auto known = std::ranges::find(columns_.attributes, column_, &Column::name);
  const bool is_known = known != columns_.attributes.end();
  const std::optional<double> number =
      read_written(cell, is_known ? known->written.value_or(Notation{}) : Notation{});
  const std::optional<DateTime> date =
      number ? std::nullopt : date_in(cell, is_known ? known->order : DateOrder::iso);
  if (!number && !date && says_missing(cell, columns_)) return std::numeric_limits<double>::quiet_NaN();
  if (!dates_) dates_ = date.has_value();
  if ((!number && !date) || *dates_ != date.has_value())
    user_error("--over {}: found {} on line {}; expected numbers, or dates as 2020-01-31", show_text(column_),
               show_text(cell), line);
  return number ? *number : date->seconds;
}

std::string Over::text(double place) const {
  if (!dates_.value_or(false)) return five_digits(place);
  const auto part = [&](DatePart which) { return static_cast<int>(part_of_date(which, place)); };
  const std::string day =
      fmt::format("{:04}-{:02}-{:02}", part(DatePart::year), part(DatePart::month), part(DatePart::day));
  if (std::fmod(place, 86400.0) == 0.0) return day;
  return day + fmt::format(" {:02}:{:02}", part(DatePart::hour), part(DatePart::minute));
}

std::vector<TenthOfRows> tenths_of(const std::vector<OrderedRow>& rows, const Level& level,
                                   const TableModel& model) {
  constexpr std::size_t tenths = 10;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::size_t parts = std::min(tenths, rows.size() / 2);  // of one row no share is to be expected
  std::vector<TenthOfRows> found;
  for (std::size_t k = 0; k < parts; ++k) {
    const std::size_t begin = rows.size() * k / parts, end = rows.size() * (k + 1) / parts;
    double covered = 0.0;
    for (std::size_t i = begin; i < end; ++i) covered += rows[i].covered ? 1.0 : 0.0;
    auto [low, high] =
        expected_share(level, model.predictor().sides(), model.predictor().calibration_size(), end - begin);
    if (model.predictor().grouped()) low = high = unknown;
    found.push_back(
        {covered / static_cast<double>(end - begin), rows[begin].place, rows[end - 1].place, low, high});
  }
  return found;
}

std::string tenths_text(const std::vector<TenthOfRows>& tenths, const Over& over) {
  constexpr double longest = 40.0;
  std::size_t width = 0;
  for (const TenthOfRows& tenth : tenths)
    for (const double end : {tenth.from, tenth.to}) width = std::max(width, text_width(over.text(end)));
  std::string text;
  bool marked = false;
  for (const TenthOfRows& tenth : tenths) {
    const bool below = tenth.coverage < tenth.low;
    marked = marked || below;
    text += fmt::format("  {} to {}  {:.3f}{} {}\n", padded_left(over.text(tenth.from), width),
                        padded_left(over.text(tenth.to), width), tenth.coverage, below ? "!" : " ",
                        std::string(static_cast<std::size_t>(std::lround(longest * tenth.coverage)), '#'));
  }
  if (marked) text += "  !: less than by chance\n";
  return text;
}

void draw_tenths(const std::filesystem::path& file, const std::vector<TenthOfRows>& tenths, const Over& over,
                 const Level& level, const std::string& column, const TableModel& model) {
  std::string data;
  std::vector<std::string> marks;
  for (std::size_t k = 0; k < tenths.size(); ++k) {
    const TenthOfRows& tenth = tenths[k];
    data += fmt::format("{},{:.6f},{:.6f},{:.6f}\n", k + 1, tenth.coverage, tenth.low, tenth.high);
    marks.push_back(fmt::format("\"{}\" {}", over.text(tenth.from), k + 1));
  }
  draw_picture(file, "coverage_over",
               fmt::format("promised = {:.6f}\nset xtics ({})\n$tenths << EOD\n{}EOD\n",
                           level.complement().value(), join(marks, ", "), data) +
                   gnuplot_text("over", column + fmt::format(", where each {} begins",
                                                             tenths.size() == 10 ? "tenth" : "part")) +
                   fmt::format("has_range = {}\n", model.predictor().grouped() ? 0 : 1) +
                   gnuplot_text("shade", method_shade(model.predictor().method(), 0.6)));
}

}  // namespace lacp
