// Texts that are no UTF-8.
#include <doctest/doctest.h>

#include "lacp/table/csv.hpp"

namespace {

std::string converted(std::string bytes, std::size_t lines) {
  CHECK(lacp::to_utf8(bytes) == lines);
  return bytes;
}

}  // namespace

TEST_CASE("lines of Latin-1 and Windows-1252 become UTF-8, and others stay") {
  CHECK(converted("a,b\n1,2\n", 0) == "a,b\n1,2\n");
  CHECK(converted("L\xe4nge,y\n1,2\nG\xf6\xdf", 2) == "Länge,y\n1,2\nGöß");
  CHECK(converted("O\x92"
                  "Brien \x80",
                  1) == "O\u2019Brien €");
  CHECK(converted("Länge\nL\xe4nge\n😀", 1) == "Länge\nLänge\n😀");
  CHECK(converted("\x81", 1) == "\xc2\x81");
  // Cut short, longer than need be, half of a pair, beyond the last.
  for (const char* wrong : {"\xe4", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    CHECK(converted(wrong, 1) != wrong);
}
