// SPDX-License-Identifier: MIT
// Inner products with rows selected by index, and the two transposed operations; used by sampling losses and trees.
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/loops/scatter.h"

namespace chainer::cpu {
namespace {

// Dense operands of the compute type, and the output, which is converted at the end if it is narrower.
struct Rows {
  Compute c;
  Dtype work;
  int64_t item, n, k, d;
  const int64_t* index;
  Array held;

  Rows(std::string_view operation, const Array& i, int64_t width, Dtype dtype)
      : c(floating_compute_type(dtype, operation)),
        work(c == kF64 ? float64 : float32),
        item(compute_size(c)),
        n(i.shape()[0]),
        k(i.shape()[1]),
        d(width),
        held(dense(i, int64)) {
    index = held.data<int64_t>();
  }
  // Returns true if enough of the index follows row i for prefetching its rows.
  bool more_follow(int64_t i) const { return (n - i - 1) * k >= std::max(k, kernels().rows_ahead); }
  // Calls f(i, more_follow(i)) for every row, divided among threads.
  template <class F>
  void for_each(F&& f) const {
    parallel_ranges(n, n * k * d, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f(i, more_follow(i));
    });
  }
};

template <class F>
void with_output(Array& out, Dtype work, bool keep, F&& f) {
  if (out.dtype() == work && out.is_contiguous()) return f(static_cast<char*>(out.mutable_raw()));
  Array wide(out.shape(), work, out.device());
  if (keep) copy_elements(out, wide);
  f(static_cast<char*>(wide.mutable_raw()));
  copy_elements(wide, out);
}

}  // namespace

void CpuBackend::rows_dot(const Array& x, const Array& w, const Array& index, Array& out) {
  const Rows r("rows_dot", index, x.shape()[1], out.dtype());
  const Array a = dense(x, r.work), b = dense(w, r.work);
  const char *left = static_cast<const char*>(a.raw()), *right = static_cast<const char*>(b.raw());
  const RowsKernel dot = kernels().rows_dot[r.c];
  with_output(out, r.work, false, [&](char* o) {
    r.for_each([&](int64_t i, bool fetch) {
      dot(o + i * r.k * r.item, left + i * r.d * r.item, right, r.index + i * r.k, r.k, r.d, fetch);
    });
  });
}

void CpuBackend::rows_combine(const Array& g, const Array& w, const Array& index, Array& out) {
  const Rows r("rows_combine", index, w.shape()[1], out.dtype());
  const Array a = dense(g, r.work), b = dense(w, r.work);
  const char *factor = static_cast<const char*>(a.raw()), *rows = static_cast<const char*>(b.raw());
  const RowsKernel combine = kernels().rows_combine[r.c];
  with_output(out, r.work, false, [&](char* o) {
    r.for_each([&](int64_t i, bool fetch) {
      combine(o + i * r.d * r.item, factor + i * r.k * r.item, rows, r.index + i * r.k, r.k, r.d, fetch);
    });
  });
}

void CpuBackend::rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) {
  const Rows r("rows_scatter", index, x.shape()[1], out.dtype());
  const Array a = dense(g, r.work), b = dense(x, r.work);
  const Array factors = a.astype(float64, false);
  const double* factor = factors.data<double>();
  const char* rows = static_cast<const char*>(b.raw());
  const auto add_scaled = kernels().add_scaled[r.c];
  const int64_t bytes = r.d * r.item;
  with_output(out, r.work, true, [&](char* o) {
    for_owned_rows(r.index, r.n * r.k, out.shape()[0], bytes, o,
                   [&](char* row, int64_t j) { add_scaled(row, factor[j], rows + j / r.k * bytes, r.d); });
  });
}

}  // namespace chainer::cpu
