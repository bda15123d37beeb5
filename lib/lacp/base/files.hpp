#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lacp {

/// The whole file as bytes. UserError if it cannot be read or is larger than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t most = std::size_t{1} << 32);

/// Writes the whole file or nothing: a temporary name in the same folder, synced, then renamed over `path`.
/// Makes the folder if needed. A reader sees the old bytes or the new ones, never a part; RunError keeps the
/// old file, and its mode is kept, too. Links are followed. What is there and is no regular file (a device, a
/// named pipe), or is our own standard output, is written as it is. UserError for a folder or an input.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// From now on this file is an input: nothing is written over it. "-": what standard input comes from.
void protect_input(const std::filesystem::path& path);

/// Throws what writing this file would throw: for the beginning of long work.
void check_writable(const std::filesystem::path& path);

/// For a handler of signals that ends the process: no temporary file stays, and none is made any more.
void remove_temporary_files() noexcept;

/// As write_file for a file that is written piece by piece. RunError as soon as a piece cannot be written;
/// what was written is gone again unless `keep` was called.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void append(std::string_view bytes);

  /// The file is whole: it takes its name.
  void keep();

 private:
  NewFile() = default;
  [[noreturn]] void give_up(std::string_view step) const;
  void make_temporary(const std::filesystem::path& folder, unsigned mode);

  std::filesystem::path path_;
  struct Temporary* temporary_ = nullptr;  // none: `path_` is written as it is
  int descriptor_ = -1;
};

}  // namespace lacp
