#include "common/yaml.hpp"
#include "lacp/base/text.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

using lacp::YamlMap;

namespace {

const std::string text = R"(# a comment
name: energy
rate: 1.0e-3
epochs: 50
shuffle: yes
levels: [0.05, 0.1, 0.32]
training:
  batch: 16
  hidden: [100, 100]
empty:
)";

YamlMap example() { return YamlMap::parse(text, "e"); }

template <class T>
std::string error_of(const std::string& key, const YamlMap& map = example()) {
  return message_of([&] { map.get<T>(key); });
}

std::string end_said(const YamlMap& map) {
  return message_of([&] { map.finish(); });
}

}  // namespace

TEST_CASE("a wrong or missing value: file, line, key, what was found and what was expected") {
  using Many = std::vector<std::size_t>;
  const auto of = [](const char* yaml) { return YamlMap::parse(yaml, "f"); };
  for (const auto& [message, begin] : std::initializer_list<std::pair<std::string, std::string>>{
           {error_of<double>("name"), "e:2: key 'name': found 'energy'; expected a finite number"},
           {error_of<std::size_t>("rate"), "e:3: key 'rate': found '1.0e-3'; expected a whole number,"},
           {error_of<bool>("epochs"), "e:4: key 'epochs': found '50'; expected true or false"},
           {error_of<std::string>("levels"), "e:6: key 'levels': found a list; expected a text"},
           {error_of<Many>("levels"), "e:6: key 'levels': item 1 is '0.05'; expected a whole number"},
           {error_of<double>("rate", example().map("training")), "e:8: key 'training.rate': is missing"},
           {error_of<double>("n", of("a: 1\nn:\n  - 1\n")),
            "f:2: key 'n': found a list"},  // the line of the key
           {error_of<std::size_t>("n", of("n: -1")), "f:1: key 'n': found '-1'; expected a whole number"}})
    CHECK_MESSAGE(message.starts_with(begin), message);
  for (const std::string number : {"nan", "inf", "-inf", "1e999", ".inf"})
    check_has(error_of<double>("n", of(("n: " + number).c_str())),
              "found '" + number + "'; expected a finite");
}

TEST_CASE("a key that nobody asked for, is given twice, or is no name: its line, the nearest, all known") {
  const YamlMap map = YamlMap::parse("name: a\nepoch: 3\n", "f.yaml");
  map.get<std::string>("name"), map.has("epochs");
  CHECK(end_said(map) == "f.yaml:2: unknown key 'epoch' (did you mean 'epochs'?); known here: epochs, name");
  const YamlMap twice = YamlMap::parse("a: 1\nb: 2\na: 3\n", "f.yaml");
  twice.get<double>("a"), twice.get<double>("b");
  CHECK(end_said(twice) == "f.yaml:3: key 'a' is given twice");
  CHECK(end_said(YamlMap::parse("? [1, 2]\n: 3\n", "f.yaml")).starts_with("f.yaml:1: a key is a list"));
}

TEST_CASE("a text that is no yaml mapping, nests without end or is too long is an error, not a crash") {
  for (const auto& [bad, begin] : std::initializer_list<std::pair<std::string, std::string>>{
           {"a: 1\nb: [1, 2\n", "f.yaml:3: is not valid yaml: "},
           {"- 1\n- 2\n", "f.yaml:1: holds a list; expected a mapping"},
           {"", "f.yaml:1: holds nothing; expected a mapping"},
           {"a: " + std::string(100'000, '['), "f.yaml:1: is not valid yaml: "},
           {"- " + lacp::join(std::vector<std::string>(100'000, "-"), " "), "f.yaml:1: is not valid yaml: "},
           {std::string(262'145, ' '), "f.yaml: has 262145 bytes; at most 262144 are read"}})
    CHECK(message_of([&] { YamlMap::parse(bad, "f.yaml"); }).starts_with(begin));
  CHECK(message_of([] { YamlMap::load("no/such.yaml"); }).starts_with("no/such.yaml: cannot be read: "));
}

TEST_CASE("messages stay on one line and short, whatever the file holds") {
  const YamlMap map = YamlMap::parse("\"a\\nb\": 1\nn: \"1\\n2\"\n", "f.yaml");
  CHECK(error_of<double>("n", map) == "f.yaml:2: key 'n': found '1\\x0a2'; expected a finite number");
  CHECK(end_said(map) == "f.yaml:1: unknown key 'a\\x0ab'; known here: n");
  const YamlMap longer = YamlMap::parse(std::string(1000, 'k') + ": " + std::string(9000, 'v'), "f.yaml");
  CHECK(error_of<double>(std::string(1000, 'k'), longer).size() < 400);
}
