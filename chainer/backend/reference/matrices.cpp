// SPDX-License-Identifier: MIT
// Matrix products, and rows by index.
#include "chainer/backend/devices.h"
#include "chainer/backend/reference/elements.h"
#include "chainer/backend/reference/reference_backend.h"

namespace chainer {

Backend& reference_backend() {
  static reference::ReferenceBackend* b = new reference::ReferenceBackend;  // never destroyed: arrays outlive main()
  return *b;
}

namespace reference {

void ReferenceBackend::gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  const Elements left(a), right(b), to(out);
  const int64_t m = a.shape(-2), k = a.shape(-1), n = b.shape(-1);
  const auto run = [&]<class T>() {
    for (int64_t i = 0; i < to.size(); ++i) {
      const int64_t matrix = i / (m * n), row = i / n % m, column = i % n;
      T sum = 0;
      for (int64_t j = 0; j < k; ++j)
        sum += left.get<T>((matrix * m + row) * k + j) * right.get<T>((matrix * k + j) * n + column);
      const T before = beta == 0 ? T(0) : static_cast<T>(static_cast<T>(beta) * to.get<T>(i));
      to.set(i, static_cast<T>(static_cast<T>(alpha) * sum + before));
    }
  };
  if (is_floating(out.dtype()))
    run.operator()<double>();
  else
    run.operator()<int64_t>();
}

void ReferenceBackend::take_rows(const Array& a, const Array& index, Array& out) {
  const Elements from(a), at(index), to(out);
  const int64_t width = at.size() ? to.size() / at.size() : 0;
  in_work_type(a.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < to.size(); ++i) to.set(i, from.get<T>(at.get<int64_t>(i / width) * width + i % width));
  });
}

void ReferenceBackend::scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) {
  const Elements from(values), at(index), to(out);
  const int64_t width = at.size() ? from.size() / at.size() : 0;
  in_work_type(out.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < from.size(); ++i) {
      const int64_t target = at.get<int64_t>(i / width) * width + i % width;
      to.set(target, static_cast<T>(accumulate ? to.get<T>(target) + from.get<T>(i) : from.get<T>(i)));
    }
  });
}

}  // namespace reference
}  // namespace chainer
