// SPDX-License-Identifier: MIT
// Elementwise operations: programs of a single instruction, and those of deferred evaluation.
#include <algorithm>
#include <array>
#include <optional>

#include "chainer/array/deferred/pending.h"
#include "chainer/array/order.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/fill.h"
#include "chainer/backend/cuda/kernels/program.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

using Args = ProgramArgs;
constexpr std::size_t kShared = 48 << 10;  // available to a block on every device without configuration

void expect_defined(Elementwise op, Dtype compute) {
  if (compute_dtype(compute) == Dtype::int64 &&
      (category(op) == Category::floating || category(op) == Category::special))
    throw DtypeError(name(op), ": not defined for integers");
}

// Builds a program for the device. Places are numbers as in Args::Instruction. `fits` is false if the program is too
// large.
class Builder {
 public:
  bool fits = true;

  uint8_t operand(const void* data, Dtype dtype, const Strides& strides) {
    if (count_ == Args::kOperands) {
      fits = false;
      return 0;
    }
    data_[count_] = data, dtypes_[count_] = dtype, strides_[count_] = strides;
    return static_cast<uint8_t>(count_++);
  }
  uint8_t register_number(int number, Dtype dtype) {
    if (number >= Args::kRegisters) {
      fits = false;
      return 0;
    }
    registers_ = std::max(registers_, number + 1);
    bytes_ = std::max(bytes_, static_cast<int>(item_size(dtype)));
    args_.register_type[number] = type_of(dtype);
    return static_cast<uint8_t>(Args::kOperands + number);
  }
  void add(Elementwise op, Dtype compute, uint8_t out, std::span<const uint8_t> in) {
    if (args_.instructions == Args::kInstructions) {
      fits = false;
      return;
    }
    Args::Instruction& i = args_.code[args_.instructions++];
    i.operation = static_cast<uint8_t>(op);
    i.inputs = static_cast<uint8_t>(in.size());
    i.compute = type_of(compute_dtype(compute));
    i.out = out;
    std::copy(in.begin(), in.end(), i.in);
  }
  /// Returns the arguments for a space of this shape, with `threads` threads per block. `reorder` as in make_loop.
  Args& finish(const Shape& shape, unsigned threads, bool reorder) {
    std::array<const Strides*, Args::kOperands> strides{};
    for (int k = 0; k < count_; ++k) strides[static_cast<std::size_t>(k)] = &strides_[k];
    const auto loop = make_loop<Args::kOperands>(shape, strides, count_, reorder);
    args_.space = space_of(loop);
    args_.operand_count = count_;
    for (int k = 0; k < count_; ++k) args_.operands[k] = operand_of(loop, k, data_[k], dtypes_[k]);
    args_.register_bytes = bytes_;
    args_.each = Args::kMostEach;
    while (args_.each > 1 && shared(threads) > kShared) args_.each /= 2;
    if (shared(threads) > kShared) fits = false;
    return args_;
  }
  std::size_t shared(unsigned threads) const {
    return static_cast<std::size_t>(registers_ * bytes_ * args_.each) * threads;
  }

 private:
  Args args_{};
  const void* data_[Args::kOperands];
  Dtype dtypes_[Args::kOperands];
  Strides strides_[Args::kOperands];
  int count_ = 0, registers_ = 0, bytes_ = 1;
};

// Returns an array on the memory of a body that is about to be computed.
Array over(const ArrayBody& b, const Shape& shape) {
  Ref<ArrayBody> view = make_ref<ArrayBody>(shape, b.dtype, b.device, shape.product());
  view->data = b.data;
  return Array(std::move(view));
}

}  // namespace

void CudaBackend::elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) {
  expect_defined(op, compute);
  if (out.size() == 0) return;
  if (in_parts(out.shape(), [&](int axis, int64_t begin, int64_t count) {
        std::array<Array, 3> parts;
        std::array<const Array*, 3> pointers{};
        for (std::size_t k = 0; k < inputs.size(); ++k)
          parts[k] = part_of(*inputs[k], axis, begin, count), pointers[k] = &parts[k];
        Array to = part_of(out, axis, begin, count);
        elementwise(op, {pointers.data(), inputs.size()}, to, compute);
      }))
    return;
  Builder b;
  std::array<const void*, 3> data{};
  for (std::size_t k = 0; k < inputs.size(); ++k) data[k] = inputs[k]->raw();
  const uint8_t to = b.operand(out.mutable_raw(), out.dtype(), out.strides());
  std::array<uint8_t, 3> in{};
  for (std::size_t k = 0; k < inputs.size(); ++k) in[k] = b.operand(data[k], inputs[k]->dtype(), inputs[k]->strides());
  b.add(op, compute, to, {in.data(), inputs.size()});
  Threads t(out.size(), Args::kMostEach, 128);
  const Args& args = b.finish(out.shape(), t.block.x, true);
  launch_program(out.device().index(), t.grid, t.block, args, 0);
}

