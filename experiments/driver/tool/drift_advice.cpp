// What to do about rows that differ from those that calibrate a model.
#include <algorithm>
#include <cmath>
#include <map>

#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "tool/drift.hpp"
#include "tool/fit/fit.hpp"

namespace lacp {
namespace {

/// An option of a command to copy. A value that begins like an option is tied to its name.
void add_option(std::string& command, const std::string& name, const std::string& value) {
  if (value.empty()) return;
  command += " " + name + (value.front() == '-' ? "=" : " ") + shell_quoted(value);
}

std::string table_of(const StreamOptions& options) {
  return options.table == "-" ? "TABLE" : shell_quoted(options.table.string());
}

/// The options that say how the table is read; those of `fit` are fewer.
void add_reading(std::string& command, const StreamOptions& options, bool for_fit) {
  if (options.table == "-") return;
  add_option(command, "--sheet", options.sheet);
  if (for_fit) return;
  if (options.unseen_zeros) command += " --unseen zeros";
  if (options.skip_bad) command += " --skip-bad";
  if (options.all_rows) command += " --all-rows";
}

/// A fit of the table as the model was fitted, as far as the model knows that; "" if only a description of
/// the table says what its target is.
std::string fit_command(const Comparison& found, const TableModel& model, const StreamOptions& options) {
  const Columns& columns = model.columns();
  if (columns.target.size() != 1 || columns.log_target) return "";
  std::string command = "lacp fit " + table_of(options);
  add_reading(command, options, true);
  add_option(command, "--target", columns.target.front().name);
  if (model.predictor().method() != PredictorSettings::recommended().method)
    add_option(command, "--method", model.predictor().method());
  const std::vector<Level>& levels = model.levels();
  std::vector<std::string> coverage;
  for (const Level& level : levels) coverage.push_back(level.complement().text());
  if (levels != std::vector{Level(0.05), Level(0.1), Level(0.32)})
    add_option(command, "--coverage", join(coverage, ","));
  add_option(command, "--group", model.group());
  // Of rows without gaps, or of one class, `fit` would refuse it.
  const bool one_class =
      std::ranges::adjacent_find(found.classes, std::not_equal_to{}) == found.classes.end();
  if (model.by_gaps() ? found.gaps : !one_class) add_option(command, "--by", model.by());
  add_option(command, "--prediction", model.prediction());
  const auto end = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; };
  const std::string least = end(columns.least), most = end(columns.most);
  if (found.refused.empty() && !(least.empty() && most.empty()))
    add_option(command, "--clip", least + "," + most);
  return command + " --model FILE";
}

std::string fit_advice(const std::string& why, const Comparison& found, const TableModel& model,
                       const StreamOptions& options) {
  const std::string command = fit_command(found, model, options),
                    quoted = command.empty() ? "" : fmt::format(" (`{}`)", command);
  if (found.seen.table >= fewest_rows_to_fit)
    return fmt::format("fit again with rows like these{}: {}", quoted, why);
  return fmt::format("collect {} or more of them, then fit again with these{}: {}",
                     counted(fewest_rows_to_fit, "row"), quoted, why);
}

std::string update_command(const Comparison& found, const TableModel& model, const StreamOptions& options,
                           const ToldToUpdate& told) {
  std::string command = "lacp update " + shell_quoted(options.model.string()) + " " + table_of(options);
  add_reading(command, options, false);
  if (model.group().empty()) add_option(command, "--group", told.group);
  add_option(command, "--known", told.known.empty() ? found.known : told.known);
  return command + " --output FILE";
}

}  // namespace

bool keeps_classes(const TableModel& model, std::span<const std::size_t> classes) {
  if (model.by().empty()) return true;
  std::map<std::size_t, std::size_t> rows;
  for (const std::size_t place : classes) ++rows[place];
  const std::vector<LocalPredictor::Class> known = model.predictor().classes();
  for (const Level& level : model.levels()) {
    const std::size_t own = model.predictor().rows_needed_in_class(level),
                      needed = model.predictor().rows_needed(level);
    std::size_t together = 0, together_then = 0;
    for (std::size_t place = 0; place < known.size(); ++place) {
      const std::size_t then = rows.contains(place) ? rows.at(place) : 0;
      const bool by_itself = known[place].rows >= own;
      if (by_itself && then < own) return false;
      if (by_itself || then >= own) continue;
      together += known[place].rows;
      together_then += then;
    }
    if (together >= needed && together_then < needed) return false;
  }
  return true;
}

std::string advice_of(const Comparison& found, const TableModel& model, const StreamOptions& options,
                      const ToldToUpdate& told) {
  constexpr std::size_t fewest_of_window = 100, most_of_window = 500;
  if (!found.differs()) return "";
  if (found.stale())
    return fit_advice(
        fmt::format(
            "the prediction itself is stale (R² {:.2f} on these rows, {:.2f} at the fit); an update would only widen its intervals",
            found.seen.explained.r2, found.at_fit.r2),
        found, model, options);
  if (found.seen.as_promised) return "";
  if (!found.refused.empty()) return fit_advice("of a row " + found.refused, found, model, options);
  if (told.instead || told.window > 0) return "";
  const bool grouped = model.predictor().grouped() || !told.group.empty();
  const std::string command = update_command(found, model, options, told);
  const std::size_t rows = found.test.new_rows;
  std::size_t needed = 0;
  for (const Level& level : model.levels()) needed = std::max(needed, level.half().fewest());
  const std::size_t window = std::max({fewest_of_window, 2 * needed, std::min(rows / 10, most_of_window)});
  const std::span<const std::size_t> classes(found.classes);
  const bool moves =
      found.moves && window < rows && keeps_classes(model, classes.last(std::min(window, classes.size())));
  if (!moves && !keeps_classes(model, classes)) {
    if (told.updated) return "";
    return fmt::format(
        "calibrate by these rows, too: `{}` (by these alone some classes of {} would have too few rows of their own)",
        command, model.by_gaps() ? "missing cells" : show_text(model.by()));
  }
  if (rows < needed)
    return fmt::format("collect {} or more of them, then calibrate by these alone: `{} --instead`",
                       counted(needed, grouped ? "group" : "row"), command);
  if (moves)
    return fmt::format(
        "they move on within the table: if it stands in order of time, calibrate by its last {}, and again as new ones come: `{} --window {}`",
        grouped ? "groups" : "rows", command, window);
  return fmt::format("calibrate by these rows alone: `{} --instead`", command);
}

}  // namespace lacp
