// `lacp datasets add`
#include <cstdlib>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "tool/draft/draft.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

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

}  // namespace

int add_dataset(const AddOptions& o) {
  const fs::path folder = folder_to_add(o.folder), &file = o.file;
  require_table(file);
  std::error_code error;
  const std::string name = o.name.empty() ? name_after(file) : o.name;
  const fs::path yaml = folder / (name + ".yaml"), beside = folder / file.filename();
  if (dataset_name(yaml) != name)
    user_error("--name {}: expected letters, digits, _ and - only", show_text(name));
  const bool is_there =
      fs::equivalent(file, beside, error) && name_of_copy(file, name, false) == beside.filename();
  const fs::path copy = is_there ? beside : folder / name_of_copy(file, name, !o.name.empty());
  if (fs::exists(yaml, error)) user_error("{}: is there already; remove it, or say --name", yaml.string());
  if (!is_there && fs::exists(copy, error))
    user_error("{}: is there already, and is not {}; say --name", copy.string(), file.string());
  const Draft draft =
      draft_description(table_in(file, o.draft.sheet), file.string(), copy.filename().string(), o.draft);
  std::vector<fs::path> made;
  try {
    if (fs::create_directories(folder, error)) made.push_back(folder);
    if (!is_there) {
      write_file(copy, read_file(file));
      made.push_back(copy);
    }
    write_file(yaml, draft.text);
    made.push_back(yaml);
    open_catalog(folder).find(name);  // it can be read again
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

}  // namespace lacp
