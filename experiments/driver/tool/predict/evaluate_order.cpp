// Coverage in the order of the rows of a table, or of a column of it.
#include "common/coverage.hpp"
#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/evaluate.hpp"

namespace lacp {
namespace {

/// The fewest that are covered in this many places in a row, and where these begin.
std::pair<std::size_t, std::size_t> fewest_covered(const std::vector<char>& covered, std::size_t width) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < width; ++i) sum += covered[i] ? 1 : 0;
  std::pair<std::size_t, std::size_t> fewest{sum, 0};
  for (std::size_t begin = 1; begin + width <= covered.size(); ++begin) {
    sum += covered[begin + width - 1] ? 1 : 0;
    sum -= covered[begin - 1] ? 1 : 0;
    if (sum < fewest.first) fewest = {sum, begin};
  }
  return fewest;
}

}  // namespace

Stretch worst_stretch(const std::vector<OrderedRow>& rows, bool together) {
  constexpr std::size_t orders = 99, most_shuffled = 200'000;
  Stretch worst;
  if (rows.size() < 2 * Stretch::rows) return worst;
  std::vector<char> covered;
  for (const OrderedRow& row : rows) covered.push_back(row.covered ? 1 : 0);
  const auto as_share = [](std::size_t count) { return static_cast<double>(count) / Stretch::rows; };
  const auto [count, begin] = fewest_covered(covered, Stretch::rows);
  worst.coverage = as_share(count);
  worst.first = rows[begin];
  worst.last = rows[begin + Stretch::rows - 1];
  if (together || rows.size() > most_shuffled) return worst;
  Stream stream({.seed = 1, .purpose = "stretch"});
  std::vector<std::size_t> lowest;
  for (std::size_t i = 0; i < orders; ++i) {
    stream.shuffle(std::span<char>(covered));
    lowest.push_back(fewest_covered(covered, Stretch::rows).first);
  }
  std::ranges::sort(lowest);
  worst.by_chance = as_share(lowest[4]);
  return worst;
}

std::string stretch_text(const Stretch& stretch, const Level& level, const Places* places) {
  std::string where = fmt::format("lines {} to {}", stretch.first.line, stretch.last.line);
  if (places != nullptr) {
    const std::vector<std::string> ends = places->texts({stretch.first.place, stretch.last.place});
    where = fmt::format("{} to {}", ends[0], ends[1]);
  }
  const std::string chance =
      stretch.by_chance > 0.0
          ? fmt::format("; in a random order 19 times of 20 {:.3f} or more", stretch.by_chance)
          : "";
  return fmt::format("worst {} rows in a row: coverage {:.3f} for {} ({}{})", Stretch::rows, stretch.coverage,
                     level.complement().text(), where, chance);
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

std::string tenths_text(const std::vector<TenthOfRows>& tenths, const Places& places) {
  constexpr double longest = 40.0;
  std::vector<double> ends;
  for (const TenthOfRows& tenth : tenths) ends.insert(ends.end(), {tenth.from, tenth.to});
  const std::vector<std::string> texts = places.texts(ends);
  std::size_t width = 0;
  for (const std::string& end : texts) width = std::max(width, text_width(end));
  std::string text;
  bool marked = false;
  for (std::size_t k = 0; k < tenths.size(); ++k) {
    const TenthOfRows& tenth = tenths[k];
    const bool below = tenth.coverage < tenth.low;
    marked = marked || below;
    text += fmt::format("  {} to {}  {:.3f}{} {}\n", padded_left(texts[2 * k], width),
                        padded_left(texts[2 * k + 1], width), tenth.coverage, below ? "!" : " ",
                        std::string(static_cast<std::size_t>(std::lround(longest * tenth.coverage)), '#'));
  }
  if (marked) text += "  !: less than chance explains\n";
  return text;
}

void draw_tenths(const std::filesystem::path& file, const std::vector<TenthOfRows>& tenths,
                 const Places& places, const Level& level, const std::string& column,
                 const TableModel& model) {
  std::string data;
  std::vector<std::string> marks;
  std::vector<double> begins;
  for (const TenthOfRows& tenth : tenths) begins.push_back(tenth.from);
  const std::vector<std::string> texts = places.texts(begins);
  for (std::size_t k = 0; k < tenths.size(); ++k) {
    const TenthOfRows& tenth = tenths[k];
    data += fmt::format("{},{:.6f},{:.6f},{:.6f}\n", k + 1, tenth.coverage, tenth.low, tenth.high);
    marks.push_back(fmt::format("\"{}\" {}", texts[k], k + 1));
  }
  draw_picture(file, "coverage_over",
               fmt::format("promised = {:.6f}\nset xtics ({})\n$tenths << EOD\n{}EOD\n",
                           level.complement().value(), join(marks, ", "), data) +
                   gnuplot_text("over", column + fmt::format(", where each {} of the rows begins",
                                                             tenths.size() == 10 ? "tenth" : "part")) +
                   fmt::format("has_range = {}\n", model.predictor().grouped() ? 0 : 1) +
                   gnuplot_text("shade", method_shade(model.predictor().method(), 0.6)));
}

}  // namespace lacp
