// SPDX-License-Identifier: MIT
// The kernels for products with a matrix in panels.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// The layout of a matrix of vectors: vector v of row r is at base[v] + r * step[v].
struct VectorOrder {
  const int64_t *base, *step;
};

/// Rows of a product with one panel of a matrix: out(r, j) = sum over l of a(r, l) b(l, j), for j < columns; added to
/// out with `add`. Element (r, l) of a is a[r * a_row + l * a_inner]. The rows of b, of `vectors` vectors each, are
/// consecutive. Rows of out have distance out_row.
struct PanelProduct {
  const float* a;
  int64_t a_row, a_inner;
  const float* b;
  float* out;
  int64_t out_row, rows, inner, vectors, columns;
  bool add;
};

struct PanelKernels {
  int64_t lanes, vectors;  ///< floats per vector; the largest number of vectors in a panel
  void (*product)(const PanelProduct& p);
};

/// Returns the table of the instruction set that kernels() has selected.
const PanelKernels& panel_kernels();

CHAINER_DECLARE_FILL(fill_panels, PanelKernels)

}  // namespace chainer::cpu
