// `lacp verify`: what is in a folder of results comes out again, byte for byte, or is named.
#include <set>

#include "lacp/base/text.hpp"
#include "settings/grid.hpp"
#include "verify_folder.hpp"
#include "work/verify.hpp"

using lacp::Task;

TEST_CASE("all cells of a folder agree, with any number of threads; nothing is written") {
  const Filled filled;
  const auto before = everything(filled.folder);
  const Ran one = verify(filled.folder, {"--jobs", "1"});
  CHECK_MESSAGE(one.status == 0, one.output, one.messages);
  CHECK(one.output.starts_with(filled.folder.string() + ": 28 of 28 cells agree byte for byte; this took "));
  CHECK(has(one.output, " with 1 thread\n"));
  const Ran three = verify(filled.folder, {"--jobs", "3"});
  CHECK_MESSAGE(three.status == 0, three.output, three.messages);
  CHECK(has(three.output, ": 28 of 28 cells agree byte for byte"));
  CHECK(everything(filled.folder) == before);
}

TEST_CASE("a cell with another number is named, with its file, the column and both values") {
  const Filled filled;
  const Task task{"concrete", 1, "erc"};
  double honest = 0.0;
  filled.alter(task, [&](lacp::Cell& cell) {
    for (lacp::Measurement& m : cell.values)
      if (m.metric == "size_mean" && m.alpha == "0.1") honest = m.value, m.value = 1.25;
  });
  REQUIRE(honest != 0.0);
  const fs::path file = filled.folder / "cells/concrete.csv";
  const Ran ran = verify(filled.folder);
  CHECK(ran.status == 1);
  CHECK(has(ran.output, file.string() + ":"));
  CHECK_MESSAGE(
      has(ran.output,
          fmt::format(": concrete 1 erc: value of size_mean,0.1,: 1.25 in the folder, {} here\n", honest)),
      ran.output);
  CHECK(has(ran.output, ": 27 of 28 cells agree"));

  // Changed by hand, the checksum left as it was; and another checksum.
  std::string text = lacp::read_file(file);
  const std::size_t at = text.find("\n0,linear,size_mean,0.05,,");
  REQUIRE(at != std::string::npos);
  text.insert(text.find(",,,,", at), "1");  // perhaps beyond what a number holds: the bytes count
  const std::size_t sum =
      text.find(lacp::checksum_of(found_in(filled.folder, {"concrete", 0, "exp"}).cell.value()));
  text[sum] = text[sum] == '0' ? '1' : '0';
  lacp::write_file(file, text);
  const Ran edited = verify(filled.folder);
  CHECK(edited.status == 1);
  CHECK_MESSAGE(has(edited.output, ": concrete 0 linear: "), edited.output);
  CHECK_MESSAGE(has(edited.output, "is damaged: its contents do not match its checksum"), edited.output);
  CHECK(has(edited.output, ": 25 of 28 cells agree"));
}

TEST_CASE("kept intervals are compared too") {
  const Filled filled;
  const fs::path file = filled.folder / "intervals/cos/exp.csv";
  const std::string honest = lacp::read_file(file);
  const std::size_t second = honest.find('\n', honest.find('\n') + 1);
  lacp::write_file(file, honest.substr(0, second) + "9" + honest.substr(second));  // σ of the first point
  const Ran ran = verify(filled.folder);
  CHECK(ran.status == 1);
  CHECK_MESSAGE(has(ran.output, file.string() + ": cos 0 exp: sigma of "), ran.output);
  CHECK(has(ran.output, ": 27 of 28 cells agree"));

  fs::remove(file);
  const Ran gone = verify(filled.folder);
  CHECK(gone.status == 1);
  CHECK_MESSAGE(has(gone.output, file.string() + ": cos 0 exp: is not there\n"), gone.output);
  CHECK(has(gone.output, ": 27 of 28 cells agree"));
}

TEST_CASE("how long all cells would take is what they took before, however long the sample did") {
  const Filled filled;
  for (const Task& task : lacp::grid(lacp::load_manifest(filled.folder).experiment))
    filled.alter(task, [](lacp::Cell& cell) { cell.seconds = 100.0; });
  const Ran ran = verify(filled.folder, {"--sample", "2", "--jobs", "1"});
  CHECK(ran.status == 0);
  CHECK_MESSAGE(
      has(ran.output, " with 1 thread; all 28 took 46 min 40 s of one thread where they were made\n"),
      ran.output);
}

TEST_CASE("the same seed draws the same cells, another seed others") {
  const Filled filled;
  const auto names = [](const std::vector<Task>& tasks) {
    std::vector<std::string> texts;
    for (const Task& task : tasks)
      texts.push_back(fmt::format("{} {} {}", task.dataset, task.run, task.method));
    return lacp::join(texts, ", ");
  };
  std::vector<Task> tasks;
  for (std::size_t run = 0; run < 20; ++run)
    for (const char* method : {"exp", "erc"}) tasks.push_back({"a", run, method});
  // Stated here, since it must be the same on any machine.
  CHECK(names(lacp::draw(tasks, 3, 1)) == "a 3 erc, a 16 erc, a 18 erc");
  CHECK(lacp::draw(tasks, 3, 1) != lacp::draw(tasks, 3, 2));
  CHECK(lacp::draw(tasks, 1000, 1) == tasks);
  std::set<Task> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<Task> drawn = lacp::draw(tasks, 3, seed);
    CHECK(std::set(drawn.begin(), drawn.end()).size() == 3);
    seen.insert(drawn.begin(), drawn.end());
  }
  CHECK(seen.size() == tasks.size());

  // The program does what the function says: spoil all cells and see which are named.
  const std::vector<Task> cells = lacp::grid(lacp::load_manifest(filled.folder).experiment);
  for (const Task& task : cells) filled.alter(task, [](lacp::Cell& cell) { cell.values[0].value += 1.0; });
  const Ran ran = verify(filled.folder, {"--sample", "4", "--seed", "9"});
  CHECK(ran.status == 1);
  CHECK(has(ran.output, ": 0 of 4 cells agree byte for byte, drawn from 28 with seed 9; "));
  for (const Task& task : lacp::draw(cells, 4, 9))
    CHECK(has(ran.output, fmt::format(": {} {} {}: value of ", task.dataset, task.run, task.method)));
  CHECK(has(verify(filled.folder, {"--sample", "2"}).output, " drawn from 28 with seed 1; "));
}

TEST_CASE("the first difference of two csv texts") {
  const std::string csv = "# a\nmetric,alpha,bin,value\nsize,0.1,,2\nsize,0.2,1,3\n# sum: 1\n";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = csv;
    return lacp::first_difference(text.replace(text.find(from), from.size(), to), csv);
  };
  CHECK(lacp::first_difference(csv, csv) == "");
  CHECK(changed("1,3", "1,4") == "value of size,0.2,1: 4 in the folder, 3 here");
  CHECK(changed("# a\n", "# b\n") == "the line '# b' in the folder, '# a' here");
  CHECK(changed("size,0.2", "width,0.2") == "the line 'width,0.2,1,3' in the folder, 'size,0.2,1,3' here");
  CHECK(changed("size,0.2,1,3\n", "") == "the line '' in the folder, 'size,0.2,1,3' here");
  CHECK(lacp::first_difference("", csv) == "the line '' in the folder, 'metric,alpha,bin,value' here");
}
