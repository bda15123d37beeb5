// `algorithm` in settings.cpp stands for how numbers are made: it has to be raised when the same settings
// give others, or old cells would pass for new ones. The cells in results/ say what the numbers were.
#include <doctest/doctest.h>

#include "datasets/catalog.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/files.hpp"
#include "said.hpp"
#include "sample_results.hpp"
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
    const auto found = cells.newest(task);
    REQUIRE_MESSAGE((found && found->cell), method);
    const lacp::Cell& committed = *found->cell;
    lacp::Cell computed = lacp::run_task(paper, prepared, task).cell;
    computed.settings = lacp::settings_hash(paper, task, fingerprint);
    computed.data = fingerprint;
    REQUIRE_MESSAGE(computed.settings == committed.settings,
                    "results/paper was made with another algorithm or other settings: make reproduce");
    CHECK_MESSAGE(
        lacp::to_text(computed) == lacp::to_text(committed), "concrete 0 ", method,
        ": the same settings give other numbers than results/paper has: raise algorithm, or undo the change");
  }
}

using namespace lacp;

namespace {

const std::filesystem::path source(LACP_SOURCE_DIR);

/// The sample's manifest without a line.
void remove_line(const std::string& line) {
  const std::filesystem::path file = "sample_younger/manifest.yaml";
  std::string text = read_file(file);
  const std::size_t at = text.find(line);
  REQUIRE(at != std::string::npos);
  write_file(file, text.erase(at, line.size()));
}

}  // namespace

TEST_CASE(
    "a setting that is younger than the committed results leaves their cells and manifests as they are") {
  const Results full = load_results(source / "results/full");
  CHECK(full.cells.size() > 1000);
  CHECK(full.different.empty());
}

TEST_CASE("a manifest may lack a younger setting, but no other") {
  const Results whole = write_sample("sample_younger");
  remove_line("    excess_risk: false\n");
  const Results older = load_results("sample_younger");
  CHECK(older.cells.size() == whole.cells.size());
  CHECK_FALSE(older.experiment.evaluation.excess_risk);
  remove_line("    scored: 0\n");
  CHECK_REFUSED(load_results("sample_younger"), "does not have all settings");
}
