// SPDX-License-Identifier: MIT
#include "chainer/serializers/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "chainer/core/error.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/core/utf8.h"

namespace chainer::zip {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr uint64_t kMax32 = 0xffffffff;
constexpr uint16_t kStored = 0, kDeflated = 8, kPadding = 0xd935;

constexpr uint16_t kUtf8Name = 0x800;

constexpr std::size_t kPiece = 1 << 18;                 // bytes at a time, which stay in the cache
constexpr std::size_t kHead = 1 << 12;                  // the same, if only the beginning is read
constexpr uint64_t kWholeMember = uint64_t(256) << 20;  // larger members are decompressed piece by piece

void put(std::string& out, uint64_t v, int bytes) { put_little_endian(out, v, bytes); }

// Returns the flag for UTF-8 names, without which readers assume an old code page.
uint16_t flags_of(const std::string& name) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return !ascii && is_utf8(name) ? kUtf8Name : 0;
}

}  // namespace

Member::Member(std::string name_, Pieces pieces, bool compress) : name(std::move(name_)) {
  for (const std::string_view s : pieces) crc = checksum(crc, s), size += s.size();
  if (compress)
    packed = deflated(pieces);
  else
    stored.assign(pieces.begin(), pieces.end());
}

void Writer::add(const std::string& name, std::string_view bytes) { add(Member(name, {&bytes, 1}, compress_)); }

void Writer::add(const Member& m) {
  const std::string& name = m.name;
  if (name.size() > 0xffff)
    throw ValueError("zip: the name of a member has ", name.size(), " bytes, at most 65535 are possible: '",
                     name.substr(0, 60), "...'");
  const bool compressed = m.stored.empty();
  std::string out;
  Entry e{name, m.crc, compressed ? m.packed.size() : m.size, m.size, done_, compressed ? kDeflated : kStored};
  const bool wide = e.size >= kMax32 || e.packed >= kMax32;
  put(out, kLocal, 4);
  put(out, wide ? 45 : 20, 2);
  put(out, flags_of(name), 2);
  put(out, e.method, 2);
  put(out, 0x00210000, 4);  // always 1980-01-01, so that the same content gives the same bytes
  put(out, e.crc, 4);
  put(out, wide ? kMax32 : e.packed, 4);
  put(out, wide ? kMax32 : e.size, 4);
  put(out, name.size(), 2);
  // Aligns stored data to 64 bytes with an extra field of an unassigned id, which has at least 4 bytes.
  const uint64_t head = done_ + out.size() + 2 + name.size() + (wide ? 20 : 0);
  uint64_t gap = compressed ? 0 : (64 - head % 64) % 64;
  if (gap > 0 && gap < 4) gap += 64;
  put(out, (wide ? 20 : 0) + gap, 2);
  out += name;
  if (gap) put(out, kPadding, 2), put(out, gap - 4, 2), out.append(gap - 4, '\0');
  if (wide) put(out, 1, 2), put(out, 16, 2), put(out, e.size, 8), put(out, e.packed, 8);
  write(out);
  if (compressed) write(m.packed);
  for (const std::string_view s : m.stored) write(s);
  entries_.push_back(std::move(e));
}

void Writer::write(std::string_view bytes) {
  done_ += bytes.size();
  if (sink_)
    sink_(bytes);
  else
    out_ += bytes;
}

std::string Writer::finish() {
  const uint64_t start = done_;
  std::string out;
  for (const Entry& e : entries_) {
    std::string extra;
    const auto field = [&](uint64_t v) {
      if (v < kMax32) return v;
      put(extra, v, 8);
      return kMax32;
    };
    const uint64_t size = field(e.size), packed = field(e.packed), offset = field(e.offset);
    put(out, kCentral, 4);
    put(out, extra.empty() ? 20 : 45, 2);
    put(out, extra.empty() ? 20 : 45, 2);
    put(out, flags_of(e.name), 2);
    put(out, e.method, 2);
    put(out, 0x00210000, 4);
    put(out, e.crc, 4);
    put(out, packed, 4);
    put(out, size, 4);
    put(out, e.name.size(), 2);
    put(out, extra.empty() ? 0 : extra.size() + 4, 2);
    put(out, 0, 2);
    put(out, 0, 2);
    put(out, 0, 2);
    put(out, uint32_t(0600) << 16, 4);
    put(out, offset, 4);
    out += e.name;
    if (!extra.empty()) put(out, 1, 2), put(out, extra.size(), 2), out += extra;
  }
  const uint64_t length = out.size(), count = entries_.size();
  const bool wide = start >= kMax32 || length >= kMax32 || count >= 0xffff;
  if (wide) {
    const uint64_t at = start + out.size();
    put(out, kEnd64, 4);
    put(out, 44, 8);
    put(out, 45, 2), put(out, 45, 2), put(out, 0, 4), put(out, 0, 4);
    put(out, count, 8), put(out, count, 8), put(out, length, 8), put(out, start, 8);
    put(out, kLocator64, 4), put(out, 0, 4), put(out, at, 8), put(out, 1, 4);
  }
  put(out, kEnd, 4);
  put(out, 0, 4);
  put(out, wide ? 0xffff : count, 2), put(out, wide ? 0xffff : count, 2);
  put(out, wide ? kMax32 : length, 4), put(out, wide ? kMax32 : start, 4);
  put(out, 0, 2);
  write(out);
  return std::move(out_);
}

