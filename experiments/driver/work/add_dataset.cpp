#include <fmt/format.h>

#include "common/layout.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "datasets/datasets_folder.hpp"
#include "datasets/draft.hpp"
#include "datasets/table_file.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "work/dataset_commands.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

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

}  // namespace

int add_dataset(const fs::path& folder, const fs::path& file, const std::string& target) {
  const Catalog catalog = open_catalog(folder);
  require_table(file);
  std::error_code error;
  const std::string name = name_after(file);
  const fs::path yaml = catalog.folder() / (name + ".yaml");
  if (fs::exists(yaml, error))
    user_error(
        "{}: is there already; nothing was changed; give the file another name, or remove the description",
        yaml.string());
  Copy copy(file, catalog.folder());
  std::string source;
  const std::string bytes = read_table(catalog.folder() / file.filename(), catalog.cache(), source);
  write_file(yaml, draft_description(bytes, source, file.filename().string(), target));
  const std::string copied = copy.keep() ? fmt::format(", and a copy of {} beside it", file.string()) : "";
  tell("{}\n", wrapped(fmt::format("wrote {}{}; its guesses are marked there, and this is what they give:",
                                   yaml.string(), copied)));
  return show_check(folder, name);
}

}  // namespace lacp
