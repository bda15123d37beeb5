// The data sets of experiments/more.yaml, prepared from their raw files. Expected numbers were taken from the
// files by other programs.
#include <doctest/doctest.h>

#include "datasets/catalog.hpp"
#include "datasets/fetch.hpp"
#include "described_table.hpp"

namespace {

struct Expected {
  std::string name;
  std::size_t rows, attributes, filled;
  double target_sum;
};

}  // namespace

TEST_CASE("the further data sets have the sizes and targets of their files") {
  const auto mirror = mirror_folder();
  if (!mirror) {
    MESSAGE("skipped: LACP_MIRROR names no folder with the published files");
    return;
  }
  const TemporaryFolder cache;
  const lacp::Catalog catalog(std::filesystem::path(LACP_SOURCE_DIR) / "datasets", cache.path());
  const auto load = [&](const std::string& name) {
    lacp::FetchOptions options;
    options.mirror = *mirror;
    lacp::fetch_dataset(catalog.find(name), options);
    return lacp::load_dataset(catalog.find(name));
  };
  for (const Expected& e :
       {Expected{"bike", 10886, 18, 0, 2085476}, Expected{"star", 2161, 102, 0, 9688012},
        Expected{"blog_data", 52397, 280, 0, 354451}, Expected{"abalone", 4177, 10, 0, 41493},
        Expected{"california", 20640, 8, 0, 4269504061}}) {
    CAPTURE(e.name);
    const lacp::Dataset data = load(e.name);
    CHECK(data.X.n_cols == e.rows);
    CHECK(data.X.n_rows == e.attributes);
    CHECK(data.X.is_finite());
    CHECK(arma::accu(data.y) == e.target_sum);  // whole numbers, so the sum is exact
  }

  const lacp::Dataset bike = load("bike");
  // 2011-01-01 00:00:00 (a Saturday), season 1, weather 1
  const arma::vec first{0, 5, 1, 2011, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9.84, 14.395, 81, 0};
  CHECK(bike.attributes[4] == "season=1");
  CHECK(arma::approx_equal(bike.X.col(0), first, "absdiff", 0));

  const lacp::Dataset community = load("community");
  CHECK(community.X.n_rows == 100);
  CHECK(community.filled == 1);
  const auto other = std::ranges::find(community.attributes, "OtherPerCap") - community.attributes.begin();
  CHECK(std::isnan(community.X(static_cast<arma::uword>(other), 130)));

  const lacp::Dataset star = load("star");
  CHECK(star.y(0) == 4292);
  const auto gender = arma::uvec{0, 1};
  CHECK(arma::approx_equal(arma::sum(star.X.rows(gender), 0), arma::rowvec(2161, arma::fill::ones), "absdiff",
                           0));

  const lacp::Dataset kin8nm = load("kin8nm");
  CHECK(kin8nm.X(1, 0) == 0.36074091);
  CHECK(kin8nm.y(0) == 0.53652416);
}
