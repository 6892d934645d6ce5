// SPDX-License-Identifier: MIT
// Regions of images and sparse products on a device, compared with the host.
#include <limits>

#include "as_on_the_host.h"

using namespace chainer;

namespace {

// Corners inside and outside of an image of this size; one of several regions is outside, and one is inverted.
Array corners_around(int64_t regions, int64_t h, int64_t w, Dtype d) {
  const Array size = array({double(h), double(w)});
  const Array a = random::RandomState(3).uniform(-0.4, 1.3, {regions, 2}) * size;
  const Array b = random::RandomState(4).uniform(-0.4, 1.3, {regions, 2}) * size;
  Array out = concatenate({chainer::minimum(a, b), chainer::maximum(a, b)}, 1);
  if (regions > 1) out[{0}].fill(-100), out[{1, 0}].fill(double(2 * h));
  return out.astype(d);
}

}  // namespace

TEST(regions_of_images_stay_on_the_device) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Sizes {
    int64_t channels, h, w, regions, out_h, out_w;
  };
  for (const Dtype dtype : {float32, float64, float16})
    for (const Sizes& s : {Sizes{1, 1, 1, 1, 1, 1},
                           {31, 5, 4, 2, 1, 2},
                           {3, 9, 7, 11, 3, 2},
                           {33, 6, 8, 10, 4, 3},
                           {2, 12, 10, 0, 2, 2}})
      for (const bool reversed : {false, true}) {
        Array x = random::RandomState(1).randn({2, s.channels, s.h, s.w}).astype(dtype);
        if (s.channels == 3) x[{1, 2, 4}].fill(nan), x[{0, 0, 0, 0}].fill(nan);
        const Array rois = corners_around(s.regions, s.h, s.w, dtype), of = arange(s.regions) % 2;
        const Array first = concatenate({of.astype(dtype).reshape({-1, 1}), rois[{Slice(), array({1, 0, 3, 2})}]}, 1);
        expect_as_on_the_host(
            dtype == float64   ? 1e-12
            : dtype == float32 ? 1e-5
                               : 2e-2,
            [&](const Device& d) {
              const Variable in(reversed ? reversed_in_memory(x, d) : x.to_device(d));
              const IntPair outsize(s.out_h, s.out_w);
              Arrays out;
              for (const Variable& y : {F::roi_pooling_2d(in, first, s.out_h, s.out_w, 0.9),
                                        F::roi_max_pooling_2d(in, rois, of, outsize, 0.9),
                                        F::roi_max_align_2d(in, rois, of, outsize, 0.9, {.sampling_ratio = IntPair(2)}),
                                        F::roi_max_align_2d(in, rois, of, outsize, 1.1),
                                        F::roi_average_align_2d(in, rois, of, outsize, 0.9),
                                        F::roi_average_pooling_2d(in, rois, of, outsize, 0.9)})
                for (const Array& a : with_gradients(y, {in})) out.push_back(a);
              return out;
            });
      }
}

TEST(sparse_products_stay_on_the_device) {
  struct Sizes {
    int64_t batch, m, k, n, entries;
  };
  for (const Dtype dtype : {float32, float64, float16})
    for (const Sizes& s : {Sizes{0, 1, 1, 1, 1},
                           {0, 5, 4, 15, 31},
                           {0, 4, 5, 16, 32},
                           {0, 3, 3, 33, 33},
                           {0, 2, 700, 3, 5000},
                           {3, 20, 9, 17, 40},
                           {2, 300, 200, 2, 1500},
                           {0, 4, 4, 3, 0}})
      for (const bool transposed : {false, true}) {
        random::RandomState r(5);
        const Shape shape = s.batch ? Shape{s.batch, s.entries} : Shape{s.entries};
        Array row = r.randint(0, s.m, shape), col = r.randint(0, s.k, shape);
        const Array data = r.randn(shape).astype(dtype);
        if (s.batch) row[{0, Slice(3, 17)}].fill(-1), col[{0, Slice(3, 17)}].fill(-1);  // padding
        const int64_t inner = transposed ? s.m : s.k;
        const Array b = r.randn(s.batch ? Shape{s.batch, inner, s.n} : Shape{inner, s.n}).astype(dtype);
        expect_as_on_the_host(
            dtype == float64   ? 1e-12
            : dtype == float32 ? 2e-5
                               : 2e-2,
            [&](const Device& d) {
              const utils::CooMatrix a(data.to_device(d), row, col, {s.m, s.k},
                                       {.order = "other", .requires_grad = true});
              const Variable x(reversed_in_memory(b, d));
              Arrays out = with_gradients(F::sparse_matmul(a, x, {.transa = transposed}), {a.data, x});
              const Variable y = F::sparse_matmul(x, a, {.transa = true, .transb = !transposed});
              for (const Array& v : with_gradients(y, {a.data, x})) out.push_back(v);
              return out;
            });
      }
}

// Sums are added in the order of the entries: the host's bits, also where the order shows.
TEST(sparse_sums_have_the_order_of_the_entries) {
  random::RandomState r(6);
  const Array row = r.randint(0, 3, {2000}), col = r.randint(0, 50, {2000});
  const Array data = exp(r.randn({2000}) * 8.0).astype(float32), b = r.randn({50, 7}).astype(float32);
  expect_as_on_the_host(0, [&](const Device& d) {
    const utils::CooMatrix a(data.to_device(d), row, col, {3, 50}, {.order = "other"});
    return Arrays{F::sparse_matmul(a, b.to_device(d)).array()};
  });
}
