#include "table/sheets/xlsx.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <pugixml.hpp>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/csv.hpp"
#include "table/sheets/sheet_cells.hpp"

namespace lacp {
namespace {

using namespace std::string_view_literals;

/// A name without what stands for its namespace: "row" of "x:row".
std::string_view local(std::string_view name) { return name.substr(name.rfind(':') + 1); }

/// Where a tag that begins at `at` ends, just behind its >.
std::size_t end_of_tag(std::string_view xml, std::size_t at) {
  char quote = '\0';
  for (; at < xml.size(); ++at) {
    const char c = xml[at];
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      return at + 1;
  }
  return std::string_view::npos;
}

/// What stands in CDATA is not a comment.
std::string without_comments(std::string xml) {
  constexpr std::string_view comment = "<!--", data = "<![CDATA[";
  if (xml.find(comment) == std::string::npos) return xml;
  std::string out;
  for (std::string_view rest = xml; !rest.empty();) {
    const std::size_t at = std::min({rest.find(comment), rest.find(data), rest.size()});
    out += rest.substr(0, at);
    rest.remove_prefix(at);
    const bool is_comment = rest.starts_with(comment);
    const std::size_t end =
        std::min(rest.find(is_comment ? "-->" : "]]>"), rest.size() - std::min<std::size_t>(3, rest.size()));
    if (!is_comment) out += rest.substr(0, end + 3);
    rest.remove_prefix(std::min(end + 3, rest.size()));
  }
  return out;
}

using UseElement = std::function<void(const pugi::xml_node&)>;

/// Hands each element of this name to `use`, in their order. Only one of them at a time becomes a tree, so a
/// part of any length takes little memory; what else is in the part, as a DTD, is not looked at. False if one
/// of them never ends, is no XML or is longer than any row of a sheet.
bool each_element(std::string_view xml, std::string_view name, const UseElement& use) {
  constexpr std::size_t longest = std::size_t{8} << 20, longest_name = 64;
  constexpr unsigned flags = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol |
                             pugi::parse_wconv_attribute | pugi::parse_ws_pcdata_single;
  pugi::xml_document tree;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string_view::npos;) {
    const std::string_view rest = xml.substr(at + 1, longest_name);
    const std::string_view full = rest.substr(0, rest.find_first_of(" \t\r\n/>"));
    if (local(full) != name) {
      ++at;
      continue;
    }
    std::size_t end = end_of_tag(xml, at);
    if (end != std::string_view::npos && xml[end - 2] != '/') {
      const std::size_t closing = xml.find(fmt::format("</{}", full), end);
      end = closing == std::string_view::npos ? closing : end_of_tag(xml, closing);
    }
    if (end == std::string_view::npos || end - at > longest) return false;
    if (!tree.load_buffer(xml.data() + at, end - at, flags, pugi::encoding_utf8)) return false;
    use(tree.first_child());
    at = end;
  }
  return true;
}

pugi::xml_node child(const pugi::xml_node& node, std::string_view name) {
  return node.find_child([&](const pugi::xml_node& one) { return local(one.name()) == name; });
}

std::string_view attribute(const pugi::xml_node& node, std::string_view name) {
  return node.find_attribute([&](const pugi::xml_attribute& one) { return local(one.name()) == name; })
      .value();
}

bool is_true(std::string_view value) { return value == "1" || value == "true"; }

/// All runs of a text, without how to pronounce it.
std::string text_of(const pugi::xml_node& node) {
  std::string text;
  for (const pugi::xml_node& part : node.children()) {
    if (local(part.name()) == "t") text += part.child_value();
    if (local(part.name()) == "r") text += child(part, "t").child_value();
  }
  return text;
}

/// Many texts, one behind the other.
class Texts {
 public:
  void add(std::string_view text) {
    all_ += text;
    ends_.push_back(static_cast<std::uint32_t>(all_.size()));
  }
  std::optional<std::string_view> at(std::size_t i) const {
    if (i >= ends_.size()) return std::nullopt;
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(all_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string all_;
  std::vector<std::uint32_t> ends_;
};

/// What the cells of a sheet mean.
struct SheetContext {
  std::string where;    ///< "t.xlsx: sheet 's'", for messages
  std::string damaged;  ///< a message
  Texts shared = {};
  const std::vector<NumberFormat>& formats;
  bool since_1904 = false;
};

std::string value_of(const pugi::xml_node& cell, const SheetContext& sheet) {
  const std::string_view type = attribute(cell, "t");
  const std::string value = child(cell, "v").child_value();
  if (type == "inlineStr") return text_of(child(cell, "is"));
  if (type == "b") return is_true(value) ? "TRUE" : "FALSE";
  if (type == "e" || type == "d" || type == "str") return value;
  if (type == "s") {
    const std::optional<std::size_t> number = count_in(value);
    const std::optional<std::string_view> text = number ? sheet.shared.at(*number) : std::nullopt;
    if (!text && !value.empty()) throw UserError(sheet.damaged);
    return std::string(text.value_or(""));
  }
  if (value.empty() && child(cell, "f"))  // whoever reads its column says what is wrong
    return std::string(no_result);
  const std::optional<double> number = parse_double(value);
  if (!number) return value;
  const std::size_t style = count_in(attribute(cell, "s")).value_or(0);
  const NumberFormat format = style < sheet.formats.size() ? sheet.formats[style] : NumberFormat::number;
  return stored_text(*number, format, sheet.since_1904);
}

/// Adds the cells of a sheet, row by row. False if there are too many.
bool read_cells(const std::string& xml, const SheetContext& sheet, SheetCells& cells) {
  bool fits = true;
  CellPlace here;
  const bool whole = each_element(xml, "row", [&](const pugi::xml_node& row) {
    here.row = count_in(attribute(row, "r")).value_or(here.row + 1);
    here.column = 0;
    if (here.row == 0 || here.row > most_sheet_rows) throw UserError(sheet.damaged);
    for (const pugi::xml_node& cell : row.children()) {
      if (local(cell.name()) != "c") continue;
      const std::string_view reference = attribute(cell, "r");
      here.column = reference.empty() ? here.column + 1 : place_at(reference).column;
      if (here.column == 0 || here.column > most_sheet_columns) throw UserError(sheet.damaged);
      fits = fits && cells.add(here, value_of(cell, sheet));
    }
  });
  if (!whole) throw UserError(sheet.damaged);
  return fits;
}

/// A part that another one names: from the root, or from the folder of that one.
std::string resolved(std::string_view folder, std::string_view target) {
  if (target.starts_with('/')) return std::string(target.substr(1));
  while (target.starts_with("../")) {
    target.remove_prefix(3);
    folder = folder.substr(0, folder.find_last_of('/', folder.size() - 2) + 1);
  }
  return fmt::format("{}{}", folder, target);
}

struct Relationship {
  std::string kind, target;
};
/// The parts that a part names, by their ids. Kinds are addresses, of which the last word counts.
std::map<std::string, Relationship> relationships(const std::string& xml, std::string_view folder) {
  std::map<std::string, Relationship> found;
  each_element(xml, "Relationship", [&](const pugi::xml_node& node) {
    const std::string_view type = attribute(node, "Type");
    found[std::string(attribute(node, "Id"))] = {std::string(type.substr(type.rfind('/') + 1)),
                                                 resolved(folder, attribute(node, "Target"))};
  });
  return found;
}

}  // namespace

Workbook::Workbook(std::string bytes, std::string name)
    : name_(std::move(name)), most_(most_unpacked(bytes.size())), archive_(std::move(bytes), name_) {
  read_sheets();
}

std::string Workbook::part(const std::string& name) const {
  const std::string xml = archive_.member(name, most_);
  const auto begins = [&](std::string_view bytes) { return xml.starts_with(bytes); };
  if (std::ranges::any_of(std::array{"\xFF\xFE"sv, "\xFE\xFF"sv, "<\0"sv, "\0<"sv}, begins))
    user_error("{}: cannot be read: {} in it is UTF-16; save the file again", name_, show_text(name, 80));
  return without_comments(xml);
}

void Workbook::read_sheets() {
  std::string book = "xl/workbook.xml";
  if (archive_.has("_rels/.rels"))
    for (const auto& [id, to] : relationships(part("_rels/.rels"), ""))
      if (to.kind == "officeDocument") book = to.target;
  const std::string folder = book.substr(0, book.rfind('/') + 1);
  const std::string related = fmt::format("{}_rels/{}.rels", folder, book.substr(folder.size()));
  if (!archive_.has(book) || !archive_.has(related))
    user_error("{}: cannot be read: it is no xlsx file", name_);
  const std::map<std::string, Relationship> parts = relationships(part(related), folder);
  for (const auto& [id, to] : parts) {
    if (to.kind == "sharedStrings" && archive_.has(to.target)) strings_ = to.target;
    if (to.kind == "styles" && archive_.has(to.target)) read_formats(part(to.target));
  }
  const std::string xml = part(book);
  each_element(xml, "workbookPr",
               [&](const pugi::xml_node& node) { since_1904_ = is_true(attribute(node, "date1904")); });
  each_element(xml, "sheet", [&](const pugi::xml_node& node) {
    const auto found = parts.find(node.attribute("r:id") ? node.attribute("r:id").value()
                                                         : std::string(attribute(node, "id")));
    const std::string_view state = attribute(node, "state");
    Sheet& sheet = sheets_.emplace_back(
        Sheet{.name = std::string(attribute(node, "name")), .hidden = !state.empty() && state != "visible"});
    if (found != parts.end() && found->second.kind == "worksheet") sheet.part = found->second.target;
  });
  if (sheets_.empty()) user_error("{}: cannot be read: it lists no sheets", name_);
}

void Workbook::read_formats(const std::string& xml) {
  std::map<std::string, std::string, std::less<>> codes;
  each_element(xml, "numFmt", [&](const pugi::xml_node& node) {
    codes[std::string(attribute(node, "numFmtId"))] = attribute(node, "formatCode");
  });
  each_element(xml, "cellXfs", [&](const pugi::xml_node& node) {
    for (const pugi::xml_node& style : node.children()) {
      const std::string_view id = attribute(style, "numFmtId");
      const auto code = codes.find(id);
      formats_.push_back(format_of(static_cast<unsigned>(count_in(id).value_or(0)),
                                   code == codes.end() ? "" : code->second));
    }
  });
}

std::string Workbook::csv(const Sheet& sheet) const {
  const std::string where = fmt::format("{}: sheet {}", name_, show_text(sheet.name));
  if (sheet.part.empty() || !archive_.has(sheet.part)) user_error("{} holds a chart, not a table", where);
  SheetContext context{.where = where,
                       .damaged = where + " cannot be read: it is damaged",
                       .formats = formats_,
                       .since_1904 = since_1904_};
  const auto add_text = [&](const pugi::xml_node& node) { context.shared.add(text_of(node)); };
  if (!strings_.empty() && !each_element(part(strings_), "si", add_text)) throw UserError(context.damaged);
  SheetCells cells(most_);
  std::string csv;
  if (!read_cells(part(sheet.part), context, cells) || !cells.write(csv))
    user_error("{} cannot be read: it holds too much for its size", where);
  return csv;
}

}  // namespace lacp
