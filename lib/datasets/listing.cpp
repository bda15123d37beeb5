// `lacp datasets`: lists them, fetches them, checks one.
#include <unistd.h>

#include <cstdlib>

#include "common/advice.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "models/predictor/copies.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::string status_text(const DatasetDescription& description) {
  if (is_synthetic(description)) return "generated";
  if (at_hand(description)) return description.source->url.empty() ? "local" : "fetched";
  return "missing";
}

std::string line_text(std::string_view label, const std::string& value) {
  return fmt::format("{:<16}{}", label, value);
}

/// Names as they are: all of a few, else the first and the number.
std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < most) shown.push_back(one_line(name));
  return join(shown, ", ") + (names.size() > most ? fmt::format(", ... ({} in all)", names.size()) : "");
}

/// "weight (kg)", "finish (seconds)", "x".
std::string name_with_unit(const Column& column) {
  const Notation written = column.written.value_or(Notation{});
  const std::string unit = written.clock != TimeParts::none ? "seconds" : written.unit;
  const std::string in_brackets = fmt::format("({})", unit);
  if (unit.empty() || column.name.ends_with(in_brackets)) return column.name;
  return column.name + " " + in_brackets;
}

/// "category        season: 1, 2, 3, 4".
std::string column_line(const Column& column) {
  const auto text = [&](std::string_view label, const std::vector<std::string>& values) {
    return line_text(label, fmt::format("{}: {}", one_line(column.name), one_line(join(values, ", "))));
  };
  std::vector<std::string> values;
  if (column.kind == ColumnKind::category) return text("category", column.values);
  if (column.kind == ColumnKind::list) return text("list of", column.values);
  if (column.kind == ColumnKind::ordered) {
    for (const std::string& value : column.values)
      values.push_back(fmt::format("{} = {}", value, values.size()));
    return text("ordered", values);
  }
  if (column.kind == ColumnKind::mean)
    return line_text("mean of target", fmt::format("{}, by its {}", one_line(column.name),
                                                   counted(column.values.size(), "different value")));
  for (const DatePart part : column.parts) values.emplace_back(date_part_name(part));
  if (column.order != DateOrder::iso)
    values.back() += fmt::format(" (the {} first)", column.order == DateOrder::day_first ? "day" : "month");
  return text("date", values);
}

std::string refusal(const DatasetDescription& description, const arma::vec& y) try {
  refuse_means(description);
  refuse_unusable(description, y, fewest_rows);
  return "";
} catch (const UserError& error) {
  return with_advice(error);
}

}  // namespace

std::vector<std::string> column_lines(const DatasetDescription& description, const LoadedDataset& loaded) {
  std::vector<std::string> lines, numbers, filled;
  const std::vector<Column>& columns = loaded.columns.attributes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (loaded.table.filled[i] > 0)
      filled.push_back(
          fmt::format("{} ({})", columns[i].name, counted(loaded.table.filled[i], "missing cell")));
    if (columns[i].kind == ColumnKind::number)
      numbers.push_back(name_with_unit(columns[i]));
    else
      lines.push_back(column_line(columns[i]));
  }
  if (!numbers.empty()) lines.insert(lines.begin(), line_text("numbers", some(numbers)));
  if (!filled.empty())
    lines.push_back(line_text("filled", some(filled) + ", with the mean over training rows"));
  if (!description.drop.columns.empty())
    lines.push_back(line_text("left out", some(description.drop.columns)));
  if (const auto& dropped = loaded.table.dropped_columns; !dropped.empty())
    lines.push_back(line_text("dropped columns", some(dropped) + ", which have missing cells"));
  if (loaded.table.dropped_rows > 0)
    lines.push_back(
        line_text("dropped rows", fmt::format("{}, which have missing cells", loaded.table.dropped_rows)));
  return lines;
}

DatasetCheck check_dataset(const DatasetDescription& description) {
  Stream stream({.seed = 1, .dataset = description.name, .run = 0, .method = "", .purpose = "check"});
  LoadedDataset loaded;
  if (is_synthetic(description))
    loaded.data = generate_synthetic(description, stream);
  else
    loaded = load_for_check(description);
  const Dataset& data = loaded.data;
  DatasetCheck check{.text = fmt::format("{}: {}\n", description.name, description.title),
                     .refusal = refusal(description, data.y)};
  const auto line = [&](std::string_view label, const std::string& value) {
    check.text += "  " + line_text(label, value) + "\n";
  };
  if (description.source) {
    line("file", description.source->path.string());
    line("target", target_text(description));
  } else {
    line("generated", fmt::format("noise profile {}, one draw", description.synthetic->profile));
  }
  line("rows", fmt::format("{}", data.y.n_elem));
  line("columns", counted(data.X.n_rows, "attribute") + " and the target");
  for (const std::string& words : column_lines(description, loaded)) check.text += "  " + words + "\n";
  line("target range",
       fmt::format("{:.6g} to {:.6g}, mean {:.6g}", data.y.min(), data.y.max(), mean_of(data.y)));
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < data.X.n_rows; ++i)
    if (arma::all(data.X.row(i) == data.X(i, 0))) constants.push_back(data.attributes[i]);
  line("constants", constants.empty() ? "none" : join(constants, ", "));
  line("duplicate rows", fmt::format("{}", find_repeats(data.X, data.y).copies.size()));
  return check;
}

int list_datasets(const fs::path& folder) {
  const Catalog catalog = open_catalog(folder);
  std::vector<std::string> wrong, advice;
  bool fetch_helps = false;
  constexpr auto line = "{:<20} {:>8} {:>10}  {:<11}  {}\n";
  const auto count_text = [](std::size_t count) { return count == 0 ? "?" : fmt::format("{}", count); };
  show(line, "name, title", "rows", "attributes", "file", "licence");
  for (const std::string& name : catalog.names()) {
    try {
      const DatasetDescription description = catalog.find(name);
      if (!at_hand(description) && !description.source->url.empty())
        fetch_helps = true;
      else if (!at_hand(description))
        advice.push_back(fmt::format("{}: {} is missing; {}", name, description.source->path.string(),
                                     how_to_get(description)));
      show(line, name, count_text(description.rows), count_text(description.attributes),
           status_text(description), description.licence.empty() ? "-" : description.licence);
      show("    {}\n", wrapped(description.title, 4, 4));
    } catch (const UserError& error) {
      wrong.push_back(with_advice(error));
    }
  }
  if (fetch_helps) advice.emplace_back("`lacp datasets fetch` gets the missing files that are on a server.");
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
    user_error("{}: is not a folder (--mirror or LACP_MIRROR)", mirror.string());
  // All of them before the first download: a wrong name costs no time.
  std::vector<DatasetDescription> descriptions;
  for (const std::string& name : names.empty() ? catalog.names() : names)
    descriptions.push_back(describe_dataset(catalog, name));
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
  show("Experiments can read it.\n");
  return exit_done;
}

}  // namespace lacp
