#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lacp {

/// The whole file as bytes. UserError if it cannot be read or is larger than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t most = std::size_t{1} << 32);

/// Writes the whole file or nothing: a file without a name in the same folder, synced, then named `path`;
/// where there is a file already, or the system has none without names, it is renamed. Makes the folder if
/// needed. A reader sees the old bytes or the new ones, never a part; RunError keeps the old file, and its
/// mode is kept, too. Links are followed. What is there and is no regular file (a device, a named pipe), or
/// is our own standard output, is written as it is. UserError for a folder or an input.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// From now on this file is an input: nothing is written over it. "-": what standard input comes from.
void protect_input(const std::filesystem::path& path);

/// Throws what writing this file would throw: for the beginning of long work.
void check_writable(const std::filesystem::path& path);

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
  void open_temporary(const std::filesystem::path& folder, unsigned mode);
  std::string own_link() const;                        ///< that leads to the open file
  bool take_name(const std::filesystem::path&) const;  ///< false, with errno, if it cannot have it

  std::filesystem::path path_, temporary_;  // where it goes; what it is called until then, "" for nothing
  bool in_place_ = true;
  int descriptor_ = -1;
};

}  // namespace lacp
