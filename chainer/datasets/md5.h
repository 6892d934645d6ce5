// MD5 (RFC 1321), by which the dataset cache names and checks its files.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace chainer::dataset {

/// MD5 of bytes that come in pieces.
class Md5 {
 public:
  void add(std::string_view bytes);
  /// The hexadecimal sum of everything added; nothing may be added afterwards.
  std::string hex();

 private:
  void block(const char* bytes);
  std::array<uint32_t, 4> h_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string rest_;
  uint64_t size_ = 0;
};

/// The hexadecimal MD5 of some bytes.
std::string md5(std::string_view bytes);
/// The hexadecimal MD5 of a file's content; FileError if it cannot be read.
std::string md5_of_file(const std::filesystem::path& path);

}  // namespace chainer::dataset
