// A file that `lacp datasets add` looks at. The draft has to be yaml that a description is read from, or
// refused by one line.
#include "tool/draft/draft.hpp"

#include "datasets/description.hpp"
#include "target.hpp"
#include "yaml_input.hpp"

namespace lacp {

void fuzz::try_input(std::string_view bytes) {
  static YamlInput file("draft.yaml");
  std::string text;
  read_or_refuse("t.csv", [&] { text = draft_description({std::string(bytes)}, "t.csv", "t.csv", {}).text; });
  if (text.empty()) return;
  const auto& path = file.write(text);
  read_or_refuse(path.string(), [&] {
    const DatasetDescription description = read_description(path, file.folder / "cache");
    require(description.target.columns.size() == 1 && description.source->file == "t.csv",
            "a target and a file");
  });
}

std::vector<std::string> fuzz::costly_inputs() {
  std::vector<std::string> inputs;
  for (const char* unit : {",", "1,", "\"", "\n", "NA\n", "a ", ";1", "\t", "2024-01-01\n", "|x\n", "1,\n"})
    inputs.push_back(repeat(unit)), inputs.push_back(repeat(unit, "a,b\n1,2\n"));
  std::string texts = "a,b\n";
  for (int i = 0; texts.size() < most_input - 40; ++i) texts += fmt::format("text {},{}\n", i, i);
  inputs.push_back(texts);
  return inputs;
}

}  // namespace lacp
