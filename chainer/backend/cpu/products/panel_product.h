// SPDX-License-Identifier: MIT
// Products of float32 matrices whose second operand is packed into panels.
#pragma once
#include "chainer/backend/cpu/products/panels.h"

namespace chainer::cpu {

/// The size in floats up to which all panels of a matrix stay in the second-level cache: half of one of 1 MB.
inline constexpr int64_t kSmallPanels = int64_t(1) << 17;
/// Packs the k * n matrix b into panels. Its rows, or its columns if it is transposed, have distance b_step.
void pack_panels(const Panels& panels, const float* b, int64_t b_step, bool transposed, int64_t n, int64_t k,
                 float* to);
/// Packs one panel.
void pack_panel(const Panels& panels, int64_t panel, const float* b, int64_t b_step, bool transposed, int64_t k,
                float* to);
/// out = a b, or out + a b with `add`, for m rows of a and out. Element (r, l) of a is a[r * a_row + l * a_inner]; rows
/// of out have distance out_step. Each element is one sum in the order of the inner axis, so that results do not depend
/// on the numbers of threads and rows.
void multiply_panels(const Panels& panels, int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_inner,
                     const float* packed, float* out, int64_t out_step, bool add);

}  // namespace chainer::cpu
