#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/layout.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/datasets/catalog.hpp"
#include "lacp/datasets/draft.hpp"
#include "lacp/datasets/fetch.hpp"
#include "work/dataset_commands.hpp"
#include "work/datasets_folder.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// The file's name without its endings, in the letters that a data set's name may have.
std::string name_after(const fs::path& file) {
  std::string name = file.stem().string();
  if (file.extension() == ".gz") name = fs::path(name).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return name;
}

/// A copy of the file in a folder, unless it lies there, that is gone again if the work fails.
class Copy {
 public:
  Copy(const fs::path& file, const fs::path& folder) : path_(folder / file.filename()) {
    std::error_code error;
    if (fs::exists(path_, error)) {
      if (!fs::equivalent(file, path_, error))
        user_error("{}: is there already, and is not {}; nothing was changed; give the file another name",
                   path_.string(), file.string());
      return;
    }
    if (!fs::copy_file(file, path_, error))
      run_error("{}: cannot be copied to {}: {}", file.string(), path_.string(), error.message());
    made_ = true;
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    std::error_code ignored;
    if (made_ && !kept_) fs::remove(path_, ignored);
  }
  bool keep() { return kept_ = true, made_; }

 private:
  fs::path path_;
  bool made_ = false, kept_ = false;
};

/// The table of the file, unpacked or converted into the cache if it takes that.
std::string read_table(const Catalog& catalog, const fs::path& file, std::string& source_name) {
  DatasetDescription description;
  DatasetSource source;
  source.file = file.filename().string();
  source.gzip = file.extension() == ".gz";
  source.sheet = file.extension() == ".xlsx" ? 1 : 0;
  find_places(source, catalog.folder(), catalog.cache());
  description.source = source;
  fetch_dataset(description, {});
  source_name = source.table.string();
  return read_file(source.table);
}

}  // namespace

int add_dataset(const fs::path& folder, const fs::path& file, const std::string& target) {
  const Catalog catalog(datasets_folder(folder));
  std::error_code error;
  if (!fs::is_regular_file(file, error)) user_error("{}: is not there, or is no file", file.string());
  for (const char* ending : {".zip", ".tar", ".tar.gz", ".tgz", ".yaml"})
    if (file.string().ends_with(ending))
      user_error(
          "{}: is not a table; expected csv, csv.gz or xlsx; take the table out of an archive, or describe it as datasets/README.md says (source.member)",
          file.string());
  const std::string name = name_after(file);
  const fs::path yaml = catalog.folder() / (name + ".yaml");
  if (fs::exists(yaml, error))
    user_error(
        "{}: is there already; nothing was changed; give the file another name, or remove the description",
        yaml.string());
  Copy copy(file, catalog.folder());
  std::string source;
  const std::string bytes = read_table(catalog, file, source);
  write_file(yaml, draft_description(bytes, source, file.filename().string(), target));
  const std::string copied = copy.keep() ? fmt::format(", and a copy of {} beside it", file.string()) : "";
  tell("{}\n", wrapped(fmt::format("wrote {}{}; its guesses are marked there, and this is what they give:",
                                   yaml.string(), copied)));
  return show_check(catalog.folder(), name);
}

}  // namespace lacp
