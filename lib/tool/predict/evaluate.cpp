// `lacp evaluate`: how good the intervals are where the target is known.
#include "tool/predict/evaluate.hpp"

#include <set>

#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "tool/fit/fit.hpp"

namespace lacp {
namespace {

/// What became of the rows of a table.
class Evaluation {
 public:
  Evaluation(const TableModel& model, const EvaluateOptions& options)
      : model_(model),
        options_(options),
        spoken_of_(level_spoken_of(model.levels())),
        over_(model.columns(), options.over) {}

  StreamCounts read();
  void say_left_out(const StreamCounts& counts) const;
  DriftReport drift() const;
  /// The one thing that helps; "" if nothing does, or if nothing is wrong.
  std::string advice(const DriftReport& drift) const;
  void show_all(const DriftReport& drift);
  /// Of all rows.
  Frame frame(const DriftReport& drift) const {
    return frame_of({{"", all_}}, model_, {drift, {}, advice(drift)});
  }

 private:
  void add(const TableIntervals& found);
  void sort_by_place();
  bool has_order() const { return !options_.over.empty(); }
  const Level& level() const { return model_.levels()[spoken_of_]; }

  const TableModel& model_;
  const EvaluateOptions& options_;
  std::size_t spoken_of_;
  Over over_;
  Scores all_;
  std::map<std::string, Scores> groups_;
  std::vector<OrderedRow> order_;
  std::size_t without_place_ = 0;
  RowsToCompare to_compare_;
  std::vector<double> predicted_, happened_;
  std::string first_reason_;  // of a row that is left out
};

void Evaluation::add(const TableIntervals& found) {
  constexpr std::size_t most_groups = 30;
  if (first_reason_.empty() && !found.bad_rows.empty())
    first_reason_ = one_line(found.bad_rows.front().reason);
  for (arma::uword n = 0; n < found.f.n_elem; ++n) {
    all_.add(found, n, model_.levels());
    if (!options_.by.empty()) groups_[found.kept[n].front()].add(found, n, model_.levels());
    to_compare_.add(found.X, found.learnt, n, found.groups.empty() ? "" : found.groups[n]);
    predicted_.push_back(found.f(n));
    happened_.push_back(found.y(n));
    if (!has_order()) continue;
    const double place = over_.read(found.kept[n].back(), found.lines[n]);
    if (std::isnan(place))
      ++without_place_;
    else
      order_.push_back({all_.levels[spoken_of_].rows.back().covered, place});
  }
  if (groups_.size() > most_groups)
    user_error("--by {}: has more than {} values; expected a column of few", show_text(options_.by),
               most_groups);
}

StreamCounts Evaluation::read() {
  const StreamCounts counts = stream_table(
      model_, options_, [](const TableIntervals&) { return std::string(); },
      [&](const TableIntervals& found, const std::string&) { add(found); });
  if (counts.rows == 0 && first_reason_.empty())
    user_error("{}: no row has a target", options_.table.string());
  if (counts.rows == 0) user_error("{}; no row is left", first_reason_);
  if (has_order()) sort_by_place();
  return counts;
}

void Evaluation::sort_by_place() {
  constexpr std::size_t fewest = 4;
  std::ranges::stable_sort(order_, {}, &OrderedRow::place);
  if (order_.size() < fewest)
    user_error("--over {}: {} {} something there; expected at least {}", show_text(options_.over),
               counted(order_.size(), "row"), order_.size() == 1 ? "has" : "have", fewest);
  if (order_.front().place == order_.back().place)
    user_error("--over {}: has one value in all rows; expected several", show_text(options_.over));
}

void Evaluation::say_left_out(const StreamCounts& counts) const {
  report_counts(counts, model_);
  const std::size_t rows = counts.rows + counts.bad;
  if (counts.without_target > 0)
    note("{} of {} left out: no target\n", counts.without_target,
         counted(rows + counts.without_target, "row"));
  if (counts.bad > 0)
    note("{} of {} left out, the first since {}\n", counts.bad, counted(rows, "row"), first_reason_);
  if (without_place_ > 0)
    note("{} left out of the order: nothing in {}\n", counted(without_place_, "row"),
         show_text(options_.over));
}

DriftReport Evaluation::drift() const {
  const arma::vec f(predicted_), y(happened_);
  std::vector<std::size_t> covered;
  for (const LevelScore& level : all_.levels) covered.push_back(level.covered);
  const LevelScore& spoken_of = all_.levels[spoken_of_];
  const std::size_t units =
      model_.predictor().grouped()
          ? std::set<std::string>(to_compare_.groups().begin(), to_compare_.groups().end()).size()
          : all_.rows;
  return compare(model_, to_compare_.X(), to_compare_.y(), to_compare_.groups(),
                 {.rows = all_.rows,
                  .above = spoken_of.above,
                  .below = spoken_of.below,
                  .as_promised = covered_as_promised(model_, covered, all_.rows, units),
                  .trend = sign_trend(y - f),
                  .explained = explained(f, y)},
                 thread_count(options_.jobs, 64));
}

std::string Evaluation::advice(const DriftReport& drift) const {
  constexpr std::size_t few = 30;
  if (const DriftAdvice found = drift.advice(); found != DriftAdvice::none) return text_of(found);
  if (drift.differs() || model_.predictor().sides() == Sides::each) return "";
  for (std::size_t l = 0; l < all_.levels.size(); ++l) {
    const LevelScore& score = all_.levels[l];
    const auto [least, most] = std::minmax(score.below, score.above);
    if (least + most < few || most < 3 * least) continue;
    return fmt::format("misses at coverage {} are lopsided: lacp fit --sides each",
                       model_.levels()[l].complement().text());
  }
  return "";
}

void Evaluation::show_all(const DriftReport& drift) {
  const std::string advised = advice(drift);
  const std::vector<TenthOfRows> tenths =
      has_order() ? tenths_of(order_, level(), model_) : std::vector<TenthOfRows>();
  Frame frame = frame_of({{"", all_}}, model_, {drift, tenths, advised});
  const Frame by = frame_of(groups_, model_, {drift, tenths, advised});
  if (const std::string text = outside_text(by, model_, options_.by); !text.empty()) note("{}\n", text);
  if (options_.json || options_.csv) {
    frame.append(by);
    // As it is: programs read this, and what a terminal must not see is part of a text there.
    const std::string text = options_.json ? json_of(frame) : to_text(frame);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (drift.differs()) note("{}\n", drift.text());
    if (!advised.empty()) note("{}\n", advised);
  } else {
    show("{}: {}\n{}", options_.table.string(), counted(all_.rows, "row"), scores_text(frame, false));
    show("  prediction: RMSE {}, {}\n", five_digits(all_.rmse()), r2_text(all_.r2()));
    show("  {}\n", wrapped(drift.text(), 2, 2));
    if (!advised.empty()) show("  advice: {}\n", wrapped(advised, 2, 10));
    if (!by.empty()) show("\nby {}\n{}", show_text(options_.by), scores_text(by, true));
    if (has_order())
      show("\ncoverage {} in the order of {}\n{}", level().complement().text(), show_text(options_.over),
           tenths_text(tenths, over_));
    show("\nby tenths of the rows, the smallest intervals first\n{}",
         deciles_text(model_.levels(), all_.levels));
  }
  if (options_.figure.empty()) return;
  std::fflush(stdout);  // what is printed is there, whether or not gnuplot is
  draw_tenths(options_.figure, tenths, over_, level(), options_.over, model_);
  note("{}: drawn\n", options_.figure.string());
}

/// What is looked at in each row.
EvaluateOptions with_all(EvaluateOptions options) {
  options.target = options.classes = options.rows = options.groups = true;
  return options;
}

}  // namespace

std::string evaluation_json(const TableModel& model, const EvaluateOptions& given) {
  const EvaluateOptions options = with_all(given);
  Evaluation evaluation(model, options);
  evaluation.read();
  return json_of(evaluation.frame(evaluation.drift()));
}

int evaluate_table(const EvaluateOptions& given) {
  EvaluateOptions options = with_all(given);
  if (!options.by.empty()) options.keep.push_back(options.by);
  if (!options.over.empty()) options.keep.push_back(options.over);
  if (!options.figure.empty()) {
    if (options.over.empty()) user_error("--figure: needs --over COLUMN");
    for (const auto& input : {options.table, options.model}) protect_input(input);
    check_picture(options.figure);
  }
  const TableModel model = TableModel::load(options.model);
  Evaluation evaluation(model, options);
  evaluation.say_left_out(evaluation.read());
  evaluation.show_all(evaluation.drift());
  return exit_done;
}

}  // namespace lacp
