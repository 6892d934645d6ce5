// SPDX-License-Identifier: MIT
// Protobuf's encoding of numbers and fields, for messages that are parsed by hand.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chainer::wire {

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline void put_varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

/// Removes a number from the front of `bytes` and returns it; nothing if there is none.
inline std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t v = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto b = static_cast<unsigned char>(bytes[i]);
    v |= uint64_t(b & 0x7f) << (7 * i);
    if (b < 0x80) {
      bytes.remove_prefix(i + 1);
      return v;
    }
  }
  return std::nullopt;
}

/// A field of a message.
struct Field {
  uint64_t tag;
  std::string_view content;  ///< of a field of kind kBytes
  std::string_view all;      ///< with the tag
};
/// Removes a field from the front of `message` and returns it; nothing if it is not valid.
inline std::optional<Field> take_field(std::string_view& message) {
  const std::string_view begin = message;
  const auto tag = take_varint(message);
  if (!tag) return std::nullopt;
  Field out{*tag, {}, {}};
  std::optional<uint64_t> n = 0;
  switch (*tag & 7) {
    case kVarint:
      if (!take_varint(message)) return std::nullopt;
      break;
    case kFixed64: n = 8; break;
    case kFixed32: n = 4; break;
    case kBytes: n = take_varint(message); break;
    default: return std::nullopt;
  }
  if (!n || *n > message.size()) return std::nullopt;
  out.content = message.substr(0, *n);
  message.remove_prefix(*n);
  out.all = begin.substr(0, begin.size() - message.size());
  return out;
}

}  // namespace chainer::wire
