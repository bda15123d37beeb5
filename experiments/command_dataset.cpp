#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "commands.hpp"
#include "datasets_folder.hpp"
#include "lacp/base/error.hpp"
#include "lacp/data/catalog.hpp"
#include "lacp/data/check.hpp"
#include "lacp/data/fetch.hpp"
#include "message.hpp"
#include "store.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

struct DatasetOptions {
  fs::path folder;
  fs::path mirror;
  std::vector<std::string> names;  ///< for fetch
  std::string name;                ///< for check
};

/// A name stands for a data set of the catalog, and a path to a yaml for the set that it describes.
DatasetDescription describe(const Catalog& catalog, const std::string& name_or_file) {
  const bool is_file = name_or_file.ends_with(".yaml") || name_or_file.find('/') != std::string::npos;
  return is_file ? read_description(name_or_file, catalog.cache()) : catalog.find(name_or_file);
}

std::string count_text(std::size_t count) { return count == 0 ? "?" : fmt::format("{}", count); }

std::string status_text(const DatasetDescription& description) {
  if (is_synthetic(description)) return "generated";
  if (at_hand(description)) return description.source->url.empty() ? "embedded" : "at hand";
  return "not at hand";
}

void list_datasets(const DatasetOptions& options, int& exit_code) {
  const Catalog catalog(datasets_folder(options.folder));
  std::vector<std::string> wrong;
  bool all_at_hand = true;
  fmt::print("{:<16} {:>7} {:>10}  {:<10}  {:<11}  {}\n", "name", "rows", "attributes", "licence", "file",
             "title");
  for (const std::string& name : catalog.names()) {
    try {
      const DatasetDescription description = catalog.find(name);
      all_at_hand = all_at_hand && at_hand(description);
      fmt::print("{:<16} {:>7} {:>10}  {:<10}  {:<11}  {}\n", name, count_text(description.rows),
                 count_text(description.attributes), description.licence, status_text(description),
                 description.title);
    } catch (const UserError& error) {
      wrong.emplace_back(error.what());
    }
  }
  if (!all_at_hand) fmt::print("\n`lacp datasets fetch` gets what is not at hand.\n");
  std::fflush(stdout);
  for (const std::string& message : wrong) tell("lacp: {}\n", message);
  if (!wrong.empty()) exit_code = exit_wrong_input;
}

fs::path mirror_folder(const fs::path& option) {
  const char* named = std::getenv("LACP_MIRROR");
  const fs::path mirror = !option.empty() ? option : fs::path(named == nullptr ? "" : named);
  if (!mirror.empty() && !fs::is_directory(mirror))
    user_error("{}: is not a folder; --mirror (or LACP_MIRROR) expects one that holds downloaded files",
               mirror.string());
  return mirror;
}

void fetch_datasets(const DatasetOptions& options, int& exit_code) {
  const Catalog catalog(datasets_folder(options.folder));
  const FetchOptions fetch{.mirror = mirror_folder(options.mirror),
                           .show_progress = ::isatty(STDERR_FILENO) == 1};
  std::vector<DatasetDescription>
      descriptions;  // all of them before the first download: a wrong name costs no time
  for (const std::string& name : options.names.empty() ? catalog.names() : options.names)
    descriptions.push_back(describe(catalog, name));
  remove_leftovers(catalog.cache());
  for (const DatasetDescription& description : descriptions) {
    try {
      fmt::print("{}: {}\n", description.name, fetch_dataset(description, fetch));
      std::fflush(stdout);
    } catch (const RunError& error) {
      tell("lacp: {}: {}\n", description.name, error.what());
      exit_code = exit_failed;
    }
  }
}

void check_one(const DatasetOptions& options) {
  const Catalog catalog(datasets_folder(options.folder));
  const DatasetDescription description = describe(catalog, options.name);
  const DatasetCheck check = check_dataset(description);
  fmt::print("{}", check_text(description, check));
  std::fflush(stdout);
  if (!check.refusal.empty()) user_error("an experiment would refuse this data set: {}", check.refusal);
  fmt::print("An experiment can read this data set.\n");
}

}  // namespace

void add_dataset_commands(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DatasetOptions>();
  CLI::App* datasets = app.add_subcommand("datasets", "List the data sets, get their files, check one");
  datasets->add_option("--datasets-folder", options->folder,
                       "Folder of the descriptions (default: LACP_DATASETS, or ./datasets)");
  datasets->require_subcommand(0, 1);
  datasets->callback([=, &exit_code] {
    if (datasets->get_subcommands().empty()) list_datasets(*options, exit_code);
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Get the files that are missing into the cache");
  fetch->add_option("NAME", options->names, "Data sets to get (default: all)");
  fetch->add_option("--mirror", options->mirror,
                    "Folder of downloaded files to look into first (default: LACP_MIRROR)");
  fetch->fallthrough();
  fetch->callback([=, &exit_code] { fetch_datasets(*options, exit_code); });

  CLI::App* check =
      datasets->add_subcommand("check", "Read one as an experiment would, and say what is in it");
  check->add_option("NAME", options->name, "Data set, or path of a description (.yaml)")->required();
  check->fallthrough();
  check->callback([=] { check_one(*options); });
}

}  // namespace lacp
