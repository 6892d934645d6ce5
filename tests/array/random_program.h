// SPDX-License-Identifier: MIT
// Random programs of operations, views, writes, casts, reductions and drops, for tests of deferred evaluation.
#pragma once
#include <chainer/array/order.h>
#include <chainer/chainer.h>

namespace random_programs {

using namespace chainer;

/// A random program on a device, run eagerly or deferred; it reads nothing before the end, unless a read is one of its
/// random steps. The same seed makes the same program in both modes.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed, Device device = {}) : r_(seed), device_(device) {}
  Arrays run(int steps) {
    for (int i = 0; i < 4; ++i) pool_.push_back(fresh());
    for (int i = 0; i < steps; ++i) step();
    return pool_;
  }

 private:
  int draw(int n) { return static_cast<int>(r_.next_interval(static_cast<uint64_t>(n - 1))); }
  Dtype dtype() {
    constexpr Dtype kTypes[] = {Dtype::float32,  Dtype::float32, Dtype::float32, Dtype::float64, Dtype::float16,
                                Dtype::bfloat16, Dtype::int32,   Dtype::bool_,   Dtype::uint8};
    return kTypes[draw(9)];
  }
  Array fresh() {
    static const Shape kShapes[] = {{40, 60},      {60},     {40, 1},      {1, 60},       {2400},
                                    {3, 40, 60},   {2100},   {5},          {4, 8, 9, 10}, {1, 8, 1, 1},
                                    {4, 8, 9, 10}, {70, 70}, {2, 66, 5, 5}};
    const Array a = r_.uniform(-3, 3, kShapes[draw(13)]).astype(dtype()).to_device(device_);
    return draw(2) ? a : in_order(a, axes(a.ndim()));
  }
  // A permutation, often channels-last.
  Dims axes(int ndim) {
    if (ndim == 4 && draw(2)) return {0, 2, 3, 1};
    Dims order;
    for (int d = 0; d < ndim; ++d) order.insert(draw(d + 1), d);
    return order;
  }
  const Array& any() { return pool_[static_cast<std::size_t>(draw(static_cast<int>(pool_.size())))]; }
  void keep(Array a) {
    if (pool_.size() < 12)
      pool_.push_back(std::move(a));
    else
      pool_[static_cast<std::size_t>(draw(12))] = std::move(a);  // replaces another
  }
  // Returns true if the arrays broadcast, to a shape that does not grow to gigabytes after many steps.
  static bool fit(std::initializer_list<Array> arrays) {
    Shape common;
    for (const Array& a : arrays) common = broadcast_shapes(common, a.shape());
    return common.product() < 1'000'000;
  }
  void step() {
    // References: copies would be further owners, and prevent operations in place.
    const Array &a = any(), &b = any(), &c = any(), &d = any();
    try {
      switch (draw(20)) {
        case 0: return keep(fresh());
        case 1: return fit({a, b}) ? keep(a + b) : void();
        case 2: return fit({a, b}) ? keep(a * b) : void();
        case 3: return fit({a, b}) ? keep(maximum(a, b)) : void();
        case 4: return keep(a - 0.5);
        case 5: return keep(tanh(a));
        case 6: return keep(sigmoid(a));
        case 7: return fit({a, b, c, d}) ? keep(where(less(a, b), c, d)) : void();
        case 8: return keep(a.astype(dtype()));
        case 9: {
          if (a.ndim() == 4 && draw(2)) return keep(sum(a, {0, 2, 3}, draw(2)));
          return keep(sum(a, draw(2) ? Axes(0) : Axes(-1), draw(2)));
        }
        case 10: return keep(draw(2) ? max(a, -1) : sum(a));
        case 11: {
          if (a.ndim() == 0) return;
          return keep(draw(2) ? a[Slice(std::nullopt, std::nullopt, 2)] : a[{ellipsis, Slice(1, 50)}]);
        }
        case 12: {
          if (a.ndim() > 1 && draw(3) == 0) return keep(a.transpose(axes(a.ndim())));
          return keep(draw(2) ? a.T() : a.reshape({-1}));
        }
        case 13: {  // a write, also to memory that views or deferred operations use
          Array target = a;
          if (draw(2)) {
            target += b;
          } else {
            target.set(Slice(0, 1), 3);
          }
          return;
        }
        case 14: (void)a.raw(); return;
        case 15: return fit({a, b}) ? keep(a / b) : void();  // NaN and infinity, too
        case 16: return keep(draw(2) ? sqrt(a) : clip(a, -1, 0.5));
        case 17: return keep(draw(2) ? -a : abs(a));
        case 18: return keep(draw(2) ? maximum(a, 0) : square(a));
        default: return fit({a, b, c}) ? keep(a * b + c) : void();
      }
    } catch (const Error&) {}  // shapes that do not broadcast are refused in both modes
  }
  random::RandomState r_;
  Device device_;
  Arrays pool_;
};

}  // namespace random_programs
