// SPDX-License-Identifier: MIT
// Kernels that few programs need: normalized rows with factors, Fourier transforms. The tables are separate from the
// others, so that a program that uses none of them is not linked with them.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// A step of a Fourier transform (kernels/fourier.cpp): input, output, m * radix factors, and the roots of unity.
template <class T>
struct FourierStep {
  int64_t radix, m, s;
  const T *xr, *xi;
  T *yr, *yi;
  const T *wr, *wi, *root_r, *root_i;
};

/// A row that is standardized, times gamma plus beta, or its gradient (kernels/affine.cpp): `keys` runs of `run`
/// elements with one factor each. The gradient is added to `by_gamma` and `by_beta`, in the elements' type if a run is
/// one element, else in double.
struct AffineRow {
  int64_t keys, run;
  double eps;
  const void *x, *gamma;
  const void *beta = nullptr, *gy = nullptr;
  void* out = nullptr;
  double *mean = nullptr, *rstd = nullptr;
  void *by_gamma = nullptr, *by_beta = nullptr;
};

/// Each kernel for float32 and float64, in this order (kF32 and kF64 of Compute).
struct RowKernels {
  void (*softmax_grad[2])(void* gx, const void* gy, const void* y, int64_t n, bool log);
  void (*affine[2])(const AffineRow& row);
  void (*affine_grad[2])(const AffineRow& row);
  /// out = x rstd gamma with rstd = 1 / sqrt(mean(x^2) + eps), and the gradients; of the row's fields those that this
  /// names are used, and by_gamma in the elements' type.
  void (*rms[2])(const AffineRow& row);
  void (*rms_grad[2])(const AffineRow& row);
};
struct FourierKernels {
  void (*float32)(const FourierStep<float>& step);
  void (*float64)(const FourierStep<double>& step);
};
/// Return the tables of the instruction set that kernels() has selected.
const RowKernels& row_kernels();
const FourierKernels& fourier_kernels();

CHAINER_DECLARE_FILL(fill_affine, RowKernels)
CHAINER_DECLARE_FILL(fill_fourier, FourierKernels)

}  // namespace chainer::cpu
