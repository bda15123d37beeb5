#pragma once

#include <filesystem>
#include <utility>

namespace lacp {

/// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Held for as long as it lives: who reads a record of a folder, changes it and writes it back takes its lock
/// first, so that several runs at once lose nothing of each other. Where the file system has no locks, nobody
/// has it, and everybody goes on.
class FolderLock {
 public:
  /// Makes the folder, if it can. Waits until the lock is free, or not.
  explicit FolderLock(const std::filesystem::path& folder, bool wait = true);

  bool held() const { return held_; }

 private:
  Descriptor folder_;
  bool held_ = false;
};

}  // namespace lacp
