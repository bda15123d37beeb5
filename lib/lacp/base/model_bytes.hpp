#pragma once

#include <algorithm>
#include <armadillo>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacp/base/error.hpp"
#include "lacp/base/level.hpp"
#include "lacp/base/sha256.hpp"

/// The form of all saved models: magic, format version, content, SHA-256 of all that; little-endian.
namespace lacp {

/// What the file of a LocalPredictor begins with.
inline constexpr std::string_view predictor_magic = "lacp model\n";

static_assert(std::endian::native == std::endian::little);  // in the machine's byte order

class ModelWriter {
 public:
  ModelWriter(std::string_view magic, std::uint64_t version) : bytes_(magic) { number(version); }

  template <class Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Container>
  void array(const Container& values) {
    number(static_cast<std::uint64_t>(values.size()));
    if (values.size() > 0)
      bytes_.append(reinterpret_cast<const char*>(&*values.begin()), values.size() * sizeof *values.begin());
  }
  void matrix(const arma::mat& values) {
    number(std::uint64_t{values.n_rows});
    array(values);
  }

  void texts(const std::vector<std::string>& texts) {
    number(std::uint64_t{texts.size()});
    for (const std::string& text : texts) array(text);
  }

  void levels(const std::vector<Level>& levels) {
    number(std::uint64_t{levels.size()});
    for (const Level& level : levels) array(level.text());
  }

  /// All of it, with its checksum. The writer gives it away: it may be large.
  std::string whole() {
    bytes_ += sha256(bytes_);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

class ModelReader {
 public:
  /// UserError, naming `source`, for another magic, a wrong checksum, or another version.
  ModelReader(std::string_view bytes, const std::string& source, std::string_view magic,
              std::uint64_t version)
      : source_(source) {
    constexpr std::size_t digest_length = 64;
    if (bytes.size() < magic.size() + digest_length || !bytes.starts_with(magic))
      refuse("does not start as one");
    const std::string_view content = bytes.substr(0, bytes.size() - digest_length);
    if (bytes.substr(content.size()) != sha256(content)) refuse("is damaged: its checksum does not match");
    bytes_ = content.substr(magic.size());
    require_version(version);
  }

  /// The next number, the format of what follows, is the only one that is read.
  void require_version(std::uint64_t version) {
    const auto found = number<std::uint64_t>();
    if (found > version) refuse(fmt::format("has format {}; this program reads format {}", found, version));
    if (found < version) refuse("was fitted by an older lacp; fit again");
  }

  template <class Number>
  Number number() {
    require(bytes_.size() >= sizeof(Number));
    Number value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }

  bool flag() {
    const auto value = number<std::uint8_t>();
    require(value <= 1);
    return value == 1;
  }

  /// One of an enumeration of bytes that ends with `last`.
  template <class Choice>
  Choice choice(Choice last) {
    const auto value = number<Choice>();
    require(value <= last);
    return value;
  }

  template <class Container>
  Container array() {
    using Number = typename Container::value_type;
    const auto count = number<std::uint64_t>();
    require(count <= bytes_.size() / sizeof(Number));
    Container values;
    values.resize(count);
    if (count == 0) return values;
    std::memcpy(&*values.begin(), bytes_.data(), count * sizeof(Number));
    bytes_.remove_prefix(count * sizeof(Number));
    return values;
  }

  arma::mat matrix() {
    const auto rows = number<std::uint64_t>();
    arma::vec values = array<arma::vec>();
    require(rows != 0 && values.n_elem % rows == 0);
    return arma::reshape(values, rows, values.n_elem / rows);
  }

  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (auto left = number<std::uint64_t>(); left > 0; --left) all.push_back(array<std::string>());
    return all;
  }

  /// At least one, and none twice.
  std::vector<Level> levels() {
    std::vector<Level> all;
    for (auto left = number<std::uint64_t>(); left > 0; --left) all.push_back(level(all));
    require(!all.empty());
    return all;
  }

  /// A level as its text; not one of `others`.
  Level level(const std::vector<Level>& others) {
    const std::string text = array<std::string>();
    try {
      const Level level = Level::parse(text);
      if (level.text() == text && std::ranges::find(others, level) == others.end()) return level;
    } catch (const UserError&) {
    }
    refuse_content();
  }

  /// Refuses a model unless this part of it is such as a fit makes.
  void require(bool sound) const {
    if (!sound) refuse_content();
  }
  [[noreturn]] void refuse_content() const { refuse("holds what no fit makes"); }

  bool at_end() const { return bytes_.empty(); }
  [[noreturn]] void refuse(std::string_view why) const {
    user_error("{}: is not a usable model: it {}", source_, why);
  }

 private:
  std::string_view bytes_;
  std::string source_;
};

}  // namespace lacp
