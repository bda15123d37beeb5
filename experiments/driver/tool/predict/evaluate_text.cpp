// The numbers of `lacp evaluate`, for people and for programs.
#include "common/json.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/by_classes.hpp"
#include "tool/predict/evaluate.hpp"

namespace lacp {

Frame frame_of(const std::map<std::string, Scores>& groups, const TableModel& model, const OfAllRows& all) {
  const std::vector<Level>& levels = model.levels();
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const bool has_stretch = !std::isnan(all.stretch.coverage);
  std::string tenths;
  for (const TenthOfRows& tenth : all.tenths)
    tenths += fmt::format("{}{:.4f}", tenths.empty() ? "" : " ", tenth.coverage);
  Frame frame({"group",        "rows",    "rmse",       "r2",         "level",        "promised",
               "coverage",     "below",   "above",      "half_width", "size",         "winkler",
               "infinite",     "empty",   "crps",       "pit",        "expected_low", "expected_high",
               "outside",      "drift_p", "drift_rows", "r2_fit",     "stretch",      "stretch_first",
               "stretch_last", "over",    "advice"});
  for (const auto& [name, scores] : groups) {
    const auto n = static_cast<double>(scores.rows);
    std::string pit;
    for (const double rows : scores.distribution.pit)
      pit += fmt::format("{}{:.4f}", pit.empty() ? "" : " ", rows / n);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const LevelScore& score = scores.levels[l];
      const double size = score.sizes / (n - static_cast<double>(score.empty));
      const double coverage = static_cast<double>(score.covered) / n;
      const Expected expected = expected_coverage(model, scores.classes, levels[l], coverage);
      frame.add({name,
                 scores.rows,
                 scores.rmse(),
                 scores.r2(),
                 levels[l].value(),
                 1.0 - levels[l].value(),
                 coverage,
                 static_cast<double>(score.below) / n,
                 static_cast<double>(score.above) / n,
                 size,
                 size / (scores.absolute / n),
                 score.winkler / n,
                 score.infinite,
                 score.empty,
                 scores.distribution.crps / n,
                 pit,
                 expected.low,
                 expected.high,
                 expected.outside,
                 unknown,
                 unknown,
                 unknown,
                 unknown,
                 unknown,
                 unknown,
                 "",
                 ""});
      if (!name.empty()) continue;  // the rest is known of all rows together
      Row& row = frame.rows.back();
      row.set("drift_p", all.comparison.test.p);
      row.set("drift_rows", all.comparison.test.new_rows);
      row.set("r2_fit", all.comparison.at_fit.r2);
      row.set("over", tenths);
      row.set("advice", all.advice);
      if (!has_stretch) continue;
      row.set("stretch", all.stretch.coverage);
      const OrderedRow &first = all.stretch.first, &last = all.stretch.last;
      if (all.places == nullptr) {
        row.set("stretch_first", first.line);
        row.set("stretch_last", last.line);
      } else if (all.places->dates()) {
        const std::vector<std::string> days = all.places->texts({first.place, last.place});
        row.set("stretch_first", days[0]);
        row.set("stretch_last", days[1]);
      } else {
        row.set("stretch_first", first.place);
        row.set("stretch_last", last.place);
      }
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

std::string scores_text(const Frame& frame, bool by_group) {
  std::vector<std::vector<std::string>> table{{"level", "promised", "coverage", "half-width", "size",
                                               "Winkler", "below", "above", "infinite", "empty"}};
  if (by_group) {
    table[0].insert(table[0].begin() + 3, "expected");
    table[0].insert(table[0].begin(), {"group", "rows"});
  }
  for (const Row& row : frame) {
    const auto share_of = [&](const char* column) { return fmt::format("{:.4f}", row.number(column)); };
    const double size = row.number("size");
    table.push_back({row["level"], fmt::format("{:.4g}", row.number("promised")), share_of("coverage"),
                     five_digits(row.number("half_width")),
                     size < 1e6 ? share_of("size") : fmt::format("{:.4g}", size),
                     five_digits(row.number("winkler")), share_of("below"), share_of("above"),
                     row["infinite"], row["empty"]});
    if (!by_group) continue;
    std::vector<std::string>& cells = table.back();
    cells[2] += row["outside"].empty() ? " " : "*";
    const double low = row.number("expected_low"), high = row.number("expected_high");
    cells.insert(cells.begin() + 3, std::isnan(low) ? "" : fmt::format("{:.3f} to {:.3f}", low, high));
    cells.insert(cells.begin(), {one_line(row["group"]), row["rows"]});
  }
  return in_columns(table, 2);
}

std::string deciles_text(const std::vector<Level>& levels, std::vector<LevelScore>& scores) {
  constexpr std::size_t deciles = 10;
  std::vector<std::vector<std::string>> table{{"tenth"}};
  for (std::size_t k = 1; k <= deciles; ++k) table.push_back({fmt::format("{}", k)});
  for (std::size_t l = 0; l < levels.size(); ++l) {
    table[0].insert(table[0].end(), {"half-width", "coverage " + levels[l].text()});
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

}  // namespace lacp
