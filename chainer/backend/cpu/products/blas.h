// SPDX-License-Identifier: MIT
// Matrix libraries opened at their first use: oneDNN for float32, OpenBLAS for float64, small matrices and LAPACK. A
// program that multiplies no matrices does not load them. Functions return nullptr if a library is missing.
#pragma once
#include <cstdint>
#include <string>

namespace chainer::cpu {

/// Returns oneDNN's row-major single-precision matrix product (0 on success), or nullptr without oneDNN.
using SgemmFunction = int (*)(char transa, char transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
                              int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
SgemmFunction onednn_sgemm();
/// Returns true if CHAINER_MATMUL names the library for products: it is then used even where other code is faster.
bool library_is_chosen();
/// Returns the library, for resolving other functions; nullptr without oneDNN.
void* onednn_library();
/// Returns the version, "2.6.3", or "" without oneDNN.
std::string onednn_version();
/// Returns the version, or "not available" or "not used" with the reason: the library is missing, or has another major
/// version than the build's header.
std::string onednn_state();

/// Returns how many of `n` threads OpenMP regions of libraries may use: one in a child of fork(), which has no OpenMP
/// threads.
int library_threads(int n);
/// During its lifetime, OpenMP regions of libraries called by this thread use library_threads(n) threads. The
/// destructor restores the program's number.
class LibraryThreads {
 public:
  explicit LibraryThreads(int n);
  ~LibraryThreads();
  LibraryThreads(const LibraryThreads&) = delete;
  LibraryThreads& operator=(const LibraryThreads&) = delete;

 private:
  int before_ = 0;
};

/// During its lifetime, OpenBLAS uses one thread per call; after the last one is destroyed, the program's number.
/// Throws MemoryError if a limit of the address space leaves no room for OpenBLAS's scratch memory.
class OneThreadBlas {
 public:
  OneThreadBlas();
  ~OneThreadBlas();
  OneThreadBlas(const OneThreadBlas&) = delete;
  OneThreadBlas& operator=(const OneThreadBlas&) = delete;
};

/// The functions of OpenBLAS that are used. Callers must hold a OneThreadBlas: work is spread over this library's pool.
struct Blas {
  void (*sgemm)(int order, int transa, int transb, int m, int n, int k, float alpha, const float* a, int lda,
                const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
  void (*dgemm)(int order, int transa, int transb, int m, int n, int k, double alpha, const double* a, int lda,
                const double* b, int ldb, double beta, double* c, int ldc) = nullptr;
  void (*dgesdd)(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
                 const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork,
                 int* info) = nullptr;
  void (*dgetrf)(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info) = nullptr;
  void (*dgetri)(const int* n, double* a, const int* lda, const int* pivots, double* work, const int* lwork,
                 int* info) = nullptr;
  void* (*take_memory)(int) = nullptr;  ///< a block of OpenBLAS's scratch memory, which it keeps for later calls
  void (*give_memory)(void*) = nullptr;
  void (*set_threads)(int) = nullptr;
  int (*get_threads)() = nullptr;
  std::string description;  ///< OpenBLAS's own configuration text
  std::string threading;    ///< "sequential", "pthreads" or "OpenMP", as the library was built
};
/// Returns the opened library, or nullptr.
const Blas* blas();

}  // namespace chainer::cpu
