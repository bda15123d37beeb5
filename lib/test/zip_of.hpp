// Archives and spreadsheets made of their parts, for tests of those who read them.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

using Members = std::vector<std::pair<std::string, std::string>>;  ///< names and contents

/// What `deflate` makes of these bytes.
inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A zip archive of these members, packed or as they are.
inline std::string zip_of(const Members& members, bool packed = true) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
    return text;
  };
  std::string archive, directory;
  for (const auto& [name, bytes] : members) {
    const std::string data = packed ? deflated(bytes) : bytes;
    const std::string about =
        number(20, 2) + number(0, 2) + number(packed ? 8 : 0, 2) + number(0, 4) +
        number(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4) +
        number(data.size(), 4) + number(bytes.size(), 4) + number(name.size(), 2) + number(0, 2);
    directory += "PK\1\2" + number(20, 2) + about + number(0, 10) + number(archive.size(), 4) + name;
    archive += "PK\3\4" + about + name + data;
  }
  return archive + directory + "PK\5\6" + number(0, 4) + number(members.size(), 2) +
         number(members.size(), 2) + number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

/// What a spreadsheet is made of.
struct SheetParts {
  std::string rows = {};     ///< of its sheet "s"
  std::string strings = {};  ///< <si> elements
  std::string styles = {};   ///< what stands in its styleSheet
  std::string book = {};     ///< before the list of sheets
  std::string prefix = {};   ///< of its elements: "x:"
};

inline Members xlsx_members(const SheetParts& parts) {
  const std::string ns = "http://schemas.openxmlformats.org/",
                    office = ns + "officeDocument/2006/relationships", x = parts.prefix;
  const auto related = [&](const std::vector<std::pair<std::string, std::string>>& to) {
    std::string xml = "<Relationships>";
    for (std::size_t i = 0; i < to.size(); ++i)
      xml += fmt::format(R"(<Relationship Id="r{}" Type="{}/{}" Target="{}"/>)", i + 1, office, to[i].first,
                         to[i].second);
    return xml + "</Relationships>";
  };
  return {
      {"_rels/.rels", related({{"officeDocument", "xl/workbook.xml"}})},
      {"xl/_rels/workbook.xml.rels", related({{"worksheet", "/xl/worksheets/sheet1.xml"},
                                              {"sharedStrings", "sharedStrings.xml"},
                                              {"styles", "styles.xml"}})},
      {"xl/workbook.xml",
       fmt::format(
           R"(<{0}workbook>{1}<{0}sheets><{0}sheet name="s" sheetId="1" r:id="r1"/></{0}sheets></{0}workbook>)",
           x, parts.book)},
      {"xl/styles.xml", fmt::format("<{0}styleSheet>{1}</{0}styleSheet>", x, parts.styles)},
      {"xl/sharedStrings.xml", fmt::format("<{0}sst>{1}</{0}sst>", x, parts.strings)},
      {"xl/worksheets/sheet1.xml",
       fmt::format("<{0}worksheet><{0}sheetData>{1}</{0}sheetData></{0}worksheet>", x, parts.rows)}};
}

inline std::string xlsx_of(const SheetParts& parts) { return zip_of(xlsx_members(parts)); }
