// SPDX-License-Identifier: MIT
// Softmax, divided among threads.
#include <vector>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

void CpuBackend::softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) {
  const Kernels& k = kernels();
  const Compute c = floating_compute_type(a.dtype(), "softmax");
  const int in_type = static_cast<int>(a.dtype()), out_type = static_cast<int>(out.dtype());
  const int64_t item = item_size(a.dtype()), size = compute_size(c);
  const char* in = static_cast<const char*>(a.raw());
  char* to = static_cast<char*>(out.mutable_raw());
  const bool direct = inner == 1 && stored_as(a.dtype(), c);
  parallel_ranges(outer * inner, outer * n * inner, 1, [&](int64_t begin, int64_t end) {
    std::vector<char> row(direct ? 0 : static_cast<std::size_t>(n * size));
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = (r / inner * n * inner + r % inner) * item;
      if (direct) {
        k.softmax[c](to + at, in + at, n, log);
        continue;
      }
      k.load[c][in_type](row.data(), in + at, inner, n);
      k.softmax[c](row.data(), row.data(), n, log);
      k.store[c][out_type](to + at, inner, row.data(), n);
    }
  });
}

}  // namespace chainer::cpu
