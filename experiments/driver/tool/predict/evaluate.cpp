// `lacp evaluate`: how good the intervals are where the target is known.
#include <algorithm>
#include <map>

#include "common/crps.hpp"
#include "common/frame.hpp"
#include "common/gnuplot.hpp"
#include "common/json.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "tool/fit/fit.hpp"
#include "tool/predict/by_classes.hpp"
#include "tool/predict/predict.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// The intervals of one level over the whole table. Sizes are kept: their deciles are known only at the end.
struct LevelScore {
  struct Row {
    double size;  ///< half the width; −1 for an empty interval
    bool covered;
  };
  std::vector<Row> rows;
  std::size_t covered = 0, below = 0, above = 0, infinite = 0, empty = 0;
  double sizes = 0.0, winkler = 0.0;

  void add(double lower, double upper, double f, double y, double alpha) {
    const bool is_empty = std::isnan(lower);
    const double size = is_empty ? -1.0 : 0.5 * (upper - lower);
    const bool inside = !is_empty && lower <= y && y <= upper;
    // As in an experiment (experiment/metrics.hpp): an empty interval counts as the point f.
    const double low = is_empty ? f : lower, high = is_empty ? f : upper;
    winkler += (high - low) + 2.0 / alpha * std::max({low - y, y - high, 0.0});
    covered += inside ? 1 : 0;
    below += y < low ? 1 : 0;
    above += y > high ? 1 : 0;
    infinite += std::isinf(size) ? 1 : 0;
    empty += is_empty ? 1 : 0;
    sizes += is_empty ? 0.0 : size;
    rows.push_back({size, inside});
  }
};

/// What became of the rows of a table, or of those with one text in a column.
struct Scores {
  std::vector<LevelScore> levels;
  std::size_t rows = 0;
  double absolute = 0.0, errors = 0.0;
  double first = 0.0, targets = 0.0, squares = 0.0;  ///< the sums are of y − first: those of y would cancel
  DistributionScore distribution;
  std::map<std::size_t, std::size_t> classes;  ///< rows of each class (TableIntervals::classes)

  void add(const TableIntervals& intervals, arma::uword n, const std::vector<Level>& at) {
    levels.resize(at.size());
    ++classes[intervals.classes[n]];
    const double y = intervals.y(n), error = y - intervals.f(n);
    if (rows++ == 0) first = y;
    absolute += std::abs(y);
    errors += error * error;
    targets += y - first;
    squares += (y - first) * (y - first);
    for (std::size_t l = 0; l < at.size(); ++l)
      levels[l].add(intervals.lower(l, n), intervals.upper(l, n), intervals.f(n), y, at[l].value());
  }
  double rmse() const { return std::sqrt(errors / static_cast<double>(rows)); }
  /// No number where the targets are all alike.
  double r2() const {
    const double spread = squares - targets * targets / static_cast<double>(rows);
    return spread > 0.0 ? 1.0 - errors / spread : std::numeric_limits<double>::quiet_NaN();
  }
};

