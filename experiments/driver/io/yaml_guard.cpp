#include "io/yaml_guard.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <vector>

#include "lacp/base/error.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_values = 100'000;
constexpr std::size_t most_keys = 1000;  // keys are looked up one after the other
constexpr std::size_t deepest = 64;      // yaml-cpp's parser recurses

/// Sees what the parser finds before anything is built from it.
class Guard : public YAML::EventHandler {
 public:
  explicit Guard(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse(mark, "a second document begins here; expected one per file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "an alias (*) stands here; write the value itself");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
    count(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(mark, /*is_map=*/false);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(mark, /*is_map=*/true);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Collection {
    bool is_map;
    std::size_t children = 0;  // keys and values
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) const {
    user_error("{}:{}: {}", file_, mark.line + 1, why);
  }

  void count(const YAML::Mark& mark) {
    if (++values_ > most_values) refuse(mark, fmt::format("has more than {} values", most_values));
    if (open_.empty()) return;
    if (++open_.back().children > 2 * most_keys && open_.back().is_map)
      refuse(mark, fmt::format("a mapping has more than {} keys", most_keys));
  }

  void enter(const YAML::Mark& mark, bool is_map) {
    count(mark);
    open_.push_back({is_map});
    if (open_.size() > deepest)
      refuse(mark, fmt::format("is nested more than {} deep; a description needs far less", deepest));
  }

  const std::string& file_;
  std::size_t documents_ = 0, values_ = 0;
  std::vector<Collection> open_;
};

}  // namespace

void refuse_costly_yaml(const std::string& text, const std::string& file) {
  if (text.size() > most_yaml_bytes)
    user_error("{}: has {} bytes; at most {} are read", file, text.size(), most_yaml_bytes);
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Guard guard(file);
  while (parser.HandleNextDocument(guard)) {
  }
}

}  // namespace lacp
