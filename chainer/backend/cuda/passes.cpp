// SPDX-License-Identifier: MIT
// Optional entries for training: optimizers' update steps, random numbers, softmax.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "chainer/backend/common/largest_below.h"
#include "chainer/backend/cuda/device_state.h"
#include "chainer/backend/cuda/kernels/random.h"
#include "chainer/backend/cuda/kernels/softmax.h"
#include "chainer/backend/cuda/kernels/update.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {

namespace {

// The addresses of the arrays of a step (parameter, gradient and states), and their loop.
struct ArraysOfUpdate {
  static constexpr int kMost = 2 + kUpdateStates;
  int count;
  std::array<void*, kMost> data{};
  std::array<Dtype, kMost> dtypes{};
  Loop<kMost> loop;

  ArraysOfUpdate(Array& param, const Array& grad, std::span<Array> states)
      : count(2 + static_cast<int>(states.size())) {
    const void* from = grad.raw();
    std::array<Strides, kMost> strides;
    std::array<const Strides*, kMost> pointers{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      Array* written = i == 0 ? &param : i > 1 ? &states[i - 2] : nullptr;
      const Array& a = written ? *written : grad;
      data[i] = written ? written->mutable_raw() : const_cast<void*>(from);
      strides[i] = a.strides(), dtypes[i] = a.dtype(), pointers[i] = &strides[i];
    }
    loop = make_loop<kMost>(param.shape(), pointers, count);
  }
  bool dense() const {
    for (int k = 0; k < count; ++k)
      if (!loop.dense(k) || !is_floating(dtypes[static_cast<std::size_t>(k)])) return false;
    return loop.size <= most_elements;
  }
};

}  // namespace

void CudaBackend::update(Update op, Array& param, const Array& grad, std::span<Array> states,
                         std::span<const double> hyper) {
  if (param.size() == 0) return;
  if (!is_floating(param.dtype())) throw DtypeError("update: parameters must be floating, not ", param.dtype());
  if (in_parts(param.shape(), [&](int axis, int64_t begin, int64_t count) {
        Array part = part_of(param, axis, begin, count);
        std::vector<Array> of_states;
        for (const Array& s : states) of_states.push_back(part_of(s, axis, begin, count));
        update(op, part, part_of(grad, axis, begin, count), of_states, hyper);
      }))
    return;
  const ArraysOfUpdate arrays(param, grad, states);
  const auto operand = [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    return operand_of(arrays.loop, k, arrays.data[i], arrays.dtypes[i]);
  };
  UpdateArgs args{};
  args.space = space_of(arrays.loop);
  args.param = operand(0), args.grad = operand(1);
  for (int k = 2; k < arrays.count; ++k) args.states[k - 2] = operand(k);
  std::copy_n(hyper.begin(), std::min(hyper.size(), std::size_t(UpdateArgs::kHyper)), args.hyper);
  args.op = static_cast<int>(op);
  const Threads t(param.size());
  launch(param.device().index(), kernel_for("update", param.dtype()), t.grid, t.block, args);
}