void Reader::damaged(std::string_view why) const { throw FileError(what_, ": not a valid zip archive: ", why); }

uint64_t Reader::number(uint64_t at, std::size_t n) const {
  if (at > bytes_.size() || bytes_.size() - at < n) damaged("it is truncated");
  return little_endian(bytes_.substr(at, n));
}

Reader::Reader(std::string bytes, std::string what) : what_(std::move(what)) {
  auto held = std::make_shared<std::string>(std::move(bytes));
  bytes_ = *held;
  memory_ = std::move(held);
  read_directory();
}
Reader::Reader(std::shared_ptr<MappedFile> file, std::string what)
    : memory_(file), bytes_(file->bytes()), what_(std::move(what)) {
  read_directory();
}

void Reader::read_directory() {
  if (bytes_.size() < 22) damaged("it is too short");
  // The end record is at the end, before a comment of up to 64 KiB.
  uint64_t end = bytes_.size() - 22;
  const uint64_t least = end > 0xffff ? end - 0xffff : 0;
  while (number(end, 4) != kEnd || number(end + 20, 2) != bytes_.size() - end - 22) {
    if (end == least) damaged("its directory is missing");
    --end;
  }
  uint64_t count = number(end + 10, 2), at = number(end + 16, 4);
  if ((count == 0xffff || at == kMax32) && end >= 20 && number(end - 20, 4) == kLocator64) {
    const uint64_t end64 = number(end - 12, 8);
    if (number(end64, 4) != kEnd64) damaged("its zip64 directory is missing");
    count = number(end64 + 32, 8);
    at = number(end64 + 48, 8);
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (number(at, 4) != kCentral) damaged("its directory is damaged");
    Entry e;
    e.flags = static_cast<uint16_t>(number(at + 8, 2));
    e.method = static_cast<uint16_t>(number(at + 10, 2));
    e.crc = static_cast<uint32_t>(number(at + 16, 4));
    e.packed = number(at + 20, 4);
    e.size = number(at + 24, 4);
    e.offset = number(at + 42, 4);
    const uint64_t name = number(at + 28, 2), extra = number(at + 30, 2), comment = number(at + 32, 2);
    if (at + 46 + name + extra > bytes_.size()) damaged("it is truncated");
    const std::string key(bytes_.substr(at + 46, name));
    // Sizes and offsets that do not fit 32 bits are in the zip64 extra field, in this order.
    for (uint64_t x = at + 46 + name, stop = x + extra; x + 4 <= stop;) {
      const uint64_t id = number(x, 2), n = number(x + 2, 2);
      uint64_t field = x + 4;
      if (id == 1)
        for (uint64_t* v : {&e.size, &e.packed, &e.offset})
          if (*v == kMax32 && field + 8 <= x + 4 + n) *v = number(field, 8), field += 8;
      x += 4 + n;
    }
    if (entries_.insert_or_assign(key, e).second) order_.push_back(key);
    at += 46 + name + extra + comment;
  }
}

std::vector<std::string> Reader::names() const {
  std::vector<std::string> out;
  for (const auto& [name, e] : entries_) out.push_back(name);
  return out;
}

const Reader::Entry& Reader::entry(const std::string& name) const {
  const auto it = entries_.find(name);
  if (it == entries_.end()) throw KeyError(what_, ": no member named '", name, "'");
  return it->second;
}

