// SPDX-License-Identifier: MIT
// Running products of floating-point numbers along an axis.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// The number part 2^exponent. (A product of a part of a line may exceed the range of double where the running products
/// do not.)
struct Scaled {
  double part;
  int64_t exponent;
};

/// Rows of n elements, at distances of `in_step` and `out_step` bytes; row i starts at element i of `in` and `out`. A
/// row is cut into `parts` of kPart elements, each of which a block of kThreads threads computes, kThreads elements at
/// a time in a fixed tree: `product_totals` writes the product of each part to `totals` (rows, parts), `product_before`
/// replaces it by the product of all parts before, and `running_products` writes the products from these, or, with a
/// single part, without.
struct ProductsArgs {
  static constexpr int kThreads = 256;
  static constexpr int64_t kPart = 8192;
  Space rows;
  Operand in, out;
  Scaled* totals;
  int64_t n, in_step, out_step, parts;
  template <class F>
  void pointers(F&& f) {
    f(in.data), f(out.data), f(totals);
  }
};

}  // namespace chainer::cuda
