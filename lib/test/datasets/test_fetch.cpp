// A file comes from the mirror or from its url, and a table out of an archive, whatever its names lead to or
// mean to a shell. Servers that misbehave: test_faults_download.cpp.

#include "described_table.hpp"
#include "zip_of.hpp"

using lacp::DatasetDescription;
using Names = std::vector<std::string>;

namespace {

const std::string table = "x,y\n1,2\n";

}  // namespace

TEST_CASE("a file comes from the url, and once only; a mirror comes before") {
  FetchPlace place;
  const TemporaryFolder server, mirror;
  const fs::path cached = place.cache / "a.csv";
  lacp::write_file(server / "a.csv", table);
  const DatasetDescription description = place.describe("file://" + (server / "a.csv").string(), table);
  CHECK_FALSE(lacp::at_hand(description));
  CHECK(place.fetch(description).starts_with("8 bytes from file://"));
  CHECK(lacp::at_hand(description));
  CHECK(place.files() == Names{"cache/a.csv", "set.yaml"});
  lacp::write_file(server / "a.csv", "something else");
  CHECK(place.fetch(description) == "already there");

  place.options.mirror = mirror.path();
  lacp::write_file(cached, "the old file");
  CHECK_REFUSED(lacp::load_dataset(description), "run `lacp datasets fetch set`");
  lacp::write_file(mirror / "a.csv", "tampered");
  check_has(place.failure(description),
            {"wrong checksum: sha256 is " + lacp::sha256("tampered"), "expects " + lacp::sha256(table)});
  CHECK(lacp::read_file(cached) == "the old file");
  lacp::write_file(mirror / "a.csv", table);
  place.fetch(description);
  CHECK(lacp::read_file(cached) == table);
  CHECK(place.files() == Names{"cache/a.csv", "set.yaml"});
}

TEST_CASE("a member is read from an archive; one that is not there or damaged is refused") {
  FetchPlace place;
  const TemporaryFolder server, elsewhere;
  const fs::path archive = server / "a.zip";
  const std::string rows = x_and_y(100, [](int i) { return i * i; });
  lacp::write_file(
      archive,
      zip_of({{"in/b.csv", rows}, {"../evil.csv", "evil"}, {(elsewhere / "written").string(), "evil"}}));
  const DatasetDescription good = place.describe_member(archive, "in/b.csv");
  CHECK_REFUSED(lacp::load_dataset(good), "run `lacp datasets fetch set`");
  place.fetch(good);
  CHECK(place.fetch(good) == "already there");
  CHECK(lacp::load_dataset(good).y(9) == 81);
  CHECK_REFUSED(lacp::load_dataset(place.describe_member(archive, "in/none.csv")),
                "cannot be unpacked: it has no member 'in/none.csv'");
  CHECK_FALSE(fs::exists(elsewhere / "written"));
  CHECK(place.files() == Names{"cache/a.zip", "set.yaml"});
  lacp::write_file(server / "none.zip", "not a zip");
  const DatasetDescription none = place.describe_member(server / "none.zip", "t.csv");
  place.fetch(none);
  CHECK_REFUSED(lacp::load_dataset(none), "none.zip: cannot be unpacked: it is no zip archive");
}

TEST_CASE("no url runs an option or another protocol than http and file") {
  const FetchPlace place;
  for (const char* url : {"ftp://localhost/a", "dict://localhost/a", "-o/etc/x", "--config=x", "http:// a"})
    check_has(place.failure(place.describe(url, table)), {"the download failed (curl ended with "});
  CHECK(place.files() == Names{"set.yaml"});
}

TEST_CASE("what a shell or curl would act on is a name like any other, of an archive and within it") {
  const FetchPlace place;
  const TemporaryFolder server;
  const std::string command = "$(touch${IFS}pwned)", member = "in/" + command + ";b.csv",
                    name = "a*[1]" + command + ".zip";
  const fs::path good = server / ("good;[1-3]{a,b}" + command + ".zip");
  lacp::write_file(good, zip_of({{member, x_and_y(100, [](int i) { return i; })}}));
  const DatasetDescription packed =
      place.describe(fmt::format("  url: file://{}\n  file: '{}'\n  sha256: {}\n  member: '{}'",
                                 good.string(), name, lacp::sha256(lacp::read_file(good)), member));
  place.fetch(packed);
  CHECK(lacp::load_dataset(packed).y(9) == 9);
  CHECK_FALSE(fs::exists("pwned"));
  for (const std::string& found : place.files()) CHECK_FALSE(found.ends_with("pwned"));
}
