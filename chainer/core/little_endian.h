// Numbers in little-endian bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace chainer {

/// The unsigned number that up to eight bytes are.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t v = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[i]);
  return v;
}
/// Adds the lowest `bytes` bytes of a number.
inline void put_little_endian(std::string& to, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(v >> (8 * i) & 0xff);
}

}  // namespace chainer