uint64_t Reader::begin_of(const std::string& name, const Entry& e) const {
  if (e.flags & 1) throw FileError(what_, ": member '", name, "' is encrypted");
  if (number(e.offset, 4) != kLocal) damaged("a member is not at the offset in the directory");
  const uint64_t name_length = number(e.offset + 26, 2);
  const uint64_t extra = number(e.offset + 28, 2);
  if (bytes_.substr(e.offset + 30, name_length) != name) damaged("the name of a member differs from the directory");
  const uint64_t begin = e.offset + 30 + name_length + extra;
  if (begin > bytes_.size() || e.packed > bytes_.size() - begin) damaged("it is truncated");
  if (e.method == kStored && e.size != e.packed) damaged("the two sizes of a stored member differ");
  return begin;
}

std::optional<std::string_view> Reader::stored(const std::string& name) const {
  const Entry& e = entry(name);
  const uint64_t begin = begin_of(name, e);
  if (e.method != kStored) return std::nullopt;
  return bytes_.substr(begin, e.size);
}

// Decompresses a member at once. Returns false if that is impossible; then inflate() does it, or tells what is wrong.
bool Reader::inflate_whole(std::string_view packed, uint64_t size,
                           const std::function<bool(std::string_view)>& f) const {
  if (size > kWholeMember) return false;
  std::string out(size, '\0');
  if (!inflated(packed, out.data(), out.size()).value_or(false)) return false;
  for (std::string_view left = out; !left.empty(); left.remove_prefix(std::min<std::size_t>(left.size(), kPiece)))
    if (!f(left.substr(0, kPiece))) return true;
  return true;
}

// Decompresses a member piece by piece, until f returns false.
void Reader::inflate(const std::string& name, std::string_view packed, const std::function<bool(std::string_view)>& f,
                     std::size_t piece) const {
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw MemoryError(what_, ": zlib cannot allocate memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&z, inflateEnd);
  std::string out(std::min<uint64_t>(piece, entry(name).size + 1), '\0');
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (z.avail_in == 0) {
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      z.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 1u << 30));
      packed.remove_prefix(z.avail_in);
    }
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    const uInt before = z.avail_in;
    status = ::inflate(&z, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw MemoryError(what_, ": zlib cannot allocate memory for member '", name, "'");
    const std::size_t made = out.size() - z.avail_out;
    const bool moved = made > 0 || before != z.avail_in;
    if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || (status != Z_STREAM_END && !moved))
      throw FileError(what_, ": member '", name, "' is damaged");
    if (made > 0 && !f(std::string_view(out).substr(0, made))) return;
  }
}

void Reader::read(const std::string& name, const std::function<bool(std::string_view)>& f) const {
  read_pieces(name, f, true);
}
void Reader::read_pieces(const std::string& name, const std::function<bool(std::string_view)>& f, bool whole) const {
  const Entry& e = entry(name);
  const std::string_view packed = bytes_.substr(begin_of(name, e), e.packed);
  uint32_t sum = 0;
  uint64_t done = 0;
  bool stopped = false;
  const auto take = [&](std::string_view piece) {
    done += piece.size();
    if (done > e.size) throw FileError(what_, ": member '", name, "' is damaged: it is longer than the directory says");
    sum = checksum(sum, piece);
    stopped = !f(piece);
    return !stopped;
  };
  if (e.method == kStored) {
    for (std::size_t at = 0; at < packed.size(); at += kPiece)
      if (!take(packed.substr(at, kPiece))) return;
  } else if (e.method == kDeflated) {
    // Deflate compresses by a factor of at most 1032, so larger claims are rejected before memory is allocated.
    if (e.size / 1032 > e.packed + 64) damaged("a member's size is impossible");
    if (!(whole && inflate_whole(packed, e.size, take))) inflate(name, packed, take, whole ? kPiece : kHead);
    if (stopped) return;
    if (done != e.size) throw FileError(what_, ": member '", name, "' is damaged: it is truncated");
  } else {
    throw FileError(what_, ": member '", name, "' has compression method ", e.method, ", which is not supported");
  }
  if (sum != e.crc) throw FileError(what_, ": member '", name, "' is damaged: its checksum does not match");
}

std::string Reader::read(const std::string& name) const {
  const uint64_t size = entry(name).size;
  std::string out;
  read(name, [&](std::string_view piece) {
    // Memory grows with the bytes that are present, not with the size in the directory.
    if (out.capacity() - out.size() < piece.size()) out.reserve(std::min(size, 2 * (out.size() + piece.size())));
    out += piece;
    return true;
  });
  return out;
}

std::string Reader::head(const std::string& name, std::size_t bytes) const {
  std::string out;
  if (bytes == 0) return out;
  const auto take = [&](std::string_view piece) {
    out += piece.substr(0, bytes - out.size());
    return out.size() < bytes;
  };
  read_pieces(name, take, false);
  return out;
}

}  // namespace chainer::zip
