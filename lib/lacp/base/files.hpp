#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lacp {

/// The whole file as bytes. UserError if it cannot be read or is larger than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t most = std::size_t{1} << 32);

/// Writes the whole file or nothing: a temporary name in the same folder, synced, then renamed over `path`.
/// Makes the folder if needed. A reader sees the old bytes or the new ones, never a part; RunError keeps the
/// old file.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// The same for a file that is written piece by piece. RunError as soon as a piece cannot be written; what
/// was written is gone again unless `keep` was called.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void append(std::string_view bytes);

  /// The file is whole: it takes its name.
  void keep();

 private:
  [[noreturn]] void give_up(std::string_view step) const;

  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

}  // namespace lacp
