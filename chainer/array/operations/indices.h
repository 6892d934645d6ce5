// SPDX-License-Identifier: MIT
// Integers that name a row (word ids), or an element of each row (labels), and their range check on the device.
#pragma once
#include <cstdint>
#include <optional>

namespace chainer {

/// The check of integers below `size` by Backend::check_indices. The output for integer i is i itself, or, with
/// `columns`, the position of its element in an array (outer, size, inner), where the integers have the shape (outer,
/// inner). The `ignored` value is replaced by 0.
struct IndexCheck {
  int64_t size = 0;
  std::optional<int64_t> ignored;
  bool columns = false;
  int64_t inner = 1;
  /// Throws the IndexError for the first value out of range.
  void (*fail)(int64_t value, int64_t position, int64_t size) = nullptr;
};

}  // namespace chainer
