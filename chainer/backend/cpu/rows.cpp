// Inner products with rows picked by index, and the two transposes of that: what samplings and trees are made of.
#include <cstring>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/parallel.h"

namespace chainer::cpu {
namespace {

// Dense operands of the type that is computed in, and the output, which is converted at the end if it is narrower.
struct Rows {
  Compute c;
  Dtype work;
  int64_t item, n, k, d;
  const int64_t* index;
  Array held;

  Rows(const Array& i, int64_t width, Dtype dtype)
      : c(compute_type(dtype)),
        work(c == kF64 ? float64 : float32),
        item(compute_size(c)),
        n(i.shape()[0]),
        k(i.shape()[1]),
        d(width),
        held(typed(i, int64)) {
    index = held.data<int64_t>();
  }
  static Array typed(const Array& a, Dtype dtype) {
    const Array t = a.astype(dtype, false);
    return t.is_contiguous() ? t : t.copy();
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

double value(const char* g, int64_t i, Compute c) {
  return c == kF32 ? static_cast<double>(reinterpret_cast<const float*>(g)[i]) : reinterpret_cast<const double*>(g)[i];
}

}  // namespace

void CpuBackend::rows_dot(const Array& x, const Array& w, const Array& index, Array& out) {
  const Rows r(index, x.shape()[1], out.dtype());
  const Array a = Rows::typed(x, r.work), b = Rows::typed(w, r.work);
  const char *left = static_cast<const char*>(a.raw()), *right = static_cast<const char*>(b.raw());
  const auto dot = kernels().dot[r.c];
  with_output(out, r.work, false, [&](char* o) {
    parallel_ranges(r.n, r.n * r.k * r.d, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = i * r.k; j < (i + 1) * r.k; ++j) {
          const double v = dot(left + i * r.d * r.item, right + r.index[j] * r.d * r.item, r.d);
          if (r.c == kF32)
            reinterpret_cast<float*>(o)[j] = static_cast<float>(v);
          else
            reinterpret_cast<double*>(o)[j] = v;
        }
      }
    });
  });
}

void CpuBackend::rows_combine(const Array& g, const Array& w, const Array& index, Array& out) {
  const Rows r(index, w.shape()[1], out.dtype());
  const Array a = Rows::typed(g, r.work), b = Rows::typed(w, r.work);
  const char *factor = static_cast<const char*>(a.raw()), *rows = static_cast<const char*>(b.raw());
  const auto axpy = kernels().axpy[r.c];
  const int64_t bytes = r.d * r.item;
  with_output(out, r.work, false, [&](char* o) {
    parallel_ranges(r.n, r.n * r.k * r.d, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::memset(o + i * bytes, 0, static_cast<std::size_t>(bytes));
        for (int64_t j = i * r.k; j < (i + 1) * r.k; ++j)
          axpy(o + i * bytes, value(factor, j, r.c), rows + r.index[j] * bytes, r.d);
      }
    });
  });
}

void CpuBackend::rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) {
  const Rows r(index, x.shape()[1], out.dtype());
  const Array a = Rows::typed(g, r.work), b = Rows::typed(x, r.work);
  const char *factor = static_cast<const char*>(a.raw()), *rows = static_cast<const char*>(b.raw());
  const auto axpy = kernels().axpy[r.c];
  with_output(out, r.work, true, [&](char* o) {
    // Threads own columns, so that every element is summed in the order of the index.
    parallel_ranges(r.d, r.n * r.k * r.d, 16, [&](int64_t begin, int64_t end) {
      const int64_t from = begin * r.item;
      for (int64_t i = 0; i < r.n; ++i)
        for (int64_t j = i * r.k; j < (i + 1) * r.k; ++j)
          axpy(o + r.index[j] * r.d * r.item + from, value(factor, j, r.c), rows + i * r.d * r.item + from,
               end - begin);
    });
  });
}

}  // namespace chainer::cpu
