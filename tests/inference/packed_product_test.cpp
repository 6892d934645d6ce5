// SPDX-License-Identifier: MIT
// Products with constant weights: the packed form is correct for every length, and is dropped when the weights change.
#include <chainer/array/derived.h>
#include <chainer/array/host_kernels/constant_weights_scope.h>
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

namespace {

Array drawn(const Shape& s) { return random::uniform(-1, 1, s, float32); }
Array exactly(const Array& a, const Array& b) { return matmul(a.astype(float64), b.astype(float64)); }
Array with_staying_weights(const Array& a, const Array& b) {
  const ConstantWeightsScope stay;
  return matmul(a, b);
}
bool same(const Array& a, const Array& b) { return all(a == b).item<bool>(); }

}  // namespace

TEST(products_with_staying_weights_are_right_for_all_lengths) {
  random::seed(3);
  for (const int64_t m : {2, 3, 4, 5, 6, 7, 8, 9, 13, 31, 32, 33, 70, 512, 513})
    for (const int64_t n : {47, 48, 49, 95, 96, 97, 200})
      for (const int64_t k : {15, 16, 17, 300, 1024, 1025, 2100}) {
        if (m * n * k > 40000000) continue;
        const Array a = drawn({m, k}), b = drawn({k, n}), t = drawn({n, k}).T();
        for (const Array& W : {b, t})
          for (int call = 0; call < 3; ++call)
            EXPECT_CLOSE(with_staying_weights(a, W), exactly(a, W),
                         {.atol = 1e-5 * std::sqrt(double(k)), .rtol = 1e-5});
      }
}

TEST(a_view_of_weights_and_of_rows) {
  const Array all_rows = drawn({40, 90}), all_weights = drawn({90, 300});
  const Array a = all_rows[Index(Slice(3, 30))];
  const Array b = get_item(all_weights, {Slice(), Slice(7, 207)});
  for (int call = 0; call < 3; ++call)
    EXPECT_CLOSE(with_staying_weights(a, b), exactly(a, b), {.atol = 1e-4, .rtol = 1e-5});
  const Array c = get_item(all_weights, {Slice(), Slice(8, 208)});
  EXPECT_CLOSE(with_staying_weights(a, c), exactly(a, c), {.atol = 1e-4, .rtol = 1e-5});
}

TEST(rows_and_threads_do_not_change_bits) {
  const Array a = drawn({70, 333}), b = drawn({500, 333}).T();
  const Array y = with_staying_weights(a, b);
  for (const int threads : {1, 2, 3, 5}) {
    cpu::set_thread_count(threads);
    EXPECT(same(with_staying_weights(a, b), y));
    EXPECT(same(with_staying_weights(a[Index(Slice(5, 18))], b), y[Index(Slice(5, 18))]));
  }
  cpu::set_thread_count(0);
}

TEST(weights_that_are_written_to_lose_their_form) {
  const int64_t before = derived_forms();
  const Array a = drawn({9, 64});
  {
    Array W = drawn({64, 100});
    for (int call = 0; call < 3; ++call) (void)with_staying_weights(a, W).raw();
    EXPECT_EQ(derived_forms(), before + 1);
    W *= 2;
    EXPECT_EQ(derived_forms(), before);
    EXPECT_CLOSE(with_staying_weights(a, W), exactly(a, W), {.atol = 1e-4});
    (void)with_staying_weights(a, W).raw();
    Array view = W.T();
    view += 1.f;
    EXPECT_CLOSE(with_staying_weights(a, W), exactly(a, W), {.atol = 1e-4});
    (void)with_staying_weights(a, W).raw();
  }
  EXPECT_EQ(derived_forms(), before);
  Array W = drawn({64, 100});
  for (int call = 0; call < 3; ++call) (void)matmul(a, W).raw();
  EXPECT_EQ(derived_forms(), before);  // without a promise that the weights are constant
}

TEST(a_model_answers_with_the_same_bits_at_each_call) {
  Sequential net(L::Linear(50, 70), F::relu, L::Linear(70, 64));
  (void)net(Variable(drawn({1, 50})));
  const inference::Prepared ready = inference::prepare(net, {Variable(drawn({1, 50}), false)});
  for (const int64_t n : {1, 2, 5, 8, 40}) {
    const Array x = drawn({n, 50}), y = ready(x);
    for (int call = 0; call < 4; ++call) EXPECT(same(ready(x), y));
  }
}
