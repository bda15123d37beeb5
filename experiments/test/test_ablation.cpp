#include <doctest/doctest.h>

#include <cmath>

#include "../../lib/test/near.hpp"
#include "analysis/pairs.hpp"
#include "cell_edits.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "report/claims.hpp"
#include "sample_results.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A variant of the sample protocol in which the sizes of one method are `factor` times as large, and in odd
/// runs `odd` times that.
struct Variant {
  std::function<void(Experiment&)> change = {};
  std::string method = "exp";
  double factor = 1.0, odd = 1.0;
};

void write_variant(const fs::path& folder, const Variant& variant) {
  const Results results = write_sample(folder, {}, variant.change);
  for (auto [task, cell] : results.cells) {
    if (task.method != variant.method) continue;
    for (Measurement& m : cell.values)
      if (m.metric == "size_mean") m.value *= variant.factor * (task.run % 2 == 1 ? variant.odd : 1.0);
    put_cell(folder, cell);
  }
}

void train_longer(Experiment& e) { e.training.epochs = 77; }

const Row& size_of(const Frame& rows, std::string_view variant, std::string_view method) {
  return row_of(rows, {{"variant", variant}, {"dataset", "concrete"}, {"method", method}, {"alpha", "0.05"}});
}

}  // namespace

TEST_CASE("a change is named by the settings that differ, and measured paired by run") {
  const fs::path group = "sample_ablation/group";
  fs::remove_all(group);
  write_sample(group / "sample/sample");
  write_variant(group / "sample-doubled/sample", {.change = train_longer, .method = "exp", .factor = 2.0});
  const Frame rows = ablate(group);

  const Row& doubled = size_of(rows, "sample-doubled", "exp");
  CHECK(doubled["changed"] == "training.epochs: 50 → 77");
  CHECK(doubled.number("ratio") == near(2.0, 1e-12));  // the same runs, so without any spread
  CHECK(doubled.number("upper") - doubled.number("lower") < 1e-9);
  CHECK(doubled.number("size_mean") == near_share(2.0 * doubled.number("base_mean"), 1e-12));
  CHECK(size_of(rows, "sample-doubled", "erc").number("ratio") == near(1.0, 1e-12));
  CHECK(is_base(rows.rows.front()));
  CHECK(rows.rows.front()["changed"].empty());
  CHECK(rows.size() == 2 * 4 * 7 * 3);
}

TEST_CASE("what is written is read again") {
  const fs::path folder = "sample_ablation/written";
  const Frame rows = ablate("sample_ablation/group");
  write_ablation(rows, folder);
  const Frame again = read_frame(folder / "ablation.csv");
  CHECK(to_text(again) == to_text(rows));
  CHECK(contains(read_file(folder / "README.md"), "training.epochs: 50 → 77"));
  CHECK(contains(read_file(folder / "README.md"), "**+100.0 %**"));
}

TEST_CASE("the page names what differs, and what calms the error fit") {
  const fs::path group = "sample_ablation/spread";
  fs::remove_all(group);
  // The protocol: every other run of the error fit is far off.
  write_variant(group / "sample/sample", {.method = "erc_error_fit", .odd = 5.0});
  write_variant(group / "sample-calm/sample",
                {.change = [](Experiment& e) { e.transformation.gamma = 0.01; }});
  write_variant(group / "sample-larger/sample",
                {.change = train_longer, .method = "erc_error_fit", .factor = 1.5, .odd = 5.1});
  const Frame rows = ablate(group);

  const std::string summary = ablation_summary(rows);
  CHECK(contains(summary, "`transformation.gamma: 1e-08 → 0.01` in `sample`"));
  CHECK_FALSE(contains(summary, "epochs"));
  const std::string page = ablation_document(rows);
  CHECK(contains(page, "What makes `erc_error_fit` unstable"));
  CHECK(contains(page, summary));
  CHECK(contains(page, "| training.epochs: 50 → 77 | concrete | erc (error fit) |"));
  CHECK_FALSE(contains(page, "| training.epochs: 50 → 77 | concrete | exp |"));
}

TEST_CASE("a missing protocol or folder is an error that says so") {
  const fs::path group = "sample_ablation/alone";
  fs::remove_all(group);
  write_sample(group / "variant/sample");
  CHECK_THROWS_WITH_AS(ablate(group), doctest::Contains("is missing, which"), UserError);
  CHECK_THROWS_WITH_AS(ablate("sample_ablation/nowhere"), doctest::Contains("is not a folder"), UserError);
}
