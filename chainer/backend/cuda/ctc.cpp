// SPDX-License-Identifier: MIT
// The lattice of connectionist temporal classification.
#include "chainer/backend/cuda/kernels/ctc.h"

#include <algorithm>

#include "chainer/array/operations/ctc_paths.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

CtcArgs ctc_args(const CtcPaths& paths, const Array& x) {
  const auto numbers = [](const Array& a) { return static_cast<const int64_t*>(a.raw()); };
  CtcArgs args{};
  args.x = static_cast<const double*>(x.raw());
  args.symbols = numbers(paths.symbols), args.input_length = numbers(paths.input_length);
  args.path_length = numbers(paths.path_length);
  args.blank = paths.blank, args.batch = paths.batch(), args.steps = x.shape()[0], args.width = paths.width();
  args.vocabulary = x.shape()[2];
  return args;
}
// A block for each item, with a thread for each symbol up to kThreads.
Dim3 threads_of_item(const CtcArgs& a) {
  return {static_cast<unsigned>(std::clamp<int64_t>((a.width + 31) / 32 * 32, 32, CtcArgs::kThreads)), 1, 1};
}

}  // namespace

bool CudaBackend::ctc_forward(const CtcPaths& paths, const Array& x, Array& alphas, Array& totals) {
  CtcArgs args = ctc_args(paths, x);
  if (args.batch == 0) return true;
  args.alphas = static_cast<double*>(alphas.mutable_raw()), args.totals = static_cast<double*>(totals.mutable_raw());
  launch(x.device().index(), "ctc_forward", {blocks_for(args.batch), 1, 1}, threads_of_item(args), args);
  return true;
}

void CudaBackend::ctc_backward(const CtcPaths& paths, const Array& x, const Array& alphas, const Array& totals,
                               const Array& weights, Array& gx) {
  fill(gx, 0);
  CtcArgs args = ctc_args(paths, x);
  if (args.batch == 0) return;
  const Device& device = x.device();
  Array order(paths.symbols.shape(), int64, device);
  if (!argsort(paths.symbols, order))
    throw DeviceError("connectionist_temporal_classification: paths of ", args.width, " symbols are too long for ",
                      name(device.index()));
  Array next({args.batch, 2, args.width}, float64, device),
      shares({args.batch, args.steps, args.width}, float64, device);
  args.order = static_cast<const int64_t*>(order.raw());
  args.weights = static_cast<const double*>(weights.raw());
  args.alphas = static_cast<double*>(const_cast<void*>(alphas.raw()));
  args.totals = static_cast<double*>(const_cast<void*>(totals.raw()));
  args.next = static_cast<double*>(next.mutable_raw()), args.shares = static_cast<double*>(shares.mutable_raw());
  args.gx = static_cast<double*>(gx.mutable_raw());
  launch(device.index(), "ctc_backward", {blocks_for(args.batch), 1, 1}, threads_of_item(args), args);
  const Threads t(shares.size());
  launch(device.index(), "ctc_gradient", t.grid, t.block, args);
}

}  // namespace chainer::cuda
