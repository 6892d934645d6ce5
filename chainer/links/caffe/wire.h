// SPDX-License-Identifier: MIT
// Protobuf's encoding of numbers and fields, for the outer messages, which are parsed by hand.
#pragma once
#include <cstdint>
#include <string>

namespace chainer::caffe {

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline void put_varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

}  // namespace chainer::caffe
