#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "engine/executor.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "said.hpp"
#include "store/manifest.hpp"
#include "store/store.hpp"
#include "temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using lacp::CellState;

const lacp::Experiment experiment =
    lacp::load_experiment(fs::path(LACP_SOURCE_DIR) / "experiments" / "smoke.yaml");
const lacp::Task kept{"cos", 0, "erc"}, plain{"concrete", 1, "erc"};

lacp::TaskResult result_of(const lacp::Task& task, const std::string& intervals = "") {
  lacp::TaskResult result;
  result.cell.task = task;
  result.cell.values = {{"size_mean", "0.1", 0, 0.25}};
  result.intervals = intervals;
  return result;
}

CellState state(const fs::path& folder, const lacp::Task& task) {
  return lacp::check_cell(folder, experiment, task, "data").state;
}

void store(const fs::path& folder, const lacp::TaskResult& result) {
  lacp::CellLog log(folder, "start");
  lacp::store_result(log, folder, experiment, "data", result);
}

/// As a task that failed with these settings, or by chance.
lacp::Cell failure_of(const lacp::Task& task, const std::string& reason, bool by_chance = false) {
  lacp::Cell cell = lacp::stored_cell(experiment, "data", result_of(task));
  cell.values.clear();
  cell.failure = reason;
  if (by_chance) cell.settings = cell.data = "";
  return cell;
}

lacp::Merged merge(const fs::path& folder) {
  lacp::Manifest manifest;
  manifest.experiment = experiment;
  for (const char* name : {"concrete", "cos"}) manifest.data[name].fingerprint = "data";
  return lacp::merge_cells(folder, lacp::counting(manifest));
}

}  // namespace

TEST_CASE("a cell whose number is none, or that stands under another task, is damaged") {
  const TemporaryFolder folder;
  lacp::Cell without_meaning = lacp::stored_cell(experiment, "data", result_of(plain));
  without_meaning.values[0].value = std::nan("");
  CHECK_REFUSED(lacp::parse_rows(plain, lacp::to_rows(without_meaning), "cell.csv"),
                "cell.csv: is not a cell: row '1,erc,size_mean,0.1,,nan,");
  store(folder / "e", result_of(plain));
  merge(folder / "e");
  const fs::path path = lacp::cells_path(folder / "e", "concrete");
  std::string moved = lacp::read_file(path);
  moved[moved.find("\n1,erc") + 1] = '0';
  lacp::write_file(path, moved);
  CHECK(state(folder / "e", {"concrete", 0, "erc"}) == CellState::damaged);
}

TEST_CASE("how a cell came to be reads back, and its checksum is not of it") {
  lacp::Cell cell = lacp::stored_cell(experiment, "data", result_of(plain));
  const std::string sum = lacp::checksum_of(cell), rows = lacp::to_rows(cell);
  CHECK(rows.ends_with(sum + ",,,\n"));
  cell.commit = "0123456789ab-dirty", cell.seconds = 1.25;
  CHECK(lacp::checksum_of(cell) == sum);
  CHECK(lacp::to_rows(cell).ends_with(sum + ",0123456789ab-dirty,1.250,\n"));
  const lacp::Cell again = lacp::parse_rows(plain, lacp::to_rows(cell), "");
  CHECK(again.commit == cell.commit);
  CHECK(again.seconds == cell.seconds);
  CHECK(lacp::to_text(again) == lacp::to_text(cell));
}

TEST_CASE("what was cut off at any byte, as by a kill, is not there, and what was appended before is") {
  const TemporaryFolder folder;
  const lacp::Task second{"concrete", 0, "erc"};
  {
    lacp::CellLog log(folder / "e", "start");
    for (const lacp::Task& task : {plain, second})
      lacp::store_result(log, folder / "e", experiment, "data", result_of(task));
  }
  const fs::path log = lacp::worker_folders(folder / "e").at(0) / "concrete.csv";
  const std::string whole = lacp::read_file(log);
  const std::size_t begin = whole.find("\n0,erc,") + 1;
  for (std::size_t size = begin; size < whole.size(); ++size) {
    lacp::write_file(log, whole.substr(0, size));
    REQUIRE(state(folder / "e", plain) == CellState::done);
    REQUIRE(state(folder / "e", second) == CellState::missing);
  }
  merge(folder / "e");
  CHECK(state(folder / "e", plain) == CellState::done);
  CHECK(lacp::worker_folders(folder / "e").empty());
  CHECK(lacp::read_file(lacp::cells_path(folder / "e", "concrete")) == whole.substr(0, begin));
}

