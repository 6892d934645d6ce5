// Products with a matrix that many calls share, which is kept as the kernel reads it.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::cpu {

/// Whether a product of m rows of k elements and n columns is computed by packed_product() where weights stay. It
/// depends on lengths only, and so do the results' bits.
bool packing_pays(int64_t m, int64_t n, int64_t k);
/// out = a b, or out + a b with `add`, where a has m rows of k elements at a distance of a_step, b (of float32) lies
/// with a distance of b_step between its rows, or its columns if it is transposed, and out has n columns without gaps.
/// b is packed into panels of columns, which are kept with the array until somebody writes to it. Each element is one
/// sum in the order of the inner axis: any number of threads, and any number of rows, give the same bits.
void packed_product(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_step, const Array& b, int64_t b_step,
                    bool b_transposed, float* out, bool add);

}  // namespace chainer::cpu
