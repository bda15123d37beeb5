// Measures the parts that decide how long an experiment takes; `make bench` builds and runs it. What the
// measurements share: timing, the report, data.
#include "bench.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

#include "common/message.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/version.hpp"
#include "lacp/data/scaling.hpp"

namespace lacp::bench {
namespace {

constexpr double sample = 1e-3;  // seconds: long against the clock's own cost, short against a time slice
constexpr int fewest_samples = 3;

/// Seconds of processor time that this thread has used: on an idle machine the same as time on the clock, on
/// a busy one without the time in which others had the core.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Contender {
  const std::function<void()>& function;
  std::size_t calls = 1;
  double best = std::numeric_limits<double>::infinity();
};

double time_once(Contender& contender) {
  const double start = thread_seconds();
  for (std::size_t i = 0; i < contender.calls; ++i) contender.function();
  const double one = (thread_seconds() - start) / static_cast<double>(contender.calls);
  contender.best = std::min(contender.best, one);
  return one;
}

}  // namespace

std::vector<double> shortest(const std::vector<std::function<void()>>& functions, double budget) {
  std::vector<Contender> contenders;
  for (const auto& function : functions) {
    Contender contender{.function = function};
    const double first = std::max(time_once(contender), 1e-9);  // also warms the caches
    contender.calls = static_cast<std::size_t>(std::clamp(std::ceil(sample / first), 1.0, 1e5));
    contenders.push_back(contender);
  }
  const double start = thread_seconds();
  for (int round = 1; round < fewest_samples || thread_seconds() - start < budget; ++round)
    for (Contender& contender : contenders) time_once(contender);
  std::vector<double> best;
  for (const Contender& contender : contenders) best.push_back(contender.best);
  return best;
}

double shortest(const std::function<void()>& function, double budget) {
  return shortest(std::vector{function}, budget).front();
}

void Report::section(const std::string& title, const std::string& remark) {
  say(fmt::format("\n## {}\n\n{}\n\n", title, remark));
}

void Report::table(const Frame& table) { say(to_markdown(table)); }

void Report::say(const std::string& text) {
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
}

void Report::number(const std::string& name, double value) { numbers_.emplace_back(name, value); }

void Report::write(const std::filesystem::path& file) const {
  Frame table({"name", "value"}, file.string());
  for (const auto& [name, value] : numbers_) table.add({name, number_text(value)});
  write_file(file, to_text(table));
}

std::optional<DatasetDescription> fetched(Context& context, const std::string& name) {
  const DatasetDescription description = context.catalog.find(name);
  if (at_hand(description)) return description;
  context.report.say(fmt::format("{0} is missing and left out; `lacp datasets fetch {0}` gets it.", name));
  return {};
}

std::optional<Shuffled> shuffled(Context& context, const std::string& name) {
  const auto description = fetched(context, name);
  if (!description) return {};
  const Dataset data = load_dataset(*description);
  const Scaling scaling = Scaling::fit(data.X, data.y);
  Stream shuffle(11);
  const arma::uvec order(shuffle.permutation<arma::uword>(data.y.n_elem));
  return Shuffled{scaling.attributes(data.X.cols(order)), scaling.targets(data.y.elem(order))};
}

}  // namespace lacp::bench

int main(int argc, char** argv) {
  using namespace lacp::bench;
  CLI::App app("lacp_bench: how fast are the parts of lacp, and how fast could they be?", "lacp_bench");
  const std::vector<std::pair<std::string, void (*)(Context&)>> sections = {
      {"training", training_steps}, {"boosted", boosting}, {"predict", predicting}, {"load", many_tasks}};
  std::vector<std::string> names, chosen;
  for (const auto& [name, measure] : sections) names.push_back(name);
  double budget = 0.5;
  std::filesystem::path csv, datasets;
  app.add_option("sections", chosen, "what to measure (default: all)")->check(CLI::IsMember(names));
  app.add_option("--seconds", budget, "for each comparison")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  app.add_option("--csv", csv, "write the bare numbers to this file");
  app.add_option("--datasets-folder", datasets, "folder of data set descriptions");
  CLI11_PARSE(app, argc, argv);
  if (chosen.empty()) chosen = names;

  try {
    Report report;
    const auto here = std::filesystem::absolute(argv[0]).parent_path();
    Context context{report, lacp::open_catalog(datasets), budget, here / "lacp", LACP_EXPERIMENTS_OF_SOURCE};
    report.say(fmt::format(
        "# lacp bench\n\n```text\n{}```\n\nTimes are processor time of one thread, the shortest of many repetitions taken in turns: on a busy machine they come\nclose to those of an idle one, but caches are shared with whatever else runs.",
        lacp::version_text()));
    for (const auto& [name, measure] : sections)
      if (std::ranges::find(chosen, name) != chosen.end()) measure(context);
    if (!csv.empty()) report.write(csv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lacp_bench: {}\n", error.what());
    return lacp::exit_failed;
  }
  return lacp::exit_done;
}
