// `lacp datasets`: lists them, fetches them, checks one.
#include "datasets/listing.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Rows and attributes as the description says them, or else as its file has them.
std::pair<std::size_t, std::size_t> counts_of(const DatasetDescription& description) {
  if ((description.rows == 0 || description.attributes == 0) && at_hand(description)) try {
      const DatasetCheck check = check_dataset(description);
      return {check.rows, check.attributes};
    } catch (const UserError&) {  // `lacp datasets check` says what is wrong with it
    }
  return {description.rows, description.attributes};
}

std::string status_text(const DatasetDescription& description) {
  if (is_synthetic(description)) return "generated";
  if (at_hand(description)) return description.source->url.empty() ? "local" : "fetched";
  return "missing";
}

}  // namespace

int list_datasets(const fs::path& folder, const std::vector<std::string>& methods) {
  const Catalog catalog = open_catalog(folder);
  std::vector<std::string> wrong, advice;
  bool fetch_helps = false;
  constexpr auto line = "{:<20} {:>8} {:>10}  {:<11}  {}\n";
  const auto count_text = [](std::size_t count) { return count == 0 ? "?" : fmt::format("{}", count); };
  show(line, "name, title", "rows", "attributes", "file", "licence");
  for (const std::string& name : catalog.names()) {
    try {
      const DatasetDescription description = catalog.find(name);
      if (!at_hand(description) && can_fetch(description))
        fetch_helps = true;
      else if (!at_hand(description))
        advice.push_back(fmt::format("{}: {} is missing; {}", name, description.source->original.string(),
                                     how_to_get(description)));
      const auto [rows, attributes] = counts_of(description);
      show(line, name, count_text(rows), count_text(attributes), status_text(description),
           description.licence.empty() ? "-" : description.licence);
      show("    {}\n", wrapped(description.title, 4, 4));
      if (std::ranges::find(methods, name) != methods.end())
        advice.push_back(
            fmt::format("{0} is a method too: --datasets {0} is this, --methods {0} that.", name));
    } catch (const UserError& error) {
      wrong.emplace_back(error.what());
    }
  }
  if (fetch_helps)
    advice.emplace_back("`lacp datasets fetch` gets the files that are missing and on a server.");
  if (!advice.empty()) show("\n{}\n", join(advice, "\n"));
  std::fflush(stdout);
  for (const std::string& message : wrong) tell("lacp: {}\n", message);
  return wrong.empty() ? exit_done : exit_wrong_input;
}

int fetch_datasets(const fs::path& folder, const std::vector<std::string>& names,
                   const fs::path& mirror_option) {
  const Catalog catalog = open_catalog(folder);
  const char* named = std::getenv("LACP_MIRROR");
  const fs::path mirror = mirror_option.empty() && named != nullptr ? named : mirror_option;
  if (std::error_code ignored; !mirror.empty() && !fs::is_directory(mirror, ignored))
    user_error("{}: is not a folder; --mirror (or LACP_MIRROR) expects one that holds downloaded files",
               mirror.string());
  // All of them before the first download: a wrong name costs no time.
  std::vector<DatasetDescription> descriptions;
  for (const std::string& name : names.empty() ? catalog.names() : names)
    descriptions.push_back(describe_dataset(catalog, name));
  std::vector<DatasetDescription> all = descriptions;
  for (const std::string& name : catalog.names()) try {
      all.push_back(catalog.find(name));
    } catch (const UserError&) {  // this one was not asked for
    }
  refuse_shared_names(all);
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  int code = exit_done;
  for (const DatasetDescription& description : descriptions) {
    try {
      show("{}: {}\n", description.name,
           fetch_dataset(description, {.mirror = mirror, .show_progress = on_terminal}));
      std::fflush(stdout);
    } catch (const std::runtime_error& error) {
      tell("lacp: {}: {}\n", description.name, error.what());
      code = dynamic_cast<const UserError*>(&error) != nullptr ? exit_wrong_input : exit_failed;
    }
  }
  return code;
}

int show_check(const fs::path& folder, const std::string& name) {
  const DatasetCheck check = check_dataset(describe_dataset(open_catalog(folder), name));
  show("{}", check.text);
  std::fflush(stdout);
  if (!check.refusal.empty()) user_error("an experiment would refuse this data set: {}", check.refusal);
  show("An experiment can read this data set.\n");
  return exit_done;
}

}  // namespace lacp
