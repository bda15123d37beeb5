// `lacp datasets`: lists them; with fetch, check and add.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "commands/commands.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/files.hpp"
#include "lacp/conformal/registry.hpp"
#include "tool/draft/draft.hpp"

namespace lacp {
namespace {

struct DatasetsOptions {
  fs::path folder, mirror, file;
  std::vector<std::string> names;     // for fetch
  std::vector<fs::path> experiments;  // for fetch
  std::string name;                   // for check and add
  DraftOptions draft;                 // for add
};

/// Rows and attributes as the description says them, or else as its file has them.
std::pair<std::size_t, std::size_t> counts_of(const DatasetDescription& description) {
  if ((description.rows == 0 || description.attributes == 0) && at_hand(description)) try {
      const DatasetCheck check = check_dataset(description);
      return {check.rows, check.attributes};
    } catch (const UserError&) {  // `lacp datasets check` says what is wrong with it
    }
  return {description.rows, description.attributes};
}

std::string status_text(const DatasetDescription& description) {
  if (is_synthetic(description)) return "generated";
  if (at_hand(description)) return description.source->url.empty() ? "local" : "fetched";
  return "missing";
}

int list_datasets(const fs::path& folder) {
  const Catalog catalog = open_catalog(folder);
  std::vector<std::string> wrong, advice;
  bool fetch_helps = false;
  constexpr auto line = "{:<20} {:>8} {:>10}  {:<11}  {}\n";
  const auto count_text = [](std::size_t count) { return count == 0 ? "?" : fmt::format("{}", count); };
  show(line, "name, title", "rows", "attributes", "file", "licence");
  for (const std::string& name : catalog.names()) {
    try {
      const DatasetDescription description = catalog.find(name);
      if (!at_hand(description) && can_fetch(description))
        fetch_helps = true;
      else if (!at_hand(description))
        advice.push_back(fmt::format("{}: {} is missing; {}", name, description.source->original.string(),
                                     how_to_get(description)));
      const auto [rows, attributes] = counts_of(description);
      show(line, name, count_text(rows), count_text(attributes), status_text(description),
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

/// Gets the files of these data sets and of those of these experiments, or of all.
int fetch_datasets(const DatasetsOptions& options) {
  std::vector<std::string> names = options.names;
  for (const fs::path& file : options.experiments)
    for (const std::string& name : load_experiment(file).datasets)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  const Catalog catalog = open_catalog(options.folder);
  const char* named = std::getenv("LACP_MIRROR");
  const fs::path mirror = options.mirror.empty() && named != nullptr ? named : options.mirror;
  if (std::error_code ignored; !mirror.empty() && !fs::is_directory(mirror, ignored))
    user_error("{}: is not a folder; --mirror (or LACP_MIRROR) expects one that holds downloaded files",
               mirror.string());
  // All of them before the first download: a wrong name costs no time.
  std::vector<DatasetDescription> descriptions;
  for (const std::string& name : names.empty() ? catalog.names() : names)
    descriptions.push_back(describe_dataset(catalog, name));
  std::vector<DatasetDescription> all = descriptions;
  for (const std::string& name : catalog.names()) try {
      all.push_back(catalog.find(name));
    } catch (const UserError&) {  // this one was not asked for
    }
  refuse_shared_names(all);
  remove_leftovers(catalog.cache());
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  int code = exit_done;
  for (const DatasetDescription& description : descriptions) {
    try {
      show("{}: {}\n", description.name,
           fetch_dataset(description, {.mirror = mirror, .show_progress = on_terminal}));
      std::fflush(stdout);
    } catch (const std::runtime_error& error) {
      tell("lacp: {}: {}\n", description.name, error.what());
      code = dynamic_cast<const UserError*>(&error) != nullptr ? exit_wrong_input : exit_failed;
    }
  }
  return code;
}

int show_check(const fs::path& folder, const std::string& name) {
  const DatasetCheck check = check_dataset(describe_dataset(open_catalog(folder), name));
  show("{}", check.text);
  std::fflush(stdout);
  if (!check.refusal.empty()) user_error("an experiment would refuse this data set: {}", check.refusal);
  show("An experiment can read this data set.\n");
  return exit_done;
}

/// Where `add` writes: into the folder of data sets, or ./datasets, which it makes, where there is none.
fs::path folder_to_add(const fs::path& option) {
  const char* named = std::getenv("LACP_DATASETS");
  try {
    return open_catalog(option).folder();
  } catch (const UserError&) {
    if (!option.empty() || (named != nullptr && *named != '\0')) throw;
    return "datasets";
  }
}

/// What a copy of the file is called: as the file, unless it is to have another name, or needs one.
std::string name_of_copy(const fs::path& file, const std::string& name, bool as_named) {
  const std::string own = file.filename().string();
  const bool plain = own[0] != '.' && own[0] != '-' && one_line(own) == own;
  if (plain && !as_named) return own;
  return name + (file.extension() == ".gz" ? file.stem().extension().string() : "") +
         file.extension().string();
}

/// Writes a draft of the description of a file into the folder, with a copy of the file if it lies elsewhere;
/// then checks it. UserError, and nothing changed, if either is there already or cannot be read again.
int add_dataset(const DatasetsOptions& o) {
  const fs::path folder = folder_to_add(o.folder), &file = o.file;
  require_table(file);
  std::error_code error;
  const std::string name = o.name.empty() ? name_after(file) : o.name;
  const fs::path yaml = folder / (name + ".yaml"), beside = folder / file.filename();
  if (dataset_name(yaml) != name)
    user_error("--name {}: is no name of a data set; expected letters, digits, _ and - only",
               show_text(name));
  const bool is_there =
      fs::equivalent(file, beside, error) && name_of_copy(file, name, false) == beside.filename();
  const fs::path copy = is_there ? beside : folder / name_of_copy(file, name, !o.name.empty());
  if (fs::exists(yaml, error))
    user_error(
        "{}: is there already; nothing was changed; give the data set another name (--name), or remove the description",
        yaml.string());
  if (!is_there && fs::exists(copy, error))
    user_error(
        "{}: is there already, and is not {}; nothing was changed; give the data set another name (--name)",
        copy.string(), file.string());
  const Draft draft =
      draft_description(table_in(file, o.draft.sheet), file.string(), copy.filename().string(), o.draft);
  std::vector<fs::path> made;
  try {
    if (fs::create_directories(folder, error)) made.push_back(folder);
    if (!is_there) write_file(copy, read_file(file)), made.push_back(copy);
    write_file(yaml, draft.text), made.push_back(yaml);
    fetch_dataset(open_catalog(folder).find(name), {});  // unpacks it
  } catch (const std::runtime_error&) {
    for (auto path = made.rbegin(); path != made.rend(); ++path) fs::remove(*path, error);
    throw;
  }
  const std::string wrote =
      yaml.string() + (is_there ? "" : fmt::format(", and a copy of {} beside it", file.string()));
  tell("{}\n", wrapped("wrote " + wrote + "; its guesses are marked there, and this is what they give:"));
  tell_notes(draft);
  return show_check(folder, name);
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
    if (datasets->get_subcommands().empty()) exit_code = list_datasets(o->folder);
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Get the files that are missing into the cache");
  add(*fetch, "NAME", o->names, "DATASET", "data sets to get (default: all)");
  add(*fetch, "--for", o->experiments, "EXPERIMENT",
      "get those of an experiment; can be given several times");
  add(*fetch, "--mirror", o->mirror, "FOLDER",
      "folder of downloaded files to look into first (default: LACP_MIRROR)");
  fetch->fallthrough()->callback([=] { exit_code = fetch_datasets(*o); });

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
