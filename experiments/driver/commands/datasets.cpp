// `lacp datasets`: lists them; with fetch, check and add.
#include <algorithm>

#include "commands/commands.hpp"
#include "experiment/settings/experiment.hpp"
#include "tool/draft/draft.hpp"

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
  const auto columns = [&](const char* name, std::vector<std::string>& texts, const char* about) {
    add(command, name, texts, "COLUMNS", about)->allow_extra_args(false);
  };
  add(command, "--target", o.target, "COLUMN", "column to predict (default: the last of numbers)");
  add(command, "--missing", o.missing, "TEXT", "a mark of missing cells")->allow_extra_args(false);
  columns("--drop", o.drop, "columns to leave out");
  columns("--categories", o.categories, "numbers that are names");
  columns("--numbers", o.numbers, "columns of numbers, as 007");
  add(command, "--decimal", o.decimal, "point|comma", "mark of decimals: 1,234");
  add(command, "--delimiter", o.delimiter, "MARK", "a character, tab or blanks");
  add(command, "--skip", o.skip, "N", "lines above the header");
  command.add_flag("--all-rows", o.all_rows, "keep totals and notes");
  add_sheet(command, o.sheet);
  add(command, "--date", o.date, "day_first|month_first", "what 03/04/2020 means");
}

void add_datasets_command(CLI::App& program) {
  CLI::App* datasets = program.add_subcommand("datasets", "List, fetch or add data sets");
  const auto o = std::make_shared<DatasetsOptions>();
  add_datasets_folder(*datasets, o->folder);
  datasets->require_subcommand(0, 1);
  datasets->callback([=] {
    if (datasets->get_subcommands().empty()) exit_code = list_datasets(o->folder);
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Fetch missing files");
  add(*fetch, "NAME", o->names, "DATASET", "data sets (default: all)");
  add(*fetch, "--for", o->experiments, "EXPERIMENT", "those of an experiment");
  add(*fetch, "--mirror", o->mirror, "FOLDER", "look here first");
  fetch->fallthrough()->callback(
      [=] { exit_code = fetch_datasets(o->folder, with_experiments(o->names, o->experiments), o->mirror); });

  CLI::App* check = datasets->add_subcommand("check", "Describe a data set");
  add(*check, "NAME", o->name, "DATASET", "data set, or its .yaml")->required();
  check->fallthrough()->callback([=] { exit_code = show_check(o->folder, o->name); });

  CLI::App* draft = datasets->add_subcommand("add", "Draft a table's description");
  draft->add_option("FILE", o->file, "a csv, csv.gz or xlsx")->required();
  add(*draft, "--name", o->name, "NAME", "default: that of the file");
  add_draft_options(*draft, o->draft);
  draft->fallthrough()->callback([=] { exit_code = add_dataset(*o); });
}

}  // namespace lacp
