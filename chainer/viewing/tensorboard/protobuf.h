// SPDX-License-Identifier: MIT
// The wire format of protocol buffers, as used in event files.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace chainer::tensorboard {

/// The fields of a message, by number. Zeros and empty texts are written.
class Message {
 public:
  Message& number(int field, uint64_t v) {
    tag(field, 0);
    varint(v);
    return *this;
  }
  Message& real(int field, double v) {
    tag(field, 1);
    fixed(std::bit_cast<uint64_t>(v), 8);
    return *this;
  }
  Message& real32(int field, float v) {
    tag(field, 5);
    fixed(std::bit_cast<uint32_t>(v), 4);
    return *this;
  }
  Message& bytes(int field, std::string_view v) {
    tag(field, 2);
    varint(v.size());
    bytes_.append(v);
    return *this;
  }
  Message& message(int field, const Message& m) { return bytes(field, m.bytes_); }
  /// A repeated double, packed.
  template <class Values>
  Message& reals(int field, const Values& values) {
    Message packed;
    for (const double v : values) packed.fixed(std::bit_cast<uint64_t>(v), 8);
    return message(field, packed);
  }
  const std::string& text() const { return bytes_; }

 private:
  void tag(int field, int type) { varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type)); }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += static_cast<char>(v | 0x80);
    bytes_ += static_cast<char>(v);
  }
  void fixed(uint64_t v, int count) {
    for (int i = 0; i < count; ++i, v >>= 8) bytes_ += static_cast<char>(v);
  }
  std::string bytes_;
};

}  // namespace chainer::tensorboard
