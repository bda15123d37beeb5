// `lacp datasets`, with fetch, check and add.
#include <memory>

#include "commands/commands.hpp"
#include "work/dataset_commands.hpp"

namespace lacp {
namespace fs = std::filesystem;

void add_dataset_commands(CLI::App& app, int& exit_code) {
  struct Options {
    fs::path folder, mirror;
    std::vector<std::string> names;  // for fetch
    std::vector<fs::path> experiments;
    std::string name;  // for check
    fs::path file;     // for add, with a target
    std::string target;
  };
  auto options = std::make_shared<Options>();
  CLI::App* datasets =
      app.add_subcommand("datasets", "List the data sets, get their files, check one, add one");
  datasets
      ->add_option("--datasets-folder", options->folder,
                   "folder of the descriptions (default: ./datasets, or LACP_DATASETS)")
      ->type_name("FOLDER");
  datasets->require_subcommand(0, 1);
  datasets->callback([=, &exit_code] {
    if (datasets->get_subcommands().empty()) exit_code = list_datasets(options->folder);
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Get the files that are missing into the cache");
  fetch->add_option("NAME", options->names, "data sets to get (default: all)")->type_name("DATASET");
  fetch->add_option("--for", options->experiments, "get those of an experiment; can be given several times")
      ->type_name("EXPERIMENT");
  fetch
      ->add_option("--mirror", options->mirror,
                   "folder of downloaded files to look into first (default: LACP_MIRROR)")
      ->type_name("FOLDER");
  fetch->fallthrough();
  fetch->callback([=, &exit_code] {
    exit_code = fetch_datasets(options->folder, options->mirror, options->names, options->experiments);
  });

  CLI::App* check =
      datasets->add_subcommand("check", "Read one as an experiment would, and say what is in it");
  check->add_option("NAME", options->name, "data set, or path of a description (.yaml)")
      ->required()
      ->type_name("DATASET");
  check->fallthrough();
  check->callback([=, &exit_code] { exit_code = show_check(options->folder, options->name); });

  CLI::App* add = datasets->add_subcommand("add", "Write a draft of the description of a file, and check it");
  add->add_option("FILE", options->file, "a table: csv, csv.gz or xlsx; the data set is named after it")
      ->required();
  add->add_option("--target", options->target, "column to predict (default: the last one of numbers)")
      ->type_name("COLUMN");
  add->fallthrough();
  add->callback(
      [=, &exit_code] { exit_code = add_dataset(options->folder, options->file, options->target); });
}

}  // namespace lacp
