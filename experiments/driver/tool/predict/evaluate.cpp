// `lacp evaluate`: how good the intervals are where the target is known.
#include "tool/predict/evaluate.hpp"

#include "common/crps.hpp"
#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "tool/fit/fit.hpp"
#include "tool/predict/by_classes.hpp"

namespace lacp {
namespace {

/// What a person should know of the rows and of the misses.
void advise(const StreamCounts& counts, const Scores& all, std::size_t units, const Comparison& found,
            const TableModel& model) {
  const std::vector<Level>& levels = model.levels();
  if (10 * counts.of_fit > counts.compared && !found.by_chance)
    note(
        "{} of {} compared {} one of the fit, target included: unless new rows repeat known ones so often, these are rows of the fit, and what is measured here is not how the model does on new rows\n",
        counts.of_fit, counted(counts.compared, "row"), counts.of_fit == 1 ? "equals" : "equal");
  std::vector<std::size_t> covered;
  for (const LevelScore& level : all.levels) covered.push_back(level.covered);
  if (const std::string text = coverage_shortfall(model, covered, all.rows, units, all.classes);
      !text.empty())
    return note(
        "coverage {}: {}\n", text,
        found.why_not.empty() && !found.differs()
            ? "but the scores of these rows are like those of the fit"
            : "these rows differ from those of the fit (later in time? new groups? predictions made on their own rows?)");
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

}  // namespace

int evaluate_table(const EvaluateOptions& given) {
  EvaluateOptions options = given;
  options.target = true;
  options.classes = true;
  options.rows = true;
  options.groups = true;
  ask_for_groups(options.by, options);
  if (!options.over.empty()) options.keep.push_back(options.over);
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
  const bool over = !options.over.empty();
  if (!options.figure.empty() && !whole && !over)
    user_error("--figure: draws the PIT, and there is none: {}", why_not);
  constexpr std::size_t most_groups = 30;
  Scores all;
  std::map<std::string, Scores> groups;
  bool by_gaps = false;      // groups are sets of missing cells, not texts of a column
  std::string first_reason;  // of a row that is left out
  const std::size_t spoken_of = level_spoken_of(levels);
  Places places(model.columns(), "--over", options.over);
  std::vector<OrderedRow> order;
  std::size_t without_place = 0;
  RowsToCompare to_compare;
  std::vector<double> predicted, happened;
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
          if (!options.by.empty()) add(groups[group_of(intervals, n, options)]);
          Place place{};
          if (over) place = places.read(intervals.kept[n][options.keep.size() - 1], intervals.lines[n]);
          without_place += place.is_missing() ? 1 : 0;
          if (!place.is_missing())
            order.push_back({all.levels[spoken_of].rows.back().covered, intervals.lines[n], place});
          to_compare.add(intervals.X, intervals.learnt, n,
                         intervals.groups.empty() ? "" : intervals.groups[n]);
          predicted.push_back(intervals.f(n));
          happened.push_back(intervals.y(n));
        }
        if (!intervals.f.empty()) by_gaps = options.gaps && !has_column(intervals, options);
        if (groups.size() > most_groups && !by_gaps)
          user_error("--by {}: has more than {} different values; expected a column of few, as a category is",
                     show_text(options.by), most_groups);
      });
  if (counts.rows == 0)
    user_error(
        "{}; no row is left to evaluate",
        first_reason.empty() ? fmt::format("{}: no row has a target", options.table.string()) : first_reason);
  if (over) places.decide();
  for (OrderedRow& row : order) row.place = places.of(row.read);
  std::ranges::stable_sort(order, {}, &OrderedRow::place);
  constexpr std::size_t fewest_in_order = 4;
  if (over && order.size() < fewest_in_order)
    user_error("--over {}: {} {} something there; expected at least {}", show_text(options.over),
               counted(order.size(), "row"), order.size() == 1 ? "has" : "have", fewest_in_order);
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
  if (without_place > 0)
    note("{} {} nothing in {} and {} left out of its order\n", counted(without_place, "row"),
         without_place == 1 ? "has" : "have", show_text(options.over), without_place == 1 ? "is" : "are");
  std::vector<std::size_t> covered;
  for (const LevelScore& level : all.levels) covered.push_back(level.covered);
  const Level& level = levels[spoken_of];
  const std::size_t units = model.predictor().grouped() ? count_groups(to_compare.groups()) : all.rows;
  const Comparison comparison = compare(model, to_compare.X(), to_compare.y(), to_compare.groups(),
                                        {.rows = all.rows,
                                         .above = all.levels[spoken_of].above,
                                         .below = all.levels[spoken_of].below,
                                         .table = all.rows,
                                         .as_promised = covered_as_promised(model, covered, all.rows, units),
                                         .explained = explained(arma::vec(predicted), arma::vec(happened))},
                                        {}, thread_count(options.jobs, 64));
  const Stretch stretch = worst_stretch(order, model.predictor().grouped());
  const std::vector<TenthOfRows> tenths = over ? tenths_of(order, level, model) : std::vector<TenthOfRows>();
  const OfAllRows of_all{comparison, stretch, over ? &places : nullptr, tenths,
                         advice_of(comparison, model, options, {})};
  advise(counts, all, units, comparison, model);
  // The last step: what is printed is there, whether or not gnuplot is.
  const auto draw = [&] {
    if (options.figure.empty()) return exit_done;
    std::fflush(stdout);
    if (over)
      draw_tenths(options.figure, tenths, places, level, options.over, model);
    else
      draw_pit(options.figure, all.distribution, all.rows, model);
    note("{}: drawn\n", options.figure.string());
    return exit_done;
  };
  Frame frame = frame_of({{"", all}}, model, of_all);
  const Frame by = frame_of(groups, model, of_all);
  if (const std::string text = outside_text(by, model, options.by); !text.empty()) note("{}\n", text);
  if (options.json || options.csv) {
    frame.append(by);
    // As it is: programs read this, and what a terminal must not see is part of a text there.
    const std::string text = options.json ? json_of(frame) : to_text(frame);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (comparison.differs()) note("{}\n", comparison.text());
    if (!of_all.advice.empty()) note("{}\n", of_all.advice);
    return draw();
  }
  show("{}: {}\n{}", options.table.string(), counted(counts.rows, "row"), scores_text(frame, false));
  show("  prediction: RMSE {}, {}\n", five_digits(all.rmse()),
       std::isnan(all.r2()) ? "no R², since the targets are all alike" : fmt::format("R² {:.4f}", all.r2()));
  if (const std::string weak = weak_prediction(all.r2()); !weak.empty()) show("  {}\n", weak);
  show("  {}\n", wrapped(comparison.text(), 2, 2));
  if (!std::isnan(stretch.coverage))
    show("  {}\n", wrapped(stretch_text(stretch, level, over ? &places : nullptr), 2, 2));
  if (!of_all.advice.empty()) show("  advice: {}\n", wrapped_around_commands(of_all.advice, 2, 10));
  if (!by.empty())
    show("\nby {}\n{}  expected: where coverage lies nineteen times of twenty; * outside of that\n",
         by_gaps ? "missing cells" : show_text(options.by), scores_text(by, true));
  if (over)
    show("\ncoverage {} in the order of {}, by {} of the rows\n{}", level.complement().text(),
         show_text(options.over), tenths.size() == 10 ? "tenths" : fmt::format("{} parts", tenths.size()),
         tenths_text(tenths, places));
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
