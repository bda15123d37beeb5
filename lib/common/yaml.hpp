#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lacp {

/// One mapping of a yaml file (JSON is yaml), read key by key with the type that is expected. Every error is
/// a UserError that says file, line, the key's full path, what was found and what was expected. `finish`
/// makes an error of every key that nobody asked for, so a misspelt key is never ignored.
class YamlMap {
 public:
  static YamlMap load(const std::filesystem::path& file);
  static YamlMap parse(const std::string& text, const std::string& source_name);

  /// Replaces or adds the value at a dotted path, e.g. "training.epochs"; the value is itself yaml. Errors
  /// about it name the path and the command-line option instead of a line.
  void override_value(const std::string& dotted_path, const std::string& value);

  bool has(const std::string& key) const;
  bool has_map(const std::string& key) const;  ///< whether its value is a mapping

  /// T is std::string (as written), double, bool, long long, std::size_t, or a std::vector of texts or sizes.
  template <class T>
  T get(const std::string& key) const;
  template <class T>
  T get(const std::string& key, T fallback) const {
    return has(key) ? get<T>(key) : fallback;
  }

  YamlMap map(const std::string& key) const;  ///< a mapping below this one; an error if absent

  /// The place of a text, the value of this key or an item of it, in a list; an error if it is not there.
  std::size_t one_of(const std::string& key, const std::string& text,
                     const std::vector<std::string>& known) const;

  /// Names of the keys as written, in the file's order.
  std::vector<std::string> keys() const;

  /// An error for the first key that was never asked for, naming the nearest that was.
  void finish() const;

  /// Throws a UserError about this key: "file:line: key 'a.b': message".
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;

  /// "file:line: key 'a.b'", for messages about a value that turns out wrong only later.
  std::string where(const std::string& key) const;

 private:
  struct Node;
  explicit YamlMap(std::shared_ptr<Node> node);
  std::shared_ptr<Node> node_;
};

/// A text as a yaml scalar on one line.
std::string yaml_quoted(std::string_view text);

/// Longer texts are not read.
inline constexpr std::size_t most_yaml_bytes = 1 << 18;

}  // namespace lacp
