// `lacp update`: calibrates a model by rows whose targets have become known, without a new fit.
#include "tool/update.hpp"

#include <algorithm>
#include <cmath>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "tool/drift.hpp"
#include "tool/fit/fit.hpp"
#include "tool/info.hpp"

namespace lacp {
namespace {

/// The rows with a target that the fit would have refused, and why it would have refused the first.
std::pair<std::vector<arma::uword>, std::string> bad_targets(const TableModel& model,
                                                             const LabelledRows& rows) {
  std::pair<std::vector<arma::uword>, std::string> bad;
  for (arma::uword n = 0; n < rows.y.n_elem; ++n) {
    const std::string why = refused_target(model, rows.y(n));
    if (why.empty()) continue;
    if (bad.first.empty()) {
      bad.second = why;
      if (model.predictor().whole() && rows.y(n) != std::round(rows.y(n)))
        bad.second += " (`lacp fit --no-whole-ends` makes a model for any)";
    }
    bad.first.push_back(n);
  }
  return bad;
}

/// Leaves out rows that cannot calibrate, or refuses the first of them.
void leave_out_bad(LabelledRows& rows, const std::vector<arma::uword>& bad, const std::string& why,
                   const UpdateOptions& options) {
  if (bad.empty()) return;
  if (!options.skip_bad)
    user_error("{}:{}: {}; --skip-bad leaves such rows out", options.table.string(), rows.lines[bad.front()],
               why);
  std::size_t line = rows.lines[bad.front()];
  for (const arma::uword n : bad) line = std::min(line, rows.lines[n]);  // rows may be turned round
  note("{} of {} left out, the first in line {}: {}\n", bad.size(), counted(rows.y.n_elem, "row"), line, why);
  rows.leave_out(bad);
  rows.counts.bad += bad.size();
}

/// Rows that the model has seen, or whose group it has, say nothing about new ones. Returns how many equal
/// ones that it has seen, and are left out.
std::size_t handle_known(LabelledRows& rows, const TableModel& model, const UpdateOptions& options) {
  if (!model.keeps_hashes()) {
    note("the model keeps no hashes of its rows, so that it does not notice if these are among them\n");
    return 0;
  }
  if (options.known == "keep") return 0;
  const std::string file = options.table.string();
  const auto drop = [&](const std::vector<arma::uword>& known, const char* what, const char* keep) {
    if (known.empty()) return;
    const char* are = known.size() == 1 ? "is" : "are";
    if (options.known != "drop")
      user_error(
          "{}: {}{} of {} {} {}, and such a row says nothing about new ones; --known drop leaves them out, --known keep {}",
          file, model.knows_all() ? "" : "at least ", known.size(), counted(rows.y.n_elem, "row"), are, what,
          keep);
    if (!model.knows_all())
      user_error(
          "{}: at least {} of {} {} {}; the model knows only a sample of its rows, so --known drop cannot find the others; give a table of new rows alone",
          file, known.size(), counted(rows.y.n_elem, "row"), are, what);
    rows.leave_out(known);
    if (rows.y.empty()) user_error("{}: no new row is left to calibrate by", file);
    note("{} of the rows {} {} and {} left out\n", known.size(), are, what, are);
  };
  const std::vector<arma::uword> known = model.known_rows(rows.X, rows.y).rows;
  drop(known, "known to the model", "takes them for new rows that equal old ones");
  drop(model.known_groups(rows.groups), "of groups that the model knows", "takes them for rows of new ones");
  return known.size();
}

/// Which quantiles the model has now, and why it has one for both sides if nobody asked for that.
std::string sides_text(const TableModel& updated, const UpdateOptions& options) {
  const LocalPredictor& predictor = updated.predictor();
  if (predictor.sides() == Sides::each) return "a quantile for each side";
  const std::string one = "one quantile for both sides";
  if (!options.sides.empty()) return one;
  if (!has_distribution(find_method(predictor.method())))
    return one + fmt::format(", the only way of {}", predictor.method());
  const Level& level = *std::ranges::min_element(updated.levels(), {}, &Level::value);
  return one + fmt::format(", since for coverage {} one for each needs {} rows{}", level.complement().text(),
                           level.half().fewest(), updated.by().empty() ? "" : " of a class");
}

/// Which classes the update has left without calibration rows, and which have too few at which level.
void say_classes(const TableModel& model, const TableModel& updated) {
  constexpr std::size_t most = 12;
  const std::vector<TableModel::Class> now = updated.classes();
  std::vector<std::string> lost;
  for (const TableModel::Class& before : model.classes()) {
    const auto is_same = [&](const TableModel::Class& own) {
      return own.value == before.value && own.missing == before.missing;
    };
    if (std::ranges::any_of(now, is_same)) continue;
    std::string name = before.value.empty() ? "others" : show_text(before.value);
    if (before.missing) name = "missing";
    lost.push_back(fmt::format("{} ({} before)", name, counted(before.rows, "row")));
  }
  const std::string what = updated.by_gaps() ? "missing cells" : one_line(updated.by());
  for (const std::string& line : class_lines(updated)) say("  by {}  {}\n", what, line);
  if (!lost.empty()) {
    const std::size_t all = lost.size();
    lost.resize(std::min(all, most));
    tell(
        "no calibration row is left of {} of {}: {}{}; what calibrates those with few rows calibrates them, too, and without any their intervals are infinite\n",
        all == 1 ? "a class" : fmt::format("{} classes", all), what, join(lost, ", "),
        all > most ? fmt::format(", and {} more", all - most) : "");
  }
  for (const std::string& line : class_lines_at(updated, updated.levels())) tell("{}\n", line);
}

/// Whether the new rows, of which these are some, differ from those that calibrated the model before.
void say_drift(const TableModel& model, const LabelledRows& rows, const arma::mat& X, const arma::vec& y,
               const std::vector<std::size_t>& covered, std::size_t units, const UpdateOptions& options,
               const ToldToUpdate& told) {
  const std::size_t jobs = thread_count(options.jobs, 64), l = level_spoken_of(model.levels());
  std::vector<arma::uword> too_far;
  const TableIntervals found = model.predict(X, &too_far, jobs);
  arma::vec truth = y;
  if (model.columns().log_target) truth.transform([](double t) { return math::expm1(t); });
  SeenRows seen{.rows = y.n_elem,
                .table = rows.y.n_elem,
                .as_promised = covered_as_promised(model, covered, y.n_elem, units)};
  for (arma::uword n = 0; n < truth.n_elem; ++n) {
    seen.above += truth(n) > found.upper(l, n) ? 1 : 0;
    seen.below += truth(n) < found.lower(l, n) ? 1 : 0;
  }
  const arma::uvec known = arma::find_finite(found.f);
  seen.explained = explained(found.f(known), truth(known));
  const Comparison comparison = compare(model, rows.X, rows.y, rows.groups, seen, told, jobs);
  say("  test     {}\n", comparison.text());
  const std::string advice = advice_of(comparison, model, options, told);
  if (!advice.empty()) say("  advice   {}\n", wrapped_around_commands(advice, 11, 11));
}

/// Of a window those rows that it keeps; else all.
LabelledRows in_window(const LabelledRows& rows, std::size_t window) {
  const std::vector<std::size_t> unit = unit_numbers(rows);
  const std::size_t units = unit.empty() ? 0 : std::ranges::max(unit) + 1;
  LabelledRows newest = rows;
  if (window == 0 || window >= units) return newest;
  std::vector<arma::uword> older;
  for (arma::uword n = 0; n < unit.size(); ++n)
    if (unit[n] + window < units) older.push_back(n);
  newest.leave_out(older);
  return newest;
}

/// How many rows are covered at each level, of how many, and how many of these are independent.
struct Covered {
  std::vector<std::size_t> at;
  std::size_t rows, units;
};

/// What is promised of further rows, after that many of these were covered by the updated model.
void say_promise(const TableModel& model, const TableModel& updated, const LabelledRows& rows,
                 const Covered& covered, const std::string& which, const ToldToUpdate& told) {
  if (const std::string why = no_fair_part(model, rows.y.n_elem, told.left_out); !why.empty())
    return tell("BEWARE {}, and nothing is promised of others; --known keep takes all of them for new\n",
                why);
  const std::string shortfall = coverage_shortfall(updated, covered.at, covered.rows, covered.units);
  if (shortfall.empty())
    return say(
        "  promise  as at the fit, if the rows that calibrate and new ones come from the same source; if they drift, none: only what the last rows showed\n");
  const bool alone = !told.instead && told.window == 0 && keeps_classes(model, model.classes_of(rows.X));
  tell(
      "BEWARE after the update {} still have coverage {}: nothing is promised for rows like these; fit again with them{}\n",
      which, shortfall, alone ? ", or calibrate by them alone (--instead)" : "");
}

/// Shares of the new rows, of at most this many, that lie in their intervals before and after the update.
void say_coverage(const TableModel& model, const TableModel& updated, const LabelledRows& rows,
                  const UpdateOptions& options, const ToldToUpdate& told) {
  const std::size_t jobs = thread_count(options.jobs, 64);
  constexpr std::size_t most = 1000;  // each of them is held against every row that calibrates
  const LabelledRows newest = in_window(rows, options.window);
  std::vector<arma::uword> some;
  const std::size_t n = newest.y.n_elem, count = std::min(n, most);
  for (std::size_t i = 0; i < count; ++i) some.push_back(i * n / count);
  const arma::mat X = newest.X.cols(arma::uvec(some));
  const arma::vec y = newest.y(arma::uvec(some));
  const std::size_t units = newest.groups.empty() ? count : std::min(count, count_groups(newest.groups));
  const std::vector<std::size_t> before = model.count_covered(X, y, jobs),
                                 after = updated.count_covered(X, y, jobs);
  const auto share = [&](std::size_t covered) {
    return static_cast<double>(covered) / static_cast<double>(count);
  };
  std::string which = "the new rows";
  if (n < rows.y.n_elem) which = fmt::format("the newest {}", counted(n, "row"));
  if (count < n) which = fmt::format("{} of {}", count, which);
  for (std::size_t l = 0; l < model.levels().size(); ++l)
    say("  coverage {}  {:.3f} of {} before, {:.3f} after, now that they calibrate it\n",
        model.levels()[l].complement().text(), share(before[l]), which, share(after[l]));
  say_promise(model, updated, rows, {after, count, units}, which, told);
  say_drift(model, newest, X, y, before, units, options, told);
}

}  // namespace

int update_model(const UpdateOptions& options) {
  for (const auto& input : {options.table, options.model}) protect_input(input);
  if (options.output.empty() && !options.dry_run)
    user_error("--output: is missing; expected a file for the new model, or --dry-run");
  if (!options.dry_run) check_writable(options.output);
  const TableModel model = TableModel::load(options.model);
  const std::size_t jobs = thread_count(options.jobs, 64);
  const std::string group = options.group.empty() ? model.group() : options.group;
  if (group.empty() && model.predictor().grouped())
    user_error(
        "--group: is missing; the model was fitted with groups, and one new row of each group calibrates");
  LabelledRows rows = read_labelled(model, options, group);
  if (rows.y.empty())
    user_error("{}: no row has a target; expected some to calibrate by", options.table.string());
  const auto [bad, why] = bad_targets(model, rows);
  leave_out_bad(rows, bad, why, options);
  if (rows.y.empty()) user_error("{}: no row is left to calibrate by", options.table.string());
  const ToldToUpdate told{.known = options.known,
                          .group = group,
                          .left_out = handle_known(rows, model, options),
                          .updated = true,
                          .instead = options.instead,
                          .window = options.window};
  if (const std::size_t copies = find_repeats(rows.X, rows.y).copies.size(); copies > 0)
    note("{} of {} {} an earlier one of the table, target included; all of them calibrate\n", copies,
         counted(rows.y.n_elem, "row"), copies == 1 ? "equals" : "equal");
  if (!rows.newest_first.empty()) {
    note("column {} falls from row to row, so the first rows are taken as the newest\n",
         show_text(rows.newest_first));
    rows.turn_round();
  }
  std::optional<Sides> sides;
  if (!options.sides.empty()) sides = options.sides == "each" ? Sides::each : Sides::both;
  const LocalPredictor::NewRows how{
      .instead = options.instead, .window = options.window, .sides = sides, .jobs = jobs};
  if (options.dry_run) return try_update(model, rows, how);
  std::vector<arma::uword> too_far;
  const TableModel updated = model.updated(rows.X, rows.y, how, rows.groups, &too_far);
  leave_out_bad(rows, too_far, "the row lies too far from those of the fit for a value there; correct it",
                options);
  updated.save(options.output);
  report_counts(rows.counts, model);
  if (const std::size_t without = rows.counts.without_target; without > 0)
    note("{} {} no target and {} left out\n", counted(without, "row"), without == 1 ? "has" : "have",
         without == 1 ? "is" : "are");
  const std::size_t n = updated.predictor().calibration_size();
  say("{}: calibrated by {}, {}\n", options.output.string(), counted(n, "row"), sides_text(updated, options));
  if (!rows.groups.empty()) say("  groups   of {}; one row of each new one calibrates\n", show_text(group));
  if (!updated.by().empty()) say_classes(model, updated);
  say_coverage(model, updated, rows, options, told);
  for (const Level& level : updated.levels())
    if (const std::size_t needed = updated.predictor().rows_needed(level); needed > n)
      tell("coverage {} needs at least {} calibration rows: its intervals are infinite\n",
           level.complement().text(), needed);
  return exit_done;
}

}  // namespace lacp
