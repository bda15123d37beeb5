// `lacp update`: calibrates a model by rows whose targets have become known, without a new fit.
#include <algorithm>
#include <cmath>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "tool/fit/fit.hpp"
#include "tool/tool.hpp"

namespace lacp {
namespace {

/// Why an update refuses a target, as it is learnt; "" if it takes it.
std::string refused_target(const TableModel& model, double learnt) {
  constexpr double rounding = 1e-12;  // of a logarithm that is turned back
  const Columns& columns = model.columns();
  const double y = columns.log_target ? math::expm1(learnt) : learnt, slack = rounding * std::abs(y);
  if (model.predictor().whole() && y != std::round(y))
    return fmt::format("the target is {}; expected a whole number", y);
  if (y >= columns.least - slack && y <= columns.most + slack) return "";
  return fmt::format("the target is {}; expected {} to {}, the limits of the fit", y, columns.least,
                     columns.most);
}

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
        bad.second += " (or fit --no-whole-ends)";
    }
    bad.first.push_back(n);
  }
  return bad;
}

std::string row_text(const UpdateOptions& options, std::size_t line) {
  return options.memory != nullptr ? place_of(*options.memory, line)
                                   : fmt::format("{}:{}", options.table.string(), line);
}

/// Leaves out rows that cannot calibrate, or refuses the first of them.
void leave_out_bad(LabelledRows& rows, const std::vector<arma::uword>& bad, const std::string& why,
                   const UpdateOptions& options) {
  if (bad.empty()) return;
  if (!options.skip_bad)
    user_fault({.kind = FaultKind::bad_row, .line = rows.lines[bad.front()]}, "{}: {}",
               row_text(options, rows.lines[bad.front()]), why);
  std::size_t line = rows.lines[bad.front()];
  for (const arma::uword n : bad) line = std::min(line, rows.lines[n]);  // rows may be reversed
  note("{} of {} left out, the first in line {}: {}\n", bad.size(), counted(rows.y.n_elem, "row"), line, why);
  rows.leave_out(bad);
  rows.counts.bad += bad.size();
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

/// Shares of the new rows, of at most this many, that lie in their intervals before and after the update.
void say_coverage(const TableModel& model, const TableModel& updated, const LabelledRows& rows,
                  std::size_t jobs) {
  constexpr std::size_t most = 1000;  // each of them is held against every row that calibrates
  std::vector<arma::uword> some;
  const std::size_t n = rows.y.n_elem, count = std::min(n, most);
  for (std::size_t i = 0; i < count; ++i) some.push_back(i * n / count);
  const arma::mat X = rows.X.cols(arma::uvec(some));
  const arma::vec y = rows.y(arma::uvec(some));
  const std::vector<std::size_t> before = model.count_covered(X, y, jobs),
                                 after = updated.count_covered(X, y, jobs);
  const auto share = [&](std::size_t covered) {
    return static_cast<double>(covered) / static_cast<double>(count);
  };
  for (std::size_t l = 0; l < model.levels().size(); ++l)
    say("  coverage {}  {:.3f} of {} new rows before, {:.3f} after\n", model.levels()[l].complement().text(),
        share(before[l]), count, share(after[l]));
}

}  // namespace

TableModel calibrated_by(const TableModel& model, LabelledRows& rows, const UpdateOptions& options,
                         const std::function<void(const std::string&)>& warn) {
  if (rows.y.empty()) user_error("{}: no row has a target", options.table.string());
  const auto [bad, why] = bad_targets(model, rows);
  leave_out_bad(rows, bad, why, options);
  if (rows.y.empty()) user_error("{}: no row is left", options.table.string());
  if (const std::string extreme = extreme_targets(rows.y); !extreme.empty()) warn("BEWARE " + extreme);
  if (!rows.newest_first.empty()) {
    note("column {} falls from row to row: the first rows are the newest\n", show_text(rows.newest_first));
    rows.reverse();
  }
  std::optional<Sides> sides;
  if (!options.sides.empty()) sides = options.sides == "each" ? Sides::each : Sides::both;
  const LocalPredictor::NewRows how{.instead = options.instead,
                                    .window = options.window,
                                    .sides = sides,
                                    .jobs = thread_count(options.jobs, 64)};
  std::vector<arma::uword> too_far;
  TableModel updated = model.updated(rows.X, rows.y, how, rows.groups, &too_far);
  leave_out_bad(rows, too_far, "the row lies too far from those of the fit", options);
  return updated;
}

int update_model(const UpdateOptions& options) {
  for (const auto& input : {options.table, options.model}) protect_input(input);
  check_writable(options.output);
  const TableModel model = TableModel::load(options.model);
  const std::string group = options.group.empty() ? model.group() : options.group;
  if (group.empty() && model.predictor().grouped()) user_error("--group: is missing; the model has groups");
  LabelledRows rows = read_labelled(model, options, group);
  const TableModel updated =
      calibrated_by(model, rows, options, [](const std::string& warning) { tell("{}\n", warning); });
  updated.save(options.output);
  report_counts(rows.counts, model);
  if (const std::size_t without = rows.counts.without_target; without > 0)
    note("{} without a target left out\n", counted(without, "row"));
  say("{}: calibrated by {}, {}\n", options.output.string(),
      counted(updated.predictor().calibration_size(), "row"), sides_text(updated, options));
  if (!rows.groups.empty()) say("  groups   of {}; one row of each new one calibrates\n", show_text(group));
  say_coverage(model, updated, rows, thread_count(options.jobs, 64));
  for (const std::string& line : infinite_lines(updated, updated.levels())) tell("{}\n", line);
  return exit_done;
}

}  // namespace lacp
