// SPDX-License-Identifier: MIT
// Picture formats that need no library: BMP and PNM.
#include <bit>
#include <cmath>

#include "chainer/core/little_endian.h"
#include "chainer/datasets/image.h"

namespace chainer::dataset {
namespace {

class Bytes {
 public:
  Bytes(std::string_view bytes, const char* format, const std::string& what)
      : bytes_(bytes), format_(format), what_(what) {}
  [[noreturn]] void damaged(std::string_view why) const {
    throw FileError(what_, ": not a valid ", format_, " picture: ", why);
  }
  // Reads `n` bytes in little-endian order.
  uint32_t at(std::size_t i, std::size_t n) const {
    if (i > bytes_.size() || bytes_.size() - i < n) damaged("it ends early");
    return static_cast<uint32_t>(little_endian(bytes_.substr(i, n)));
  }
  std::string_view part(std::size_t i, std::size_t n) const {
    if (i > bytes_.size() || bytes_.size() - i < n) damaged("it ends early");
    return bytes_.substr(i, n);
  }

 private:
  std::string_view bytes_;
  const char* format_;
  const std::string& what_;
};

// Extracts the bits of a mask, scaled to 0 ... 255.
uint8_t masked(uint32_t v, uint32_t mask) {
  if (mask == 0) return 0;
  const int shift = std::countr_zero(mask);
  const uint64_t top = mask >> shift;
  return static_cast<uint8_t>((uint64_t((v & mask) >> shift) * 255 + top / 2) / top);
}

}  // namespace

Picture decode_bmp(std::string_view data, const std::string& what) {
  const Bytes b(data, "BMP", what);
  if (!data.starts_with("BM")) b.damaged("it does not begin with BM");
  const uint32_t pixels_at = b.at(10, 4), header = b.at(14, 4);
  if (header < 40) b.damaged("its header is of a version before Windows 3");
  const auto width = static_cast<int32_t>(b.at(18, 4)), signed_height = static_cast<int32_t>(b.at(22, 4));
  const bool top_down = signed_height < 0;
  const int64_t height = top_down ? -int64_t(signed_height) : signed_height;
  check_picture_size(height, width, what);
  const uint32_t bits = b.at(28, 2), packing = b.at(30, 4);
  uint32_t mask[4] = {0xff0000, 0xff00, 0xff, 0};
  if (bits == 16) mask[0] = 0x7c00, mask[1] = 0x3e0, mask[2] = 0x1f;
  if (packing == 3 && (bits == 16 || bits == 32)) {
    for (std::size_t c = 0; c < (header >= 56 ? 4 : 3); ++c) mask[c] = b.at(54 + 4 * c, 4);
  } else if (packing != 0) {
    throw FileError(what, ": a BMP picture with compression ", packing, ", which is not supported");
  }
  // With a palette of greys the result has grey values, with any other palette it has indices.
  bool grey = bits <= 8;
  const uint32_t used = b.at(46, 4), colours = bits > 8 ? 0 : used ? used : 1u << bits;
  if (bits <= 8 && colours > (1u << bits)) b.damaged("its palette is too long");
  std::vector<uint8_t> value(bits <= 8 ? std::size_t(1) << bits : 0);
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = static_cast<uint8_t>(i);
    if (i >= colours) continue;
    const uint32_t c = b.at(14 + header + 4 * i, 4);
    if ((c & 0xff) != (c >> 8 & 0xff) || (c & 0xff) != (c >> 16 & 0xff)) grey = false;
  }
  if (grey && bits > 1)
    for (std::size_t i = 0; i < colours; ++i) value[i] = static_cast<uint8_t>(b.at(14 + header + 4 * i, 1));
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
    b.damaged(text("it has ", bits, " bits per pixel"));
  Picture p{height, width, bits <= 8 ? 1 : mask[3] ? 4 : 3, {}, {}};
  const std::size_t row = (static_cast<std::size_t>(width) * bits + 31) / 32 * 4;
  (void)b.part(pixels_at, row * static_cast<std::size_t>(height));
  p.bytes.reserve(static_cast<std::size_t>(p.height * p.width * p.channels));
  for (int64_t y = 0; y < height; ++y) {
    const std::size_t from = pixels_at + row * static_cast<std::size_t>(top_down ? y : height - 1 - y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
      if (bits <= 8) {
        const std::size_t bit = x * bits;
        const uint32_t byte = static_cast<unsigned char>(data[from + bit / 8]);
        p.bytes.push_back(value[byte >> (8 - bits - bit % 8) & ((1u << bits) - 1)]);
      } else {
        const uint32_t v = b.at(from + x * bits / 8, bits / 8);
        for (std::size_t c = 0; c < static_cast<std::size_t>(p.channels); ++c) p.bytes.push_back(masked(v, mask[c]));
      }
    }
  }
  return p;
}

