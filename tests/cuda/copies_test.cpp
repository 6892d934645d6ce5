// SPDX-License-Identifier: MIT
// Copies of several arrays by few launches.
#include "as_on_the_host.h"
#include "chainer/array/backend.h"
#include "chainer/backend/cuda/cuda_backend.h"

using namespace chainer;

namespace {

Array drawn_to_copy(const Shape& s, Dtype d, uint32_t seed) {
  return (random::RandomState(seed).randn(s) * 10).astype(d);
}

}  // namespace

TEST(several_arrays_are_copied_as_on_the_host) {
  expect_as_on_the_host(0, [](const Device& d) {
    std::vector<Array> from, to;
    uint32_t seed = 0;
    const auto add = [&](const Shape& s, Dtype source, Dtype target, bool turned = false) {
      const Array a = drawn_to_copy(s, source, ++seed);
      from.push_back(turned ? reversed_in_memory(a, d) : a.to_device(d));
      to.push_back(Array(s, target, d));
    };
    for (const Dtype source : {float32, float64, float16, bfloat16, int32, bool_})
      for (const Dtype target : {float32, float64, float16, bfloat16, int64})
        for (const Shape& s : {Shape{}, {0}, {1}, {33}, {3, 700}}) add(s, source, target);
    for (int i = 0; i < 150; ++i) add({i % 7, 5}, float32, float32, i % 50 == 20);
    add({70000}, float32, float32);
    d.backend().copy_all({from.data(), from.size()}, {to.data(), to.size()});
    return Arrays(to.begin(), to.end());
  });
}

TEST(arrays_are_joined_by_one_launch) {
  for (const int64_t axis : {0, 1})
    expect_as_on_the_host(0, [axis](const Device& d) {
      Arrays parts;
      for (uint32_t i = 0; i < 70; ++i)
        parts.push_back(drawn_to_copy({3, 4}, i == 40 ? int32 : float32, i).to_device(d));
      return Arrays{concatenate(parts, axis), stack(parts, axis)};
    });
  const Device d = emulated_number(0);
  auto& backend = dynamic_cast<cuda::CudaBackend&>(d.backend());
  Arrays parts;
  for (uint32_t i = 0; i < 64; ++i) parts.push_back(drawn_to_copy({2, 4}, float32, i).to_device(d));
  const int64_t before = backend.counts(0).calls;
  (void)concatenate(parts, 0);
  EXPECT_EQ(backend.counts(0).calls, before + 1);
}
