// SPDX-License-Identifier: MIT
// GPT-2's alphabet of printable characters for bytes: a byte that is no printable character of Latin-1 is one of the
// characters from U+0100 on, in the order of the bytes.
#include <array>

#include "chainer/core/utf8.h"
#include "chainer/tokenizers/model.h"

namespace chainer::tokenizers {
namespace {

struct Alphabet {
  std::array<uint32_t, 256> character;
  std::array<int16_t, 0x200> byte;
  Alphabet() {
    byte.fill(-1);
    uint32_t next = 0x100;
    for (uint32_t b = 0; b < 256; ++b) {
      const bool prints = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
      character[b] = prints ? b : next++;
      byte[character[b]] = static_cast<int16_t>(b);
    }
  }
};
const Alphabet& alphabet() {
  static const Alphabet one;
  return one;
}

}  // namespace

bool bytes_of_printable(std::string_view token, std::string& bytes) {
  bytes.clear();
  for (std::size_t at = 0; at < token.size();) {
    const int32_t c = next_utf8(token, at);
    if (c < 0 || c >= 0x200 || alphabet().byte[static_cast<std::size_t>(c)] < 0) return false;
    bytes += static_cast<char>(alphabet().byte[static_cast<std::size_t>(c)]);
  }
  return true;
}

std::string printable_of_bytes(std::string_view bytes) {
  std::string out;
  for (const char b : bytes) put_utf8(out, alphabet().character[static_cast<unsigned char>(b)]);
  return out;
}

}  // namespace chainer::tokenizers
