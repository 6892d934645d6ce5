// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/cumprod.h"

#include <math.h>

namespace chainer::cuda {
namespace {

// A line's elements, counted from the last one.
struct CumprodLine {
  const CumprodArgs& a;
  int64_t last;
  DEVICE CumprodLine(const CumprodArgs& args, int64_t line) : a(args) {
    last = (line / a.inner * a.n + a.n - 1) * a.inner + line % a.inner;
  }
  DEVICE double at(const char* p, int64_t k) const { return load<double>(p + (last - k * a.inner) * a.bytes, a.type); }
  // The factor of the last element is not used.
  DEVICE Affine read(int64_t k) const { return {k > 0 ? at(a.x, k - 1) : 0.0, at(a.gy, k), 0}; }
  DEVICE void write(int64_t k, double g) const {
    store(a.gx + (last - k * a.inner) * a.bytes, a.type, k + 1 < a.n ? at(a.y, k + 1) * g : g);
  }
};

DEVICE double scaled(double x, const Affine& by) { return ::ldexp(by.factor * x, by.exponent); }
DEVICE Affine after(const Affine& before, const Affine& mine) {
  const double factor = mine.factor * before.factor;
  int exponent = 0;
  const double part = ::frexp(factor, &exponent);
  const bool finite = factor - factor == 0;
  return {finite ? part : factor, mine.sum + scaled(before.sum, mine),
          finite ? mine.exponent + before.exponent + exponent : 0};
}

// Calls write(k, effect) with the effect of all elements up to k, for k in [begin, end), and returns that of the last.
// Nothing is multiplied by a g before the first element: a factor may be infinite. `mine` are two rows of shared
// memory.
template <class Read, class Write>
DEVICE Affine affine_scan(Affine (*mine)[CumprodArgs::kThreads], int64_t begin, int64_t end, bool follows,
                          Affine before, Read&& read, Write&& write) {
  const int t = threadIdx.x;
  for (int64_t first = begin; first < end; first += CumprodArgs::kThreads) {
    const int64_t k = first + t, rest = end - first;
    int now = 0;
    mine[now][t] = k < end ? read(k) : Affine{1, 0, 0};
    __syncthreads();
    for (int distance = 1; distance < CumprodArgs::kThreads; distance *= 2) {
      const Affine own = mine[now][t];
      mine[1 - now][t] = t >= distance ? after(mine[now][t - distance], own) : own;
      now = 1 - now;
      __syncthreads();
    }
    const Affine own = mine[now][t];
    if (k < end) write(k, follows ? after(before, own) : own);
    const Affine all = mine[now][rest < CumprodArgs::kThreads ? rest - 1 : CumprodArgs::kThreads - 1];
    before = follows ? after(before, all) : all;
    follows = true;
    __syncthreads();
  }
  return before;
}

DEVICE int64_t end_of_part(const CumprodArgs& a, int64_t part) {
  const int64_t end = (part + 1) * CumprodArgs::kPart;
  return end < a.n ? end : a.n;
}

}  // namespace

KERNEL(cumprod_columns, CumprodArgs) {
  for (int64_t i = first_element(); i < a.lines; i += element_step()) {
    const CumprodLine line(a, i);
    double g = 0;
    for (int64_t k = 0; k < a.n; ++k) {
      const Affine own = line.read(k);
      g = own.sum + own.factor * g;
      line.write(k, g);
    }
  }
}
KERNEL(cumprod_parts, CumprodArgs) {
  SHARED(Affine, mine, [2][CumprodArgs::kThreads]);
  for (int64_t i = blockIdx.x; i < a.lines * a.parts; i += gridDim.x) {
    const CumprodLine line(a, i / a.parts);
    const int64_t part = i % a.parts;
    const Affine all = affine_scan(
        mine, part * CumprodArgs::kPart, end_of_part(a, part), false, {}, [&](int64_t k) { return line.read(k); },
        [](int64_t, const Affine&) {});
    if (threadIdx.x == 0) a.affine[i] = all;
  }
}
KERNEL(cumprod_between, CumprodArgs) {
  SHARED(Affine, mine, [2][CumprodArgs::kThreads]);
  for (int64_t i = blockIdx.x; i < a.lines; i += gridDim.x)
    affine_scan(
        mine, 0, a.parts - 1, false, {}, [&](int64_t k) { return a.affine[i * a.parts + k]; },
        [&](int64_t k, const Affine& all) { a.before[i * a.parts + k + 1] = all.sum; });
}
KERNEL(cumprod_rows, CumprodArgs) {
  SHARED(Affine, mine, [2][CumprodArgs::kThreads]);
  for (int64_t i = blockIdx.x; i < a.lines * a.parts; i += gridDim.x) {
    const CumprodLine line(a, i / a.parts);
    const int64_t part = i % a.parts;
    affine_scan(
        mine, part * CumprodArgs::kPart, end_of_part(a, part), part > 0, {0.0, part > 0 ? a.before[i] : 0.0, 0},
        [&](int64_t k) { return line.read(k); }, [&](int64_t k, const Affine& all) { line.write(k, all.sum); });
  }
}

}  // namespace chainer::cuda
