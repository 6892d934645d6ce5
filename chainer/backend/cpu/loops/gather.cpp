// SPDX-License-Identifier: MIT
// Selecting and adding rows by index.
#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/loops/scatter.h"

namespace chainer::cpu {

void CpuBackend::take_rows(const Array& a, const Array& index, Array& out) {
  const Array source = dense(a, a.dtype()), at = dense(index, int64);
  const int64_t rows = at.size();
  if (rows == 0 || out.size() == 0) return;
  const int64_t bytes = source.nbytes() / source.shape()[0];
  const int64_t* i = at.data<int64_t>();
  const char* from = static_cast<const char*>(source.raw());
  char* to = static_cast<char*>(out.mutable_raw());
  parallel_ranges(rows, rows * bytes / 4, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      std::memcpy(to + r * bytes, from + i[r] * bytes, static_cast<std::size_t>(bytes));
  });
}

void CpuBackend::scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) {
  const Array at = dense(index, int64), source = dense(values, out.dtype());
  const int64_t rows = at.size();
  if (rows == 0 || out.size() == 0) return;
  const int64_t width = out.size() / out.shape()[0];
  const int64_t* i = at.data<int64_t>();
  visit(out.dtype(), "scatter_rows", [&]<class T>() {
    const T* from = static_cast<const T*>(source.raw());
    T* to = static_cast<T*>(out.mutable_raw());
    for_owned_rows(i, rows, out.shape()[0], width * static_cast<int64_t>(sizeof(T)), reinterpret_cast<char*>(to),
                   [&](char* row, int64_t r) {
                     T* o = reinterpret_cast<T*>(row);
                     const T* v = from + r * width;
                     if (!accumulate) {
                       std::copy(v, v + width, o);
                     } else {
                       for (int64_t c = 0; c < width; ++c) o[c] = static_cast<T>(o[c] + v[c]);
                     }
                   });
  });
}

}  // namespace chainer::cpu
