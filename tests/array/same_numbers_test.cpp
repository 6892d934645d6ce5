// SPDX-License-Identifier: MIT
// Results that are the same on every machine, bit for bit: they consist of additions, products, roots and conversions,
// each rounded once, in an order that does not depend on the instruction set.
#include <chainer/chainer.h>

#include "chainer/core/little_endian.h"
#include "chainer/datasets/md5.h"
#include "test.h"

using namespace chainer;

namespace {

// The checksum of the arrays' bytes as written to a file.
std::string sum_of_bytes(const std::vector<Array>& all) {
  dataset::Md5 sum;
  for (const Array& given : all) {
    const Array a = given.contiguous();
    sum.add(LittleEndianBytes(a.raw(), a.nbytes(), item_size(a.dtype())).view());
  }
  return sum.hex();
}

template <class F>
std::string for_dtypes(F&& f) {
  return sum_of_bytes({f(float16), f(float32), f(float64)});
}

}  // namespace

TEST(random_numbers_are_the_same_on_every_machine) {
  random::RandomState r(7);
  EXPECT_EQ(sum_of_bytes({r.uniform(-1, 3, {1000}), r.uniform(-1, 3, {1000}, float32)}),
            "12248472e93c09c8b1a644f23611f090");
  EXPECT_EQ(sum_of_bytes({r.randint(-5, 1000, {1000}), r.permutation(1000), r.choice(1000, {100}, false)}),
            "cc1693a099058d276fedf9c2e80dc944");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return r.bulk(RandomFill::uniform, -1, 3, {3001}, d); }),
            "00ace23f48fc516eb574c7696f181ddb");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return r.bulk(RandomFill::bernoulli, 0.3, 1 / 0.7, {3001}, d); }),
            "d53b6c839a25639bc583d4c19b156f78");
}

TEST(arithmetic_is_the_same_on_every_machine) {
  random::RandomState r(8);
  const Array x = r.uniform(-1, 3, {300, 301}, float32), y = r.uniform(0.5, 3, {300, 301}, float32);
  EXPECT_EQ(for_dtypes([&](Dtype d) { return x.astype(d) + y.astype(d); }), "149181932c272334455e7c95ee08a744");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return x.astype(d) * y.astype(d); }), "d4e3b5bfc0de879a5a5e2f1da7629618");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return x.astype(d) / y.astype(d); }), "c719efff89c29852da6ed62d60759da8");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return sqrt(y.astype(d)); }), "1e30aa011526c42d31333a44d01df6ef");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return sum(x.astype(d)); }), "f8272d067f021a547a37da1bccf162dd");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return sum(x.astype(d), {0}); }), "421517261325764b26f3e1840877bb5e");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return sum(x.astype(d), {1}); }), "9548c8369f0bfb19ff7acbf236810dc2");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return (x.astype(d) * 1000).astype(int32); }),
            "055ea14c2fd47b7480449067763d052e");
  EXPECT_EQ(for_dtypes([&](Dtype d) { return x.astype(d) > y.astype(d); }), "0009e72a49a57b1afcef98f748df88a0");
}

TEST(float64_is_rounded_to_16_bits_once) {
  const auto expect = [](const std::vector<double>& given, Dtype dtype, const std::vector<double>& rounded) {
    const Shape shape{static_cast<int64_t>(given.size())};
    EXPECT_CLOSE(array(given, shape).astype(dtype).astype(float64), array(rounded, shape), {.atol = 0, .rtol = 0});
  };
  const double tie = 1 + 0x1p-11, above = tie + 0x1p-40, wide = 1 + 0x1p-8;
  expect({tie, above, -tie, -above}, float16, {1, 1 + 0x1p-10, -1, -1 - 0x1p-10});
  expect({wide, wide + 0x1p-40}, bfloat16, {1, 1 + 0x1p-7});
  EXPECT_EQ(full({}, above, float16).item<double>(), 1 + 0x1p-10);
  const double most = 65520, inf = HUGE_VAL;  // rounds to infinity, and what is below to 65504
  expect({most, std::nextafter(most, 0.), 1e300, 0x1p-25, 0x1.000001p-25}, float16, {inf, 65504, inf, 0, 0x1p-24});
}

TEST(sums_add_in_their_dtype) {
  const Array x = full({20000}, 0.1f, float32);
  EXPECT_CLOSE(sum(x, {}, false, float64), array(20000 * static_cast<double>(0.1f)), {.atol = 1e-9});
  const Array large = arange(300'000).astype(float32).reshape({300, 1000});
  EXPECT_EQ(sum(large, {}, false, float64).item<double>(), int64_t(300'000) * 299'999 / 2.);
  EXPECT_EQ(sum(large, {}, true, float64).shape(), (Shape{1, 1}));
  EXPECT_EQ(sum(large.T(), {}, false, int64).item<int64_t>(), int64_t(300'000) * 299'999 / 2);
  EXPECT_EQ(sum(full({100}, 0.9, float16), {}, false, int32).item<int>(), 0);
  EXPECT_EQ(sum(full({100}, 1.5f), {}, false, int64).item<int64_t>(), 100);
  EXPECT_EQ(sum(ones({70000}, float16), {}, false, float32).item<float>(), 70000.f);
}

TEST(numbers_of_16_bits_are_printed_with_their_digits) {
  EXPECT_EQ(to_string(full({2}, 0.1, float16)), "[0.1 0.1]");
  EXPECT_EQ(to_string(array({0.33333, 2., -1000.5}).astype(float16)), "[ 3.3325e-01  2.0000e+00 -1.0005e+03]");
  EXPECT_EQ(to_string(array({65504., 6e-8}).astype(float16)), "[6.55e+04 5.96e-08]");
  EXPECT_EQ(to_string(full({2}, 0.1, bfloat16)), "[0.1 0.1]");
  EXPECT_EQ(to_string(array({1e100, 1e-5})), "[1.e+100 1.e-005]");
  EXPECT_EQ(to_string(array({1e100, 1.25e-5})), "[1.00e+100 1.25e-005]");
}
