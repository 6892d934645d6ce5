// SPDX-License-Identifier: MIT
// Products of float32 matrices by this library's kernels. Each element is one sum in the order of the inner axis, so
// that results do not depend on the number of threads.
#pragma once
#include <functional>

#include "chainer/backend/cpu/products/problem.h"

namespace chainer::cpu {

/// Packs the second matrix, panel by panel. alpha is 1, beta 0 or 1. A few long sums are split by lengths only.
void multiply_by_panels(const Problem<float>& p);

/// Returns true if multiply_by_rows() is faster than packing the second matrix: it is transposed, and there are enough
/// rows of the first one to fill vectors but too few to make up for the packing. `library` is true if
/// multiply_by_rows() is given one.
bool suits_rows(const Problem<float>& p, bool library);
/// Reads the rows of the transposed second matrix in place and packs the first one, whose rows are the lanes of
/// vectors. The rows that do not fill a vector are left to `library`, which computes a product on the calling thread,
/// or are padded if it is empty.
void multiply_by_rows(const Problem<float>& p, const std::function<void(const Problem<float>&)>& library);

}  // namespace chainer::cpu
