// What gzip and zip have packed, unpacked here: no other program is needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lacp/base/descriptor.hpp"

struct z_stream_s;  // zlib's own

namespace lacp {

/// A file that gzip has packed, unpacked piece by piece while it is read.
class GzipFile {
 public:
  /// UserError, here and below, if it cannot be read, is not a gzip file, is damaged or cut off, has other
  /// bytes behind its end, or holds more than most_unpacked of its size.
  explicit GzipFile(const std::filesystem::path& file);

  /// Appends until `bytes` has this size or the table ends.
  void read(std::string& bytes, std::size_t size);

 private:
  bool has_more();

  std::string name_, packed_;
  Descriptor file_;
  std::shared_ptr<z_stream_s> stream_;
  std::uint64_t most_ = 0, read_ = 0;
  bool in_member_ = false;  ///< of which a file may have several, one behind the other
};

/// How many bytes a file of this size may hold: 100 times as many, at least 64 MB and at most 1 GB.
std::uint64_t most_unpacked(std::uint64_t packed);

/// All of a file that gzip has packed.
std::string gunzipped(const std::filesystem::path& file);

/// A zip archive in memory. Names within it lead nowhere: a member is found by its name, and becomes bytes.
class ZipArchive {
 public:
  /// `name` is what messages call it. UserError if it is no zip archive.
  ZipArchive(std::string bytes, std::string name);

  bool has(const std::string& member) const { return members_.contains(member); }

  /// The member, unpacked and checked. UserError if it is not there, is damaged, packed in a way that is not
  /// read, or has more than `most` bytes.
  std::string member(const std::string& member, std::uint64_t most) const;

 private:
  struct Member {
    unsigned flags = 0, method = 0, crc = 0;
    std::uint64_t packed = 0, size = 0, header = 0;  ///< bytes, unpacked bytes, where its header begins
  };
  [[noreturn]] void refuse(std::string_view why) const;
  std::uint64_t number(std::uint64_t at, unsigned bytes) const;
  void read_directory();
  Member read_entry(std::uint64_t at) const;
  std::string_view packed_bytes(const Member& member) const;

  std::string bytes_, name_;
  std::map<std::string, Member> members_;
};

}  // namespace lacp