// One launch for up to 32 parameters of one device and compute type. Arrays with gaps are updated separately.
void CudaBackend::update_all(std::span<UpdatePass> passes) {
  UpdateListArgs args{};
  int index = 0;
  Dtype compute = float32;
  uint32_t blocks = 0;
  const auto flush = [&] {
    if (args.count) launch(index, kernel_for("update_list", compute), {blocks, 1, 1}, {256, 1, 1}, args);
    args = {}, blocks = 0;
  };
  for (UpdatePass& p : passes) {
    if (p.param.size() == 0) continue;
    const Dtype wanted = compute_dtype(p.param.dtype());
    if (args.count == UpdateListArgs::kMost || p.param.device().index() != index || wanted != compute) flush();
    index = p.param.device().index(), compute = wanted;
    if (!is_floating(p.param.dtype())) throw DtypeError("update: parameters must be floating, not ", p.param.dtype());
    const ArraysOfUpdate arrays(p.param, p.grad, p.states);
    if (!arrays.dense()) {
      update(p.op, p.param, p.grad, p.states, p.hyper);
      continue;
    }
    UpdateListArgs::Item& item = args.items[args.count++];
    item.param = static_cast<char*>(arrays.data[0]), item.grad = static_cast<char*>(arrays.data[1]);
    item.param_type = type_of(arrays.dtypes[0]), item.grad_type = type_of(arrays.dtypes[1]);
    for (std::size_t k = 2; k < static_cast<std::size_t>(arrays.count); ++k)
      item.states[k - 2] = static_cast<char*>(arrays.data[k]), item.state_types[k - 2] = type_of(arrays.dtypes[k]);
    std::copy_n(p.hyper.begin(), std::min(p.hyper.size(), std::size_t(kUpdateHyper)), item.hyper);
    item.size = static_cast<uint32_t>(p.param.size()), item.first_block = blocks;
    item.op = static_cast<uint8_t>(p.op);
    blocks += blocks_for((p.param.size() + 1023) / 1024);
  }
  flush();
}

// Normal numbers are those of the host up to rounding, because they depend on its log, sin and cos.
void CudaBackend::random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) {
  Capturing::refuse(*this, out.device().index(), "it draws random numbers");
  if (out.size() == 0) return;
  if (!is_floating(out.dtype())) return Backend::random(fill, seed, counter, a, b, out);
  if (!out.is_contiguous()) {  // numbers are drawn in the order of the axes, whatever the order in memory
    Array in_order(out.shape(), out.dtype(), out.device());
    random(fill, seed, counter, a, b, in_order);
    return copy_elements(in_order, out);
  }
  RandomArgs args{};
  args.out = static_cast<char*>(out.mutable_raw());
  args.type = type_of(out.dtype());
  args.size = out.size();
  args.seed = seed, args.counter = counter;
  args.kind = fill == RandomFill::bernoulli ? RandomArgs::Kind::bernoulli
              : fill == RandomFill::normal  ? RandomArgs::Kind::normal
                                            : RandomArgs::Kind::uniform;
  args.limit = fill == RandomFill::bernoulli ? static_cast<uint64_t>(std::ceil(a * 0x1p32)) : 0;
  args.a = a, args.b = b, args.scale = (b - a) * 0x1p-32;
  args.last = std::max(a, largest_below(b, out.dtype()));
  const int64_t bytes = item_size(out.dtype());
  const Threads t(out.size(), 4);
  launch(out.device().index(),
         bytes == 2   ? "random_float16"
         : bytes == 4 ? "random_float32"
                      : "random_float64",
         t.grid, t.block, args);
}

void CudaBackend::softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) {
  if (out.size() == 0) return;
  if (!a.is_contiguous() || !out.is_contiguous()) return Backend::softmax(log, a, outer, n, inner, out);
  SoftmaxArgs args{};
  args.in = static_cast<const char*>(a.raw()), args.out = static_cast<char*>(out.mutable_raw());
  args.in_type = type_of(a.dtype()), args.out_type = type_of(out.dtype());
  args.in_bytes = static_cast<int>(item_size(a.dtype())), args.out_bytes = static_cast<int>(item_size(out.dtype()));
  args.outer = outer, args.n = n, args.inner = inner;
  args.log = log;
  // Threads of a warp read adjacent elements, and each has a few of a row.
  const auto lanes = static_cast<int>(std::clamp<uint64_t>(std::bit_ceil(static_cast<uint64_t>(n + 3) / 4), 1,
                                                           inner >= 32 ? 8 : SoftmaxArgs::kThreads));
  args.wide = SoftmaxArgs::kThreads / lanes;
  const unsigned blocks = blocks_for((outer * inner - 1) / args.wide + 1);
  launch(out.device().index(), kernel_for("softmax", a.dtype()), {blocks, 1, 1}, {SoftmaxArgs::kThreads, 1, 1}, args);
}

}  // namespace chainer::cuda
