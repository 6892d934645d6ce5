// Labels, ids of words: integers that name a row, or an element of each row, and are checked where they lie.
#pragma once
#include <cstdint>
#include <optional>

namespace chainer {

/// What Backend::check_indices makes of integers below `size`. Number i becomes itself, or, with `columns`, the place
/// of its element in an array (outer, size, inner) whose outer and inner axes the integers have. The `ignored` one
/// counts as 0.
struct IndexCheck {
  int64_t size = 0;
  std::optional<int64_t> ignored;
  bool columns = false;
  int64_t inner = 1;
  /// Throws the IndexError about the first that is out of range.
  void (*fail)(int64_t value, int64_t position, int64_t size) = nullptr;
};

}  // namespace chainer