/// Everything as one table: `group` is "" for all rows.
Frame frame_of(const std::map<std::string, Scores>& groups, const TableModel& model) {
  const std::vector<Level>& levels = model.levels();
  Frame frame({"group", "rows", "rmse", "r2", "level", "promised", "coverage", "below", "above", "half_width",
               "size", "winkler", "infinite", "empty", "crps", "pit", "expected_low", "expected_high",
               "outside"});
  for (const auto& [name, scores] : groups) {
    const auto n = static_cast<double>(scores.rows);
    std::string pit;
    for (const double rows : scores.distribution.pit)
      pit += fmt::format("{}{:.4f}", pit.empty() ? "" : " ", rows / n);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const LevelScore& score = scores.levels[l];
      const double size = score.sizes / (n - static_cast<double>(score.empty));
      const double coverage = static_cast<double>(score.covered) / n;
      std::vector<Field> fields{name,
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
                                pit};
      for (Field& field : expected_fields(model, scores.classes, levels[l], coverage))
        fields.push_back(std::move(field));
      frame.add(std::move(fields));
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

/// Rows of a Frame for people; those of groups begin with their name and number of rows.
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

/// What a person should know of the rows and of the misses.
void advise(const StreamCounts& counts, const Scores& all, const TableModel& model) {
  const std::vector<Level>& levels = model.levels();
  if (10 * counts.of_fit > counts.compared)
    note(
        "{} of {} compared {} one of the fit, target included: unless new rows repeat known ones so often, these are rows of the fit, and what is measured here is not how the model does on new rows\n",
        counts.of_fit, counted(counts.compared, "row"), counts.of_fit == 1 ? "equals" : "equal");
  std::vector<std::size_t> covered;
  for (const LevelScore& level : all.levels) covered.push_back(level.covered);
  if (const std::string text = coverage_shortfall(model, covered, all.rows); !text.empty())
    return note(
        "coverage {}: these rows differ from those of the fit (later in time? new groups? predictions made on their own rows?)\n",
        text);
  if (model.predictor().sides() == Sides::each) return;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto [few, many] = std::minmax(all.levels[l].below, all.levels[l].above);
    if (few + many < 30 || many < 3 * few) continue;
    return note(
        "misses are lopsided at level {}: {:.1f} % of the rows below their interval, {:.1f} % above; `lacp fit --sides each` balances them\n",
        levels[l].text(), 100.0 * static_cast<double>(all.levels[l].below) / static_cast<double>(all.rows),
        100.0 * static_cast<double>(all.levels[l].above) / static_cast<double>(all.rows));
  }
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

}  // namespace

int evaluate_table(const EvaluateOptions& given) {
  EvaluateOptions options = given;
  options.target = true;
  options.classes = true;
  ask_for_groups(options.by, options);
  if (!options.figure.empty()) {
    for (const auto& input : {options.table, options.model}) protect_input(input);
    check_picture(options.figure);
  }
  const TableModel model = TableModel::load(options.model);
  const std::vector<Level>& levels = model.levels();
  const std::vector<Level> taus = percentiles();
  std::string why_not;  // there is no distribution
  try {
    options.questions = Questions{levels}.with_quantiles(taus);
    model.predictor().prepare(*options.questions, thread_count(options.jobs, 64));
  } catch (const UserError& error) {
    options.questions.reset();
    why_not = error.what();
  }
  const bool whole = why_not.empty();
  if (!options.figure.empty() && !whole)
    user_error("--figure: draws the PIT, and there is none: {}", why_not);
  constexpr std::size_t most_groups = 30;
  Scores all;
  std::map<std::string, Scores> groups;
  bool by_gaps = false;      // groups are sets of missing cells, not texts of a column
  std::string first_reason;  // of a row that is left out
  const StreamCounts counts = stream_table(
      model, options, [](const TableIntervals&) { return std::string(); },
      [&](const TableIntervals& intervals, const std::string&) {
        if (first_reason.empty() && !intervals.bad_rows.empty())
          first_reason = one_line(intervals.bad_rows.front().reason);
        arma::mat quantiles;
        if (whole && !intervals.f.empty()) quantiles = intervals.single.quantiles(taus);
        for (arma::uword n = 0; n < intervals.f.n_elem; ++n) {
          const auto add = [&](Scores& scores) {
            scores.add(intervals, n, levels);
            if (whole)
              scores.distribution.add(quantiles.col(n), intervals.y(n), model.predictor().whole());
            else
              scores.distribution.crps = std::numeric_limits<double>::quiet_NaN();
          };
          add(all);
          if (!options.by.empty()) add(groups[group_of(intervals, n)]);
        }
        if (!intervals.f.empty()) by_gaps = options.gaps && intervals.kept.empty();
        if (groups.size() > most_groups && !by_gaps)
          user_error("--by {}: has more than {} different values; expected a column of few, as a category is",
                     show_text(options.by), most_groups);
      });
  if (counts.rows == 0)
    user_error(
        "{}; no row is left to evaluate",
        first_reason.empty() ? fmt::format("{}: no row has a target", options.table.string()) : first_reason);
  if (by_gaps)
    join_rare(groups, most_groups);
  else if (options.gaps)
    note("--by missing: is the column of that name; to see coverage by missing cells, rename it\n");
  report_counts(counts, model);
  if (counts.without_target > 0)
    note("{} of {} {} no target and {} left out\n", counts.without_target,
         counted(counts.rows + counts.bad + counts.without_target, "row"),
         counts.without_target == 1 ? "has" : "have", counts.without_target == 1 ? "is" : "are");
  if (counts.bad > 0)
    note("{} of {} {} left out, the first since {}\n", counts.bad, counted(counts.rows + counts.bad, "row"),
         counts.bad == 1 ? "was" : "were", first_reason);
  advise(counts, all, model);
  // The last step: what is printed is there, whether or not gnuplot is.
  const auto draw = [&] {
    if (options.figure.empty()) return exit_done;
    std::fflush(stdout);
    draw_pit(options.figure, all.distribution, all.rows, model);
    note("{}: drawn\n", options.figure.string());
    return exit_done;
  };
  Frame frame = frame_of({{"", all}}, model);
  const Frame by = frame_of(groups, model);
  if (const std::string text = outside_text(by, model, options.by); !text.empty()) note("{}\n", text);
  if (options.json || options.csv) {
    frame.append(by);
    // As it is: programs read this, and what a terminal must not see is part of a text there.
    const std::string text = options.json ? json_of(frame) : to_text(frame);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return draw();
  }
  show("{}: {}\n{}", options.table.string(), counted(counts.rows, "row"), scores_text(frame, false));
  show("  prediction: RMSE {}, {}\n", five_digits(all.rmse()),
       std::isnan(all.r2()) ? "no R², since the targets are all alike" : fmt::format("R² {:.4f}", all.r2()));
  if (const std::string weak = weak_prediction(all.r2()); !weak.empty()) show("  {}\n", weak);
  if (!by.empty())
    show("\nby {}\n{}  expected: where coverage lies nineteen times of twenty; * outside of that\n",
         by_gaps ? "missing cells" : show_text(options.by), scores_text(by, true));
  show("\nby tenths of the rows, the smallest intervals first\n{}", deciles_text(levels, all.levels));
  if (whole)
    show(
        "\ndistribution: CRPS {}; rows by the share of its quantiles below y (PIT), 0.1 each if it is right\n{}",
        five_digits(all.distribution.crps / static_cast<double>(all.rows)),
        pit_text(all.distribution, all.rows));
  else
    note("no CRPS: {}\n", why_not);
  show(
      "\n{}\n",
      wrapped(
          "coverage: share of the rows inside their interval. half-width: its mean; size: the same in units of the mean |y|. Winkler: mean width plus 2/level times the distance of the rows outside; smaller is better. below, above: share of the rows outside on that side. CRPS: twice the mean pinball loss of the quantiles 0.01 to 0.99; smaller is better."));
  return draw();
}

}  // namespace lacp
