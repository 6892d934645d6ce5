// SPDX-License-Identifier: MIT
// User formulas: blocks of the operands are converted and gathered if necessary, the loop runs over them, and the
// results are converted and stored.
#include "chainer/array/operations/block_function.h"

#include <algorithm>
#include <vector>

#include "chainer/backend/common/loop.h"
#include "chainer/backend/cpu/loops/accumulate.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// The operands of a formula, block by block in C order of their shape.
class Operands {
 public:
  Operands(std::span<const Array* const> in, Compute c) : k_(kernels()), c_(c) {
    const Strides order = contiguous_strides(in[0]->shape());
    for (const Array* a : in) {
      const Strides strides = a->strides();
      all_.push_back({static_cast<const char*>(a->raw()), item_size(a->dtype()), static_cast<int>(a->dtype()),
                      a->is_contiguous() && stored_as(a->dtype(), c),
                      make_loop<2>(a->shape(), {&order, &strides}, 2, false)});
    }
  }
  std::size_t count() const { return all_.size(); }
  // Returns pointers to elements [at, at + n) in the compute type; `memory` has room for a block of each operand.
  void read(int64_t at, int64_t n, char* memory, const void** pointers) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Operand& o = all_[i];
      if (o.direct) {
        pointers[i] = o.data + at * o.item;
        continue;
      }
      char* block = memory + static_cast<int64_t>(i) * kBlock * 8;
      o.loop.walk(1, at, n, [&](int64_t offset, int64_t position, int64_t run) {
        k_.load[c_][o.dtype](block + position * compute_size(c_), o.data + offset * o.item,
                             o.loop.ndim ? o.loop.stride[1][0] : 1, run);
      });
      pointers[i] = block;
    }
  }

 private:
  struct Operand {
    const char* data;
    int64_t item;
    int dtype;
    bool direct;
    Loop<2> loop;
  };
  const Kernels& k_;
  Compute c_;
  std::vector<Operand> all_;
};

// Memory for blocks, aligned for any type.
struct Blocks {
  explicit Blocks(std::size_t count) : memory(count * kBlock) {}
  char* data() { return reinterpret_cast<char*>(memory.data()); }
  std::vector<int64_t> memory;
};

}  // namespace

void CpuBackend::apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
                       Dtype compute) {
  const int64_t size = out[0]->size();
  if (size == 0) return;
  const Compute c = compute_type(compute);
  const Operands operands(in, c);
  std::vector<char*> results;
  for (Array* a : out) results.push_back(static_cast<char*>(a->mutable_raw()));
  const Kernels& k = kernels();
  parallel_ranges(size, size, kBlock, [&](int64_t begin, int64_t end) {
    Blocks blocks(in.size() + out.size());
    std::vector<const void*> x(in.size());
    std::vector<void*> y(out.size());
    for (int64_t at = begin; at < end; at += kBlock) {
      const int64_t n = std::min(kBlock, end - at);
      operands.read(at, n, blocks.data(), x.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Dtype d = out[i]->dtype();
        const bool direct = d == Dtype::bool_ || stored_as(d, c);
        y[i] =
            direct ? results[i] + at * item_size(d) : blocks.data() + static_cast<int64_t>(in.size() + i) * kBlock * 8;
      }
      f.loops[BlockFunction::index(compute)](f.formula, y.data(), x.data(), n);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Dtype d = out[i]->dtype();
        if (d != Dtype::bool_ && !stored_as(d, c))
          k.store[c][static_cast<int>(d)](results[i] + at * item_size(d), 1, y[i], n);
      }
    }
  });
}

void CpuBackend::fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
                      Dtype compute) {
  const Compute c = compute_type(compute);
  const int at_type = BlockFunction::index(compute);
  const int64_t outputs = out.size(), length = in[0]->size() / outputs, size = compute_size(c);
  const int64_t parts = (length + kPart - 1) / kPart;
  const Operands operands(in, c);
  // Each part of an output has one result; the parts are joined in order afterwards.
  Blocks partial(static_cast<std::size_t>((outputs * parts + kBlock - 1) / kBlock));
  parallel_ranges(outputs * parts, outputs * length, 1, [&](int64_t begin, int64_t end) {
    Blocks blocks(in.size() + 1);
    std::vector<const void*> x(in.size());
    for (int64_t u = begin; u < end; ++u) {
      const int64_t row = u / parts * length, last = std::min(length, (u % parts + 1) * kPart);
      char* total = partial.data() + u * size;
      for (int64_t p = u % parts * kPart, first = p; p < last; p += kBlock) {
        const int64_t n = std::min(kBlock, last - p);
        operands.read(row + p, n, blocks.data(), x.data());
        void* y = blocks.data() + static_cast<int64_t>(in.size()) * kBlock * 8;
        map.loops[at_type](map.formula, &y, x.data(), n);
        fold.loops[at_type](fold.combine, y, n);
        if (p == first)
          std::copy_n(static_cast<const char*>(y), size, total);
        else
          fold.joins[at_type](fold.combine, total, y);
      }
    }
  });
  const Kernels& k = kernels();
  char* o = static_cast<char*>(out.mutable_raw());
  for (int64_t i = 0; i < outputs; ++i) {
    char* total = partial.data() + i * parts * size;
    for (int64_t p = 1; p < parts; ++p) fold.joins[at_type](fold.combine, total, total + p * size);
    k.store[c][static_cast<int>(out.dtype())](o + i * item_size(out.dtype()), 1, total, 1);
  }
}

}  // namespace chainer::cpu
