// Tables of inner loops that few programs need: rows with factors, Fourier transforms.
// Each is apart from the table of the other kernels, so that a program which uses none of it is linked with none of it.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// A step of Fourier transforms (kernels/fourier.cpp): what is read, what is written, m * radix factors, and the roots
/// of one.
template <class T>
struct FourierStep {
  int64_t radix, m, s;
  const T *xr, *xi;
  T *yr, *yi;
  const T *wr, *wi, *root_r, *root_i;
};

/// A row that is standardized, times gamma plus beta, or the gradient of that (kernels/affine.cpp): `keys` runs of
/// `run` elements with a factor each. The gradient adds to `by_gamma` and `by_beta`, in the elements' type where a run
/// is one element, else in double.
struct AffineRow {
  int64_t keys, run;
  double eps;
  const void *x, *gamma;
  const void *beta = nullptr, *gy = nullptr;
  void* out = nullptr;
  double *mean = nullptr, *rstd = nullptr;
  void *by_gamma = nullptr, *by_beta = nullptr;
};

/// Each kernel for float32 and for float64, in this order (Compute's kF32 and kF64).
struct RowKernels {
  void (*softmax_grad[2])(void* gx, const void* gy, const void* y, int64_t n, bool log);
  void (*affine[2])(const AffineRow& row);
  void (*affine_grad[2])(const AffineRow& row);
};
struct FourierKernels {
  void (*float32)(const FourierStep<float>& step);
  void (*float64)(const FourierStep<double>& step);
};
/// The tables of the instruction set that kernels() chose.
const RowKernels& row_kernels();
const FourierKernels& fourier_kernels();

CHAINER_DECLARE_FILL(fill_affine, RowKernels)
CHAINER_DECLARE_FILL(fill_fourier, FourierKernels)

}  // namespace chainer::cpu
