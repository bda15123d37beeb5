// Archives whose names lead elsewhere or mean something to a shell, and tables that are not what was made
// from them.
#include "datasets/load.hpp"
#include "download_place.hpp"
#include "io/process.hpp"

namespace {

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

TEST_CASE("names within an archive lead nowhere") {
  const Place place;
  const TemporaryFolder elsewhere;
  lacp::write_file(elsewhere / "secret", "a secret");
  const fs::path target = elsewhere / "written", archive = elsewhere / "a.zip";
  write_archive(archive, {{"../evil.csv", "evil"},
                          {target.string(), "evil"},
                          {"@link.csv", (elsewhere / "secret").string()},
                          {"good.csv", table}});
  const auto source = [&](const std::string& member) {
    return place.describe(fmt::format("  url: file://{}\n  sha256: {}\n  member: '{}'", archive.string(),
                                      lacp::sha256(lacp::read_file(archive)), member));
  };
  lacp::fetch_dataset(source("good.csv"), place.options);
  CHECK(lacp::read_file(place.cache / "a.zip.good.csv") == table);
  lacp::fetch_dataset(source("link.csv"), place.options);  // the link itself, not what it points to
  CHECK(lacp::read_file(place.cache / "a.zip.link.csv") == (elsewhere / "secret").string());
  CHECK_FALSE(fs::exists(target));
  CHECK(place.files() == std::vector<std::string>{"cache/a.zip", "cache/a.zip.good.csv",
                                                  "cache/a.zip.good.csv.sha256", "cache/a.zip.link.csv",
                                                  "cache/a.zip.link.csv.sha256", "set.yaml"});
  for (const std::string& member :
       {std::string("../evil.csv"), target.string(), std::string("in/../../evil.csv")})
    CHECK(has(message_of<UserError>([&] { source(member); }),
              "set.yaml:8: key 'source.member': found '" + member + "'; expected a path within the archive"));
}

TEST_CASE("an archive that is none leaves no table") {
  const Place place;
  const LocalServer server([](const std::string&) { return reply("200 OK", "not a zip"); });
  const lacp::DatasetDescription description = place.describe(fmt::format(
      "  url: {}\n  sha256: {}\n  member: t.csv", server.url("/a.zip"), lacp::sha256("not a zip")));
  const std::string message = message_of<RunError>([&] { lacp::fetch_dataset(description, place.options); });
  CHECK(message.starts_with((place.cache / "a.zip").string() +
                            ": no table could be made from it: unzip ended with 9"));
  CHECK_FALSE(has(message, "\n"));
  CHECK(place.files() == std::vector<std::string>{"cache/a.zip", "set.yaml"});
}

TEST_CASE("a table made from an archive is made again when it is not what was made") {
  const Place place;
  const TemporaryFolder elsewhere;
  write_archive(elsewhere / "a.zip", {{"t.csv", table}});
  const std::string sum = lacp::sha256(lacp::read_file(elsewhere / "a.zip"));
  const lacp::DatasetDescription description = place.describe(
      fmt::format("  url: file://{}\n  sha256: {}\n  member: t.csv", (elsewhere / "a.zip").string(), sum));
  lacp::fetch_dataset(description, place.options);
  const fs::path made = place.cache / "a.zip.t.csv";
  CHECK(lacp::fetch_dataset(description, place.options) == "already there");
  for (const std::string wrong : {"x,y\n1,3\n", "x,y\n", ""}) {
    lacp::write_file(made, wrong);
    CHECK(
        message_of<UserError>([&] { lacp::load_dataset(description); }) ==
        fmt::format(
            "{}: is not the table that was made from {}, going by the checksums beside it; run `lacp datasets fetch set`",
            made.string(), (place.cache / "a.zip").string()));
    CHECK(lacp::fetch_dataset(description, place.options) == "already there; made a.zip.t.csv");
    CHECK(lacp::read_file(made) == table);
  }
}

TEST_CASE("a table made from a user's own file is made again when that file changes") {
  const Place place;
  const lacp::DatasetDescription description = place.describe("  file: a.zip\n  member: t.csv");
  for (const std::string text : {"x,y\n1,2\n", "x,y\n3,4\n"}) {
    write_archive(place.folder / "a.zip", {{"t.csv", text}});
    // At first it is not there, then it is of the archive as it was.
    CHECK(has(message_of<UserError>([&] { lacp::load_dataset(description); }),
              "run `lacp datasets fetch set`"));
    CHECK(lacp::fetch_dataset(description, place.options) == "already there; made a.zip.t.csv");
    CHECK(lacp::read_file(place.cache / "a.zip.t.csv") == text);
  }
}

TEST_CASE("what a shell would act on is a name like any other") {
  const Place place;
  const std::string command = "touch${IFS}pwned";
  const std::string path =
      "/a;" + command + ";$(" + command + ")`" + command + "`|" + command + "&[1-3]{a,b}";
  const LocalServer server([](const std::string&) { return reply("200 OK", table); });
  const std::string file = "a;" + command + ";$(" + command + ")`" + command + "`.csv";
  const lacp::DatasetDescription plain = place.describe(
      fmt::format("  url: '{}'\n  file: '{}'\n  sha256: {}", server.url(path), file, lacp::sha256(table)));
  lacp::fetch_dataset(plain, place.options);
  CHECK(server.requests() == std::vector<std::string>{path});
  CHECK(lacp::read_file(place.cache / file) == table);

  // The name of the archive is a pattern that fits another one, too.
  const TemporaryFolder elsewhere;
  const std::string member = "in/$(" + command + ");b.csv", name = "a*[1]$(" + command + ").zip";
  write_archive(elsewhere / "good.zip", {{member, table}});
  write_archive(place.cache / ("a2" + name.substr(2)), {{member, "another table"}});
  const lacp::DatasetDescription packed = place.describe(fmt::format(
      "  url: file://{}\n  file: '{}'\n  sha256: {}\n  member: '{}'", (elsewhere / "good.zip").string(), name,
      lacp::sha256(lacp::read_file(elsewhere / "good.zip")), member));
  lacp::fetch_dataset(packed, place.options);
  CHECK(lacp::read_file(packed.source->table) == table);
  CHECK_FALSE(fs::exists("pwned"));
  for (const std::string& found : place.files()) CHECK_FALSE(found.ends_with("pwned"));
}
