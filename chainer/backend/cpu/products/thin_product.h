// SPDX-License-Identifier: MIT
// Products with few rows or columns, which wait for the other matrix.
#pragma once
#include "chainer/backend/cpu/products/problem.h"

namespace chainer::cpu {

/// Returns true for products with at most kThinRows rows or columns for which multiply_thin() is the fastest. If the
/// environment selects a library, it is always used.
bool is_thin(int64_t m, int64_t n, int64_t k, bool a_transposed, bool b_transposed);

/// Reads the large matrix once without packing it. Requires at most kThinRows rows or columns.
void multiply_thin(const Problem<float>& p);

/// The same for 16 bits: computed in float32, in parts of the large matrix that are converted in the cache.
void multiply_thin(const HalfProblem& p);

}  // namespace chainer::cpu