void CudaBackend::run(const Program& p) {
  using Kind = Program::Instruction::Kind;
  const int64_t size = p.space.product();
  if (size == 0 || size > most_elements) return Backend::run(p);
  Builder b;
  const Strides dense = contiguous_strides(p.space);
  std::optional<Device> device;
  std::vector<uint8_t> places(p.slots.size());
  for (std::size_t s = 0; s < places.size(); ++s) {
    const Program::Slot& slot = p.slots[s];
    places[s] = slot.memory ? b.operand(slot.memory->data, slot.dtype, dense) : uint8_t(0);
    if (slot.memory) device = slot.memory->device;
  }
  // A register takes the type of its current slot, so a register number is used per type.
  std::vector<std::pair<int, Dtype>> numbers;
  const auto place = [&](int s) {
    const Program::Slot& slot = p.slots[static_cast<std::size_t>(s)];
    if (slot.memory) return places[static_cast<std::size_t>(s)];
    const std::pair<int, Dtype> wanted{slot.reg, slot.dtype};
    auto it = std::find(numbers.begin(), numbers.end(), wanted);
    if (it == numbers.end()) it = numbers.insert(numbers.end(), wanted);
    return b.register_number(static_cast<int>(it - numbers.begin()), slot.dtype);
  };
  const auto add = [&](const Program::Instruction& i) {
    const Dtype to = p.slots[static_cast<std::size_t>(i.out)].dtype;
    std::array<uint8_t, 3> in{};
    if (i.kind == Kind::load) {
      device = i.source->device;
      in[0] = b.operand(i.source->data, i.source->dtype, permuted(i.source->effective_strides(), p.order));
      return b.add(Elementwise::copy, conversion_type(i.source->dtype, to), place(i.out), {in.data(), 1});
    }
    const auto count = static_cast<std::size_t>(i.kind == Kind::kernel ? arity(i.op) : 1);
    for (std::size_t k = 0; k < count; ++k) in[k] = place(i.in[k]);
    if (i.kind == Kind::kernel) {
      expect_defined(i.op, i.compute);
      return b.add(i.op, i.compute, place(i.out), {in.data(), count});
    }
    const Dtype from = p.slots[static_cast<std::size_t>(i.in[0])].dtype;
    b.add(Elementwise::copy, conversion_type(from, to), place(i.out), {in.data(), 1});
  };
  for (const auto& i : p.constants) add(i);
  for (const auto& i : p.code) add(i);
  if (!p.reductions.empty()) device = p.reductions[0].out->device;
  if (!b.fits) return Backend::run(p);
  // The operands of reductions go through memory, so that the order of additions is that of a separate reduction.
  std::vector<Array> reduced;
  for (const Program::Reduction& r : p.reductions) {
    const Program::Slot& slot = p.slots[static_cast<std::size_t>(r.in)];
    if (slot.memory) {
      reduced.push_back(over(*slot.memory, p.space));
      continue;
    }
    reduced.emplace_back(p.space, slot.dtype, *device);
    const uint8_t in = place(r.in), to = b.operand(reduced.back().mutable_raw(), slot.dtype, dense);
    b.add(Elementwise::copy, conversion_type(slot.dtype, slot.dtype), to, {&in, 1});
  }
  Threads t(size, Args::kMostEach, 128);
  const Args& args = b.finish(p.space, t.block.x, false);
  if (!b.fits) return Backend::run(p);
  if (args.instructions) launch_program(device->index(), t.grid, t.block, args, b.shared(t.block.x));
  const Traversal& t2 = p.traversal;
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    const Shape seen = t2.columns ? Shape{t2.outer, t2.rows, t2.width} : Shape{t2.outer, t2.width};
    Array out = over(*p.reductions[k].out, t2.columns ? Shape{t2.outer, t2.width} : Shape{t2.outer});
    reduce(p.reductions[k].op, reduced[k].reshape(seen), Dims{1}, out);
  }
}

void CudaBackend::fill(Array& out, Scalar value) {
  if (out.size() == 0) return;
  if (in_parts(out.shape(), [&](int axis, int64_t begin, int64_t count) {
        Array to = part_of(out, axis, begin, count);
        fill(to, value);
      }))
    return;
  const Strides strides = out.strides();
  const auto loop = make_loop<1>(out.shape(), {&strides}, 1);
  FillArgs args{};
  args.space = space_of(loop);
  args.out = operand_of(loop, 0, out.mutable_raw(), out.dtype());
  const bool floating = is_floating(out.dtype());
  if (floating)
    args.number = value.to<double>();
  else
    args.integer = out.dtype() == Dtype::bool_ ? value.to<bool>() : value.to<int64_t>();
  const Threads t(out.size());
  launch(out.device().index(), floating ? "fill_float64" : "fill_int64", t.grid, t.block, args);
}

}  // namespace chainer::cuda
