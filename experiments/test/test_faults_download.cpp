// Servers and networks that misbehave. After each: one line, no part of a file in the cache, the old file as
// it was, and nothing outside the cache.
#include "download_place.hpp"

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
    CHECK(has(message,
              fmt::format("(curl ended with 22: curl: (22) The requested URL returned error: {}", status)));
    CHECK(has(message, "name a folder that holds a.csv with --mirror"));
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
