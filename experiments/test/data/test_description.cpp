#include "described_table.hpp"

using lacp::Catalog;
using lacp::DatasetDescription;
using lacp::read_description;
using lacp::UserError;

namespace {

const std::string sum(64, 'a');

struct Written {
  TemporaryFolder folder;
  std::filesystem::path yaml = folder / "set.yaml";
  explicit Written(const std::string& text) { lacp::write_file(yaml, text); }
  DatasetDescription read() const { return read_description(yaml, folder / "cache"); }
};

/// The message about a wrong description, with the folder's name taken out.
std::string refusal(const std::string& text) {
  const Written written(text);
  return without_folder(message_of<UserError>([&] { written.read(); }), written.folder);
}

std::string source_with(const std::string& line) {
  return heading + "target: y\nsource:\n  file: a.csv\n" + line + "\n";
}

}  // namespace

TEST_CASE("a complete description is read") {
  const Written written(heading +
                        "home: https://example.org\n"
                        "source:\n  url: https://example.org/files/all.zip\n  sha256: " +
                        sum +
                        "\n  member: inner/table.xlsx\n"
                        "format:\n  delimiter: ';'\n  header: false\n  names: [a, b, y]\n  sheet: 2\n"
                        "target: y\ncolumns:\n  drop: [a]\nrows: 10\nattributes: 1\n");
  const DatasetDescription description = written.read();
  CHECK(description.name + description.title + description.licence == "setTL");
  CHECK_FALSE(lacp::is_synthetic(description));
  CHECK_FALSE(lacp::at_hand(description));
  CHECK(description.source->file == "all.zip");
  CHECK(description.source->original == written.folder / "cache" / "all.zip");
  CHECK(description.source->table == written.folder / "cache" / "all.zip.inner%2Ftable.xlsx.sheet2.csv");
  CHECK(description.format.delimiter == ';');
  CHECK_FALSE(description.format.header);
  CHECK(description.format.names.size() == 3);
  CHECK(description.drop.columns == std::vector<std::string>{"a"});
  CHECK(description.rows == 10);
  CHECK(description.attributes == 1);
}

TEST_CASE("a file without url lies beside its description") {
  const Written written(source_with(""));
  CHECK(written.read().source->table == written.folder / "a.csv");
  CHECK_FALSE(lacp::at_hand(written.read()));
  lacp::write_file(written.folder / "a.csv", "x,y\n");
  CHECK(lacp::at_hand(written.read()));
}

TEST_CASE("missing and wrong values are refused") {
  const std::string synthetic = heading + "synthetic:\n  profile: ";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"target: y\n", "key 'title': is missing"},
           {heading, "key 'source': is missing"},
           {heading + "source:\n  file: a.csv\n", "key 'target': is missing"},
           {heading + "target: y\nsource:\n  url: https://e.org/a.csv\n", "key 'source.sha256': is missing"},
           {heading + "target: y\nsource: {file: set.tar.gz}\n", "'source.file': found 'set.tar.gz'"},
           {heading + "target: y\nsource: {file: set.tgz}\n", "'source.file': found 'set.tgz'"},
           {heading + "target: y\nsource: {file: a.gz, member: b}\n", "'source.member'"},
           {source_with("  sha256: abc"), "key 'source.sha256': found 'abc'"},
           {source_with("format:\n  delimiter: ab"), "key 'format.delimiter': found 'ab'"},
           {source_with("format:\n  delimiter: e"), "key 'format.delimiter': found 'e'"},
           {source_with("format:\n  sheet: 1"), "key 'format.sheet': is for .xlsx files"},
           {source_with("columns:\n  drop: [a]\n  use: [b]"), "'columns.drop': is given together with 'use'"},
           {source_with("rows: -4"), "set.yaml:7: key 'rows': found '-4'"},
           {synthetic + "kos\n", "found 'kos' (did you mean 'cos'?)"},
           {synthetic + "cos\n  rho: -1\n", "'synthetic.rho'"},
           {synthetic + "cos\n  rho: nan\n", "'synthetic.rho'"},
           {synthetic + "cos\n  high: -2\n", "'synthetic.high'"},
           {synthetic + "cos\n  samples: 0\n", "'synthetic.samples'"},
           {synthetic + "cos\ntarget: y\n", "set.yaml:6: unknown key 'target'"}})
    check_has(refusal(text), part);
}

