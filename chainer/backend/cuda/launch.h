// SPDX-License-Identifier: MIT
// The description of a kernel launch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <typeinfo>

namespace chainer::cuda {

/// The size of a grid in blocks, or of a block in threads.
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};
inline std::string to_string(Dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

/// A kernel's name, the numbers of threads, and the size of its arguments: a single struct, or with `packed` several
/// parameters one after another, each aligned to its size.
struct Launch {
  std::string_view kernel;
  Dim3 grid, block;
  std::size_t dynamic_shared = 0, args_bytes = 0;
  const std::type_info* args_type = nullptr;
  bool packed = false;
};
/// The args_type of packed parameters.
struct PackedParameters {};

}  // namespace chainer::cuda
