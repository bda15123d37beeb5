// A file comes from the mirror or from its url, and a table out of an archive, whatever its names lead to or
// mean to a shell. Servers that misbehave: test_faults_download.cpp.

#include "common/process.hpp"
#include "described_table.hpp"

using lacp::DatasetDescription;
using Names = std::vector<std::string>;

namespace {

const std::string table = "x,y\n1,2\n";

/// A zip archive with these members; a name that starts with '@' is a symbolic link to its contents.
void write_archive(const fs::path& file, const std::vector<std::pair<std::string, std::string>>& members) {
  std::vector<std::string> command = {
      "python3", "-c",
      "import sys, zipfile\n"
      "z = zipfile.ZipFile(sys.argv[1], 'w')\n"
      "for name, text in zip(sys.argv[2::2], sys.argv[3::2]):\n"
      "    info = zipfile.ZipInfo(name.lstrip('@'))\n"
      "    info.create_system = 3\n"
      "    info.external_attr = (0o120777 if name[0] == '@' else 0o100644) << 16\n"
      "    z.writestr(info, text)\n"
      "z.close()",
      file.string()};
  for (const auto& [name, text] : members) command.insert(command.end(), {name, text});
  const lacp::ProgramResult made = lacp::run_program(command);
  REQUIRE_MESSAGE(made.status == 0, made.messages);
}

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
  lacp::write_file(mirror / "a.csv", "tampered");
  check_has(place.failure(description),
            {"wrong checksum: sha256 is " + lacp::sha256("tampered"), "expects " + lacp::sha256(table)});
  CHECK(lacp::read_file(cached) == "the old file");
  lacp::write_file(mirror / "a.csv", table);
  place.fetch(description);
  CHECK(lacp::read_file(cached) == table);
  CHECK(place.files() == Names{"cache/a.csv", "set.yaml"});
}

TEST_CASE("a member is unpacked from an archive; one that is not there or too large leaves no table") {
  FetchPlace place;
  const TemporaryFolder server;
  const fs::path archive = server / "a.zip";
  write_archive(archive, {{"in/b.csv", table}, {"c.csv", std::string(100'000, 'x')}});
  const DatasetDescription good = place.describe_member(archive, "in/b.csv");
  place.fetch(good);
  CHECK(lacp::read_file(good.source->table) == table);
  fs::remove(good.source->table);
  CHECK_FALSE(lacp::at_hand(good));
  CHECK(place.fetch(good) == "already there; made a.zip.in%2Fb.csv");
  CHECK(has(place.failure(place.describe_member(archive, "in/none.csv")),
            "cannot be unpacked: it has no member 'in/none.csv'"));
  place.options.most_bytes = 10'000;
  const DatasetDescription bomb = place.describe_member(archive, "c.csv");
  CHECK(has(place.failure(bomb), "its member 'c.csv' has more than 10000 bytes"));
  CHECK_FALSE(lacp::at_hand(bomb));
  lacp::write_file(server / "none.zip", "not a zip");
  const std::string message = place.failure(place.describe_member(server / "none.zip", "t.csv"));
  CHECK(message.starts_with((place.cache / "none.zip").string() +
                            ": cannot be unpacked: it is no zip archive"));
  check_lacks(message, "\n");
}

TEST_CASE("names within an archive lead nowhere") {
  const FetchPlace place;
  const TemporaryFolder elsewhere;
  lacp::write_file(elsewhere / "secret", "a secret");
  const fs::path target = elsewhere / "written", archive = elsewhere / "a.zip";
  write_archive(archive, {{"../evil.csv", "evil"},
                          {target.string(), "evil"},
                          {"@link.csv", (elsewhere / "secret").string()},
                          {"good.csv", table}});
  place.fetch(place.describe_member(archive, "good.csv"));
  CHECK(lacp::read_file(place.cache / "a.zip.good.csv") == table);
  place.fetch(place.describe_member(archive, "link.csv"));  // the link itself, not what it points to
  CHECK(lacp::read_file(place.cache / "a.zip.link.csv") == (elsewhere / "secret").string());
  CHECK_FALSE(fs::exists(target));
  CHECK(place.files() == Names{"cache/a.zip", "cache/a.zip.good.csv", "cache/a.zip.good.csv.sha256",
                               "cache/a.zip.link.csv", "cache/a.zip.link.csv.sha256", "set.yaml"});
}

TEST_CASE("a table is made again when it is not what was made, or when the user's own archive changes") {
  const FetchPlace place;
  const DatasetDescription description = place.describe("  file: a.zip\n  member: t.csv");
  const fs::path made = place.cache / "a.zip.t.csv";
  const auto is_made_again = [&](const std::string& expected) {
    CHECK_REFUSED(lacp::load_dataset(description), "run `lacp datasets fetch set`");
    CHECK(place.fetch(description) == "already there; made a.zip.t.csv");
    CHECK(place.fetch(description) == "already there");
    CHECK(lacp::read_file(made) == expected);
  };
  for (const std::string text : {"x,y\n1,2\n", "x,y\n3,4\n"}) {
    write_archive(place.folder / "a.zip", {{"t.csv", text}});
    is_made_again(text);
  }
  for (const std::string wrong : {"x,y\n1,3\n", "x,y\n", ""}) {
    lacp::write_file(made, wrong);
    is_made_again("x,y\n3,4\n");
  }
}

TEST_CASE("what a shell or curl would act on is a name like any other, of an archive and within it") {
  const FetchPlace place;
  const TemporaryFolder server;
  // The name of the archive is a pattern that fits another one, too.
  const std::string command = "$(touch${IFS}pwned)", member = "in/" + command + ";b.csv",
                    name = "a*[1]" + command + ".zip";
  const fs::path good = server / ("good;[1-3]{a,b}" + command + ".zip");
  write_archive(good, {{member, table}});
  fs::create_directory(place.cache);
  write_archive(place.cache / ("a2" + name.substr(2)), {{member, "another table"}});
  const DatasetDescription packed =
      place.describe(fmt::format("  url: file://{}\n  file: '{}'\n  sha256: {}\n  member: '{}'",
                                 good.string(), name, lacp::sha256(lacp::read_file(good)), member));
  place.fetch(packed);
  CHECK(lacp::read_file(packed.source->table) == table);
  CHECK_FALSE(fs::exists("pwned"));
  for (const std::string& found : place.files()) CHECK_FALSE(found.ends_with("pwned"));
}

TEST_CASE("a program that is killed, or not there, is told") {
  CHECK(lacp::run_program({"sh", "-c", "kill -9 $$"}).status == 128 + 9);
  check_has(message_of<lacp::RunError>([] { lacp::run_program({"no-such-program-here"}); }),
            "'no-such-program-here' is not on PATH");
}
