#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "experiment/store/manifest.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

namespace fs = std::filesystem;

const Experiment experiment = load_experiment(fs::path(LACP_SOURCE_DIR) / "experiments" / "smoke.yaml");
const Task kept{"cos", 0, "erc"}, plain{"concrete", 1, "erc"};

TaskResult result_of(const Task& task, const std::string& intervals = "") {
  TaskResult result;
  result.cell.task = task;
  result.cell.values = {{"size_mean", "0.1", 0, 0.25}};
  result.intervals = intervals;
  return result;
}

Cell cell_of(const Task& task) { return stored_cell(experiment, "data", result_of(task)); }

CellState state(const fs::path& folder, const Task& task) {
  return check_cell(folder, experiment, task, "data").state;
}

void store(const fs::path& folder, const TaskResult& result) {
  store_result(folder, experiment, "data", result);
}

/// As a task that failed with these settings.
Cell failure_of(const Task& task, const std::string& reason) {
  Cell cell = cell_of(task);
  cell.values.clear();
  cell.failure = reason;
  return cell;
}

std::string merged_text(const fs::path& folder) { return read_file(cells_path(folder, "concrete")); }

std::size_t merge(const fs::path& folder) {
  Manifest manifest;
  manifest.experiment = experiment;
  for (const char* name : {"concrete", "cos"}) manifest.data[name].fingerprint = "data";
  return merge_cells(folder, counting(manifest));
}

}  // namespace

TEST_CASE("a cell whose number is none, or that stands under another task, is damaged") {
  const TemporaryFolder folder;
  Cell none = cell_of(plain);
  none.values[0].value = std::nan("");
  CHECK_FALSE(parse_rows(plain, to_rows(none)));
  store(folder / "e", result_of(plain));
  merge(folder / "e");
  const fs::path path = cells_path(folder / "e", "concrete");
  std::string moved = read_file(path);
  moved[moved.find("\n1,erc") + 1] = '0';
  write_file(path, moved);
  CHECK(state(folder / "e", {"concrete", 0, "erc"}) == CellState::damaged);
}

TEST_CASE("where intervals are kept, a task without them is not done") {
  const TemporaryFolder folder;
  const fs::path file = intervals_path(folder / "e", kept.dataset);
  store(folder / "e", result_of(kept, "x,y\n1,2\n"));
  CHECK(state(folder / "e", kept) == CellState::done);
  CHECK(read_file(file) == fmt::format("method,x,y\n{},1,2\n", kept.method));
  const Cell cell = Cells(folder / "e").find(kept).at(0).cell.value();
  CHECK(read_intervals(folder / "e", cell) == "x,y\n1,2\n");
  write_file(file, fmt::format("method,x,y\n{},1,3\n", kept.method));
  CHECK(state(folder / "e", kept) == CellState::missing);
  CHECK_REFUSED(read_intervals(folder / "e", cell), "it does not match its checksum");
  write_file(file, "method,x,y\nanother,1,2\n");
  CHECK(state(folder / "e", kept) == CellState::missing);
}

TEST_CASE("intervals of a data set share a file, whoever keeps them first, with equal sides or not") {
  const TemporaryFolder folder;
  const std::string equal = "x,sigma\n1,\n", unequal = "x,sigma,below,above\n1,,5,6\n";
  const Task a{"cos", 0, "erc"}, b{"cos", 0, "exp"}, c{"cos", 0, "fixed"};
  for (const auto& [place, order] :
       {std::pair("one", std::vector{a, b, c}), {"two", std::vector{c, b, a, b}}}) {
    for (const Task& task : order) store(folder / place, result_of(task, task == b ? unequal : equal));
    CHECK(read_file(intervals_path(folder / place, "cos")) ==
          "method,x,sigma,below,above\nerc,1,,,\nexp,1,,5,6\nfixed,1,,,\n");
    CHECK(kept_intervals(folder / place, a) == equal);
    CHECK(kept_intervals(folder / place, b) == unequal);
  }
  store(folder / "two", result_of(b, equal));  // the columns go with the last that has them
  CHECK(read_file(intervals_path(folder / "two", "cos")).starts_with("method,x,sigma\nerc,1,\n"));
  CHECK(kept_intervals(folder / "two", b) == equal);
}

TEST_CASE("failures are rows that read back, whatever the reason holds") {
  for (const std::string reason : {"said \"no\", twice", "plain", ",,,,", "#", "\""})
    CHECK(parse_rows(plain, to_rows(failure_of(plain, reason))).value().failure == reason);
}

TEST_CASE("a failure counts with its settings and data; a cell that counts outweighs it") {
  const TemporaryFolder folder;
  for (const char* reason : {"first", "second"}) store_cell(folder / "e", failure_of(plain, reason));
  const auto failure = [&](const Task& task, const std::string& data) {
    const auto found = check_cell(folder / "e", experiment, task, data).failure;
    return found.value_or("");
  };
  for (int merged = 0; merged < 2; ++merged) {
    CHECK(failure(plain, "data") == "second");
    CHECK(failure(plain, "other data") == "");
    merge(folder / "e");
  }
  store(folder / "e", result_of(plain));
  CHECK(state(folder / "e", plain) == CellState::done);
  CHECK(failure(plain, "data") == "");
}

TEST_CASE("a merge keeps one cell of each task: what counts, else the newest, and drops what cannot count") {
  const TemporaryFolder folder;
  const fs::path e = folder / "e";
  Cell stale = cell_of(plain), good = stale;
  stale.settings = std::string(64, 'a'), stale.values[0].value = 7.0;
  const auto append = [&](const Cell& cell) { store_cell(e, cell); };
  const auto kept_value = [&] {
    merge(e);
    CHECK(task_files(e).empty());
    const auto found = Cells(e).find(plain);
    REQUIRE(found.size() == 1);
    return found[0].cell->failure.empty() ? found[0].cell->values.at(0).value : -1.0;
  };
  append(stale);
  CHECK(kept_value() == 7.0);  // there is no other
  stale.values[0].value = 8.0;
  append(stale);
  CHECK(kept_value() == 8.0);  // the newest
  append(failure_of(plain, "diverges"));
  CHECK(kept_value() == -1.0);  // tried with these settings since: the old cell is not waiting any more
  append(good);
  CHECK(kept_value() == 0.25);
  // The same numbers once more leave the file as it is.
  const std::string before = merged_text(e);
  good.commit = "another", good.seconds = 2.0;
  append(good);
  CHECK(kept_value() == 0.25);
  CHECK(merged_text(e) == before);
}
