// Servers and networks that misbehave. After each: one line, no part of a file in the cache, the old file as
// it was, and nothing outside the cache.
// Archives whose names lead elsewhere or mean something to a shell, and tables that are not what was made
// from them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "io/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "local_server.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

namespace fs = std::filesystem;
using lacp::RunError;
using lacp::UserError;

const std::string table = "x,y\n1,2\n", old_file = "the old file\n", page = "<html>Sorry.\r\n</html>";

/// A description of a file at a url, in a folder where everything that appears is noticed.
struct Place {
  TemporaryFolder folder;
  fs::path cache = folder / "cache";
  lacp::FetchOptions options{.most_seconds = 20, .retries = 0};

  Place() { ::setenv("no_proxy", "*", 1); }  // the server is on this machine

  /// `lines` are those of the source, as yaml.
  lacp::DatasetDescription describe(const std::string& lines) const {
    lacp::write_file(folder / "set.yaml",
                     "title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n" + lines + "\n");
    return lacp::read_description(folder / "set.yaml", cache);
  }
  lacp::DatasetDescription describe(const std::string& url, const std::string& expected) const {
    return describe(fmt::format("  url: '{}'\n  file: a.csv\n  sha256: {}", url, lacp::sha256(expected)));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder.path()).string());
    std::ranges::sort(names);
    return names;
  }
  /// Fetches what cannot be had, with an old file in the cache and without, and returns the message.
  std::string refused(const std::string& url, const std::string& expected = table) const {
    const lacp::DatasetDescription description = describe(url, expected);
    const auto fetch = [&] { lacp::fetch_dataset(description, options); };
    const std::string message = message_of<RunError>(fetch);
    CHECK(files() == std::vector<std::string>{"set.yaml"});
    lacp::write_file(cache / "a.csv", old_file);
    CHECK(message_of<RunError>(fetch).starts_with(url + ": "));  // curl also tells milliseconds
    CHECK(files() == std::vector<std::string>{"cache/a.csv", "set.yaml"});
    CHECK(lacp::read_file(cache / "a.csv") == old_file);
    fs::remove(cache / "a.csv");
    CHECK_MESSAGE(message.starts_with(url + ": "), message);
    CHECK_MESSAGE(message.find_first_of("\r\n") == std::string::npos, message);
    return message;
  }
};

namespace {

Answer redirect(const std::string& to) { return reply("302 Found", page, "Location: " + to + "\r\n"); }

}  // namespace

TEST_CASE("a file comes over http, also after a redirection") {
  const Place place;
  const LocalServer server(
      [](const std::string& path) { return path == "/moved" ? redirect("/a.csv") : reply("200 OK", table); });
  for (const char* path : {"/a.csv", "/moved"}) {
    fs::remove_all(place.cache);
    lacp::fetch_dataset(place.describe(server.url(path), table), place.options);
    CHECK(place.files() == std::vector<std::string>{"cache/a.csv", "set.yaml"});
    CHECK(lacp::read_file(place.cache / "a.csv") == table);
  }
}

TEST_CASE("a wrong, truncated, empty or missing file is refused") {
  const Place place;
  const LocalServer server([](const std::string& path) {
    if (path == "/page") return reply("200 OK", page);
    if (path == "/empty") return reply("200 OK", "");
    if (path == "/cut") return Answer{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + table};
    if (path == "/nothing") return Answer{""};
    return reply(path.substr(1, 3) + " No\033[2J", page);
  });
  CHECK(has(place.refused(server.url("/page")), "wrong checksum: sha256 is " + lacp::sha256(page)));
  CHECK(has(place.refused(server.url("/empty")), "wrong checksum: sha256 is " + lacp::sha256("")));
  CHECK(has(place.refused(server.url("/cut")), "the download failed (curl ended with 18"));
  CHECK(has(place.refused(server.url("/nothing")), "the download failed (curl ended with 52"));
  for (const char* status : {"403", "404", "500", "503"}) {
    const std::string message = place.refused(server.url("/") + status);
    check_has(message,
              {fmt::format("(curl ended with 22: curl: (22) The requested URL returned error: {}", status),
               "name a folder that holds a.csv with --mirror"});
    CHECK_FALSE(has(message, "\033"));
  }
}

