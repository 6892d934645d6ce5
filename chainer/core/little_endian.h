// SPDX-License-Identifier: MIT
// Conversion between numbers and little-endian bytes in files.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace chainer {

/// Returns the unsigned number stored in up to eight little-endian bytes.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t v = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[i]);
  return v;
}
/// Appends the lowest `bytes` bytes of a number.
inline void put_little_endian(std::string& to, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(v >> (8 * i) & 0xff);
}

/// True if this machine is little-endian.
inline constexpr bool kLittleEndian = std::endian::native == std::endian::little;

/// Reverses the bytes of each number of `width` bytes.
inline void swap_bytes(void* numbers, std::size_t bytes, std::size_t width) {
  if (width < 2) return;
  for (char *p = static_cast<char*>(numbers), *end = p + bytes; p != end; p += width) std::reverse(p, p + width);
}
/// Copies numbers of `width` bytes each from a file's bytes, or to them.
inline void copy_little_endian(void* to, const void* from, std::size_t bytes, std::size_t width) {
  if (bytes) std::memcpy(to, from, bytes);
  if constexpr (!kLittleEndian) swap_bytes(to, bytes, width);
}

/// The little-endian bytes of numbers: a view of the numbers, or a converted copy.
class LittleEndianBytes {
 public:
  LittleEndianBytes(const void* numbers, int64_t bytes, int64_t width)
      : view_(bytes ? static_cast<const char*>(numbers) : "", static_cast<std::size_t>(bytes)) {
    if constexpr (!kLittleEndian) {
      copy_ = view_;
      swap_bytes(copy_.data(), copy_.size(), static_cast<std::size_t>(width));
      view_ = copy_;
    }
    (void)width;
  }
  LittleEndianBytes(const LittleEndianBytes&) = delete;
  LittleEndianBytes& operator=(const LittleEndianBytes&) = delete;
  std::string_view view() const { return view_; }

 private:
  std::string copy_;
  std::string_view view_;
};

}  // namespace chainer
