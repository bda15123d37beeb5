#include "table/sheets/zip.hpp"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16;
constexpr const char* damaged = "it is damaged or cut off";
constexpr std::string_view no_archive = "it is no zip archive, or is damaged";

[[noreturn]] void refuse_to_unpack(const std::string& name, std::string_view why) {
  user_error("{}: cannot be unpacked: {}", name, why);
}

/// How many bits the window has also says what stands around the packed bytes.
std::shared_ptr<z_stream> unpacker(int window_bits) {
  auto stream = std::make_unique<z_stream>();
  if (::inflateInit2(stream.get(), window_bits) != Z_OK) run_error("too little memory to unpack");
  return {stream.release(), [](z_stream* ended) {
            ::inflateEnd(ended);
            delete ended;
          }};
}

/// What "deflate" has packed, unpacked until it ends or there are more than `most` bytes. False if it is no
/// such thing or ends too early.
bool inflate_all(std::string_view packed, std::uint64_t most, std::string& out) {
  const std::shared_ptr<z_stream> unpacks = unpacker(-MAX_WBITS);
  z_stream& stream = *unpacks;
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
    : name_(file.string()),
      file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)),
      stream_(unpacker(MAX_WBITS + 16)) {
  if (!file_.is_open()) user_error("{}: cannot be read: {}", name_, std::strerror(errno));
  if (!has_more() || !packed_.starts_with("\x1F\x8B")) refuse_to_unpack(name_, "it is not a gzip file");
  std::error_code ignored;
  most_ = most_unpacked(std::filesystem::file_size(file, ignored));
}

/// Whether there are packed bytes that were not used.
bool GzipFile::has_more() {
  if (stream_->avail_in > 0) return true;
  packed_.clear();
  if (!read_all(file_.get(), packed_, piece))
    user_error("{}: cannot be read: {}", name_, std::strerror(errno));
  stream_->next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_->avail_in = static_cast<uInt>(packed_.size());
  return !packed_.empty();
}

void GzipFile::read(std::string& bytes, std::size_t size) {
  while (bytes.size() < size && has_more()) {
    const bool behind_end = read_ > 0 && !in_member_;
    const std::size_t before = bytes.size(), wanted = std::min(size - before, piece);
    bytes.resize(before + wanted);
    stream_->next_out = reinterpret_cast<Bytef*>(bytes.data() + before);
    stream_->avail_out = static_cast<uInt>(wanted);
    const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
    bytes.resize(before + wanted - stream_->avail_out);
    read_ += bytes.size() - before;
    in_member_ = status == Z_OK;
    if (status == Z_STREAM_END)
      ::inflateReset(stream_.get());
    else if (status != Z_OK)
      refuse_to_unpack(name_, behind_end ? "other bytes follow its end" : damaged);
    if (read_ > most_)
      refuse_to_unpack(name_, fmt::format("more than {} MB, too much for its size", most_ >> 20));
  }
  if (bytes.size() < size && in_member_) refuse_to_unpack(name_, damaged);
}

std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t least = std::uint64_t{64} << 20, most = std::uint64_t{1} << 30, times = 100;
  return std::min(most, std::max(least, packed < most ? times * packed : most));
}

std::string gunzipped(const std::filesystem::path& file) {
  GzipFile packed(file);
  std::string bytes;
  for (std::size_t before = 1; before != bytes.size();) {
    before = bytes.size();
    packed.read(bytes, before + 16 * piece);
  }
  return bytes;
}

ZipArchive::ZipArchive(std::string bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {
  read_directory();
}

void ZipArchive::refuse(std::string_view why) const { refuse_to_unpack(name_, why); }

/// The little-endian number there.
std::uint64_t ZipArchive::number(std::uint64_t at, unsigned bytes) const {
  if (at > bytes_.size() || bytes_.size() - at < bytes) refuse(no_archive);
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
    refuse("it is an old xls file, or has a password; save it as xlsx");
  const std::size_t end = bytes_.rfind("PK\x05\x06");
  if (end == std::string::npos) refuse(no_archive);
  std::uint64_t at = number(end + 16, 4);
  if (at == 0xffffffff && end >= 20) at = number(number(end - 20 + 8, 8) + 48, 8);  // zip64
  while (at <= bytes_.size() && std::string_view(bytes_).substr(at).starts_with("PK\x01\x02")) {
    const std::uint64_t length = number(at + 28, 2);
    number(at + 46, 0);
    members_[bytes_.substr(at + 46, length)] = read_entry(at);
    at += 46 + length + number(at + 30, 2) + number(at + 32, 2);
  }
  if (at > end) refuse(no_archive);
}

std::string_view ZipArchive::packed_bytes(const Member& member) const {
  if (number(member.header, 4) != 0x04034b50) refuse(no_archive);
  const std::uint64_t begin =
      member.header + 30 + number(member.header + 26, 2) + number(member.header + 28, 2);
  if (begin > bytes_.size() || bytes_.size() - begin < member.packed) refuse(no_archive);
  return std::string_view(bytes_).substr(begin, member.packed);
}

std::string ZipArchive::member(const std::string& name, std::uint64_t most) const {
  const auto found = members_.find(name);
  const auto refuse_member = [&](std::string_view why) {
    refuse(fmt::format("its member {} {}", show_text(name, 80), why));
  };
  if (found == members_.end()) refuse(fmt::format("it has no member {}", show_text(name, 80)));
  const Member& member = found->second;
  if ((member.flags & 1) != 0) refuse_member("is protected by a password");
  if (member.method != 0 && member.method != Z_DEFLATED) refuse_member("is not packed by deflate");
  const std::string_view packed = packed_bytes(member);
  std::string bytes;
  if (member.size <= most) bytes.reserve(member.size + piece);
  const bool whole = member.method == 0 || inflate_all(packed, most, bytes);
  if (member.method == 0) bytes = packed.substr(0, most + 1);
  if (bytes.size() > most) refuse_member(fmt::format("has more than {} bytes", most));
  if (!whole || bytes.size() != member.size || checksum(bytes) != member.crc) refuse_member("is damaged");
  return bytes;
}

}  // namespace lacp