TEST_CASE("redirections that go round, or lead away from http, are not followed") {
  const Place place;
  const TemporaryFolder elsewhere;
  lacp::write_file(elsewhere / "secret", "a secret");
  // What the first leads to has the right checksum.
  const std::vector<std::string> away = {"file://" + (elsewhere / "secret").string(), "ftp://127.0.0.1/a",
                                         "gopher://127.0.0.1/a", "dict://127.0.0.1/a"};
  const LocalServer server(
      [&](const std::string& path) { return redirect(path == "/loop" ? path : away.at(path.size() - 2)); });
  CHECK(has(place.refused(server.url("/loop")), "the download failed (curl ended with 47"));
  CHECK(server.requests().size() == 2 * 6);
  for (const char* path : {"/1", "/22", "/333", "/4444"})
    CHECK(has(place.refused(server.url(path), "a secret"), "the download failed (curl ended with 1: "));
}

TEST_CASE("no network is a message, not a wait") {
  const Place place;
  const ClosedPort nobody;
  CHECK(has(place.refused(fmt::format("http://127.0.0.1:{}/a.csv", nobody.number())),
            "the download failed (curl ended with 7"));
  // No name has a part of more than 63 letters, so this is known without asking anyone.
  CHECK(has(place.refused("http://" + std::string(70, 'a') + "/a.csv"),
            "the download failed (curl ended with "));
}

TEST_CASE("a server that stalls is given up") {
  Place place;
  const LocalServer server([](const std::string& path) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    return Answer{path == "/silent" ? "" : head + table, false};
  });
  place.options.most_seconds = 1;
  CHECK(has(place.refused(server.url("/silent")), "the download failed (curl ended with 28"));
  place.options.most_seconds = 600;
  place.options.stall_seconds = 1;
  CHECK(has(place.refused(server.url("/slow")), "the download failed (curl ended with 28"));
}

TEST_CASE("a file larger than the bound is refused, whether or not the server tells its size") {
  Place place;
  place.options.most_bytes = 1000;
  const std::string large(100000, 'x');
  const LocalServer server([&](const std::string& path) {
    return path == "/told" ? reply("200 OK", large) : Answer{"HTTP/1.0 200 OK\r\n\r\n" + large};
  });
  CHECK(has(place.refused(server.url("/told"), large), "the download failed (curl ended with 63"));
  // Newer versions of curl count what comes, older ones are stopped by the limit of the process.
  const std::string message = place.refused(server.url("/untold"), large);
  CHECK((has(message, "curl was stopped at 1000 bytes") || has(message, "curl ended with 63")));
}

TEST_CASE("a url that is none, or of another kind, is refused where it is written") {
  const Place place;
  for (const std::string url : {"ftp://host/a.csv", "-o/tmp/a.csv", "--config=x", "dict://host/",
                                "host/a.csv", "javascript:a.csv", "HTTP://host/a.csv", "http:/host/a.csv"})
    CHECK(has(message_of<UserError>([&] { place.describe("  url: \"" + url + "\""); }),
              "set.yaml:6: key 'source.url': found '" + url + "'; expected https://, http:// or file://"));
  for (const std::string url :
       {"http://host/a b.csv", "http://host/a\\nb.csv", "http://host/\\t", "http://host/\\0"})
    CHECK(has(message_of<UserError>([&] { place.describe("  url: \"" + url + "\""); }),
              "; expected no blanks (write %20)"));
  for (const std::string file : {"../a.csv", "/etc/a.csv", ".a.csv", "-a.csv", "a/b.csv", "a\\nb.csv", ".."})
    CHECK(
        has(message_of<UserError>([&] { place.describe("  url: http://host/x\n  file: \"" + file + "\""); }),
            "set.yaml:7: key 'source.file': found "));
  CHECK(place.files() == std::vector<std::string>{"set.yaml"});
}

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
