#include <doctest/doctest.h>

#include <algorithm>

#include "described_table.hpp"
#include "io/process.hpp"
#include "lacp/base/sha256.hpp"

using lacp::DatasetDescription;
using lacp::fetch_dataset;
using lacp::RunError;

namespace {

const std::string table = "x,y\n1,2\n";

/// A description of "a.csv" on a file:// url, with a mirror folder beside it.
struct Place {
  TemporaryFolder folder;
  std::filesystem::path server = folder / "server", mirror = folder / "mirror", cache = folder / "cache";
  std::filesystem::path cached = cache / "a.csv";

  Place() {
    std::filesystem::create_directory(server);
    std::filesystem::create_directory(mirror);
  }
  DatasetDescription describe(const std::string& expected, const std::string& file = "a.csv",
                              const std::string& more = "") const {
    lacp::write_file(
        folder / "set.yaml",
        fmt::format("title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n  url: file://{}/{}\n"
                    "  sha256: {}\n{}",
                    server.string(), file, lacp::sha256(expected), more));
    return lacp::read_description(folder / "set.yaml", cache);
  }
  lacp::FetchOptions options(bool with_mirror) const {
    return {.mirror = with_mirror ? mirror : std::filesystem::path()};
  }
  /// Names in the cache: nothing else may be left there, and nothing may appear beside it.
  std::vector<std::string> in_cache() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(cache))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
};

}  // namespace

TEST_CASE("a file comes from the url, and once only") {
  const Place place;
  lacp::write_file(place.server / "a.csv", table);
  const DatasetDescription description = place.describe(table);
  CHECK_FALSE(lacp::at_hand(description));
  CHECK(fetch_dataset(description, place.options(true)).starts_with("8 bytes from file://"));
  CHECK(lacp::at_hand(description));
  CHECK(lacp::read_file(place.cached) == table);
  CHECK(place.in_cache() == std::vector<std::string>{"a.csv"});
  std::filesystem::remove(place.server / "a.csv");
  CHECK(fetch_dataset(description, place.options(true)) == "already there");
}

TEST_CASE("a mirror comes before the url") {
  const Place place;
  lacp::write_file(place.server / "a.csv", "something else");
  lacp::write_file(place.mirror / "a.csv", table);
  fetch_dataset(place.describe(table), place.options(true));
  CHECK(lacp::read_file(place.cached) == table);
}

TEST_CASE("a wrong checksum keeps the old file and says both") {
  const Place place;
  for (const bool with_mirror : {true, false}) {
    lacp::write_file(place.cached, "the old file");
    lacp::write_file((with_mirror ? place.mirror : place.server) / "a.csv", "tampered");
    const std::string message =
        message_of<RunError>([&] { fetch_dataset(place.describe(table), place.options(with_mirror)); });
    check_has(message,
              {"wrong checksum: sha256 is " + lacp::sha256("tampered"), "expects " + lacp::sha256(table)});
    CHECK(lacp::read_file(place.cached) == "the old file");
    CHECK(place.in_cache() == std::vector<std::string>{"a.csv"});
  }
}

TEST_CASE("a wrong file in the cache is replaced by the right one") {
  const Place place;
  lacp::write_file(place.cached, "the old file");
  lacp::write_file(place.server / "a.csv", table);
  fetch_dataset(place.describe(table), place.options(false));
  CHECK(lacp::read_file(place.cached) == table);
}

TEST_CASE("a file that cannot be had, or is too large, is a failure that leaves nothing behind") {
  const Place place;
  const std::string message =
      message_of<RunError>([&] { fetch_dataset(place.describe(table), place.options(true)); });
  check_has(message, {"the download failed (curl ended with 37", "--mirror"});
  const std::string large(1 << 20, 'x');
  lacp::write_file(place.server / "a.csv", large);
  lacp::FetchOptions options = place.options(false);
  options.most_bytes = 1000;
  CHECK(has(message_of<RunError>([&] { fetch_dataset(place.describe(large), options); }),
            "the download failed"));
  CHECK(place.in_cache().empty());
}

TEST_CASE("a member is unpacked from an archive") {
  const Place place;
  std::filesystem::create_directory(place.server / "in");
  lacp::write_file(place.server / "in" / "b.csv", table);
  // Python is what Debian's xlsx2csv is written in, so it is there wherever the suite runs.
  const std::string script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED); z.write(sys.argv[2], 'in/b.csv'); z.writestr('c.csv', 'x' * 1000000); z.close()";
  REQUIRE(lacp::run_program({"python3", "-c", script, (place.server / "a.zip").string(),
                             (place.server / "in" / "b.csv").string()})
              .status == 0);
  const std::string archive = lacp::read_file(place.server / "a.zip");
  const DatasetDescription good = place.describe(archive, "a.zip", "  member: in/b.csv\n");
  fetch_dataset(good, place.options(false));
  REQUIRE(lacp::at_hand(good));
  CHECK(lacp::read_file(good.source->table) == table);
  std::filesystem::remove(good.source->table);
  CHECK_FALSE(lacp::at_hand(good));
  CHECK(fetch_dataset(good, place.options(false)) == "already there; made a.zip.in%2Fb.csv");

  const DatasetDescription absent = place.describe(archive, "a.zip", "  member: in/none.csv\n");
  CHECK(
      has(message_of<RunError>([&] { fetch_dataset(absent, place.options(false)); }), "unzip ended with 11"));
  lacp::FetchOptions small = place.options(false);  // the archive is small, what is in it is not
  small.most_bytes = 100000;
  const DatasetDescription bomb = place.describe(archive, "a.zip", "  member: c.csv\n");
  CHECK(has(message_of<RunError>([&] { fetch_dataset(bomb, small); }), "unzip was stopped at 100000 bytes"));
  CHECK_FALSE(lacp::at_hand(bomb));
}

TEST_CASE("a program runs without a shell, and its end is told") {
  const std::string argument = "$HOME `id`; *'\"";
  CHECK(lacp::run_program({"printf", "%s", argument}, {.keep_output = true}).output == argument);
  CHECK(lacp::run_program({"cat"}, {.input_bytes = "a\nb", .keep_output = true}).output == "a\nb");
  const lacp::ProgramResult failed = lacp::run_program({"sh", "-c", "echo why >&2; exit 3"});
  CHECK(failed.status == 3);
  CHECK(failed.messages == "why");
  CHECK(lacp::run_program({"sh", "-c", "kill -9 $$"}).status == 128 + 9);
  CHECK(lacp::run_program({"printf", "%s", "$HOME"}).messages == "");
  CHECK(message_of<RunError>([] { lacp::run_program({"no-such-program-here"}); }) ==
        "the program 'no-such-program-here' is not on PATH; install the package of that name");
}

// ---- The data sets of experiments/more.yaml, prepared from their raw files. Expected numbers were taken
// from the files by other programs.

TEST_CASE("the further data sets have the sizes and targets of their files") {
  const auto mirror = mirror_folder();
  if (!mirror) {
    MESSAGE("skipped: LACP_MIRROR names no folder with the published files");
    return;
  }
  const TemporaryFolder cache;
  const auto load = [&](const std::string& name) { return from_mirror(name, cache.path(), *mirror); };
  struct Expected {
    std::string name;
    std::size_t rows, attributes;
    double target_sum;
  };
  for (const Expected& e : {Expected{"bike", 10886, 18, 2085476}, Expected{"star", 2161, 102, 9688012},
                            Expected{"blog_data", 52397, 280, 354451}, Expected{"abalone", 4177, 10, 41493},
                            Expected{"california", 20640, 8, 4269504061}}) {
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