TEST_CASE("where intervals are kept, a task without them is not done") {
  const TemporaryFolder folder;
  const fs::path file = lacp::intervals_path(folder / "e", kept.dataset);
  store(folder / "e", result_of(kept, "x,y\n1,2\n"));
  CHECK(state(folder / "e", kept) == CellState::done);
  CHECK(lacp::read_file(file) == fmt::format("method,x,y\n{},1,2\n", kept.method));
  const lacp::Cell cell = lacp::Cells(folder / "e").newest(kept)->cell.value();
  CHECK(lacp::read_intervals(folder / "e", cell) == "x,y\n1,2\n");
  lacp::write_file(file, fmt::format("method,x,y\n{},1,3\n", kept.method));
  CHECK(state(folder / "e", kept) == CellState::damaged);
  CHECK_REFUSED(lacp::read_intervals(folder / "e", cell), "does not match the checksum in its cell");
  for (const std::string text : {"method,x,y\nanother,1,2\n", "method,x,y\n", "", "\n,"}) {
    lacp::write_file(file, text);
    CHECK(state(folder / "e", kept) == CellState::missing);
  }
  fs::remove(file);
  CHECK(state(folder / "e", kept) == CellState::missing);
}

TEST_CASE("intervals of a data set share a file, whoever keeps them first, with equal sides or not") {
  const TemporaryFolder folder;
  const std::string equal = "x,y,sigma\n1,2,\n3,4,\n",
                    unequal = "x,y,sigma,below,above\n1,2,,5,6\n3,4,,7,8\n";
  const lacp::Task a{"cos", 0, "erc"}, b{"cos", 0, "exp"}, c{"cos", 0, "fixed"};
  for (const char* place : {"one", "two"}) {
    const bool first = place == std::string("one");
    for (const lacp::Task& task : first ? std::vector{a, b, c} : std::vector{c, b, a, b})
      store(folder / place, result_of(task, task == b ? unequal : equal));
    CHECK(lacp::read_file(lacp::intervals_path(folder / place, "cos")) ==
          "method,x,y,sigma,below,above\nerc,1,2,,,\nerc,3,4,,,\nexp,1,2,,5,6\nexp,3,4,,7,8\n"
          "fixed,1,2,,,\nfixed,3,4,,,\n");
    CHECK(lacp::kept_intervals(folder / place, a) == equal);
    CHECK(lacp::kept_intervals(folder / place, b) == unequal);
  }
  store(folder / "two", result_of(b, equal));  // the columns go with the last that has them
  CHECK(lacp::read_file(lacp::intervals_path(folder / "two", "cos"))
            .starts_with("method,x,y,sigma\nerc,1,2,\n"));
  CHECK(lacp::kept_intervals(folder / "two", b) == equal);
  // Those of another version make room.
  store(folder / "two", result_of(b, "x,z\n1,2\n"));
  CHECK(lacp::read_file(lacp::intervals_path(folder / "two", "cos")) == "method,x,z\nexp,1,2\n");
}

TEST_CASE("threads that keep intervals at the same time lose none") {
  const TemporaryFolder folder;
  std::vector<std::jthread> threads;
  for (const std::string& method : experiment.methods)
    threads.emplace_back([&] { store(folder / "e", result_of({"cos", 0, method}, "x,y\n1,2\n")); });
  threads.clear();
  for (const std::string& method : experiment.methods)
    CHECK(lacp::kept_intervals(folder / "e", {"cos", 0, method}) == "x,y\n1,2\n");
}

TEST_CASE("failures are rows that read back, whatever the reason holds") {
  for (const std::string reason : {"said \"no\", twice", "plain", ",,,,", "#", "\""}) {
    const lacp::Cell cell = failure_of(plain, reason);
    const std::string rows = lacp::to_rows(cell);
    CHECK(lacp::parse_rows(plain, rows, "").failure == reason);
    std::string other = rows;
    other[rows.rfind('"') == std::string::npos ? rows.size() - 2 : rows.rfind('"') - 1] ^= 1;
    CHECK_THROWS_AS(lacp::parse_rows(plain, other, ""), lacp::UserError);
  }
}

TEST_CASE("a failure counts with its settings and data, or by chance; a cell that counts outweighs it") {
  const TemporaryFolder folder;
  {
    lacp::CellLog log(folder / "e", "1");
    log.append(failure_of(plain, "first"));
    log.append(failure_of(plain, "second"));
    log.append(failure_of(kept, "chance", true));
  }
  const auto failure = [&](const lacp::Task& task, const std::string& data) {
    const auto found = lacp::check_cell(folder / "e", experiment, task, data).failure;
    return found ? found->reason : "";
  };
  for (int merged = 0; merged < 2; ++merged) {
    CHECK(failure(plain, "data") == "second");
    CHECK(failure(plain, "other data") == "");
    CHECK(failure(kept, "data") == "chance");
    CHECK(failure(kept, "other data") == "chance");
    merge(folder / "e");
  }
  store(folder / "e", result_of(plain));
  CHECK(state(folder / "e", plain) == CellState::done);
  CHECK(failure(plain, "data") == "");
  merge(folder / "e");
  CHECK(lacp::Cells(folder / "e").find(plain).size() == 1);
  CHECK(state(folder / "e", plain) == CellState::done);
}

