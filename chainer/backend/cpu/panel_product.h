// Products of float32 matrices of which the second is brought into panels.
#pragma once
#include "chainer/backend/cpu/panels.h"

namespace chainer::cpu {

/// The k * n matrix b, whose rows (columns, if it is transposed) lie at a distance of b_step, in panels.
void pack_panels(const Panels& panels, const float* b, int64_t b_step, bool transposed, int64_t n, int64_t k,
                 float* to);
/// out = a b, or out + a b with `add`: m rows of a at a distance of a_step, of out at one of out_step. Each element is
/// one sum in the order of the inner axis: any number of threads, and of rows, gives the same bits.
void multiply_panels(const Panels& panels, int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_inner,
                     const float* packed, float* out, int64_t out_step, bool add);

}  // namespace chainer::cpu
