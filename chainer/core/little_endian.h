// Numbers in little-endian bytes, as files hold them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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

/// Whether numbers lie in memory as they do in files.
inline constexpr bool kLittleEndian = std::endian::native == std::endian::little;

/// Turns each number of `width` bytes around.
inline void swap_bytes(void* numbers, std::size_t bytes, std::size_t width) {
  if (width < 2) return;
  for (char *p = static_cast<char*>(numbers), *end = p + bytes; p != end; p += width) std::reverse(p, p + width);
}
/// Numbers of `width` bytes each out of a file's bytes, or a file's bytes out of numbers.
inline void copy_little_endian(void* to, const void* from, std::size_t bytes, std::size_t width) {
  if (bytes) std::memcpy(to, from, bytes);
  if constexpr (!kLittleEndian) swap_bytes(to, bytes, width);
}

/// Numbers as a file's bytes: where they lie, or in a copy.
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
