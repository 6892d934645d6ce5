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

void put(std::string& out, uint64_t v, int bytes) { put_little_endian(out, v, bytes); }

// Returns the flag for UTF-8 names, without which readers assume an old code page.
uint16_t flags_of(const std::string& name) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return !ascii && is_utf8(name) ? kUtf8Name : 0;
}

uint32_t checksum(std::string_view s) {
  uLong crc = crc32(0, nullptr, 0);
  while (!s.empty()) {
    const auto n = static_cast<uInt>(std::min<std::size_t>(s.size(), 1u << 30));
    crc = crc32(crc, reinterpret_cast<const Bytef*>(s.data()), n);
    s.remove_prefix(n);
  }
  return static_cast<uint32_t>(crc);
}

std::string deflated(std::string_view s) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw FileError("zip: zlib cannot start compression");
  std::string out;
  std::string buffer(1 << 18, '\0');
  const char* next = s.data();
  std::size_t left = s.size();
  int status = Z_OK;
  do {
    if (z.avail_in == 0 && left > 0) {
      const auto n = static_cast<uInt>(std::min<std::size_t>(left, 1u << 30));
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next));
      z.avail_in = n;
      next += n;
      left -= n;
    }
    z.next_out = reinterpret_cast<Bytef*>(buffer.data());
    z.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - z.avail_out);
  } while (status == Z_OK || status == Z_BUF_ERROR);
  deflateEnd(&z);
  if (status != Z_STREAM_END) throw FileError("zip: zlib compression failed");
  return out;
}

}  // namespace

void Writer::add(const std::string& name, std::string_view bytes) {
  const std::string packed = compress_ ? deflated(bytes) : std::string();
  const std::string_view body = compress_ ? std::string_view(packed) : bytes;
  Entry e{name, checksum(bytes), body.size(), bytes.size(), out_.size(), compress_ ? kDeflated : kStored};
  const bool wide = e.size >= kMax32 || e.packed >= kMax32;
  put(out_, kLocal, 4);
  put(out_, wide ? 45 : 20, 2);
  put(out_, flags_of(name), 2);
  put(out_, e.method, 2);
  put(out_, 0x00210000, 4);  // always 1980-01-01, so that the same content gives the same bytes
  put(out_, e.crc, 4);
  put(out_, wide ? kMax32 : e.packed, 4);
  put(out_, wide ? kMax32 : e.size, 4);
  put(out_, name.size(), 2);
  // Aligns stored data to 64 bytes with an extra field of an unassigned id, which has at least 4 bytes.
  const uint64_t head = out_.size() + 2 + name.size() + (wide ? 20 : 0);
  uint64_t gap = compress_ ? 0 : (64 - head % 64) % 64;
  if (gap > 0 && gap < 4) gap += 64;
  put(out_, (wide ? 20 : 0) + gap, 2);
  out_ += name;
  if (gap) put(out_, kPadding, 2), put(out_, gap - 4, 2), out_.append(gap - 4, '\0');
  if (wide) put(out_, 1, 2), put(out_, 16, 2), put(out_, e.size, 8), put(out_, e.packed, 8);
  out_ += body;
  entries_.push_back(std::move(e));
}

std::string Writer::finish() {
  const uint64_t start = out_.size();
  for (const Entry& e : entries_) {
    std::string extra;
    const auto field = [&](uint64_t v) {
      if (v < kMax32) return v;
      put(extra, v, 8);
      return kMax32;
    };
    const uint64_t size = field(e.size), packed = field(e.packed), offset = field(e.offset);
    put(out_, kCentral, 4);
    put(out_, extra.empty() ? 20 : 45, 2);
    put(out_, extra.empty() ? 20 : 45, 2);
    put(out_, flags_of(e.name), 2);
    put(out_, e.method, 2);
    put(out_, 0x00210000, 4);
    put(out_, e.crc, 4);
    put(out_, packed, 4);
    put(out_, size, 4);
    put(out_, e.name.size(), 2);
    put(out_, extra.empty() ? 0 : extra.size() + 4, 2);
    put(out_, 0, 2);
    put(out_, 0, 2);
    put(out_, 0, 2);
    put(out_, uint32_t(0600) << 16, 4);
    put(out_, offset, 4);
    out_ += e.name;
    if (!extra.empty()) put(out_, 1, 2), put(out_, extra.size(), 2), out_ += extra;
  }
  const uint64_t length = out_.size() - start, count = entries_.size();
  const bool wide = start >= kMax32 || length >= kMax32 || count >= 0xffff;
  if (wide) {
    const uint64_t at = out_.size();
    put(out_, kEnd64, 4);
    put(out_, 44, 8);
    put(out_, 45, 2), put(out_, 45, 2), put(out_, 0, 4), put(out_, 0, 4);
    put(out_, count, 8), put(out_, count, 8), put(out_, length, 8), put(out_, start, 8);
    put(out_, kLocator64, 4), put(out_, 0, 4), put(out_, at, 8), put(out_, 1, 4);
  }
  put(out_, kEnd, 4);
  put(out_, 0, 4);
  put(out_, wide ? 0xffff : count, 2), put(out_, wide ? 0xffff : count, 2);
  put(out_, wide ? kMax32 : length, 4), put(out_, wide ? kMax32 : start, 4);
  put(out_, 0, 2);
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

// Returns true if the member was decompressed to its end, false if f stopped earlier.
bool Reader::inflate(const std::string& name, std::string_view packed,
                     const std::function<bool(std::string_view)>& f) const {
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw MemoryError(what_, ": zlib cannot allocate memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&z, inflateEnd);
  std::string out(std::min<uint64_t>(1 << 18, entry(name).size + 1), '\0');
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
    if (made > 0 && !f(std::string_view(out).substr(0, made))) return false;
  }
  return true;
}

void Reader::read(const std::string& name, const std::function<bool(std::string_view)>& f) const {
  const Entry& e = entry(name);
  const std::string_view packed = bytes_.substr(begin_of(name, e), e.packed);
  uLong sum = crc32(0, nullptr, 0);
  uint64_t done = 0;
  const auto take = [&](std::string_view piece) {
    done += piece.size();
    if (done > e.size) throw FileError(what_, ": member '", name, "' is damaged: it is longer than the directory says");
    sum = crc32(sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    return f(piece);
  };
  if (e.method == kStored) {
    for (std::size_t at = 0; at < packed.size(); at += 1 << 20)
      if (!take(packed.substr(at, 1 << 20))) return;
  } else if (e.method == kDeflated) {
    // Deflate compresses by a factor of at most 1032, so larger claims are rejected before memory is allocated.
    if (e.size / 1032 > e.packed + 64) damaged("a member's size is impossible");
    if (!inflate(name, packed, take)) return;
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
  read(name, [&](std::string_view piece) {
    out += piece.substr(0, bytes - out.size());
    return out.size() < bytes;
  });
  return out;
}

}  // namespace chainer::zip
