#include <limits>

#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/backend/common/host_normalize.h"
#include "chainer/core/ivdep.h"
#include "chainer/core/parallel.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

/// x as (outer, k, inner): the largest of each k.
struct Pools {
  int64_t outer, k, inner;
};

// Calls f(first element of a pool, pool), with k a constant where it is small.
template <int kPool, class F>
void for_pools(const Pools& p, int64_t begin, int64_t end, F f) {
  const int64_t k = kPool ? kPool : p.k;
  for (int64_t o = begin; o < end; ++o)
    for (int64_t i = 0; i < p.inner; ++i) f(o * k * p.inner + i, o * p.inner + i, k);
}
template <class F>
void all_pools(const Pools& p, F f) {
  cpu::parallel_ranges(p.outer, p.outer * p.k * p.inner, 1, [&](int64_t begin, int64_t end) {
    switch (p.k) {
      case 2: return for_pools<2>(p, begin, end, f);
      case 3: return for_pools<3>(p, begin, end, f);
      case 4: return for_pools<4>(p, begin, end, f);
      default: return for_pools<0>(p, begin, end, f);
    }
  });
}
// The largest; NaN where there is one.
template <class T, int kPool>
void largest_of_adjacent(const T* x, T* y, int64_t pools) {
  for (int64_t o = 0; o < pools; ++o) {
    T best = x[o * kPool];
    int nan = best != best;
    for (int j = 1; j < kPool; ++j) {
      const T v = x[o * kPool + j];
      best = v > best ? v : best;
      nan |= v != v;
    }
    y[o] = nan ? std::numeric_limits<T>::quiet_NaN() : best;
  }
}
template <class T>
void largest(const Pools& p, const T* x, T* y) {
  const auto adjacent = p.k == 2   ? largest_of_adjacent<T, 2>
                        : p.k == 3 ? largest_of_adjacent<T, 3>
                        : p.k == 4 ? largest_of_adjacent<T, 4>
                                   : nullptr;
  if (p.inner == 1 && adjacent)
    return cpu::parallel_ranges(p.outer, p.outer * p.k, 1,
                                [&](int64_t begin, int64_t end) { adjacent(x + begin * p.k, y + begin, end - begin); });
  all_pools(p, [=, step = p.inner](int64_t at, int64_t pool, int64_t k) {
    T best = x[at];
    for (int64_t j = 1; j < k; ++j) {
      const T v = x[at + j * step];
      best = best == best && !(v <= best) ? v : best;
    }
    y[pool] = best;
  });
}
// All elements that are like the largest get its gradient.
template <class T, int kPool>
void gradient_of_adjacent(const T* x, const T* y, const T* gy, T* gx, int64_t pools) {
  CHAINER_IVDEP
  for (int64_t o = 0; o < pools; ++o)
    for (int j = 0; j < kPool; ++j) gx[o * kPool + j] = x[o * kPool + j] == y[o] ? gy[o] : T(0);
}
template <class T>
void gradient(const Pools& p, const T* x, const T* y, const T* gy, T* gx) {
  const auto adjacent = p.k == 2   ? gradient_of_adjacent<T, 2>
                        : p.k == 3 ? gradient_of_adjacent<T, 3>
                        : p.k == 4 ? gradient_of_adjacent<T, 4>
                                   : nullptr;
  if (p.inner == 1 && adjacent)
    return cpu::parallel_ranges(p.outer, p.outer * p.k, 1, [&](int64_t begin, int64_t end) {
      adjacent(x + begin * p.k, y + begin, gy + begin, gx + begin * p.k, end - begin);
    });
  all_pools(p, [=, step = p.inner](int64_t at, int64_t pool, int64_t k) {
    for (int64_t j = 0; j < k; ++j) gx[at + j * step] = x[at + j * step] == y[pool] ? gy[pool] : T(0);
  });
}
template <class F>
void for_dtype(Dtype d, F f) {
  if (d == Dtype::float64)
    f(double());
  else
    f(float());
}

struct MaxoutNode : FunctionNode {
  MaxoutNode(int a, Shape s, const Pools& p) : axis(a), split(std::move(s)), pools(p) {}
  std::string label() const override { return "Maxout"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    Shape s = x[0].shape();
    s[axis] /= pools.k;
    Array y(s, x[0].dtype());
    recording::step(
        "maxout", {x.data(), 1}, {&y, 1},
        [p = pools](std::span<const Array> in, std::span<Array> out) {
          for_dtype(in[0].dtype(), [&]<class T>(T) { largest(p, in[0].data<T>(), out[0].mutable_data<T>()); });
        },
        true);
    return {y};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Array x = input_data()[0], y = output_data()[0];
    if (config().enable_backprop) {
      Shape kept = split;
      kept[axis + 1] = 1;
      const Array selected = equal(x.reshape(split), y.reshape(kept)).astype(x.dtype());
      const Variable g = broadcast_to(reshape(gy[0], kept), split) * Variable(selected, false);
      return {reshape(g, x.shape())};
    }
    const Array in[] = {x, y, gy[0].array().contiguous()};
    Array gx(x.shape(), x.dtype());
    recording::step(
        "maxout_grad", in, {&gx, 1},
        [p = pools](std::span<const Array> i, std::span<Array> out) {
          for_dtype(out[0].dtype(), [&]<class T>(T) {
            gradient(p, i[0].data<T>(), i[1].data<T>(), i[2].data<T>(), out[0].mutable_data<T>());
          });
        },
        true);
    return {Variable(gx, false)};
  }
  int axis;
  Shape split;
  Pools pools;
};

}  // namespace

Variable Maxout::operator()(const Variable& x, int64_t pool_size, int64_t axis) const {
  if (pool_size <= 0) throw ValueError("maxout: pool_size must be a positive integer, not ", pool_size);
  const int d = normalize_axis(axis, x.ndim(), "maxout");
  if (x.shape()[d] % pool_size != 0)
    throw InvalidType("x.shape()[axis] % pool_size == 0",
                      text("x.shape()[axis]=", x.shape()[d], ", pool_size=", pool_size),
                      "axis dimension must be divided by pool_size");
  Shape s = x.shape();
  s[d] /= pool_size;
  s.insert(d + 1, pool_size);
  if (CompositeRecorder::current || x.size() == 0 || !host_math::takes_rows(x.array()))
    return max(reshape(x, s), d + 1);
  int64_t inner = 1;
  for (int i = d + 1; i < x.ndim(); ++i) inner *= x.shape()[i];
  return apply_single(MaxoutNode(d, s, {x.size() / pool_size / inner, pool_size, inner}), x);
}

}  // namespace chainer::functions
