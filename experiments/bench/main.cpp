// Measures the parts that decide how long an experiment takes. `make bench` builds and runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/version.hpp"

namespace {

using namespace lacp::bench;

struct Section {
  std::string name;
  void (*measure)(Context&);
};

const std::vector<Section> sections = {{"training", training_steps},
                                       {"adam", adam_passes},
                                       {"knn", knn_selection},
                                       {"boosted", boosting},
                                       {"csv", csv_reading},
                                       {"predict", predicting},
                                       {"leave_one_out", leave_one_out},
                                       {"load", many_tasks},
                                       {"protocols", whole_protocols}};

/// "load average 0.03 0.10 0.08", or nothing where the system does not tell.
std::string load_text() {
  double load[3];
  return getloadavg(load, 3) == 3
             ? fmt::format("load average {:.2f} {:.2f} {:.2f}", load[0], load[1], load[2])
             : "";
}

void print_head(Report& report, bool pinned) {
  report.say(fmt::format(
      "# lacp bench\n\n```text\n{}```\n\n{} processors, {}; {}.\n"
      "Times are processor time of that one thread, the shortest of many repetitions taken in turns: on a busy machine they come\nclose to those of an idle one, but caches are shared with whatever else runs.",
      lacp::version_text(), std::thread::hardware_concurrency(), load_text(),
      pinned ? "kept on one core" : "not kept on one core (the system has no call for it)"));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("lacp_bench: how fast are the parts of lacp, and how fast could they be?", "lacp_bench");
  std::vector<std::string> names, chosen;
  for (const Section& section : sections) names.push_back(section.name);
  bool protocols = false;
  double budget = 0.5;
  std::filesystem::path csv, datasets;
  app.add_option("sections", chosen, "what to measure (default: all but protocols)")
      ->check(CLI::IsMember(names));
  app.add_flag("--protocols", protocols, "measure whole protocols too: minutes");
  app.add_option("--seconds", budget, "for each comparison")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  app.add_option("--csv", csv, "write the bare numbers to this file");
  app.add_option("--datasets-folder", datasets, "folder of data set descriptions");
  CLI11_PARSE(app, argc, argv);
  if (chosen.empty()) chosen.assign(names.begin(), names.end() - 1);
  if (protocols) chosen.push_back("protocols");

  try {
    Report report;
    const auto here = std::filesystem::absolute(argv[0]).parent_path();
    Context context{report, lacp::open_catalog(datasets), budget, here / "lacp", LACP_EXPERIMENTS_OF_SOURCE};
    print_head(report, stay_on_one_core());
    for (const Section& section : sections)
      if (std::ranges::find(chosen, section.name) != chosen.end()) section.measure(context);
    if (!csv.empty()) report.write(csv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lacp_bench: {}\n", error.what());
    return lacp::exit_failed;
  }
  return lacp::exit_done;
}