// P1 to P3 write numbers as text, P4 to P6 as bytes: black and white, gray, RGB.
Picture decode_pnm(std::string_view data, const std::string& what) {
  const Bytes b(data, "PNM", what);
  if (data.size() < 3 || data[0] != 'P' || data[1] < '1' || data[1] > '6') b.damaged("it does not begin with P1 to P6");
  const int kind = (data[1] - '1') % 3;
  const bool plain = data[1] <= '3', bits = kind == 0;
  std::size_t at = 2;
  const auto skip_blanks = [&] {
    for (;; ++at) {  // and comments up to the end of the line
      const char c = b.part(at, 1)[0];
      if (c == '#')
        while (b.part(at, 1)[0] != '\n') ++at;
      else if (c != ' ' && (c < '\t' || c > '\r'))
        break;
    }
  };
  const auto number = [&] {
    skip_blanks();
    int64_t v = 0;
    const std::size_t begin = at;
    while (at < data.size() && data[at] >= '0' && data[at] <= '9' && v < (int64_t(1) << 40))
      v = v * 10 + (data[at++] - '0');
    if (at == begin) b.damaged("a number is missing");
    return v;
  };
  const int64_t width = number(), height = number(), largest = bits ? 1 : number();
  check_picture_size(height, width, what);
  if (largest < 1 || largest > 65535) b.damaged(text("values up to ", largest));
  if (!plain) ++at;  // a single blank follows
  Picture p{height, width, kind == 2 ? 3 : 1, {}, {}};
  const auto count = static_cast<std::size_t>(p.height * p.width * p.channels);
  // Values up to another number are scaled to all of a byte, or for gray pictures of more to all of 16 bits.
  const bool words = p.channels == 1 && largest > 255;
  const int64_t most = words ? 65535 : 255;
  const auto add = [&](int64_t v) {
    if (v > largest) b.damaged(text("a value of ", v, " where ", largest, " is the largest"));
    if (bits)
      v = 1 - v;  // 1 is black
    else if (largest != most)
      v = static_cast<int64_t>(std::nearbyint(static_cast<double>(v * most) / static_cast<double>(largest)));
    words ? p.words.push_back(static_cast<uint16_t>(v)) : p.bytes.push_back(static_cast<uint8_t>(v));
  };
  if (plain) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!bits) {
        add(number());
        continue;
      }
      skip_blanks();  // bits need no blanks between them
      if (data[at] != '0' && data[at] != '1') b.damaged("a bit is neither 0 nor 1");
      add(data[at++] - '0');
    }
  } else if (bits) {
    const auto line = static_cast<std::size_t>((width + 7) / 8);
    const auto from = b.part(at, line * static_cast<std::size_t>(height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x)
        add(static_cast<unsigned char>(from[y * line + x / 8]) >> (7 - x % 8) & 1);
  } else {
    const std::size_t size = largest > 255 ? 2 : 1;
    const auto from = b.part(at, size * count);
    if (largest == 255) {
      p.bytes.assign(from.begin(), from.end());
      return p;
    }
    const auto byte = [&](std::size_t i) { return static_cast<int64_t>(static_cast<unsigned char>(from[i])); };
    for (std::size_t i = 0; i < count; ++i) add(size == 1 ? byte(i) : byte(2 * i) << 8 | byte(2 * i + 1));
  }
  return p;
}

}  // namespace chainer::dataset
