// SPDX-License-Identifier: MIT
// Matrix products by NVIDIA's cuBLASLt, which is opened at run time and not needed to build.
#pragma once
#include <array>
#include <map>
#include <memory>

#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/libcuda.h"

namespace chainer::cuda {

// X(member, name in the library, parameters)
#define CHAINER_CUBLAS_LT(X)                                                                                         \
  X(create, cublasLtCreate, (void** handle))                                                                         \
  X(destroy, cublasLtDestroy, (void* handle))                                                                        \
  X(make_product, cublasLtMatmulDescCreate, (void** product, int compute, int scale))                                \
  X(set_product, cublasLtMatmulDescSetAttribute, (void* product, int name, const void* value, std::size_t bytes))    \
  X(end_product, cublasLtMatmulDescDestroy, (void* product))                                                         \
  X(make_layout, cublasLtMatrixLayoutCreate, (void** layout, int type, uint64_t rows, uint64_t columns, int64_t ld)) \
  X(set_layout, cublasLtMatrixLayoutSetAttribute, (void* layout, int name, const void* value, std::size_t bytes))    \
  X(end_layout, cublasLtMatrixLayoutDestroy, (void* layout))                                                         \
  X(make_wish, cublasLtMatmulPreferenceCreate, (void** wish))                                                        \
  X(set_wish, cublasLtMatmulPreferenceSetAttribute, (void* wish, int name, const void* value, std::size_t bytes))    \
  X(end_wish, cublasLtMatmulPreferenceDestroy, (void* wish))                                                         \
  X(choose, cublasLtMatmulAlgoGetHeuristic,                                                                          \
    (void* handle, void* product, void* a, void* b, void* c, void* d, void* wish, int most, CublasLtChoice* choices, \
     int* count))                                                                                                    \
  X(multiply, cublasLtMatmul,                                                                                        \
    (void* handle, void* product, const void* alpha, const void* a, void* a_layout, const void* b, void* b_layout,   \
     const void* beta, const void* c, void* c_layout, void* d, void* d_layout, const CublasLtAlgorithm* algorithm,   \
     void* workspace, std::size_t workspace_bytes, CuHandle stream))

/// The library's structs.
struct CublasLtAlgorithm {
  uint64_t data[8];
};
struct CublasLtChoice {
  CublasLtAlgorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

/// The library for one device, whose context must be current at each call. Algorithms are queried once per shape. They
/// add in a fixed order, without atomics, and do not reduce the precision of float32.
class CublasLt {
 public:
  static constexpr std::size_t kWorkspace = std::size_t(32) << 20;

  /// Opens CHAINER_CUBLASLT_LIBRARY, or libcublasLt.so.13 or .12. Returns null if there is none, or if the variable is
  /// "none".
  static std::unique_ptr<CublasLt> open();
  /// Returns "cuBLASLt 13.0.0 (libcublasLt.so.13)", the version and the name with which it is opened; empty if there is
  /// none.
  static std::string description();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
  ~CublasLt();
  /// Computes a product of floating types; returns false if a matrix has no axis with unit stride, or if there is no
  /// algorithm. `workspace` has kWorkspace bytes, or is null. Throws DeviceError with the library's status if the
  /// product fails.
  bool multiply(CuHandle stream, const ProductCall& call, void* workspace);

 private:
  using Key = std::array<int64_t, 24>;
  struct Functions {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
    CHAINER_CUBLAS_LT(X)
#undef X
  };
  explicit CublasLt(const Functions& f);
  struct Matrices;
  struct Choice;
  static Matrices matrices_of(const ProductCall::Matrices& m);
  std::unique_ptr<Choice> choose(const std::array<const Matrices*, 3>& all, int type, int compute, int scale,
                                 const void* bias, bool has_workspace);

  Functions f_;
  void* handle_ = nullptr;
  std::map<Key, std::unique_ptr<Choice>> choices_;
};

}  // namespace chainer::cuda
