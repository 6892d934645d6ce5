// SPDX-License-Identifier: MIT
// Regions of images and sparse products on a device, compared with the host.
#include <algorithm>
#include <cmath>
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

// Regions that are on the device themselves are not fetched.
TEST(regions_on_the_device_stay_there) {
  for (const Dtype dtype : {float32, float64})
    for (const int64_t regions : {0, 1, 11}) {
      const Array x = random::RandomState(1).randn({2, 3, 9, 7}).astype(dtype);
      const Array rois = corners_around(regions, 9, 7, dtype), of = arange(regions) % 2;
      const Array first = concatenate({of.astype(dtype).reshape({-1, 1}), rois[{Slice(), array({1, 0, 3, 2})}]}, 1);
      expect_as_on_the_host(dtype == float64 ? 1e-12 : 1e-5, [&](const Device& d) {
        const Variable in(x.to_device(d));
        Arrays out = with_gradients(F::roi_pooling_2d(in, first.to_device(d), 3, 2, 0.9), {in});
        const Variable y = F::roi_max_pooling_2d(in, rois.to_device(d), of.to_device(d), {3, 2}, 0.9);
        for (const Array& a : with_gradients(y, {in})) out.push_back(a);
        return out;
      });
    }
}

TEST(wrong_regions_on_the_device_are_an_error_at_the_next_wait) {
  const Device d = emulated_number(0);
  const Variable x(ones({2, 1, 4, 4}).to_device(d));
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {nan, infinity, -1.0, 2.0}) {
    Array rois = zeros({3, 5});
    rois[{2, wrong == nan || wrong == infinity ? 3 : 0}].fill(wrong);
    if (std::isnan(wrong)) rois[{1, 0}].fill(wrong);
    const Variable y = F::roi_pooling_2d(x, rois.to_device(d), 2, 2, 1);
    EXPECT_THROW(ValueError,
                 std::isnan(wrong)   ? "roi_pooling_2d: region 1 refers to an image that is not there; x has 2 images"
                 : wrong == infinity ? "roi_pooling_2d: region 2 has a coordinate that is not finite"
                                     : "roi_pooling_2d: region 2 refers to an image",
                 d.synchronize());
    EXPECT(all(isfinite(to_host(y.array()))).item<bool>());
  }
  Array corners = zeros({2, 4});
  corners[{1, 2}].fill(nan);
  const auto pooled = [&](const Array& of) {
    (void)F::roi_max_pooling_2d(x, corners.to_device(d), of.to_device(d), {2, 2}, 1).array().raw();
    d.synchronize();
  };
  EXPECT_THROW(ValueError, "roi_max_pooling_2d: region 1 has a coordinate that is not finite", pooled(array({0, 1})));
  EXPECT_THROW(IndexError, "roi_max_pooling_2d: region 0 refers to an image that is not there, x has 2 images",
               pooled(array({-1, 2})));
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

// Rows of more than 1024 entries are added in parts: numbers that a single sum in float32 would lose are kept, and the
// result does not depend on the order of threads.
TEST(long_rows_of_sparse_matrices_are_added_in_parts) {
  for (const int64_t n : {1024, 1025, 2048, 2049, 5120, 40000})
    for (const int64_t batch : {1, 2}) {
      Array row = zeros({batch, n + 7}, int32), col = zeros({batch, n + 7}, int32);
      Array data = ones({batch, n + 7});
      for (int64_t b = 0; b < batch; ++b) {
        row[{b, Slice(n, n + 3)}].fill(1), row[{b, Slice(n + 3, {})}].fill(-1), col[{b, Slice(n + 3, {})}].fill(-1);
        data[{b, 0}].fill(1e8);
      }
      row[{0, 1}].fill(2);
      const Array x = array({1.f, -2.f}).reshape({1, 1, 2}) * ones({batch, 1, 1});
      using cuda::emulation::Order;
      std::vector<Array> got;
      for (const auto order : {Order::forward, Order::backward, Order::shuffled}) {
        cuda::emulation::set_order(order, 5);
        const Device d = emulated_number(0);
        const utils::CooMatrix a(data.to_device(d), row.to_device(d), col.to_device(d), {4, 1}, {.order = "other"});
        got.push_back(to_host(F::sparse_matmul(a, x.to_device(d)).array()));
        EXPECT(got.back().to_vector<float>() == got[0].to_vector<float>());
      }
      cuda::emulation::set_order(Order::forward);
      const double kept = static_cast<double>(std::max<int64_t>(n - 2060, 0));  // but for the first part
      const Array& y = got[0];
      for (int64_t b = 0; b < batch; ++b) {
        const double sum = y[{b, 0, 0}].item<double>();
        EXPECT(sum >= 1e8 + kept && sum <= 1e8 + static_cast<double>(n));
        EXPECT_EQ(y[{b, 0, 1}].item<double>(), -2 * sum);
        EXPECT_EQ(y[{b, 1, 0}].item<double>(), 3.0);
        EXPECT_EQ(y[{b, 2, 0}].item<double>(), b == 0 ? 1.0 : 0.0);
        EXPECT_EQ(y[{b, 3, 0}].item<double>(), 0.0);
      }
    }
}

