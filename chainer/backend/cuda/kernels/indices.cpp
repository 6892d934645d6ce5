// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/indices.h"

namespace chainer::cuda {

KERNEL(check_indices, IndicesArgs) {
  for (int64_t i = first_element(); i < a.n; i += element_step()) {
    int64_t v = load<int64_t>(a.index + i * a.bytes, a.type);
    const bool counts = !a.ignores || v != a.ignored;
    const int64_t least = a.wraps ? -a.size : 0;
    if (counts && (v < least || v >= a.size)) {
      const uint64_t position = uint64_t(i) << 32, bits = static_cast<uint64_t>(v);
      using Word = unsigned long long;
      atomicMin(&a.wrong->high, static_cast<Word>(position | bits >> 32));
      atomicMin(&a.wrong->low, static_cast<Word>(position | (bits & 0xffffffffu)));
    }
    if (!counts || v < least || v >= a.size) v = 0;
    if (v < 0) v += a.size;
    a.out[i] = a.columns ? (i / a.inner * a.size + v) * a.inner + i % a.inner : v;
  }
}

}  // namespace chainer::cuda
