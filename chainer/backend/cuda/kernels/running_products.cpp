// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/running_products.h"

#include <math.h>

namespace chainer::cuda {
namespace {

DEVICE Scaled scaled_number(double x) {
  int exponent = 0;
  const double part = ::frexp(x, &exponent);
  return x - x == 0 ? Scaled{part, exponent} : Scaled{x, 0};
}
DEVICE Scaled times(const Scaled& x, const Scaled& y) {
  const Scaled product = scaled_number(x.part * y.part);
  return {product.part, product.exponent + x.exponent + y.exponent};
}
DEVICE double number_of(const Scaled& x) {
  constexpr int64_t far = 4000;  // beyond the exponents of double
  const int64_t exponent = x.exponent < -far ? -far : x.exponent > far ? far : x.exponent;
  return ::ldexp(x.part, static_cast<int>(exponent));
}

// Calls write(k, before, product) for k in [begin, end), where `product` is that of `first` and all elements before and
// including k, and `before` without k. `mine` are two rows of shared memory.
template <class Read, class Write>
DEVICE void product_scan(Scaled (*mine)[ProductsArgs::kThreads], int64_t begin, int64_t end, Scaled first, Read&& read,
                         Write&& write) {
  const int t = threadIdx.x;
  for (int64_t at = begin; at < end; at += ProductsArgs::kThreads) {
    const int64_t k = at + t;
    int now = 0;
    mine[now][t] = k < end ? read(k) : scaled_number(1);
    __syncthreads();
    for (int distance = 1; distance < ProductsArgs::kThreads; distance *= 2) {
      const Scaled own = mine[now][t];
      mine[1 - now][t] = t >= distance ? times(mine[now][t - distance], own) : own;
      now = 1 - now;
      __syncthreads();
    }
    if (k < end) write(k, t > 0 ? times(first, mine[now][t - 1]) : first, times(first, mine[now][t]));
    first = times(first, mine[now][ProductsArgs::kThreads - 1]);
    __syncthreads();
  }
}

DEVICE int64_t end_of_products(const ProductsArgs& a, int64_t part) {
  const int64_t end = (part + 1) * ProductsArgs::kPart;
  return end < a.n ? end : a.n;
}

}  // namespace

KERNEL(product_totals, ProductsArgs) {
  SHARED(Scaled, mine, [ProductsArgs::kThreads]);
  const int t = threadIdx.x;
  for (int64_t i = blockIdx.x; i < a.rows.size * a.parts; i += gridDim.x) {
    const char* const in = a.in.data + offset(a.rows, a.in, static_cast<uint32_t>(i / a.parts));
    const int64_t part = i % a.parts, end = end_of_products(a, part);
    Scaled product = scaled_number(1);
    for (int64_t k = part * ProductsArgs::kPart + t; k < end; k += ProductsArgs::kThreads)
      product = times(product, scaled_number(load<double>(in + k * a.in_step, a.in.type)));
    mine[t] = product;
    __syncthreads();
    for (int half = ProductsArgs::kThreads / 2; half > 0; half /= 2) {
      if (t < half) mine[t] = times(mine[t], mine[t + half]);
      __syncthreads();
    }
    if (t == 0) a.totals[i] = mine[0];
    __syncthreads();
  }
}
KERNEL(product_before, ProductsArgs) {
  SHARED(Scaled, mine, [2][ProductsArgs::kThreads]);
  for (int64_t i = blockIdx.x; i < a.rows.size; i += gridDim.x) {
    Scaled* const totals = a.totals + i * a.parts;
    product_scan(
        mine, 0, a.parts, scaled_number(1), [&](int64_t k) { return totals[k]; },
        [&](int64_t k, const Scaled& before, const Scaled&) { totals[k] = before; });
  }
}
KERNEL(running_products, ProductsArgs) {
  SHARED(Scaled, mine, [2][ProductsArgs::kThreads]);
  for (int64_t i = blockIdx.x; i < a.rows.size * a.parts; i += gridDim.x) {
    const auto row = static_cast<uint32_t>(i / a.parts);
    const char* const in = a.in.data + offset(a.rows, a.in, row);
    char* const out = a.out.data + offset(a.rows, a.out, row);
    const int64_t part = i % a.parts;
    product_scan(
        mine, part * ProductsArgs::kPart, end_of_products(a, part), a.totals ? a.totals[i] : scaled_number(1),
        [&](int64_t k) { return scaled_number(load<double>(in + k * a.in_step, a.in.type)); },
        [&](int64_t k, const Scaled&, const Scaled& product) {
          store(out + k * a.out_step, a.out.type, number_of(product));
        });
  }
}

}  // namespace chainer::cuda
