// Matrix libraries opened on first use: oneDNN for float32, OpenBLAS for float64, small matrices and LAPACK. A
// program that never multiplies matrices does not pay for loading them; where one is missing the answer is nullptr.
#pragma once
#include <cstdint>
#include <string>

namespace chainer::cpu {

/// oneDNN's row-major single-precision product; nullptr without oneDNN. Returns 0 on success.
using SgemmFunction = int (*)(char transa, char transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
                              int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
SgemmFunction onednn_sgemm();
/// Whether CHAINER_MATMUL names the library of products: then even those go there that are faster without.
bool library_is_chosen();
/// The library itself, for what looks up functions of its own; nullptr without oneDNN.
void* onednn_library();
/// "2.6.3", or "" without oneDNN.
std::string onednn_version();
/// Its version, or "not available" or "not used" with the reason where there is one: the library is missing on this
/// machine, or has another major version than this build was made for.
std::string onednn_state();

/// How many of `n` threads OpenMP regions in libraries can have: one in a child of fork(), where OpenMP's threads are
/// gone.
int library_threads(int n);
/// While it lives, OpenMP regions in libraries that this thread calls take library_threads(n) threads; the number that
/// the program had chosen comes back afterwards.
class LibraryThreads {
 public:
  explicit LibraryThreads(int n);
  ~LibraryThreads();
  LibraryThreads(const LibraryThreads&) = delete;
  LibraryThreads& operator=(const LibraryThreads&) = delete;

 private:
  int before_ = 0;
};

/// While any lives, OpenBLAS runs one thread a call; afterwards as many as the program had chosen. Throws MemoryError
/// where a limit of the address space leaves no room for OpenBLAS's working memory.
class OneThreadBlas {
 public:
  OneThreadBlas();
  ~OneThreadBlas();
  OneThreadBlas(const OneThreadBlas&) = delete;
  OneThreadBlas& operator=(const OneThreadBlas&) = delete;
};

/// The functions used from OpenBLAS. Callers hold a OneThreadBlas: work is spread over our own pool.
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
  void* (*take_memory)(int) = nullptr;  ///< a block of OpenBLAS's working memory, which it keeps for later calls
  void (*give_memory)(void*) = nullptr;
  void (*set_threads)(int) = nullptr;
  int (*get_threads)() = nullptr;
  std::string description;  ///< OpenBLAS's own configuration text
  std::string threading;    ///< "sequential", "pthreads" or "OpenMP", as the library was built
};
/// The opened library; nullptr without one.
const Blas* blas();

}  // namespace chainer::cpu
