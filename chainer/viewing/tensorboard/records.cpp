// SPDX-License-Identifier: MIT
#include "chainer/viewing/tensorboard/records.h"

#include <array>

namespace chainer::tensorboard {
namespace {

// CRC tables for eight bytes at a time: table[k] is for a byte followed by k zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0x82f63b78u : 0);
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i) t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 255];
  return t;
}();

void append_number(std::string& to, uint64_t v, int count) {
  for (int i = 0; i < count; ++i, v >>= 8) to += static_cast<char>(v);
}
uint32_t masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t c = ~0u;
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t n = bytes.size();
  for (; n >= 8; n -= 8, p += 8) {
    c ^= static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
         static_cast<uint32_t>(p[3]) << 24;
    c = kTables[7][c & 255] ^ kTables[6][c >> 8 & 255] ^ kTables[5][c >> 16 & 255] ^ kTables[4][c >> 24] ^
        kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; n; --n, ++p) c = c >> 8 ^ kTables[0][(c ^ *p) & 255];
  return ~c;
}

void append_record(std::string& file, std::string_view bytes) {
  std::string length;
  append_number(length, bytes.size(), 8);
  file += length;
  append_number(file, masked(crc32c(length)), 4);
  file += bytes;
  append_number(file, masked(crc32c(bytes)), 4);
}

}  // namespace chainer::tensorboard
