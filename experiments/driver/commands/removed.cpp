// What older versions had, and what to use instead.
#include <array>

#include "commands/program.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace {

constexpr auto removed = std::to_array<RemovedWord>({
    {"ablation", "", "write a yaml with based_on and one setting, run it, and lacp compare both folders"},
    {"compare", "--format", "read comparison.csv"},
    {"report", "--article", "see results/README.md"},
    {"fit", "--no-row-hashes", "models keep no hashes of rows"},
    {"update", "--dry-run", "compare both by lacp evaluate"},
    {"update", "--known", "give new rows alone"},
    {"predict", "--samples", "--quantiles 0.1,0.5,0.9"},
    {"predict", "--seed", "it draws no random numbers"},
    {"run", "--mirror", "lacp datasets fetch --mirror FOLDER"},
    {"fit", "--below-limit", "<0.5 is read as 0.5"},
    {"fit", "--calibration-folds", "--calibration split sets rows aside; else every row trains and calibrates"},
    {"verify", "--share", "--sample N draws cells"},
    {"predict", "--figure-over", "lacp evaluate --over"},
    {"fit", "--doubles", "lib/python/lacp.h takes rows of a program"},
    {"predict", "--doubles", "lib/python/lacp.h takes rows of a program"},
    {"predict", "--names", "names are as lower_90"},
});

}  // namespace

std::span<const RemovedWord> removed_words() { return removed; }

void refuse_removed(std::string_view command, std::string_view option) {
  for (const RemovedWord& word : removed_words())
    if (word.command == command && word.option == option)
      user_error("{}{}{}: was removed; {}", command, option.empty() ? "" : " ", option, word.instead);
}

}  // namespace lacp
