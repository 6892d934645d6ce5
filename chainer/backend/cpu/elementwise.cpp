// The driver of elementwise operations: blocks are converted and gathered into compute type where needed, one kernel
// runs over them, the result is converted and scattered. Dense operands of the compute type are used in place.
#include "chainer/backend/common/loop.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/parallel.h"

namespace chainer {
namespace cpu {
namespace {

struct Operand {
  char* data;
  int64_t item;
  int dtype;
  Compute compute;
  bool direct;    // dense and of the compute type: kernels read or write it in place
  bool constant;  // one element for all: its block is filled once
};

constexpr int kOperands = 4;

void run_range(const Kernels& k, ElementKernel kernel, const Operand* ops, int count, const Loop<kOperands>& loop,
               int64_t begin, int64_t end) {
  alignas(64) char blocks[kOperands][kBlock * 8];
  for (int i = 1; i < count; ++i)
    if (ops[i].constant) k.load[ops[i].compute][ops[i].dtype](blocks[i], ops[i].data, 0, std::min(kBlock, end - begin));
  const int64_t out_size = compute_size(ops[0].compute);
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t n = std::min(kBlock, end - at);
    const void* in[kOperands] = {};
    for (int i = 1; i < count; ++i) {
      const Operand& o = ops[i];
      if (o.direct) {
        in[i] = o.data + at * o.item;
        continue;
      }
      in[i] = blocks[i];
      if (o.constant) continue;
      const int64_t size = compute_size(o.compute);
      loop.walk(i, at, n, [&](int64_t offset, int64_t position, int64_t run) {
        k.load[o.compute][o.dtype](blocks[i] + position * size, o.data + offset * o.item, loop.stride[i][0], run);
      });
    }
    const Operand& o = ops[0];
    void* out = o.direct ? static_cast<void*>(o.data + at * o.item) : blocks[0];
    kernel(out, in[1], in[2], in[3], n);
    if (o.direct) continue;
    loop.walk(0, at, n, [&](int64_t offset, int64_t position, int64_t run) {
      k.store[o.compute][o.dtype](o.data + offset * o.item, loop.ndim ? loop.stride[0][0] : 1,
                                  blocks[0] + position * out_size, run);
    });
  }
}

}  // namespace

void CpuBackend::elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) {
  if (out.size() == 0) return;
  const Kernels& k = kernels();
  const Compute c = compute_type(compute);
  const ElementKernel kernel = k.elementwise[c][static_cast<int>(op)];
  if (!kernel) throw DtypeError(chainer::name(op), ": not defined for dtype ", compute);
  const int count = static_cast<int>(inputs.size()) + 1;

  // The common case, one run over dense arrays of the compute type, needs no plan.
  bool simple =
      category(op) != Category::compare && op != Elementwise::where && out.is_contiguous() && stored_as(out.dtype(), c);
  for (const Array* a : inputs) simple = simple && a->is_contiguous() && a->dtype() == out.dtype();
  if (simple) {
    const int64_t item = compute_size(c);
    const char* in[3] = {};
    for (int i = 0; i < count - 1; ++i) in[i] = static_cast<const char*>(inputs[i]->raw());
    char* o = static_cast<char*>(out.mutable_raw());
    return parallel_ranges(out.size(), out.size(), 64, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * item;
      kernel(o + at, in[0] + at, in[1] ? in[1] + at : nullptr, in[2] ? in[2] + at : nullptr, end - begin);
    });
  }

  Strides strides[kOperands];
  std::array<const Strides*, kOperands> pointers{};
  Operand operands[kOperands];
  for (int i = 0; i < count; ++i) {
    const Array& a = i ? *inputs[i - 1] : out;
    Compute type = c;
    if (i == 0 && category(op) == Category::compare) type = kMask;
    if (i == 1 && op == Elementwise::where) type = kMask;
    strides[i] = a.strides();
    pointers[i] = &strides[i];
    char* data = static_cast<char*>(i ? const_cast<void*>(a.raw()) : out.mutable_raw());
    operands[i] = {data, item_size(a.dtype()), static_cast<int>(a.dtype()), type, false, false};
  }
  const Loop<kOperands> loop = make_loop<kOperands>(out.shape(), pointers, count);
  for (int i = 0; i < count; ++i) {
    const Dtype d = static_cast<Dtype>(operands[i].dtype);
    // A mask that is an output may be written in place; as an input its bytes must first become 0 or 1.
    const bool same = operands[i].compute == kMask ? i == 0 && d == Dtype::bool_ : stored_as(d, operands[i].compute);
    operands[i].direct = same && loop.dense(i);
    operands[i].constant = i > 0;
    for (int axis = 0; axis < loop.ndim; ++axis) operands[i].constant &= loop.stride[i][axis] == 0;
  }
  parallel_ranges(loop.size, loop.size, kBlock,
                  [&](int64_t begin, int64_t end) { run_range(k, kernel, operands, count, loop, begin, end); });
}

}  // namespace cpu

void copy_elements(const Array& from, Array& to) {
  const Array* const inputs[] = {&from};
  to.device().backend().elementwise(Elementwise::copy, inputs, to, conversion_type(from.dtype(), to.dtype()));
}

}  // namespace chainer
