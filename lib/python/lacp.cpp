// The calls of lacp.h.
#include "python/lacp.h"

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>

#include "common/advice.hpp"
#include "common/json.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "python/given.hpp"

namespace lacp {
namespace {

using Model = std::shared_ptr<const TableModel>;

/// The models that callers have, by number. They outlive whatever ends a process, where threads may still
/// run.
class Models {
 public:
  std::int64_t add(TableModel model) {
    const auto added = std::make_shared<const TableModel>(std::move(model));
    const std::lock_guard lock(guard_);
    models_[++last_] = added;
    return last_;
  }
  Model at(std::int64_t number) {
    const std::lock_guard lock(guard_);
    const auto found = models_.find(number);
    if (found == models_.end()) user_error("model {}: there is none of this number", number);
    return found->second;
  }
  void erase(std::int64_t number) noexcept {
    Model last;  // ends when nobody can wait for it
    const std::lock_guard lock(guard_);
    if (const auto found = models_.find(number); found != models_.end()) {
      last = std::move(found->second);
      models_.erase(found);
    }
  }

 private:
  std::mutex guard_;
  std::map<std::int64_t, Model> models_;
  std::int64_t last_ = 0;
};

Models& models() {
  static auto& all = *new Models;
  return all;
}

/// What a call says, and the bytes of a model, for the thread that called.
thread_local std::string said, saved;
thread_local const char* said_text = "{}";

struct Answer {
  std::string json = "null";
  std::vector<Notice> warnings = {};
  void warn(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) warnings.push_back({"", {}, text});
  }
};

std::string notice_json(const Notice& notice) {
  return json_object({{"code", json_text(notice.code)},
                      {"values", json_texts(notice.values)},
                      {"message", json_text(notice.text)}});
}

std::string error_json(std::string_view code, std::string_view message) {
  return notice_json({code, {}, std::string(message)});
}

void say_all(const std::string& error, const Answer& answer) {
  said = fmt::format(R"({{"error":{},"warnings":{},"answer":{}}})", error,
                     json_list(answer.warnings, notice_json), answer.json);
  said_text = said.c_str();
}

/// An error as a number and as json.
std::pair<std::int64_t, std::string> error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Interrupted& error) {
    return {LACP_INTERRUPTED, error_json("interrupted", error.what())};
  } catch (const TrainingError& error) {
    return {LACP_FAILED, error_json("diverged", error.what())};
  } catch (const Error& error) {
    return {dynamic_cast<const UserError*>(&error) != nullptr ? LACP_WRONG : LACP_FAILED, json_of(error)};
  } catch (const std::bad_alloc&) {
    return {LACP_FAILED, error_json("memory", "there is not enough memory")};
  } catch (const std::exception& error) {
    return {LACP_FAILED, error_json("other", error.what())};
  } catch (...) {
    return {LACP_FAILED, error_json("other", "an unknown error")};
  }
}

/// Calls with an Answer to fill, and lets nothing out.
template <class Call>
std::int64_t guarded(const Call& call) noexcept {
  static const bool silent = [] {
    static std::ostream nowhere(nullptr);
    arma::set_cerr_stream(nowhere);
    return quiet = true;
  }();
  try {
    Answer answer;
    std::int64_t result = silent ? LACP_DONE : LACP_FAILED;
    std::string error = "null";
    saved = {};
    try {
      result = call(answer);
    } catch (...) {
      std::tie(result, error) = error_of(std::current_exception());
      answer = {};
    }
    say_all(error, answer);
    return result;
  } catch (...) {
    said_text =
        R"({"error":{"code":"memory","values":[],"message":"there is not enough memory"},"warnings":[]})";
    return LACP_FAILED;
  }
}

/// Does the work on a thread of its own, and asks meanwhile whether it is to end.
template <class Work>
auto watched(lacp_watch watch, const Work& work) -> decltype(work()) {
  constexpr std::chrono::milliseconds pause(50);
  std::atomic<bool> stop = false;
  const auto interruptible = [&] {
    interruption = &stop;
    const struct End {
      ~End() { interruption = nullptr; }
    } end;
    return work();
  };
  if (watch == nullptr) return work();
  auto under_way = std::async(std::launch::async, interruptible);
  while (under_way.wait_for(pause) != std::future_status::ready)
    if (!stop && watch() != 0) stop = true;
  if (stop) throw Interrupted();  // also if the work was done by then, so that nothing has changed
  return under_way.get();
}

/// Rows of numbers for the caller: the prediction and all else, or what widens an interval.
class Out {
 public:
  Out(double* numbers, std::int64_t size, std::size_t rows, std::size_t row)
      : end_(numbers), left_(rows), row_(row) {
    if (size < 0 || static_cast<std::size_t>(size) != rows * row || (numbers == nullptr && size > 0))
      user_error("out: has {} numbers; expected {} for each of {} rows", size, row, rows);
  }
  void add(const TableIntervals& found, const arma::mat& numbers, bool why) {
    for (arma::uword n = 0; n < numbers.n_cols && left_ > 0; ++n, --left_) {
      if (!why) *end_++ = found.f(n);
      end_ = std::copy_n(numbers.colptr(n), row_ - (why ? 0 : 1), end_);
    }
  }

