// SPDX-License-Identifier: MIT
// cuBLASLt's functions on the host's memory, column-major as its own, for float32 and float64.
#include "chainer/backend/cuda/cublas_lt.h"

using namespace chainer::cuda;

namespace {

struct Layout {
  int type;
  int64_t rows, columns, leading, offset = 0;
  int32_t count = 1;
};
struct Product {
  int32_t transposed[2] = {0, 0};
  uint32_t epilogue = 1;
  const void* bias = nullptr;
};
int chosen = 0, multiplied = 0, failing = 0;
bool no_algorithm = false;

template <class T>
void multiply(const Product& p, T alpha, const T* a, const Layout& la, const T* b, const Layout& lb, T beta, T* d,
              const Layout& ld) {
  const int64_t steps = p.transposed[0] ? la.rows : la.columns;
  for (int32_t n = 0; n < ld.count; ++n)
    for (int64_t i = 0; i < ld.rows; ++i)
      for (int64_t j = 0; j < ld.columns; ++j) {
        T sum = 0;
        for (int64_t k = 0; k < steps; ++k) {
          const T x = a[n * la.offset + (p.transposed[0] ? k + i * la.leading : i + k * la.leading)];
          sum += x * b[n * lb.offset + (p.transposed[1] ? j + k * lb.leading : k + j * lb.leading)];
        }
        T& to = d[n * ld.offset + i + j * ld.leading];
        to = alpha * sum + (beta == 0 ? 0 : beta * to);
        if (p.epilogue == 4) to += static_cast<const T*>(p.bias)[i];
      }
}
template <class T>
const T& value(const void* p) {
  return *static_cast<const T*>(p);
}

}  // namespace

extern "C" {

// What tests ask of this library.
void fake_products(int status, int none) { failing = status, no_algorithm = none != 0; }
int fake_chosen() { return chosen; }
int fake_multiplied() { return multiplied; }

int cublasLtCreate(void** handle) { return *handle = &chosen, 0; }
int cublasLtDestroy(void*) { return 0; }
int cublasLtMatmulDescCreate(void** product, int, int) { return *product = new Product, 0; }
int cublasLtMatmulDescSetAttribute(void* product, int name, const void* v, std::size_t) {
  auto& p = *static_cast<Product*>(product);
  switch (name) {
    case 3:
    case 4: p.transposed[name - 3] = value<int32_t>(v); break;
    case 7: p.epilogue = value<uint32_t>(v); break;
    case 8: p.bias = value<const void*>(v); break;
    default: return 7;
  }
  return 0;
}
int cublasLtMatmulDescDestroy(void* product) { return delete static_cast<Product*>(product), 0; }
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  const auto n = static_cast<int64_t>(rows);
  return *layout = new Layout{type, n, static_cast<int64_t>(columns), leading}, leading < n ? 7 : 0;
}
int cublasLtMatrixLayoutSetAttribute(void* layout, int name, const void* v, std::size_t) {
  auto& l = *static_cast<Layout*>(layout);
  if (name == 5) l.count = value<int32_t>(v);
  if (name == 6) l.offset = value<int64_t>(v);
  return 0;
}
int cublasLtMatrixLayoutDestroy(void* layout) { return delete static_cast<Layout*>(layout), 0; }
int cublasLtMatmulPreferenceCreate(void** wish) { return *wish = new int, 0; }
int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, std::size_t) { return 0; }
int cublasLtMatmulPreferenceDestroy(void* wish) { return delete static_cast<int*>(wish), 0; }
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void* a, void*, void*, void*, void*, int, CublasLtChoice* choices,
                                   int* count) {
  ++chosen;
  *count = !no_algorithm && static_cast<Layout*>(a)->type <= 1;
  choices->state = 0;
  return *count ? 0 : 15;
}
int cublasLtMatmul(void*, void* product, const void* alpha, const void* a, void* la, const void* b, void* lb,
                   const void* beta, const void*, void*, void* d, void* ld, const CublasLtAlgorithm*, void*,
                   std::size_t, CuHandle) {
  ++multiplied;
  if (failing) return failing;
  const auto& p = *static_cast<Product*>(product);
  const auto &left = *static_cast<Layout*>(la), &right = *static_cast<Layout*>(lb), &out = *static_cast<Layout*>(ld);
  if (out.type == 0)
    multiply(p, value<float>(alpha), static_cast<const float*>(a), left, static_cast<const float*>(b), right,
             value<float>(beta), static_cast<float*>(d), out);
  else
    multiply(p, value<double>(alpha), static_cast<const double*>(a), left, static_cast<const double*>(b), right,
             value<double>(beta), static_cast<double*>(d), out);
  return 0;
}

}  // extern "C"
