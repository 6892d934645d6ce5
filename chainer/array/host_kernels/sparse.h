// SPDX-License-Identifier: MIT
// Products with a sparse matrix in coordinate form.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// c[b, row[b, i]] += data[b, i] * x[b, col[b, i]] for all entries i whose row is not negative: c (batch, rows, n),
/// data (batch, nnz), x (batch, k, n) of one type, float32 or float64; row and col (batch, nnz) of int32. All are on
/// the host and contiguous. The order of each sum is that of the entries, for any number of threads.
void coo_multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c);
/// out[b, i] += sum over j of g[b, row[b, i], j] * x[b, col[b, i], j], in float64: g (batch, m, n), x (batch, k, n).
void coo_sampled(const Array& g, const Array& row, const Array& col, const Array& x, Array& out);

}  // namespace chainer::host_kernels
