#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "io/yaml.hpp"
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

YamlMap example() { return YamlMap::parse(text, "example.yaml"); }

template <class T>
std::string error_of(const std::string& key) {
  return message_of([&] { example().get<T>(key); });
}

}  // namespace

TEST_CASE("values are read with the type that is asked for") {
  const YamlMap map = example();
  CHECK(map.get<std::string>("name") == "energy");
  CHECK(map.get<std::string>("rate") == "1.0e-3");  // text as written
  CHECK(map.get<double>("rate") == 1e-3);
  CHECK(map.get<std::size_t>("epochs") == 50);
  CHECK(map.get<long long>("epochs") == 50);
  CHECK(map.get<bool>("shuffle"));
  CHECK(map.get<std::vector<std::string>>("levels") == std::vector<std::string>{"0.05", "0.1", "0.32"});
  CHECK(map.map("training").get<std::vector<std::size_t>>("hidden") == std::vector<std::size_t>{100, 100});
  CHECK(map.get<double>("absent", 7.0) == 7.0);
  CHECK(map.get<double>("empty", 7.0) == 7.0);
  CHECK_FALSE(map.has("empty"));
  CHECK(map.keys().front() == "name");
  CHECK_NOTHROW(map.finish());  // every key was asked for
}

TEST_CASE("a wrong value: file, line, key, what was found and what was expected") {
  CHECK(error_of<double>("name") == "example.yaml:2: key 'name': found 'energy'; expected a finite number");
  CHECK(error_of<std::size_t>("rate") ==
        "example.yaml:3: key 'rate': found '1.0e-3'; expected a whole number, zero or more, below 2^63");
  CHECK(error_of<long long>("rate") ==
        "example.yaml:3: key 'rate': found '1.0e-3'; expected a whole number between -2^63 and 2^63");
  CHECK(error_of<bool>("epochs") == "example.yaml:4: key 'epochs': found '50'; expected true or false");
  CHECK(error_of<std::string>("levels") == "example.yaml:6: key 'levels': found a list; expected a text");
  CHECK(error_of<std::vector<std::size_t>>("name") ==
        "example.yaml:2: key 'name': found 'energy'; expected a list");
  CHECK(error_of<std::vector<std::size_t>>("levels") ==
        "example.yaml:6: key 'levels': item 1 is '0.05'; expected a whole number, zero or more, below 2^63");
  CHECK(message_of([] { example().map("name"); }) ==
        "example.yaml:2: key 'name': found 'energy'; expected a mapping");
  CHECK(message_of([] { YamlMap::parse("a: 1\nn:\n  - 1\n", "f").get<double>("n"); }) ==
        "f:2: key 'n': found a list; expected a finite number");  // the line of the key, not of its value
  CHECK(message_of([] { YamlMap::parse("n: -1", "f").get<std::size_t>("n"); }) ==
        "f:1: key 'n': found '-1'; expected a whole number, zero or more, below 2^63");
  for (const std::string number : {"nan", "inf", "-inf", "1e999", ".inf"})
    CHECK(message_of([&] { YamlMap::parse("n: " + number, "f").get<double>("n"); }) ==
          "f:1: key 'n': found '" + number + "'; expected a finite number");
}

TEST_CASE("a missing key: the file, the line of its mapping and the key's full path") {
  CHECK(error_of<double>("gamma") == "example.yaml:2: key 'gamma': is missing; expected a finite number");
  CHECK(error_of<double>("empty") == "example.yaml:10: key 'empty': is missing; expected a finite number");
  CHECK(message_of([] { example().map("training").get<double>("rate"); }) ==
        "example.yaml:8: key 'training.rate': is missing; expected a finite number");
}

TEST_CASE("a key that nobody asked for: file, line, key, the nearest known key and all known keys") {
  const YamlMap map = YamlMap::parse("name: a\nepoch: 3\n", "f.yaml");
  map.get<std::string>("name");
  map.has("epochs");
  CHECK(message_of([&] { map.finish(); }) ==
        "f.yaml:2: unknown key 'epoch' (did you mean 'epochs'?); known here: epochs, name");
  const YamlMap below = YamlMap::parse("a:\n  b: 1\n  zzzzzz: 2\n", "f.yaml").map("a");
  below.get<double>("b");
  CHECK(message_of([&] { below.finish(); }) == "f.yaml:3: unknown key 'a.zzzzzz'; known here: b");
}

