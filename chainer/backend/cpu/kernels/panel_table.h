// The table of products with a matrix in panels.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// Where vectors of a matrix lie: vector v of row r at base[v] + r * step[v].
struct VectorOrder {
  const int64_t *base, *step;
};

/// Rows of a product with a panel of a matrix: out(r, j) = sum of a(r, l) b(l, j) over l, on top of what is there with
/// `add`, for j < columns. Element (r, l) of a is a[r * a_row + l * a_inner]; b has its rows, `vectors` vectors each,
/// one behind the other; rows of out lie at a distance of out_row.
struct PanelProduct {
  const float* a;
  int64_t a_row, a_inner;
  const float* b;
  float* out;
  int64_t out_row, rows, inner, vectors, columns;
  bool add;
};

struct PanelKernels {
  int64_t lanes, vectors;  ///< floats of a vector; the most vectors of a panel
  void (*product)(const PanelProduct& p);
};

/// The table of the instruction set that kernels() chose.
const PanelKernels& panel_kernels();

CHAINER_DECLARE_FILL(fill_panels, PanelKernels)

}  // namespace chainer::cpu
