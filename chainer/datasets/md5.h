// SPDX-License-Identifier: MIT
// MD5 (RFC 1321), used by the dataset cache to name and check files.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace chainer::dataset {

/// Computes the MD5 of bytes that are added in pieces.
class Md5 {
 public:
  void add(std::string_view bytes);
  /// Returns the hexadecimal MD5 of everything added. Nothing may be added afterwards.
  std::string hex();

 private:
  void block(const char* bytes);
  std::array<uint32_t, 4> h_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string rest_;
  uint64_t size_ = 0;
};

/// Returns the hexadecimal MD5 of bytes.
std::string md5(std::string_view bytes);
/// Returns the hexadecimal MD5 of the content of a file. Throws FileError if the file cannot be read.
std::string md5_of_file(const std::filesystem::path& path);

}  // namespace chainer::dataset
