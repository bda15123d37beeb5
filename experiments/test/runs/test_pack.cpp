// Merging cells: the same results from fewer files, whatever happens meanwhile.
#include <chrono>
#include <thread>

#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// A folder of results in which all is done, and what three shards left is not merged; made once, and copied.
struct PackedPlace {
  TemporaryFolder results;
  std::vector<std::string> command = quick_run(results.path());
  fs::path smoke = results / "smoke";
  PackedPlace() {
    static const TemporaryFolder made;
    if (!fs::exists(made / "smoke"))
      for (const char* shard : {"1/3", "2/3", "3/3"}) must_run(quick_run(made.path(), {"--shard", shard}));
    fs::copy(made / "smoke", smoke, fs::copy_options::recursive);
  }
  Ran pack() const { return lacp_program({"pack", smoke.string()}); }
};

}  // namespace

TEST_CASE("merged cells are the same cells: tables cannot tell") {
  const PackedPlace place;
  CHECK(csv_files(place.smoke / "cells").size() == 28);
  CHECK(cells_in(place.smoke) == undisturbed().cells);
  CHECK(place.pack().output == place.smoke.string() + ": 2 files written\n");
  const auto files = csv_files(place.smoke / "cells");
  REQUIRE(files.size() == 2);
  CHECK(files.at("concrete.csv").starts_with(std::string(lacp::cell_header) + "0,erc,"));
  CHECK(cells_in(place.smoke) == undisturbed().cells);
  CHECK(outputs_of(place.results.path()).table == undisturbed().table);
  CHECK(place.pack().output == place.smoke.string() + ": 0 files written\n");
  CHECK(csv_files(place.smoke / "cells") == files);
  CHECK(lacp_program({"pack", place.smoke.string(), "--quiet"}).output == "");
}

TEST_CASE("killed at random moments, a merge loses nothing, and the next call goes on") {
  const int kills = all_cases ? 40 : 5;
  const PackedPlace place;
  const TemporaryFolder kept;
  fs::copy(place.smoke / "cells", kept / "cells", fs::copy_options::recursive);
  const auto start = Clock::now();
  REQUIRE(place.pack().status == 0);
  std::chrono::duration<double> whole = Clock::now() - start;
  lacp::Stream moments(21);
  int killed = 0;
  for (int attempt = 0; killed < kills; ++attempt) {
    REQUIRE(attempt < 400);
    fs::remove_all(place.smoke / "cells");
    fs::copy(kept / "cells", place.smoke / "cells", fs::copy_options::recursive);
    const pid_t child = start_program({"pack", place.smoke.string()});
    std::this_thread::sleep_for(moments.uniform(0.0, 1.0) * whole);
    ::kill(child, SIGKILL);
    const bool by_signal = end_of(child) < 0;
    killed += by_signal ? 1 : 0;
    if (!by_signal) whole *= 0.9;  // measured when the machine was busier: sooner the next time
    REQUIRE(cells_in(place.smoke) == undisturbed().cells);
    if (attempt % 8 != 0) continue;
    REQUIRE(place.pack().status == 0);
    REQUIRE(csv_files(place.smoke / "cells").size() == 2);
    REQUIRE(cells_in(place.smoke) == undisturbed().cells);
  }
}

TEST_CASE("pack refuses what is no folder of results, and a file that is not of cells") {
  const TemporaryFolder empty;
  CHECK(lacp_program({"pack", empty.path().string()}).status == 2);
  const PackedPlace place;
  lacp::write_file(place.smoke / "cells/cos.csv", "my,own,file\n");
  check_ran(place.pack(), 2, "cos.csv: does not begin with 'run,method,");
  CHECK(lacp::read_file(place.smoke / "cells/cos.csv") == "my,own,file\n");
}
