// SPDX-License-Identifier: MIT
// Rows of recurrent cells, divided among threads.
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

using Reading = SmallVector<const void*, 4>;
using Writing = SmallVector<void*, 4>;

Reading reading(std::span<const Array> arrays) {
  Reading out;
  for (const Array& a : arrays) out.push_back(a.raw());
  return out;
}
Writing writing(std::span<Array> arrays) {
  Writing out;
  for (Array& a : arrays) out.push_back(a ? a.mutable_raw() : nullptr);
  return out;
}
// An element of a cell costs about as much as ten additions per gate.
int64_t work(const LstmCells& cells) { return cells.rows * cells.units * (3 + cells.children) * cells.sources * 4; }

}  // namespace

void CpuBackend::lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                      Array& h) {
  const Reading gates = reading(x), before = reading(c_prev);
  LstmArrays p{.x = gates.data(), .c_prev = before.data(), .c = c.mutable_raw(), .h = h.mutable_raw()};
  const auto kernel = kernels().lstm[floating_compute_type(c.dtype(), "lstm")];
  parallel_ranges(cells.rows, work(cells), 1, [&](int64_t begin, int64_t end) { kernel(cells, p, begin, end); });
}

void CpuBackend::lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev,
                           const Array& c, const Array& gc, const Array& gh, std::span<Array> gx,
                           std::span<Array> gc_prev) {
  const Reading gates = reading(x), before = reading(c_prev);
  const Writing to_gates = writing(gx), to_before = writing(gc_prev);
  LstmArrays p{.x = gates.data(),
               .c_prev = before.data(),
               .c = const_cast<void*>(c.raw()),
               .gc = gc ? gc.raw() : nullptr,
               .gh = gh ? gh.raw() : nullptr,
               .gx = to_gates.data(),
               .gc_prev = to_before.data()};
  const auto kernel = kernels().lstm_grad[floating_compute_type(c.dtype(), "lstm_grad")];
  parallel_ranges(cells.rows, work(cells), 1, [&](int64_t begin, int64_t end) { kernel(cells, p, begin, end); });
}

void CpuBackend::gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) {
  GruArrays p{.x = x.raw(), .hx = hx.raw(), .h_prev = h_prev.raw(), .h = h.mutable_raw()};
  const int64_t units = h.shape()[1];
  const auto kernel = kernels().gru[floating_compute_type(h.dtype(), "gru")];
  parallel_ranges(h.shape()[0], 12 * h.size(), 1, [&](int64_t begin, int64_t end) { kernel(units, p, begin, end); });
}

void CpuBackend::gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                          Array& gh_prev) {
  GruArrays p{.x = x.raw(),
              .hx = hx.raw(),
              .h_prev = h_prev.raw(),
              .gh = gh.raw(),
              .gx = gx.mutable_raw(),
              .ghx = ghx.mutable_raw(),
              .gh_prev = gh_prev.mutable_raw()};
  const int64_t units = gh.shape()[1];
  const auto kernel = kernels().gru_grad[floating_compute_type(gh.dtype(), "gru_grad")];
  parallel_ranges(gh.shape()[0], 12 * gh.size(), 1, [&](int64_t begin, int64_t end) { kernel(units, p, begin, end); });
}

}  // namespace chainer::cpu
