// SPDX-License-Identifier: MIT
// Integers that name a row (word ids), or an element of each row (labels), and their range check on the device.
#pragma once
#include <cstdint>
#include <optional>

namespace chainer {

/// The check of integers below `size` by Backend::check_indices. The output for integer i is i itself, or, with
/// `columns`, the position of its element in an array (outer, size, inner), where the integers have the shape (outer,
/// inner). The `ignored` value is replaced by 0. With `wraps`, -size ... -1 count from the end.
struct IndexCheck {
  int64_t size = 0;
  std::optional<int64_t> ignored = {};
  bool columns = false;
  int64_t inner = 1;
  bool wraps = false;
  int axis = 0;             ///< for fail()
  int64_t lengths[2] = {};  ///< for fail()
  /// Throws the error, usually IndexError, for the first value out of range.
  void (*fail)(int64_t value, int64_t position, const IndexCheck& check) = nullptr;
};

}  // namespace chainer
