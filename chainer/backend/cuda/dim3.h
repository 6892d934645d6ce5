// Lengths of grids and blocks.
#pragma once
#include <cstdint>
#include <string>

namespace chainer::cuda {

/// The lengths of a grid in blocks, or of a block in threads.
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};
inline std::string to_string(Dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

}  // namespace chainer::cuda
