// Servers and networks that misbehave. After each: one line, no part of a file in the cache, the old file as
// it was, and nothing outside the cache.

#include <cstdlib>

#include "described_table.hpp"
#include "local_server.hpp"

using Names = std::vector<std::string>;

namespace {

const std::string table = "x,y\n1,2\n", page = "<html>Sorry.\r\n</html>";

struct DownloadPlace : FetchPlace {
  DownloadPlace() { ::setenv("no_proxy", "*", 1); }  // the server is on this machine

  /// Fetches what cannot be had, with an old file in the cache and without, and returns the message.
  std::string refused(const std::string& url, const std::string& expected = table) const {
    const lacp::DatasetDescription description = describe(url, expected);
    const std::string message = failure(description), old_file = "the old file\n";
    CHECK(files() == Names{"set.yaml"});
    lacp::write_file(cache / "a.csv", old_file);
    CHECK(failure(description).starts_with(url + ": "));  // curl also tells milliseconds
    CHECK(files() == Names{"cache/a.csv", "set.yaml"});
    CHECK(lacp::read_file(cache / "a.csv") == old_file);
    fs::remove(cache / "a.csv");
    CHECK_MESSAGE(message.starts_with(url + ": "), message);
    CHECK_MESSAGE(message.find_first_of("\r\n") == std::string::npos, message);
    return message;
  }
};

Answer redirect(const std::string& to) { return reply("302 Found", page, "Location: " + to + "\r\n"); }

}  // namespace

TEST_CASE("a file comes over http, also after a redirection") {
  const DownloadPlace place;
  const LocalServer server(
      [](const std::string& path) { return path == "/moved" ? redirect("/a.csv") : reply("200 OK", table); });
  for (const char* path : {"/a.csv", "/moved"}) {
    fs::remove_all(place.cache);
    place.fetch(place.describe(server.url(path), table));
    CHECK(place.files() == Names{"cache/a.csv", "set.yaml"});
    CHECK(lacp::read_file(place.cache / "a.csv") == table);
  }
}

TEST_CASE("a wrong, truncated, empty or missing file is refused") {
  const DownloadPlace place;
  const LocalServer server([](const std::string& path) {
    if (path == "/page") return reply("200 OK", page);
    if (path == "/empty") return reply("200 OK", "");
    if (path == "/cut") return Answer{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + table};
    if (path == "/nothing") return Answer{""};
    return reply(path.substr(1, 3) + " No\033[2J", page);
  });
  for (const auto& [path, part] : {std::pair{"/page", "sha256 is " + lacp::sha256(page)},
                                   {"/empty", "sha256 is " + lacp::sha256("")},
                                   {"/cut", "(curl ended with 18"},
                                   {"/nothing", "(curl ended with 52"}})
    check_has(place.refused(server.url(path)), part);
  for (const char* status : {"403", "404", "500", "503"}) {
    const std::string message = place.refused(server.url("/") + status);
    check_has(message, {"(curl ended with 22: ", fmt::format(" error: {}", status), "--mirror"});
    check_lacks(message, "\033");
  }
}

TEST_CASE("redirections that go round, or lead away from http, are not followed") {
  const DownloadPlace place;
  const TemporaryFolder elsewhere;
  lacp::write_file(elsewhere / "secret", "a secret");
  // What the first leads to has the right checksum.
  const std::vector<std::string> away = {"file://" + (elsewhere / "secret").string(), "ftp://127.0.0.1/a",
                                         "gopher://127.0.0.1/a", "dict://127.0.0.1/a"};
  std::atomic<int> asked = 0;
  const LocalServer server([&](const std::string& path) {
    ++asked;
    return redirect(path == "/loop" ? path : away.at(path.size() - 2));
  });
  CHECK(has(place.refused(server.url("/loop")), "the download failed (curl ended with 47"));
  CHECK(asked == 2 * 6);
  for (const char* path : {"/1", "/22", "/333", "/4444"})
    CHECK(has(place.refused(server.url(path), "a secret"), "the download failed (curl ended with 1: "));
}

TEST_CASE("a server that stalls is given up") {
  DownloadPlace place;
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
  DownloadPlace place;
  place.options.most_bytes = 1000;
  const std::string large(100000, 'x');
  const LocalServer server([&](const std::string& path) {
    return path == "/told" ? reply("200 OK", large) : Answer{"HTTP/1.0 200 OK\r\n\r\n" + large};
  });
  CHECK(has(place.refused(server.url("/told"), large), "the download failed (curl ended with 63"));
  // Newer versions of curl count what comes, older ones are stopped by the limit of the process.
  const std::string message = place.refused(server.url("/untold"), large);
  CHECK((has(message, "(more than 1000 bytes)") || has(message, "curl ended with 63")));
}