TEST_CASE("a key that is given twice, or is no name") {
  const YamlMap twice = YamlMap::parse("a: 1\nb: 2\na: 3\n", "f.yaml");
  twice.get<double>("a"), twice.get<double>("b");
  CHECK(message_of([&] { twice.finish(); }) == "f.yaml:3: key 'a' is given twice");
  const YamlMap list_key = YamlMap::parse("? [1, 2]\n: 3\n", "f.yaml");
  CHECK(message_of([&] { list_key.finish(); }) == "f.yaml:1: a key is a list; expected a name");
}

TEST_CASE("a text that is no yaml mapping") {
  const auto parse_error = [](const std::string& bad) {
    return message_of([&] { YamlMap::parse(bad, "f.yaml"); });
  };
  CHECK(parse_error("a: 1\nb: [1, 2\n").starts_with("f.yaml:3: is not valid yaml: "));
  CHECK(parse_error("a: 1\n  b: 2\n").starts_with("f.yaml:2: is not valid yaml: "));
  CHECK(parse_error("- 1\n- 2\n") == "f.yaml:1: holds a list; expected a mapping of keys to values");
  CHECK(parse_error("") == "f.yaml:1: holds nothing; expected a mapping of keys to values");
  CHECK(parse_error("just words") == "f.yaml:1: holds 'just words'; expected a mapping of keys to values");
  CHECK(message_of([] { YamlMap::load("no/such.yaml"); }) ==
        "no/such.yaml: cannot be read: No such file or directory");
}

TEST_CASE("nesting without end is an error, not a crash, and so is a text that is too long") {
  for (const auto& [begin, unit] : {std::pair("a: ", "["), {"a: ", "{"}, {"", "- "}}) {
    std::string deep = begin;
    for (int i = 0; i < 100'000; ++i) deep += unit;
    CHECK(message_of([&] { YamlMap::parse(deep, "f.yaml"); }).starts_with("f.yaml:1: is not valid yaml: "));
  }
  CHECK(message_of([] { YamlMap::parse(std::string(262'145, ' '), "f.yaml"); }) ==
        "f.yaml: has 262145 bytes; at most 262144 are read");
}

TEST_CASE("messages stay on one line and short, whatever the file holds") {
  const YamlMap map = YamlMap::parse("\"a\\nb\": 1\nn: \"1\\n2\"\n", "f.yaml");
  CHECK(message_of([&] { map.get<double>("n"); }) ==
        "f.yaml:2: key 'n': found '1\\x0a2'; expected a finite number");
  CHECK(message_of([&] { map.finish(); }) == "f.yaml:1: unknown key 'a\\x0ab'; known here: n");
  const YamlMap longer = YamlMap::parse(std::string(1000, 'k') + ": " + std::string(9000, 'v'), "f.yaml");
  CHECK(message_of([&] { longer.finish(); }).size() < 300);
  CHECK(message_of([&] { longer.get<double>(std::string(1000, 'k')); }).size() < 400);
}

TEST_CASE("--set replaces and adds values, and errors name it instead of a line") {
  YamlMap map = example();
  map.override_value("epochs", "5");
  map.override_value("training.batch", "many");
  map.override_value("training.new.key", "[1, 2]");
  CHECK(map.get<std::size_t>("epochs") == 5);
  CHECK(map.map("training").map("new").get<std::vector<std::size_t>>("key") ==
        std::vector<std::size_t>{1, 2});
  CHECK(message_of([&] { map.map("training").get<std::size_t>("batch"); }) ==
        "--set training.batch: found 'many'; expected a whole number, zero or more, below 2^63");
  CHECK(message_of([&] { map.override_value("name.first", "x"); }) ==
        "--set name.first: 'name' is 'energy', not a mapping");
  CHECK(message_of([&] {
          map.override_value("epochs", "[1");
        }).starts_with("--set epochs:1: is not valid yaml: "));

  YamlMap misspelt = YamlMap::parse("epochs: 1", "f.yaml");
  misspelt.override_value("epoch", "2");
  misspelt.get<std::size_t>("epochs");
  CHECK(message_of([&] { misspelt.finish(); }) ==
        "--set epoch: unknown key 'epoch' (did you mean 'epochs'?); known here: epochs");
}

TEST_CASE("an unknown group that an option brought is told as that option") {
  const YamlMap map = YamlMap::parse("training: {epochs: 3}", "e.yaml");
  YamlMap changed = map;
  changed.override_value("trainin.epochs", "5");
  changed.has("training");
  CHECK(message_of([&] { changed.finish(); }).starts_with("--set trainin.epochs: unknown key 'trainin'"));
}
