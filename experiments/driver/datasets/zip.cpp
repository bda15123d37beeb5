#include "datasets/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

/// What "deflate" has packed, unpacked until it ends or there are more than `most` bytes. False if it is no
/// such thing or ends too early.
bool inflate_all(std::string_view packed, std::uint64_t most, std::string& out) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) run_error("not enough memory to unpack a file");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, ::inflateEnd);
  int status = Z_OK;
  while (status == Z_OK && out.size() <= most) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      stream.avail_in = static_cast<uInt>(std::min(packed.size(), std::size_t{1} << 30));
      packed.remove_prefix(stream.avail_in);
    }
    const std::size_t before = out.size();
    out.resize(before + piece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = piece;
    status = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(before + piece - stream.avail_out);
  }
  return status == Z_STREAM_END || out.size() > most;
}

unsigned checksum(std::string_view bytes) {
  return static_cast<unsigned>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

GzipFile::GzipFile(const std::filesystem::path& file)
    : name_(file.string()), file_(::gzopen(file.c_str(), "rbe"), [](gzFile opened) {
        if (opened != nullptr) ::gzclose_r(opened);
      }) {
  if (!file_) user_error("{}: cannot be read: {}", name_, std::strerror(errno));
  if (::gzdirect(file_.get()) != 0) user_error("{}: cannot be unpacked: it is no gzip file", name_);
}

void GzipFile::read(std::string& bytes, std::size_t size) {
  int got = 1;
  while (got > 0 && bytes.size() < size) {
    const std::size_t before = bytes.size(), wanted = std::min(size - before, std::size_t{1} << 30);
    bytes.resize(before + wanted);
    got = ::gzread(file_.get(), bytes.data() + before, static_cast<unsigned>(wanted));
    bytes.resize(before + static_cast<std::size_t>(std::max(got, 0)));
  }
  int status = Z_OK;
  ::gzerror(file_.get(), &status);
  if (status == Z_ERRNO) user_error("{}: cannot be read: {}", name_, std::strerror(errno));
  if (status == Z_BUF_ERROR) user_error("{}: cannot be unpacked: it is cut off", name_);
  if (status != Z_OK && status != Z_STREAM_END) user_error("{}: cannot be unpacked: it is damaged", name_);
}

std::string gunzipped(const std::filesystem::path& file, std::uint64_t most) {
  GzipFile packed(file);
  std::string bytes;
  for (std::size_t before = 1; before != bytes.size() && bytes.size() <= most;) {
    before = bytes.size();
    packed.read(bytes, before + 16 * piece);
  }
  if (bytes.size() > most)
    user_error(
        "{}: cannot be unpacked: it holds more than {} bytes, more than a data set is expected to have",
        file.string(), most);
  return bytes;
}

ZipArchive::ZipArchive(std::string bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {
  read_directory();
}

void ZipArchive::refuse(std::string_view why) const { user_error("{}: cannot be unpacked: {}", name_, why); }

/// The little-endian number there.
std::uint64_t ZipArchive::number(std::uint64_t at, unsigned bytes) const {
  if (at > bytes_.size() || bytes_.size() - at < bytes) refuse("it is no zip archive, or is damaged");
  std::uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
  return value;
}

/// One member of the central directory. Sizes that need more than four bytes stand behind its name (zip64).
ZipArchive::Member ZipArchive::read_entry(std::uint64_t at) const {
  Member member{.flags = static_cast<unsigned>(number(at + 8, 2)),
                .method = static_cast<unsigned>(number(at + 10, 2)),
                .crc = static_cast<unsigned>(number(at + 16, 4)),
                .packed = number(at + 20, 4),
                .size = number(at + 24, 4),
                .header = number(at + 42, 4)};
  std::uint64_t extra = at + 46 + number(at + 28, 2);
  const std::uint64_t end = extra + number(at + 30, 2);
  while (extra + 4 <= end) {
    const std::uint64_t length = number(extra + 2, 2);
    if (number(extra, 2) == 1) {
      std::uint64_t next = extra + 4;
      for (std::uint64_t* value : {&member.size, &member.packed, &member.header})
        if (*value == 0xffffffff) *value = number(std::exchange(next, next + 8), 8);
      break;
    }
    extra += 4 + length;
  }
  return member;
}

/// The archive ends with a record that says where the directory begins, and a comment of up to 64 kB.
void ZipArchive::read_directory() {
  if (bytes_.starts_with("\xD0\xCF\x11\xE0"))
    refuse("it is an old xls file, or protected by a password; save it as xlsx, without a password");
  const std::size_t end = bytes_.rfind("PK\x05\x06");
  if (end == std::string::npos) refuse("it is no zip archive, or is cut off");
  std::uint64_t at = number(end + 16, 4);
  if (at == 0xffffffff && end >= 20) at = number(number(end - 20 + 8, 8) + 48, 8);  // zip64
  while (at <= bytes_.size() && std::string_view(bytes_).substr(at).starts_with("PK\x01\x02")) {
    const std::uint64_t length = number(at + 28, 2);
    number(at + 46, 0);
    members_[bytes_.substr(at + 46, length)] = read_entry(at);
    at += 46 + length + number(at + 30, 2) + number(at + 32, 2);
  }
  if (at > end) refuse("it is no zip archive, or is damaged");
}

std::string_view ZipArchive::packed_bytes(const Member& member) const {
  if (number(member.header, 4) != 0x04034b50) refuse("it is damaged");
  const std::uint64_t begin =
      member.header + 30 + number(member.header + 26, 2) + number(member.header + 28, 2);
  if (begin > bytes_.size() || bytes_.size() - begin < member.packed) refuse("it is damaged, or cut off");
  return std::string_view(bytes_).substr(begin, member.packed);
}

std::string ZipArchive::member(const std::string& name, std::uint64_t most) const {
  const auto found = members_.find(name);
  if (found == members_.end()) refuse(fmt::format("it has no member {}", show_text(name, 80)));
  const Member& member = found->second;
  if ((member.flags & 1) != 0)
    refuse(fmt::format("its member {} is protected by a password", show_text(name, 80)));
  if (member.method != 0 && member.method != Z_DEFLATED)
    refuse(fmt::format("its member {} is packed by method {}; expected deflate, which is the usual one",
                       show_text(name, 80), member.method));
  const std::string_view packed = packed_bytes(member);
  std::string bytes;
  if (member.size <= most) bytes.reserve(member.size + piece);
  const bool whole = member.method == 0 || inflate_all(packed, most, bytes);
  if (member.method == 0) bytes = packed.substr(0, most + 1);
  if (bytes.size() > most)
    refuse(fmt::format(
        "its member {} has more than {} bytes, more than is expected of a file of this kind and size",
        show_text(name, 80), most));
  if (!whole || bytes.size() != member.size || checksum(bytes) != member.crc)
    refuse(fmt::format("its member {} is damaged", show_text(name, 80)));
  return bytes;
}

std::string ZipArchive::beginning(const std::string& name, std::size_t most) const {
  const auto found = members_.find(name);
  if (found == members_.end() || (found->second.flags & 1) != 0) return "";
  const std::string_view packed = packed_bytes(found->second);
  if (found->second.method == 0) return std::string(packed.substr(0, most));
  std::string bytes;
  inflate_all(packed, most, bytes);
  return bytes;
}

}  // namespace lacp
