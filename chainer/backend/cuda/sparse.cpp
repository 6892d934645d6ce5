// SPDX-License-Identifier: MIT
// Products with a sparse matrix.
#include "chainer/backend/cuda/kernels/sparse.h"

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

SparseArgs sparse_args(const Array& row, const Array& col, const Array& right, Array& out) {
  SparseArgs args{};
  args.right = right.raw(), args.out = out.mutable_raw();
  args.row = static_cast<const int32_t*>(row.raw()), args.col = static_cast<const int32_t*>(col.raw());
  args.batch = row.shape()[0], args.entries = row.shape()[1];
  args.k = right.shape()[1], args.n = right.shape()[2];
  return args;
}

}  // namespace

bool CudaBackend::coo_multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c) {
  fill(c, 0);
  if (c.size() == 0 || data.size() == 0) return true;
  Array order(row.shape(), int64, row.device());
  if (!argsort(row, order)) return false;
  SparseArgs args = sparse_args(row, col, x, c);
  args.data = data.raw(), args.order = static_cast<const int64_t*>(order.raw()), args.rows = c.shape()[1];
  Array parts;
  const int64_t cuts = args.batch * (args.entries / SparseArgs::kPart);
  if (cuts > 0) {
    parts = Array({cuts, args.n}, float64, c.device());
    args.parts = static_cast<double*>(parts.mutable_raw());
  }
  const Threads t(data.size() * args.n), for_cuts(cuts * args.n * 32);
  launch(c.device().index(), kernel_for("multiply_entries", c.dtype()), t.grid, t.block, args);
  if (cuts > 0) launch(c.device().index(), kernel_for("add_parts", c.dtype()), for_cuts.grid, for_cuts.block, args);
  return true;
}

bool CudaBackend::coo_sampled(const Array& g, const Array& row, const Array& col, const Array& x, Array& out) {
  if (out.size() == 0) return true;
  SparseArgs args = sparse_args(row, col, x, out);
  args.left = g.raw(), args.rows = g.shape()[1];
  args.lanes = args.n < 16 ? 1 : 32;
  const Threads t(out.size() * args.lanes);
  launch(out.device().index(), kernel_for("sample_entries", g.dtype()), t.grid, t.block, args);
  return true;
}

}  // namespace chainer::cuda
