#include "work/dataset_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/exit_code.hpp"
#include "common/layout.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "datasets/check.hpp"
#include "datasets/datasets_folder.hpp"
#include "datasets/fetch.hpp"
#include "datasets/table_file.hpp"
#include "engine/enough_rows.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "store/store.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::string count_text(std::size_t count) { return count == 0 ? "?" : fmt::format("{}", count); }

/// Rows and attributes as the description says them, or else as its file has them.
std::pair<std::size_t, std::size_t> counts_of(const DatasetDescription& description) {
  if ((description.rows != 0 && description.attributes != 0) || !at_hand(description))
    return {description.rows, description.attributes};
  try {
    const DatasetCheck check = check_dataset(description);
    return {check.rows, check.attributes};
  } catch (const UserError&) {  // `lacp datasets check` says what is wrong with it
    return {description.rows, description.attributes};
  }
}

std::string status_text(const DatasetDescription& description) {
  if (is_synthetic(description)) return "generated";
  if (at_hand(description)) return description.source->url.empty() ? "local" : "fetched";
  return "missing";
}

fs::path mirror_folder(const fs::path& option) {
  const char* named = std::getenv("LACP_MIRROR");
  const fs::path mirror = !option.empty() ? option : fs::path(named == nullptr ? "" : named);
  std::error_code ignored;
  if (!mirror.empty() && !fs::is_directory(mirror, ignored))
    user_error("{}: is not a folder; --mirror (or LACP_MIRROR) expects one that holds downloaded files",
               mirror.string());
  return mirror;
}

/// Those that can be read, by name; a word about the others.
std::vector<Experiment> experiments_in(const fs::path& folder) {
  std::vector<Experiment> experiments;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".yaml") continue;
    try {
      experiments.push_back(load_experiment(entry->path()));
    } catch (const UserError& wrong) {
      tell("left out: {}\n", wrong.what());
    }
  }
  std::ranges::sort(experiments, {}, &Experiment::name);
  return experiments;
}

}  // namespace

int list_datasets(const fs::path& folder) {
  const Catalog catalog = open_catalog(folder);
  std::vector<std::string> wrong, advice;
  bool fetch_helps = false;
  const auto line = [](const std::string& name, const std::string& rows, const std::string& attributes,
                       const std::string& file, const std::string& licence) {
    show("{:<20} {:>8} {:>10}  {:<11}  {}\n", name, rows, attributes, file, licence);
  };
  line("name, title", "rows", "attributes", "file", "licence");
  for (const std::string& name : catalog.names()) {
    try {
      const DatasetDescription description = catalog.find(name);
      if (!at_hand(description) && can_fetch(description)) fetch_helps = true;
      if (!at_hand(description) && !can_fetch(description))
        advice.push_back(fmt::format("{}: {} is missing; {}", name, description.source->original.string(),
                                     how_to_get(description)));
      const auto [rows, attributes] = counts_of(description);
      line(name, count_text(rows), count_text(attributes), status_text(description),
           description.licence.empty() ? "-" : description.licence);
      show("    {}\n", wrapped(description.title, 4, 4));
      const std::vector<std::string> methods = method_names();
      if (std::ranges::find(methods, name) != methods.end())
        advice.push_back(
            fmt::format("{0} is a method too: --datasets {0} is this, --methods {0} that.", name));
    } catch (const UserError& error) {
      wrong.emplace_back(error.what());
    }
  }
  if (fetch_helps)
    advice.emplace_back("`lacp datasets fetch` gets the files that are missing and on a server.");
  if (!advice.empty()) show("\n{}\n", join(advice, "\n"));
  std::fflush(stdout);
  for (const std::string& message : wrong) tell("lacp: {}\n", message);
  return wrong.empty() ? exit_done : exit_wrong_input;
}

int fetch_datasets(const fs::path& folder, const fs::path& mirror, std::vector<std::string> names,
                   const std::vector<fs::path>& experiments) {
  for (const fs::path& file : experiments)
    for (const std::string& name : load_experiment(file).datasets)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  const Catalog catalog = open_catalog(folder);
  const FetchOptions fetch{.mirror = mirror_folder(mirror), .show_progress = ::isatty(STDERR_FILENO) == 1};
  // All of them before the first download: a wrong name costs no time.
  std::vector<DatasetDescription> descriptions;
  for (const std::string& name : names.empty() ? catalog.names() : names)
    descriptions.push_back(describe_dataset(catalog, name));
  std::vector<DatasetDescription> all = descriptions;
  for (const std::string& name : catalog.names()) {
    try {
      all.push_back(catalog.find(name));
    } catch (const UserError&) {  // this one was not asked for
    }
  }
  refuse_shared_names(all);
  remove_leftovers(catalog.cache());
  int exit_code = exit_done;
  for (const DatasetDescription& description : descriptions) {
    try {
      show("{}: {}\n", description.name, fetch_dataset(description, fetch));
      std::fflush(stdout);
    } catch (const std::runtime_error& error) {
      tell("lacp: {}: {}\n", description.name, error.what());
      exit_code = dynamic_cast<const UserError*>(&error) != nullptr ? exit_wrong_input : exit_failed;
    }
  }
  return exit_code;
}

int show_check(const fs::path& folder, const std::string& name) {
  const Catalog catalog = open_catalog(folder);
  const DatasetDescription description = describe_dataset(catalog, name);
  const DatasetCheck check = check_dataset(description);
  show("{}", check_text(description, check));
  std::fflush(stdout);
  if (!check.refusal.empty()) user_error("an experiment would refuse this data set: {}", check.refusal);
  show("An experiment can read this data set.\n{}",
       enough_rows_text(experiments_in(catalog.folder() / ".." / "experiments"), check.rows));
  return exit_done;
}

}  // namespace lacp
