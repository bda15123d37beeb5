// `lacp update`: calibrates a model by rows whose targets have become known, without a new fit.
#include "commands/commands.hpp"
#include "engine/plan.hpp"
#include "engine/table_stream.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace {

struct UpdateOptions : StreamOptions {
  fs::path output;
  std::string known;
  bool instead = false;
  std::uint64_t window = 0;
};

int update_model(const UpdateOptions& options) {
  for (const auto& input : {options.table, options.model}) protect_input(input);
  check_writable(options.output);
  const TableModel model = TableModel::load(options.model);
  const std::size_t jobs = thread_count(options.jobs, 64);
  LabelledRows rows = read_labelled(model, options);
  if (rows.y.empty())
    user_error("{}: no row has a target; expected some to calibrate by", options.table.string());
  if (const std::vector<arma::uword> known = model.known_rows(rows.X, rows.y);
      !known.empty() && options.known != "keep") {
    if (options.known != "drop")
      user_error(
          "{}: {} of {} {} known to the model, and a row that it has seen says nothing about new ones; --known drop leaves them out, --known keep takes them for new rows that equal old ones",
          options.table.string(), known.size(), counted(rows.y.n_elem, "row"),
          known.size() == 1 ? "is" : "are");
    rows.X.shed_cols(arma::uvec(known)), rows.y.shed_rows(arma::uvec(known));
    if (rows.y.empty()) user_error("{}: no new row is left to calibrate by", options.table.string());
    tell("{0} of the rows {1} known to the model and {1} left out\n", known.size(),
         known.size() == 1 ? "is" : "are");
  }
  const TableModel updated =
      model.updated(rows.X, rows.y, {.instead = options.instead, .window = options.window, .jobs = jobs});
  updated.save(options.output);
  report_counts(rows.counts, model);
  if (const std::size_t without = rows.counts.without_target; without > 0)
    note("{} {} no target and {} left out\n", counted(without, "row"), without == 1 ? "has" : "have",
         without == 1 ? "is" : "are");
  const std::size_t n = updated.predictor().calibration_size();
  show("{}: calibrated by {}\n", options.output.string(), counted(n, "row"));
  const std::vector<std::size_t> before = model.count_covered(rows.X, rows.y, jobs),
                                 after = updated.count_covered(rows.X, rows.y, jobs);
  const auto all = static_cast<double>(rows.y.n_elem);
  for (std::size_t l = 0; l < model.levels().size(); ++l)
    show("  coverage {}  {:.3f} of the new rows before, {:.3f} after, now that they calibrate it\n",
         model.levels()[l].complement().text(), static_cast<double>(before[l]) / all,
         static_cast<double>(after[l]) / all);
  show(
      "  promise  as at the fit, if the rows that calibrate and new ones come from the same source; if they drift, none: only what the last rows showed\n");
  for (const Level& level : updated.levels())
    if (level.fewest() > n)
      tell("coverage {} needs at least {} calibration rows: its intervals are infinite\n",
           level.complement().text(), level.fewest());
  return exit_done;
}

}  // namespace

void add_update(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "update", "Calibrate a fitted model by new rows with their targets", update_model);
  add_stream_options(command, o, " and the target", "rows that cannot be read are left out and counted");
  add(command, "--output", o.output, "FILE", "file for the new model")->required();
  add(command, "--known", o.known, "drop|keep",
      "rows that equal one that the model has seen: leave them out, or take them for new (default: error)");
  command.add_flag("--instead", o.instead, "calibrate by these rows alone (default: by the old ones, too)");
  add(command, "--window", o.window, "N", "calibrate by the newest N rows (default: all)");
}

}  // namespace lacp
