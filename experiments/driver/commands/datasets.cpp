// `lacp datasets`: lists them; with fetch, check and add.
#include <algorithm>

#include "commands/commands.hpp"
#include "datasets/listing.hpp"
#include "experiment/settings/experiment.hpp"
#include "lacp/conformal/registry.hpp"
#include "tool/draft/add.hpp"

namespace lacp {
namespace {

struct DatasetsOptions : AddOptions {
  fs::path mirror;
  std::vector<std::string> names;     // for fetch
  std::vector<fs::path> experiments;  // for fetch
};

/// Those of a list, and those of these experiments.
std::vector<std::string> with_experiments(std::vector<std::string> names,
                                          const std::vector<fs::path>& experiments) {
  for (const fs::path& file : experiments)
    for (const std::string& name : load_experiment(file).datasets)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

}  // namespace

void add_draft_options(CLI::App& command, DraftOptions& o) {
  add(command, "--target", o.target, "COLUMN", "column to predict (default: the last one of numbers)");
  add(command, "--missing", o.missing, "TEXT",
      "a cell that means that nothing is known, besides the usual ones (empty, NA, N/A, nan, null, -, ?, .); can be given several times")
      ->allow_extra_args(false);
  add(command, "--drop", o.drop, "COLUMNS", "columns to leave out, separated by commas")
      ->allow_extra_args(false);
  add(command, "--categories", o.categories, "COLUMNS", "columns whose numbers are names, as postcodes")
      ->allow_extra_args(false);
  add(command, "--numbers", o.numbers, "COLUMNS", "columns of numbers that begin with 0 and are no names")
      ->allow_extra_args(false);
  add(command, "--decimal", o.decimal, "point|comma", "what 1,234 means (default: as the other cells say)");
  add(command, "--below-limit", o.below_limit, "limit|half",
      "what <0.5 is, a value below a limit: that limit, or half of it (default: limit)");
  add(command, "--sheet", o.sheet, "NAME", "sheet of an xlsx file, by name or number (default: the first)");
  add(command, "--date", o.date, "day_first|month_first",
      "what 03/04/2020 means (default: as the other cells say)");
}

void add_datasets_command(CLI::App& program) {
  CLI::App* datasets =
      program.add_subcommand("datasets", "List the data sets, get their files, check one, add one");
  const auto o = std::make_shared<DatasetsOptions>();
  add_datasets_folder(*datasets, o->folder);
  datasets->require_subcommand(0, 1);
  datasets->callback([=] {
    if (datasets->get_subcommands().empty()) exit_code = list_datasets(o->folder, method_names());
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Get the files that are missing into the cache");
  add(*fetch, "NAME", o->names, "DATASET", "data sets to get (default: all)");
  add(*fetch, "--for", o->experiments, "EXPERIMENT",
      "get those of an experiment; can be given several times");
  add(*fetch, "--mirror", o->mirror, "FOLDER",
      "folder of downloaded files to look into first (default: LACP_MIRROR)");
  fetch->fallthrough()->callback(
      [=] { exit_code = fetch_datasets(o->folder, with_experiments(o->names, o->experiments), o->mirror); });

  CLI::App* check =
      datasets->add_subcommand("check", "Read one as an experiment would, and say what is in it");
  add(*check, "NAME", o->name, "DATASET", "data set, or path of a description (.yaml)")->required();
  check->fallthrough()->callback([=] { exit_code = show_check(o->folder, o->name); });

  CLI::App* draft =
      datasets->add_subcommand("add", "Write a draft of the description of a file, and check it");
  draft->add_option("FILE", o->file, "a table: csv, csv.gz or xlsx; the data set is named after it")
      ->required();
  add(*draft, "--name", o->name, "NAME", "name of the data set, and of the copy of the file");
  add_draft_options(*draft, o->draft);
  draft->fallthrough()->callback([=] { exit_code = add_dataset(*o); });
}

}  // namespace lacp
