#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "../../lib/test/temporary_folder.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "store/records.hpp"
#include "store/store.hpp"
#include "work/prepare.hpp"
#include "work/queue.hpp"

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

CellState state(const fs::path& folder, const lacp::Task& task, const std::string& data = "data") {
  return lacp::check_cell(folder, experiment, task, data).state;
}

}  // namespace

TEST_CASE("a stored task is done, for these settings and this data only") {
  const TemporaryFolder folder;
  CHECK(state(folder / "e", plain) == CellState::missing);
  lacp::store_result(folder / "e", experiment, "data", result_of(plain));
  CHECK(state(folder / "e", plain) == CellState::done);
  CHECK(state(folder / "e", plain, "other data") == CellState::changed);
  lacp::Experiment other = experiment;
  other.training.epochs += 1;
  CHECK(lacp::check_cell(folder / "e", other, plain, "data").state == CellState::changed);
}

TEST_CASE("a cell with one byte changed, cut off, or of another task is damaged, and the message names it") {
  const TemporaryFolder folder;
  lacp::store_result(folder / "e", experiment, "data", result_of(plain));
  const fs::path path = lacp::cell_path(folder / "e", plain);
  const std::string good = lacp::read_file(path);
  std::string bad = good;
  bad[good.find("0.25")] = '9';
  for (const std::string& text : {bad, good.substr(0, good.size() / 2), std::string(), std::string("x")}) {
    lacp::write_file(path, text);
    const lacp::CellCheck check = lacp::check_cell(folder / "e", experiment, plain, "data");
    CHECK(check.state == CellState::damaged);
    CHECK(check.message.find(path.string()) != std::string::npos);
  }
  lacp::TaskResult without_meaning = result_of(plain);
  without_meaning.cell.values[0].value = std::nan("");
  CHECK_THROWS_WITH_AS(lacp::parse_cell(lacp::to_text(without_meaning.cell), "cell.csv"),
                       "cell.csv: is not a cell: row 'size_mean,0.1,,nan' is not metric,alpha,bin,value",
                       lacp::UserError);
  const lacp::Task neighbour{"concrete", 0, "erc"};
  lacp::write_file(lacp::cell_path(folder / "e", neighbour), good);
  CHECK(state(folder / "e", neighbour) == CellState::damaged);
}

TEST_CASE("where intervals are kept, a task without them is not done") {
  const TemporaryFolder folder;
  lacp::store_result(folder / "e", experiment, "data", result_of(kept, "x,y\n"));
  CHECK(state(folder / "e", kept) == CellState::done);
  CHECK(lacp::read_file(lacp::intervals_path(folder / "e", kept)) == "x,y\n");
  const lacp::Cell cell = lacp::Cells(folder / "e").read(kept).value();
  CHECK(lacp::read_intervals(folder / "e", cell) == "x,y\n");
  lacp::write_file(lacp::intervals_path(folder / "e", kept), "x,z\n");
  CHECK(state(folder / "e", kept) == CellState::damaged);
  CHECK_THROWS_WITH_AS(lacp::read_intervals(folder / "e", cell),
                       doctest::Contains("its contents do not match the checksum in its cell"),
                       lacp::UserError);
  fs::remove(lacp::intervals_path(folder / "e", kept));
  CHECK(state(folder / "e", kept) == CellState::missing);
}

TEST_CASE("failures are rows that read back, whatever the reason holds") {
  const TemporaryFolder folder;
  CHECK(lacp::read_failures(folder / "e").empty());
  const lacp::Failures failures = {{plain, {"said \"no\", twice", "a hash"}}, {kept, {"plain", ""}}};
  lacp::write_failures(folder / "e", failures);
  CHECK(lacp::read_failures(folder / "e") == failures);
  CHECK(lacp::read_file(folder / "e" / "failures.csv") ==
        "dataset,run,method,reason,settings\nconcrete,1,erc,\"said \"\"no\"\", twice\",a hash\n"
        "cos,0,erc,plain,\n");
  lacp::write_failures(folder / "e", {{plain, {"two\nlines", ""}}});
  CHECK(lacp::read_failures(folder / "e").at(plain).reason == "two\\x0alines");
  lacp::write_failures(folder / "e", {});
  CHECK_FALSE(fs::exists(folder / "e" / "failures.csv"));
  // As the version before this one wrote it.
  lacp::write_file(folder / "e" / "failures.csv", "dataset,run,method,reason\ncos,0,erc,\"plain\"\n");
  CHECK(lacp::read_failures(folder / "e") == lacp::Failures{{kept, {"plain", ""}}});
}

TEST_CASE("several processes that change the rows of failures at once lose none") {
  const TemporaryFolder folder;
  constexpr std::size_t writers = 4, each = 25;
  std::vector<std::thread> threads;  // each opens the folder for itself, as a process does
  for (std::size_t w = 0; w < writers; ++w)
    threads.emplace_back([&, w] {
      for (std::size_t i = 0; i < each; ++i) {
        const lacp::RecordsLock alone(folder / "e");
        lacp::change_failures(folder / "e", {}, {{{"cos", w * each + i, "exp"}, {"why", ""}}});
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(lacp::read_failures(folder / "e").size() == writers * each);
  lacp::change_failures(folder / "e", {{"cos", 0, "exp"}, {"cos", 0, "erc"}}, {});
  CHECK(lacp::read_failures(folder / "e").size() == writers * each - 1);
}

TEST_CASE("times of tasks that were not done again stay") {
  const TemporaryFolder folder;
  lacp::add_times(folder / "e", {{plain, 1.5}, {kept, 2.0}});
  lacp::add_times(folder / "e", {{kept, 3.0}});
  CHECK(lacp::read_file(folder / "e" / "times.csv") ==
        "dataset,run,method,seconds\nconcrete,1,erc,1.500\ncos,0,erc,3.000\n");
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

TEST_CASE("a shared part that fails, fails every task of its group") {
  lacp::WorkQueue queue({{{"a", 0, "erc"}, 1}, {{"a", 0, "exp"}, 1}}, 2);
  const auto first = queue.claim();
  queue.provide_failure(first->group, std::make_exception_ptr(lacp::RunError("no such file")));
  const auto second = queue.claim();
  REQUIRE(second->failure);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(second->failure), "no such file", lacp::RunError);
  queue.stop();
  CHECK_FALSE(queue.claim());
}
