// Text, SHA-256, files, versions, groups, random numbers.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <regex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "lacp/base/files.hpp"
#include "lacp/base/groups.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "temporary_folder.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("the nearest name is offered only if it may be what was meant") {
  using Names = std::vector<std::string>;
  const Names names = {"epochs", "batch", "rate"}, columns = {"a", "b", "Y", "yy"};
  // Insertions, deletions, replacements and swaps count as one each; a letter for another is no misspelling.
  for (const auto& [word, among, expected] : std::vector<std::tuple<std::string, Names, std::string>>{
           {"epoch", names, "epochs"},
           {"btach", names, "batch"},
           {"kitten", {"bitter", "sitting"}, "bitter"},
           {"--known", {"--json", "--jobs"}, ""},
           {"crq", {"erc", "cqr"}, "cqr"},
           {"transformation", names, ""},
           {std::string(100'000, 'e'), names, ""},  // and takes no time over it
           {"epoch", {}, ""},
           {"y", columns, "Y"},
           {"YY", columns, "yy"},
           {"x", columns, ""}})
    CHECK(nearest(word, among).value_or("") == expected);
  CHECK(did_you_mean("epoch", names) == " (did you mean 'epochs'?)");
  CHECK(did_you_mean("transformation", names).empty());
}

TEST_CASE("a number is the whole text or none") {
  CHECK(parse_double("1.5e-3") == 1.5e-3);
  CHECK(parse_double("-0") == 0.0);
  for (const char* text : {"", " 1", "1 ", "1,5", "0x10", "1.5.2", "one", "1e", "1e999", "--1"})
    CHECK_MESSAGE(!parse_double(text), text);
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807LL);
  for (const char* text : {"", "1.0", "1e3", "9223372036854775808", " 7"})
    CHECK_MESSAGE(!parse_integer(text), text);
}

