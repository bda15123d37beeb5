#include "store/cells.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace fs = std::filesystem;

/// The pack that has the task's cell. One that has not is looked at again if it was written meanwhile: a
/// loose cell may just have gone into it.
std::shared_ptr<const Pack> Cells::pack_with(const Task& task) const {
  const std::lock_guard lock(mutex_);
  Opened& opened = packs_[task.dataset];
  if (opened.pack && opened.pack->has(task)) return opened.pack;
  const fs::path file = pack_path(folder_, task.dataset);
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(file, error);
  if (error) return nullptr;
  if (!opened.pack || opened.written != written)
    opened = {std::make_shared<const Pack>(read_file(file), task.dataset, file.string()), written};
  return opened.pack->has(task) ? opened.pack : nullptr;
}

bool Cells::has(const Task& task) const {
  std::error_code error;
  return fs::exists(cell_path(folder_, task), error) || pack_with(task) != nullptr;
}

std::optional<CellText> Cells::text(const Task& task) const {
  constexpr std::size_t most_bytes = 1 << 20;  // usual are a few thousand
  const fs::path file = cell_path(folder_, task);
  std::error_code error;  // of a folder that cannot be read: reading the cell says so
  if (fs::exists(file, error) || error) {
    try {
      return CellText{read_file(file, most_bytes), file.string()};
    } catch (const UserError&) {
      if (fs::exists(file, error) || error) throw;  // else it went into the pack a moment ago
    }
  }
  if (const auto pack = pack_with(task)) return pack->text(task);
  return std::nullopt;
}

std::optional<Cell> Cells::read(const Task& task) const {
  const std::optional<CellText> found = text(task);
  if (!found) return std::nullopt;
  Cell cell = parse_cell(found->text, found->source);
  if (cell.task != task)
    user_error("{}: is the cell of another task ({})", found->source, to_text(cell.task));
  return cell;
}

}  // namespace lacp
