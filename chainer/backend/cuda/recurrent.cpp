// SPDX-License-Identifier: MIT
// Recurrent cells.
#include "chainer/array/operations/recurrent_cells.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/recurrent.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

// Returns true if the arguments of a launch have room for all arrays.
bool fits(const LstmCells& cells) {
  return cells.sources <= LstmArgs::kSources && cells.sources * cells.children <= LstmArgs::kCells;
}

LstmArgs lstm_args(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev) {
  LstmArgs a{};
  for (std::size_t s = 0; s < x.size(); ++s) a.x[s] = x[s].raw();
  for (std::size_t k = 0; k < c_prev.size(); ++k) a.c_prev[k] = c_prev[k].raw();
  a.rows = cells.rows, a.units = cells.units, a.gate_stride = cells.gate_stride, a.unit_stride = cells.unit_stride;
  a.a = cells.a, a.i = cells.i, a.o = cells.o, a.f = cells.f;
  a.sources = cells.sources, a.children = cells.children;
  return a;
}

}  // namespace

void CudaBackend::lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                       Array& h) {
  if (!fits(cells)) return Backend::lstm(cells, x, c_prev, c, h);
  if (cells.rows * cells.units == 0) return;
  LstmArgs a = lstm_args(cells, x, c_prev);
  a.c = c.mutable_raw(), a.h = h.mutable_raw();
  const Threads t(cells.rows * cells.units);
  launch(c.device().index(), kernel_for("lstm", c.dtype()), t.grid, t.block, a);
}

void CudaBackend::lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev,
                            const Array& c, const Array& gc, const Array& gh, std::span<Array> gx,
                            std::span<Array> gc_prev) {
  if (!fits(cells)) return Backend::lstm_grad(cells, x, c_prev, c, gc, gh, gx, gc_prev);
  if (cells.rows * cells.units == 0) return;
  LstmArgs a = lstm_args(cells, x, c_prev);
  a.c = const_cast<void*>(c.raw());
  if (gc) a.gc = gc.raw();
  if (gh) a.gh = gh.raw();
  for (std::size_t s = 0; s < gx.size(); ++s) a.gx[s] = gx[s].mutable_raw();
  for (std::size_t k = 0; k < gc_prev.size(); ++k) a.gc_prev[k] = gc_prev[k] ? gc_prev[k].mutable_raw() : nullptr;
  const Threads t(cells.rows * cells.units);
  launch(c.device().index(), kernel_for("lstm_grad", c.dtype()), t.grid, t.block, a);
}

void CudaBackend::gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) {
  if (h.size() == 0) return;
  GruArgs a{};
  a.x = x.raw(), a.hx = hx.raw(), a.h_prev = h_prev.raw(), a.h = h.mutable_raw();
  a.rows = h.shape()[0], a.units = h.shape()[1];
  const Threads t(h.size());
  launch(h.device().index(), kernel_for("gru", h.dtype()), t.grid, t.block, a);
}

void CudaBackend::gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                           Array& gh_prev) {
  if (gh.size() == 0) return;
  GruArgs a{};
  a.x = x.raw(), a.hx = hx.raw(), a.h_prev = h_prev.raw(), a.gh = gh.raw();
  a.gx = gx.mutable_raw(), a.ghx = ghx.mutable_raw(), a.gh_prev = gh_prev.mutable_raw();
  a.rows = gh.shape()[0], a.units = gh.shape()[1];
  const Threads t(gh.size());
  launch(gh.device().index(), kernel_for("gru_grad", gh.dtype()), t.grid, t.block, a);
}

}  // namespace chainer::cuda
