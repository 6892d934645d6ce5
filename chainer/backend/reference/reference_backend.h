// SPDX-License-Identifier: MIT
// A device in simple loops, written to be read: the minimum that a backend must define. As on a real device, its memory
// is at addresses that the host cannot access, so that code that bypasses the interface crashes. Tests run the table of
// functions on it.
#pragma once
#include "chainer/array/backend.h"

namespace chainer::reference {

class ReferenceBackend final : public Backend {
 public:
  std::string name(int) const override { return "@reference"; }
  memory::Block allocate(std::size_t bytes, int) override;
  void release(memory::Block block, int) override;
  void host_to_device(int device, void* to, const void* from, std::size_t bytes) override;
  void device_to_host(int device, void* to, const void* from, std::size_t bytes) override;
  void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) override;
  void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) override;
  void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) override;
  void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) override;
  void take_rows(const Array& a, const Array& index, Array& out) override;
  void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) override;
};

}  // namespace chainer::reference