 private:
  double* end_;
  std::size_t left_, row_;
};

std::int64_t ask(std::int64_t number, const lacp_table* given, const char* options, double* out,
                 std::int64_t size, lacp_watch watch) {
  return guarded([&](Answer& answer) {
    const Model model = models().at(number);
    const GivenTable table(given);
    PredictOptions asked_for = predict_options(read_options(options), table);
    StreamCounts counts;
    watched(watch, [&] {
      const Asked asked(*model, asked_for);
      asked_for.questions = asked.questions();
      const bool why = asked_for.why;
      Out rows(out, size, table.memory.rows,
               why ? model->columns().attributes.size() : 1 + asked.names().size());
      std::mutex guard;
      std::map<std::size_t, arma::mat> numbers;  // by the line of their first row
      counts = stream_table(
          *model, asked_for,
          [&](const TableIntervals& found) {
            arma::mat own = why ? asked.widening(found) : asked.numbers_of(found);
            const std::lock_guard lock(guard);
            if (!found.lines.empty()) numbers[found.lines.front()] = std::move(own);
            return std::string();
          },
          [&](const TableIntervals& found, const std::string&) {
            const std::lock_guard lock(guard);
            if (!found.lines.empty()) rows.add(found, numbers.extract(found.lines.front()).mapped(), why);
          });
      answer.warn(asked.warnings());
    });
    answer.warn(warnings_of(counts, *model));
    return std::int64_t{LACP_DONE};
  });
}

}  // namespace
}  // namespace lacp

using namespace lacp;

int64_t lacp_fit(const lacp_table* given, const char* options, lacp_watch watch) {
  return guarded([&](Answer& answer) {
    const GivenTable table(given);
    FitOptions fit_with = fit_options(read_options(options));
    Draft input{.description = description_of(*given, table, fit_with.group)};
    FitPlan plan = plan_of(fit_with);
    LoadedDataset loaded = load_for_fit(input.description, table.source, fit_with.group);
    std::optional<TableModel> model;
    watched(watch, [&] {
      const auto look = [](const EpochReport&) { end_if_interrupted(); };
      Fitted fit = fit_table(std::move(plan), std::move(input), std::move(loaded), look);
      FitAnswer found = answer_of(fit);
      answer = {std::move(found.json), std::move(found.notices)};
      if (fit.repeats) answer.warnings.insert(answer.warnings.begin(), *fit.repeats);
      model = std::move(fit.model);
    });
    return models().add(std::move(*model));
  });
}

int64_t lacp_predict(int64_t model, const lacp_table* table, const char* options, double* out, int64_t size,
                     lacp_watch watch) {
  return ask(model, table, options, out, size, watch);
}

int64_t lacp_ask(int64_t model, const lacp_table* table, const char* options, double* out, int64_t size,
                 lacp_watch watch) {
  return ask(model, table, options, out, size, watch);
}

int64_t lacp_update(int64_t number, const lacp_table* given, const char* options, lacp_watch watch) {
  return guarded([&](Answer& answer) {
    const Model model = models().at(number);
    const GivenTable table(given);
    const UpdateOptions how = update_options(read_options(options), table);
    const std::string group = how.group.empty() ? model->group() : how.group;
    if (group.empty() && model->predictor().grouped())
      user_error("the model was fitted with groups; expected those of the new rows, too");
    LabelledRows rows = read_labelled(*model, how, group);
    std::vector<std::string> warnings;
    std::optional<TableModel> updated;
    watched(watch, [&] {
      updated = calibrated_by(*model, rows, how, [&](const std::string& text) { warnings.push_back(text); });
    });
    answer.warn(warnings);
    answer.warn(warnings_of(rows.counts, *model));
    answer.warn(infinite_lines(*updated, updated->levels()));
    return models().add(std::move(*updated));
  });
}

int64_t lacp_evaluate(int64_t number, const lacp_table* given, const char* options, lacp_watch watch) {
  return guarded([&](Answer& answer) {
    const Model model = models().at(number);
    const GivenTable table(given);
    const EvaluateOptions how = evaluate_options(read_options(options), table);
    answer.json = watched(watch, [&] { return evaluation_json(*model, how); });
    return std::int64_t{LACP_DONE};
  });
}

int64_t lacp_info(int64_t number) {
  return guarded([&](Answer& answer) {
    answer.json = info_json("", *models().at(number));
    return std::int64_t{LACP_DONE};
  });
}

int64_t lacp_save(int64_t number, const char** bytes, int64_t* size) {
  return guarded([&](Answer&) {
    if (bytes == nullptr || size == nullptr) user_error("lacp_save: expected where to put the bytes");
    saved = models().at(number)->to_bytes();
    *bytes = saved.data();
    *size = static_cast<std::int64_t>(saved.size());
    return std::int64_t{LACP_DONE};
  });
}

int64_t lacp_load(const char* bytes, int64_t size, const char* name) {
  return guarded([&](Answer&) {
    if (bytes == nullptr || size < 0) user_error("lacp_load: expected bytes");
    return models().add(
        TableModel::from_bytes({bytes, static_cast<std::size_t>(size)}, name == nullptr ? "model" : name));
  });
}

void lacp_free(int64_t model) { models().erase(model); }

const char* lacp_said() { return said_text; }