TEST_CASE("citation and licence, in either spelling, are required of what is fetched, and of nothing else") {
  const std::string fetched =
      "title: T\ntarget: y\nsource:\n  url: https://e.org/a.csv\n  sha256: " + sum + "\n";
  check_has(refusal(fetched), "set.yaml:1: key 'citation': is missing");
  check_has(refusal(fetched + "citation: C\n"), "set.yaml:1: key 'licence': is missing");
  CHECK(Written(fetched + "citation: C\nlicense: L\n").read().licence == "L");
  CHECK(Written(fetched + "citation: C\nlicence: L\n").read().licence == "L");
  CHECK(has(refusal(heading + "license: L\n"), "key 'license': is given together with 'licence'"));
  CHECK(Written("title: T\ntarget: y\nsource: {file: a.csv}\n").read().licence.empty());
  CHECK(Written("title: T\nsynthetic: {profile: cos}\n").read().licence.empty());
}

TEST_CASE("no description reaches outside the cache, runs an option or another protocol") {
  const std::string tail = "\n  sha256: " + sum + "\ntarget: y\n";
  for (const std::string file :
       {"../a.csv", "/etc/a.csv", "a/b.csv", "..", ".hidden", ".a.csv", "-o", "-a.csv", "\"a\\nb\""})
    check_has(refusal(heading + "source:\n  url: https://e.org/x\n  file: " + file + tail),
              "set.yaml:6: key 'source.file': found ");
  for (const std::string member : {"../a.csv", "/a.csv", "a/../../b", "-x", "a*", "\"[a]\"", "\"\"", "a//b"})
    check_has(refusal(heading + "source:\n  url: https://e.org/x.zip\n  member: " + member + tail),
              "set.yaml:6: key 'source.member': found ");
  const auto refused_url = [&](const std::string& url) {
    return refusal(heading + "source:\n  url: \"" + url + "\"" + tail);
  };
  for (const std::string url :
       {"ftp://e.org/a", "scp://e.org/a", "dict://e.org/", "-o/etc/x", "--config=x", "a.csv", "e.org/a.csv",
        "javascript:a.csv", "HTTP://e.org/a.csv", "http:/e.org/a.csv"})
    CHECK(has(refused_url(url),
              "set.yaml:5: key 'source.url': found '" + url + "'; expected https://, http:// or file://"));
  for (const std::string url :
       {"https://e.org/a b", "https://e.org/a\\nb", "https://e.org/\\t", "https://e.org/\\0"})
    CHECK(has(refused_url(url), "; expected no blanks (write %20)"));
  CHECK(has(refusal(heading + "source:\n  url: https://e.org/" + tail), "key 'source.file'"));
}

TEST_CASE("a catalog finds what its folder holds") {
  const TemporaryFolder folder;
  lacp::write_file(folder / "energy.yaml", heading + "synthetic:\n  profile: cos\n");
  lacp::write_file(folder / "notes.txt", "");
  const Catalog catalog(folder.path());
  CHECK(catalog.names() == std::vector<std::string>{"energy"});
  CHECK(catalog.cache() == folder / "cache");
  CHECK(catalog.find("energy").synthetic->profile == "cos");
  CHECK_REFUSED(catalog.find("enrgy"), "(did you mean 'energy'?); known: energy");
  CHECK_REFUSED(catalog.find("../energy"), "there is no data set '../energy'");
  lacp::write_file(folder / "new set.yaml", heading + "synthetic:\n  profile: cos\n");
  CHECK_REFUSED(catalog.find("new set"), "letters, digits");
  CHECK_REFUSED(Catalog(folder / "none"), "is not a folder");
}
