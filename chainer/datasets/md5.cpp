// SPDX-License-Identifier: MIT
#include "chainer/datasets/md5.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"

namespace chainer::dataset {
namespace {

// The constants of the 64 steps: the fractional parts of |sin(i)|.
const std::array<uint32_t, 64>& sines() {
  static const auto table = [] {
    std::array<uint32_t, 64> t{};
    for (std::size_t i = 0; i < 64; ++i)
      t[i] = static_cast<uint32_t>(std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 0x1p32));
    return t;
  }();
  return table;
}

}  // namespace

void Md5::block(const char* bytes) {
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  const auto& table = sines();
  uint32_t m[16];
  copy_little_endian(m, bytes, 64, 4);
  auto [a, b, c, d] = h_;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t round = i / 16;
    const uint32_t f = round == 0   ? (b & c) | (~b & d)
                       : round == 1 ? (d & b) | (~d & c)
                       : round == 2 ? b ^ c ^ d
                                    : c ^ (b | ~d);
    const uint32_t g = round == 0 ? i : round == 1 ? (5 * i + 1) % 16 : round == 2 ? (3 * i + 5) % 16 : (7 * i) % 16;
    const uint32_t sum = a + f + table[i] + m[g];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, shifts[round][i % 4]);
  }
  h_[0] += a, h_[1] += b, h_[2] += c, h_[3] += d;
}

void Md5::add(std::string_view bytes) {
  size_ += bytes.size();
  if (!rest_.empty()) {
    const std::size_t n = std::min(64 - rest_.size(), bytes.size());
    rest_.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
    if (rest_.size() < 64) return;
    block(rest_.data());
    rest_.clear();
  }
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) block(bytes.data());
  rest_.append(bytes);
}

std::string Md5::hex() {
  const uint64_t bits = size_ * 8;
  std::string end = "\x80";
  while ((rest_.size() + end.size()) % 64 != 56) end += '\0';
  put_little_endian(end, bits, 8);
  add(end);
  std::string out;
  for (uint32_t v : h_)
    for (int i = 0; i < 4; ++i) {
      constexpr char digits[] = "0123456789abcdef";
      out += digits[v >> (8 * i + 4) & 15];
      out += digits[v >> (8 * i) & 15];
    }
  return out;
}

std::string md5(std::string_view bytes) {
  Md5 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string md5_of_file(const std::filesystem::path& path) {
  Md5 sum;
  read_pieces(path, [&](std::string_view piece) { sum.add(piece); });
  return sum.hex();
}

}  // namespace chainer::dataset
