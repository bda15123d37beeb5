// `algorithm` in settings.cpp stands for how numbers are made: it has to be raised when the same settings
// give others, or old cells would pass for new ones. The cells in results/ say what the numbers were.
#include <doctest/doctest.h>

#include "datasets/catalog.hpp"
#include "engine/data_source.hpp"
#include "engine/run_task.hpp"
#include "store/cells.hpp"
#include "store/manifest.hpp"
#include "store/store.hpp"

TEST_CASE("the committed cells come out again") {
  const std::filesystem::path source = LACP_SOURCE_DIR, folder = source / "results/paper";
  const lacp::Manifest manifest = lacp::load_manifest(folder);
  const lacp::Experiment& paper = manifest.experiment;
  const lacp::Cells cells(folder);
  const lacp::DatasetDescription description = lacp::Catalog(source / "datasets").find("concrete");
  const std::string fingerprint = lacp::data_fingerprint(description);
  REQUIRE(manifest.data.at("concrete").fingerprint == fingerprint);
  lacp::DataSource data(paper.seed);
  data.add(description, 1, fingerprint);
  const lacp::Prepared prepared = lacp::prepare(paper, *data.get("concrete", 0), 0);
  for (const std::string& method : paper.methods) {
    const lacp::Task task{"concrete", 0, method};
    const auto committed = cells.read(task);
    REQUIRE_MESSAGE(committed.has_value(), method);
    lacp::Cell computed = lacp::run_task(paper, prepared, task, {}).cell;
    computed.settings = lacp::settings_hash(paper, task, fingerprint);
    computed.data = fingerprint;
    REQUIRE_MESSAGE(computed.settings == committed->settings,
                    "results/paper was made with another algorithm or other settings: make reproduce");
    CHECK_MESSAGE(
        lacp::to_text(computed) == lacp::to_text(*committed), "concrete 0 ", method,
        ": the same settings give other numbers than results/paper has: raise algorithm, or undo the change");
  }
}
