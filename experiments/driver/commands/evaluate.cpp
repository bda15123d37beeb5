// `lacp evaluate`: how good the intervals are where the target is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commands/commands.hpp"
#include "common/layout.hpp"
#include "common/message.hpp"
#include "engine/table_stream.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/table_model.hpp"

namespace lacp {
namespace {

/// The intervals of one level over the whole table. Sizes are kept, 16 bytes a row, since their deciles are
/// known only at the end.
struct LevelScore {
  struct Row {
    double size;  ///< half the width; −1 for an empty interval
    bool covered;
  };
  std::vector<Row> rows;
  std::size_t covered = 0, infinite = 0, empty = 0;
  double sizes = 0.0, winkler = 0.0;

  void add(double lower, double upper, double f, double y, double alpha) {
    const bool is_empty = std::isnan(lower);
    const double size = is_empty ? -1.0 : 0.5 * (upper - lower);
    const bool inside = !is_empty && lower <= y && y <= upper;
    // As metrics.hpp has it: an empty interval counts as the point f.
    const double low = is_empty ? f : lower, high = is_empty ? f : upper;
    winkler += (high - low) + 2.0 / alpha * std::max({low - y, y - high, 0.0});
    covered += inside ? 1 : 0;
    infinite += std::isinf(size) ? 1 : 0;
    empty += is_empty ? 1 : 0;
    sizes += is_empty ? 0.0 : size;
    rows.push_back({size, inside});
  }
};

std::string share(std::size_t part, std::size_t of) {
  return of == 0 ? "" : fmt::format("{:.4f}", static_cast<double>(part) / static_cast<double>(of));
}

std::string levels_text(const std::vector<Level>& levels, const std::vector<LevelScore>& scores,
                        double mean_target) {
  std::vector<std::vector<std::string>> table{
      {"level", "promised", "coverage", "half-width", "size", "Winkler", "infinite", "empty"}};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelScore& score = scores[l];
    const auto n = static_cast<double>(score.rows.size());
    const double size = score.sizes / (n - static_cast<double>(score.empty));
    table.push_back({levels[l].text(), fmt::format("{:.4g}", 1.0 - levels[l].value()),
                     share(score.covered, score.rows.size()), five_digits(size),
                     size < 1e6 * mean_target ? fmt::format("{:.4f}", size / mean_target)
                                              : fmt::format("{:.4g}", size / mean_target),
                     five_digits(score.winkler / n), fmt::format("{}", score.infinite),
                     fmt::format("{}", score.empty)});
  }
  return in_columns(table, 2);
}

/// Coverage and mean half-width of each tenth of the rows, the smallest intervals first.
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
      for (std::size_t i = begin; i < end; ++i)
        sizes += std::max(rows[i].size, 0.0), covered += rows[i].covered ? 1 : 0;
      table[k + 1].insert(table[k + 1].end(),
                          {begin == end ? "" : five_digits(sizes / static_cast<double>(end - begin)),
                           share(covered, end - begin)});
    }
  }
  return in_columns(table, 2);
}

int evaluate_table(const StreamOptions& options) {
  const TableModel model = TableModel::load(options.model);
  const std::vector<Level>& levels = model.levels();
  std::vector<LevelScore> scores(levels.size());
  double targets = 0.0;
  std::string first_reason;  // of a row that is left out
  const StreamCounts counts = stream_table(
      model, options, true, [](const TableIntervals&) { return std::string(); },
      [&](const TableIntervals& intervals, const std::string&) {
        if (first_reason.empty() && !intervals.bad_rows.empty())
          first_reason = one_line(intervals.bad_rows.front().reason);
        for (arma::uword n = 0; n < intervals.f.n_elem; ++n) {
          targets += std::abs(intervals.y(n));
          for (std::size_t l = 0; l < levels.size(); ++l)
            scores[l].add(intervals.lower(l, n), intervals.upper(l, n), intervals.f(n), intervals.y(n),
                          levels[l].value());
        }
      });
  if (counts.rows == 0) user_error("{}; no row is left to evaluate", first_reason);
  report_counts(counts);
  if (counts.bad > 0)
    note("{} of {} {} left out, the first since {}\n", counts.bad, counted(counts.rows + counts.bad, "row"),
         counts.bad == 1 ? "was" : "were", first_reason);
  if (model.columns().log_target)
    note("the model learnt log(1 + y); predictions and intervals are turned back, exp(x) - 1\n");
  show("{}: {}\n{}", options.table.string(), counted(counts.rows, "row"),
       levels_text(levels, scores, targets / static_cast<double>(counts.rows)));
  show("\nby tenths of the rows, the smallest intervals first\n{}", deciles_text(levels, scores));
  show(
      "\n{}\n",
      wrapped(
          "coverage: share of the rows inside their interval. half-width: its mean; size: the same in units of the mean |y|. Winkler: mean width plus 2/level times the distance of the rows outside; smaller is better."));
  return exit_done;
}

}  // namespace

void add_evaluate(CLI::App& program) {
  const auto [command, o] = add_command(
      program, "evaluate", "Compare the intervals of a fitted model with what happened", evaluate_table);
  add_stream_options(command, o, "csv or csv.gz with the columns of the fit and the target",
                     "rows that cannot be predicted are left out and counted");
}

}  // namespace lacp