TEST_CASE("a merge keeps one cell of each task: what counts, else the newest, and drops what cannot count") {
  const TemporaryFolder folder;
  const fs::path e = folder / "e";
  lacp::Cell stale = lacp::stored_cell(experiment, "data", result_of(plain)), good = stale;
  stale.settings = std::string(64, 'a'), stale.values[0].value = 7.0;
  const auto append = [&](const lacp::Cell& cell) {
    static int number = 100;
    lacp::CellLog(e, std::to_string(++number)).append(cell);
  };
  const auto kept_value = [&] {
    merge(e);
    CHECK(lacp::worker_folders(e).empty());
    const auto found = lacp::Cells(e).find(plain);
    REQUIRE(found.size() == 1);
    return found[0].cell->failure.empty() ? found[0].cell->values.at(0).value : -1.0;
  };
  append(stale);
  CHECK(kept_value() == 7.0);  // there is no other
  stale.values[0].value = 8.0;
  append(stale);
  CHECK(kept_value() == 8.0);  // the newest
  append(failure_of(plain, "chance", true));
  CHECK(kept_value() == 8.0);  // a full disk costs no cell
  append(failure_of(plain, "diverges"));
  CHECK(kept_value() == -1.0);  // tried with these settings since: the old cell is not waiting any more
  append(good);
  CHECK(kept_value() == 0.25);
  append(stale);
  append(failure_of(plain, "diverges"));
  CHECK(kept_value() == 0.25);
}

TEST_CASE("the same numbers once more leave the file as it is") {
  const TemporaryFolder folder;
  lacp::Cell cell = lacp::stored_cell(experiment, "data", result_of(plain));
  cell.commit = "first", cell.seconds = 1.0;
  lacp::CellLog(folder / "e", "1").append(cell);
  CHECK(merge(folder / "e").files == 1);
  const std::string before = lacp::read_file(lacp::cells_path(folder / "e", "concrete"));
  cell.commit = "second", cell.seconds = 2.0;
  lacp::CellLog(folder / "e", "2").append(cell);
  CHECK(merge(folder / "e").files == 0);
  CHECK(lacp::read_file(lacp::cells_path(folder / "e", "concrete")) == before);
  CHECK(lacp::worker_folders(folder / "e").empty());
}

TEST_CASE("a worker that is at work is left alone by a merge, and what it did counts") {
  const TemporaryFolder folder;
  lacp::CellLog log(folder / "e", "1");
  log.append(lacp::stored_cell(experiment, "data", result_of(plain)));
  CHECK(merge(folder / "e").busy == 1);
  CHECK(state(folder / "e", plain) == CellState::done);
  log.append(failure_of(kept, "why"));
  CHECK(lacp::Cells(folder / "e").find(kept).size() == 1);
  CHECK(lacp::worker_folders(folder / "e").size() == 1);
}

TEST_CASE("several threads and workers that append at once lose nothing") {
  const TemporaryFolder folder;
  constexpr std::size_t writers = 4, each = 25;
  std::vector<std::thread> threads;
  lacp::CellLog shared(folder / "e", "shared");
  for (std::size_t w = 0; w < writers; ++w)
    threads.emplace_back([&, w] {
      lacp::CellLog own(folder / "e", "own");
      for (std::size_t i = 0; i < each; ++i) {
        shared.append(failure_of({"cos", w * each + i, "exp"}, "why"));
        own.append(failure_of({"concrete", w * each + i, "exp"}, "why"));
      }
    });
  for (std::thread& thread : threads) thread.join();
  const lacp::Cells cells(folder / "e");
  for (std::size_t i = 0; i < writers * each; ++i)
    for (const char* dataset : {"cos", "concrete"}) CHECK(cells.find({dataset, i, "exp"}).size() == 1);
}

TEST_CASE("the queue gives the shared part to one worker and other tasks to the rest") {
  lacp::WorkQueue queue({{{"a", 0, "erc"}, 1}, {{"a", 0, "exp"}, 1}, {{"b", 0, "erc"}, 1}}, 2);
  const auto first = queue.claim();
  REQUIRE(first);
  CHECK(first->task == lacp::Task{"a", 0, "erc"});
  CHECK(first->prepared == nullptr);
  const auto second = queue.claim();  // not "a 0 exp": its shared part is being computed
  REQUIRE(second);
  CHECK(second->task == lacp::Task{"b", 0, "erc"});
  const auto shared = std::make_shared<const lacp::Prepared>();
  queue.provide(first->group, shared);
  const auto third = queue.claim();
  REQUIRE(third);
  CHECK(third->prepared == shared);
  CHECK_FALSE(queue.claim());
  CHECK_FALSE(queue.finish(*first));
  CHECK(shared.use_count() == 3);  // here, in the queue, in the claim
  CHECK(queue.finish(*third));
  CHECK(shared.use_count() == 2);
}
