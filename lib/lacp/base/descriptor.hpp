#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
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
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Reads until `bytes` has this size or the file ends. False, with errno, if it cannot be read.
inline bool read_all(int descriptor, std::string& bytes, std::size_t size) {
  std::size_t filled = bytes.size();
  bytes.resize(size);
  ssize_t got = 1;
  while (filled < size && got != 0) {
    got = ::read(descriptor, bytes.data() + filled, size - filled);
    if (got < 0 && errno != EINTR) return false;
    filled += static_cast<std::size_t>(got < 0 ? 0 : got);
  }
  bytes.resize(filled);
  return true;
}

/// False, with errno, if not all could be written.
inline bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace lacp
