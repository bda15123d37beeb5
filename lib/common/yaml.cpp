#include "common/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

std::string kind_of(const YAML::Node& node) {
  if (node.IsNull()) return "nothing";
  if (node.IsSequence()) return "a list";
  return node.IsMap() ? "a mapping" : show_text(node.Scalar());
}

std::string show_path(const std::string& path) { return show_text(path, 200); }

YAML::Node parse_yaml(const std::string& text, const std::string& file) {
  try {
    if (text.size() > most_yaml_bytes)
      user_error("{}: has {} bytes; at most {} are read", file, text.size(), most_yaml_bytes);
    return YAML::Load(text);  // refuses what is nested more than 500 deep
  } catch (const YAML::Exception& error) {
    user_error("{}:{}: is not valid yaml: {}", file, error.mark.line + 1, one_line(error.msg));
  }
}

template <class T>
constexpr bool is_list =
    std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::vector<std::size_t>>;

template <class T>
constexpr const char* expected_text() {
  if constexpr (is_list<T>) return "a list";
  if constexpr (std::is_same_v<T, double>) return "a finite number";
  if constexpr (std::is_same_v<T, long long>) return "a whole number";
  if constexpr (std::is_same_v<T, std::size_t>) return "a whole number, zero or more";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  return "a text";
}

template <class T>
std::optional<T> read_scalar(const std::string& text) {
  if constexpr (std::is_same_v<T, double>) {
    const auto value = parse_double(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "yes") return true;
    return text == "false" || text == "no" ? std::optional(false) : std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    const auto value = parse_integer(text);
    if (!value || (std::is_unsigned_v<T> && *value < 0)) return std::nullopt;
    return static_cast<T>(*value);
  } else {
    return text;
  }
}

}  // namespace

struct YamlMap::Node {
  YAML::Node yaml;
  std::string file;
  std::string path;                                   // dotted, "" at the root
  std::shared_ptr<std::set<std::string>> overridden;  // dotted paths given on the command line
  mutable std::set<std::string> asked;
  mutable std::optional<std::map<std::string, YAML::Node>> values;  // yaml-cpp looks at every key for one

  std::string path_of(const std::string& key) const { return path.empty() ? key : path + "." + key; }
  YAML::Node value(const std::string& key) const {
    if (!values) {
      values.emplace();
      for (const auto& entry : yaml)
        if (entry.first.IsScalar()) values->try_emplace(entry.first.Scalar(), entry.second);
    }
    const auto found = values->find(key);
    return found == values->end() ? YAML::Node(YAML::NodeType::Undefined) : found->second;
  }
  /// The value of a key that has to be there, and be of this kind.
  YAML::Node required(const YamlMap& map, const std::string& key, const char* expected,
                      bool (YAML::Node::*fits)() const) const {
    if (!map.has(key)) map.fail(key, fmt::format("is missing; expected {}", expected));
    const YAML::Node found = value(key);
    if (!(found.*fits)()) map.fail(key, fmt::format("found {}; expected {}", kind_of(found), expected));
    return found;
  }
};

YamlMap::YamlMap(std::shared_ptr<Node> node) : node_(std::move(node)) {}

YamlMap YamlMap::load(const std::filesystem::path& file) {
  return parse(read_file(file, most_yaml_bytes), file.string());
}

YamlMap YamlMap::parse(const std::string& text, const std::string& source_name) {
  const YAML::Node yaml = parse_yaml(text, source_name);
  if (!yaml.IsMap())
    user_error("{}:1: holds {}; expected a mapping of keys to values", source_name, kind_of(yaml));
  return YamlMap(
      std::make_shared<Node>(Node{yaml, source_name, "", std::make_shared<std::set<std::string>>(), {}, {}}));
}

void YamlMap::override_value(const std::string& dotted_path, const std::string& value) {
  const std::vector<std::string> keys = split_text(dotted_path, '.');
  YAML::Node here = node_->yaml;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    YAML::Node next = here[keys[i]];
    if (next.IsDefined() && !next.IsMap() && !next.IsNull())
      user_error("--set {}: '{}' is {}, not a mapping", dotted_path, keys[i], kind_of(next));
    if (!next.IsDefined() || next.IsNull()) {
      next = YAML::Node(YAML::NodeType::Map);
      here[keys[i]] = next;
    }
    here.reset(next);
  }
  here[keys.back()] = parse_yaml(value, "--set " + dotted_path);
  node_->overridden->insert(dotted_path);
  node_->values.reset();
}