TEST(sparse_matrices_are_made_on_the_device) {
  random::RandomState r(8);
  const Array row = r.randint(0, 6, {2, 40}), col = r.randint(0, 5, {2, 40}), data = r.randn({2, 40});
  expect_as_on_the_host(1e-12, [&](const Device& d) {
    Array rows = row.to_device(d), cols = col.to_device(d);
    rows[{1, Slice(30, {})}].fill(-1), cols[{1, Slice(30, {})}].fill(-1);
    const utils::CooMatrix a(data.to_device(d), rows, cols, {6, 5}, {.order = "other"});
    return Arrays{a.row, a.col, a.to_dense(), utils::CooMatrix(data.to_device(d), row, col, {6, 5}).to_dense(),
                  utils::CooMatrix(zeros({2, 0}).to_device(d), zeros({2, 0}, int32).to_device(d),
                                   zeros({2, 0}, int32).to_device(d), {3, 2}, {.order = "C"})
                      .to_dense()};
  });
  // The order is fetched, and the number of entries of each matrix.
  for (const char* order : {"C", "F", "other"}) {
    const Array one = array({0, 0, 1, 1}), two = array({0, 2, 1, order[0] == 'o' ? 0 : 2});
    const Array &major = order[0] == 'F' ? two : one, &minor = order[0] == 'F' ? one : two;
    const Device d = emulated_number(0);
    EXPECT_EQ(utils::get_order(major.to_device(d), minor.to_device(d)), utils::get_order(major, minor));
    EXPECT_EQ(utils::CooMatrix(ones({4}).to_device(d), major.to_device(d), minor.to_device(d), {9, 9}).order,
              utils::get_order(major, minor));
  }
  expect_as_on_the_host(
      0,
      [&](const Device& d) {
        const utils::CooMatrix a = utils::to_coo(ones({2, 4, 5}).to_device(d), 23);
        EXPECT_EQ(a.order, std::string("C"));
        return Arrays{a.data.array(), a.row, a.col, a.to_dense()};
      },
      2);
}

TEST(wrong_entries_of_sparse_matrices_are_an_error_at_the_next_wait) {
  const Device d = emulated_number(0);
  struct Entry {
    int64_t row, col;
  };
  for (const Entry& e : {Entry{3, 0}, {0, 4}, {-1, 0}, {0, -1}, {-2, -2}, {2, -2147483647}, {-1, 2147483647}, {0, 1}}) {
    const Array row = array({int64_t(2), e.row, int64_t(-1), int64_t(9)}),
                col = array({int64_t(3), e.col, int64_t(-1), int64_t(1)}), data = ones({4});
    const auto message = [&](auto&& f) -> std::string {
      try {
        f();
      } catch (const ValueError& error) { return error.what(); }
      return "";
    };
    const std::string want = message([&] { (void)utils::CooMatrix(data, row, col, {3, 4}, {.order = "C"}); });
    EXPECT(want.find(e.row == 0 && e.col == 1 ? "entry 3 at (9, 1)" : text("entry 1 at (", e.row, ", ", e.col, ")")) !=
           want.npos);
    const utils::CooMatrix a(data.to_device(d), row.to_device(d), col.to_device(d), {3, 4}, {.order = "C"});
    const Variable y = F::sparse_matmul(a, ones({4, 2}).to_device(d));
    EXPECT_EQ(message([&] { (void)to_host(y.array()); }), want);
  }
}