TEST_CASE("SHA-256 gives the examples of FIPS 180 and of every padding") {
  // Around the lengths at which the padding needs a block more; values from Python's hashlib.
  for (const auto& [text, hash] : std::vector<std::pair<std::string, std::string>>{
           {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
           {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
           {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
           {std::string(55, 'x'), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
           {std::string(56, 'x'), "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
           {std::string(63, 'x'), "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
           {std::string(64, 'x'), "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
           {std::string(65, 'x'), "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"}})
    CHECK(sha256(text) == hash);
}

TEST_CASE("reading says what is wrong and where") {
  const TemporaryFolder scratch;
  write_file(scratch / "file", "12345");
  CHECK(read_file(scratch / "file", 5) == "12345");
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  const auto refused = [&](const std::string& name, std::size_t most, const char* what) {
    const std::string path = (scratch / name).string();
    CHECK(message_of([&] { read_file(path, most); }).starts_with(path + what));
  };
  refused("absent", 10, ": cannot be read: No such file");
  refused(".", 10, ": is not a file");
  refused("file", 4, ": has 5 bytes; at most 4");
  refused("pipe", 10, ": is not a file");  // and does not wait for a writer
}

TEST_CASE("a write that fails keeps the old file and leaves nothing behind") {
  const TemporaryFolder scratch;
  const fs::path file = scratch / "file";
  write_file(file, "old");
  // As on a full disk: the system refuses the bytes beyond the limit.
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit tight{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
  const std::string message = message_of<RunError>([&] { write_file(file, std::string(5000, 'n')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  CHECK(message.starts_with(file.string() + ": writing failed: File too large"));
  CHECK(read_file(file) == "old");
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("a reader sees the old bytes or the new ones, never a part") {
  const TemporaryFolder scratch;
  const fs::path file = scratch / "file";
  const std::string one(300'000, '1'), two(200'000, '2');
  write_file(file, one);
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0, read = 0;
  {
    const std::jthread reader([&] {
      while (!done) {
        const std::string seen = read_file(file);
        read += 1;
        if (seen != one && seen != two) torn += 1;
      }
    });
    const std::jthread other_writer([&] {
      for (int i = 0; i < 50; ++i) write_file(file, two);
    });
    for (int i = 0; i < 50; ++i) write_file(file, one);
    while (read < 10) std::this_thread::yield();
    done = true;
  }
  CHECK(torn == 0);
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("what killed processes left is in nobody's way, and is removed once it is old") {
  const TemporaryFolder scratch;
  using namespace std::chrono_literals;
  for (const char* name : {".file.lacp-host.1.0.tmp", ".file.lacp-host.1.1.tmp", ".mine.tmp"})
    write_file(scratch / name, "part");
  for (const char* name : {".file.lacp-host.1.1.tmp", ".mine.tmp"})
    fs::last_write_time(scratch / name, fs::file_time_type::clock::now() - 2h);
  for (const char* text : {"old", "new"}) write_file(scratch / "file", text);
  CHECK(read_file(scratch / "file") == "new");
  CHECK(entries(scratch.path()) == 3);  // one may be written right now, the other is not ours
  CHECK_FALSE(fs::exists(scratch / ".file.lacp-host.1.1.tmp"));
  for (const char* text : {"old", "new"})
    write_file(scratch / std::string(255, 'n'), text);  // a name as long as names can be
}

TEST_CASE("the version text names everything that numbers may depend on") {
  CHECK(version_text().starts_with("lacp " + version() + "\n"));
  for (const std::string part : {"mlpack", "Armadillo", "fmt", "yaml-cpp", "compiler"})
    CHECK_MESSAGE(std::regex_search(version_text(), std::regex("\n  " + part + " .*[0-9]")), part);
}

TEST_CASE("rows are divided by whole groups, and without groups as a permutation") {
  const Groups groups = {4, 4, 4, 1, 1, 9, 9, 9, 9, 2};
  CHECK(group_starts(10, groups) == std::vector<std::size_t>{0, 3, 5, 9, 10});
  CHECK(run_starts(10, 2, groups) == std::vector<std::size_t>{0, 5, 10});
  CHECK(run_starts(10, 5, groups) == std::vector<std::size_t>{0, 0, 3, 5, 9, 10});
  CHECK(run_starts(10, 3, {}) == std::vector<std::size_t>{0, 3, 6, 10});
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stream stream(seed);
    const TwoParts parts = divide_rows(10, 4, groups, stream);
    sizes.insert(parts.first.size());
    CHECK(parts.first.size() + parts.second.size() == 10);
    for (const std::size_t row : parts.first)
      for (const std::size_t other : parts.second) CHECK(groups[row] != groups[other]);
  }
  CHECK(*sizes.rbegin() == 4);
  Stream stream(1), same(1);
  const TwoParts parts = divide_rows(10, 4, {}, stream);
  const auto order = same.permutation(10);
  REQUIRE(parts.first.size() == 4);
  CHECK(std::ranges::equal(parts.first, std::span(order).first(4)));
  CHECK(std::ranges::equal(parts.second, std::span(order).subspan(4)));
  CHECK_THROWS_AS(divide_rows(3, 1, {5, 5, 5}, stream), UserError);
}

// The stored values come from a second implementation of the documented algorithm, in Python with exact
// integers.
TEST_CASE("a named stream gives the stored numbers on every platform, to the last bit") {
  CHECK(Stream(0).bits() == 0x53175d61490b23dfULL);  // published for xoshiro256++ seeded by SplitMix64
  const StreamName some_name{.seed = 1, .dataset = "energy", .run = 2, .method = "exp", .purpose = "weights"};
  const auto check = [&](const auto& draw, const auto& expected) {
    Stream stream(some_name);
    for (const auto value : expected) CHECK(draw(stream) == value);
  };
  check([](Stream& s) { return s.bits(); }, std::array{0xb1442f268214634bULL, 0x482716dbe1bba24bULL,
                                                       0xa3a298b2842f870cULL, 0x1364e6e9a71e394cULL});
  check([](Stream& s) { return s.uniform(); },
        std::array{0x1.62885e4d0428cp-1, 0x1.209c5b6f86ee8p-2, 0x1.47453165085f0p-1});
  check([](Stream& s) { return s.normal(); }, std::array{-0x1.3783f234b3051p+0, -0x1.0232e31f21ccap+1,
                                                         0x1.8a0faab403292p-1, -0x1.93e7c453d6c62p-1});
  // A product and a sum that are fused would end in ...85p-4 and ...dafp-7.
  check([](Stream& s) { return s.uniform(-0.1, 0.2); },
        std::array{0x1.b94748b8d6c86p-4, -0x1.fa22f89e23db0p-7});
  check([](Stream& s) { return s.below(10); }, std::array{9u, 1u, 6u, 2u, 4u, 3u, 3u, 7u, 2u, 0u, 6u, 7u});
  CHECK(Stream(some_name).permutation<int>(10) == std::vector<int>{8, 0, 1, 7, 3, 2, 6, 4, 5, 9});
}