bool YamlMap::has(const std::string& key) const {
  node_->asked.insert(key);
  const YAML::Node value = node_->value(key);
  return value.IsDefined() && !value.IsNull();
}

bool YamlMap::has_map(const std::string& key) const { return has(key) && node_->value(key).IsMap(); }

std::string YamlMap::where(const std::string& key) const {
  const std::string path = node_->path_of(key);
  if (node_->overridden->contains(path)) return "--set " + path;
  // The key's own line: its value may stand below, and an empty one has no place.
  int line = node_->yaml.Mark().line;
  for (const auto& entry : node_->yaml)
    if (entry.first.IsScalar() && entry.first.Scalar() == key) line = entry.first.Mark().line;
  return fmt::format("{}:{}: key {}", node_->file, line + 1, show_path(path));
}

void YamlMap::fail(const std::string& key, const std::string& message) const {
  if (const std::string path = node_->path_of(key); node_->overridden->contains(path))
    user_fault({.kind = FaultKind::option, .values = {"set", path, message}}, "--set {}: {}", path, message);
  user_error("{}: {}", where(key), message);
}

template <class T>
T YamlMap::get(const std::string& key) const {
  const auto fits = is_list<T> ? &YAML::Node::IsSequence : &YAML::Node::IsScalar;
  const YAML::Node value = node_->required(*this, key, expected_text<T>(), fits);
  if constexpr (is_list<T>) {
    T items;
    for (const YAML::Node& item : value) {
      const auto read = item.IsScalar() ? read_scalar<typename T::value_type>(item.Scalar()) : std::nullopt;
      if (!read)
        fail(key, fmt::format("item {} is {}; expected {}", items.size() + 1, kind_of(item),
                              expected_text<typename T::value_type>()));
      items.push_back(*read);
    }
    return items;
  } else {
    const auto read = read_scalar<T>(value.Scalar());
    if (!read) fail(key, fmt::format("found {}; expected {}", kind_of(value), expected_text<T>()));
    return *read;
  }
}

template std::string YamlMap::get<std::string>(const std::string&) const;
template double YamlMap::get<double>(const std::string&) const;
template bool YamlMap::get<bool>(const std::string&) const;
template long long YamlMap::get<long long>(const std::string&) const;
template std::size_t YamlMap::get<std::size_t>(const std::string&) const;
template std::vector<std::string> YamlMap::get<std::vector<std::string>>(const std::string&) const;
template std::vector<std::size_t> YamlMap::get<std::vector<std::size_t>>(const std::string&) const;

YamlMap YamlMap::map(const std::string& key) const {
  const YAML::Node below = node_->required(*this, key, "a mapping", &YAML::Node::IsMap);
  return YamlMap(
      std::make_shared<Node>(Node{below, node_->file, node_->path_of(key), node_->overridden, {}, {}}));
}

std::size_t YamlMap::one_of(const std::string& key, const std::string& text,
                            const std::vector<std::string>& known) const {
  const auto found = std::ranges::find(known, text);
  if (found == known.end())
    fail(key, fmt::format("found {}{}; expected one of {}", show_text(text), did_you_mean(text, known),
                          join(known, ", ")));
  return static_cast<std::size_t>(found - known.begin());
}

std::vector<std::string> YamlMap::keys() const {
  std::vector<std::string> names;
  for (const auto& entry : node_->yaml) names.push_back(entry.first.IsScalar() ? entry.first.Scalar() : "?");
  return names;
}

void YamlMap::finish() const {
  const std::vector<std::string> known(node_->asked.begin(), node_->asked.end());
  std::set<std::string> seen;
  for (const auto& entry : node_->yaml) {
    if (!entry.first.IsScalar())
      user_error("{}:{}: a key is {}; expected a name", node_->file, entry.first.Mark().line + 1,
                 kind_of(entry.first));
    const std::string& key = entry.first.Scalar();
    const std::string path = node_->path_of(key);
    const int line = entry.first.Mark().line + 1;
    if (!seen.insert(key).second)
      user_error("{}:{}: key {} is given twice", node_->file, line, show_path(path));
    if (node_->asked.contains(key)) continue;
    // The option itself, or one for a key below this one.
    const auto option = std::ranges::find_if(*node_->overridden, [&](const std::string& overridden) {
      return overridden == path || overridden.starts_with(path + ".");
    });
    const std::string where =
        option != node_->overridden->end() ? "--set " + *option : fmt::format("{}:{}", node_->file, line);
    user_error("{}: unknown key {}{}; known here: {}", where, show_path(path), did_you_mean(key, known),
               join(known, ", "));
  }
}

std::string yaml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace lacp
