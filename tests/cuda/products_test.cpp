// SPDX-License-Identifier: MIT
// Matrix products by a fake of cuBLASLt that computes on the host: every layout, stacks, products left to the kernel,
// errors. No result is computed by cuBLASLt.
#include <chainer/chainer.h>

#include <cstdlib>

#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "environment_variable.h"
#include "fake_library.h"
#include "test.h"

using namespace chainer;

namespace {

struct FakeProducts : FakeLibrary {
  void (*answer)(int, int) = find<void(int, int)>("fake_products");
  int (*chosen)() = find<int()>("fake_chosen");
  int (*multiplied)() = find<int()>("fake_multiplied");
  const char* (*launched)() = find<const char*()>("fake_launched");
  const EnvironmentVariable named{"CHAINER_CUBLASLT_LIBRARY", FAKE_LIBCUDA};
  cuda::CudaBackend backend;
  Device device{backend, 0};
  FakeProducts() : backend(fake_driver(), "@fake") {}
  ~FakeProducts() { answer(0, 0); }
};

Array drawn_for_product(const Shape& s, Dtype d, uint32_t seed) { return random::RandomState(seed).randn(s).astype(d); }
// Returns a copy on a device with the last two axes swapped in memory.
Array sent_in_other_order(const Array& a, const Device& d) {
  const Axes axes = a.ndim() == 3 ? Axes{0, 2, 1} : Axes{1, 0};
  return a.transpose(axes).copy().contiguous().to_device(d).transpose(axes);
}

}  // namespace

TEST(products_of_every_layout_by_the_library) {
  FakeProducts fake;
  int count = 0;
  for (const Dtype dtype : {float32, float64})
    for (const int64_t stack : {0, 3})
      for (int layout = 0; layout < 8; ++layout)
        for (const auto& [m, k, n] : {std::array<int64_t, 3>{4, 5, 6}, {1, 5, 6}, {4, 1, 6}, {4, 5, 1}, {1, 1, 1}}) {
          const auto shape = [&](int64_t r, int64_t c) { return stack ? Shape{stack, r, c} : Shape{r, c}; };
          const Array a = drawn_for_product(shape(m, k), dtype, 1), b = drawn_for_product(shape(k, n), dtype, 2),
                      before = drawn_for_product(shape(m, n), dtype, 3);
          const auto there = [&](const Array& x, int bit) {
            return layout & bit ? sent_in_other_order(x, fake.device) : x.to_device(fake.device);
          };
          if (m > 1 && k > 1) EXPECT_EQ(there(a, 1).is_contiguous(), !(layout & 1));
          Array out = there(before, 4);
          const int multiplied = fake.multiplied();
          fake.backend.gemm(there(a, 1), there(b, 2), out, 0.5, 2);
          count += fake.multiplied() - multiplied;
          EXPECT_CLOSE(to_host(out), matmul(a, b) * 0.5 + before * 2.0, {.atol = 1e-5, .rtol = 1e-5});
        }
  EXPECT_EQ(count, 2 * 2 * 8 * 5);
}

// The bias is added by the library, in one call; otherwise the product is added to it.
TEST(products_with_a_bias_by_the_library) {
  FakeProducts fake;
  for (const Dtype dtype : {float32, float64})
    for (const auto& [m, k, n] :
         {std::array<int64_t, 3>{4, 5, 6}, {1, 5, 6}, {4, 1, 6}, {4, 5, 1}, {1, 1, 1}, {3, 0, 2}})
      for (int layout = 0; layout < 16; ++layout) {
        const Array a = drawn_for_product({m, k}, dtype, 1), b = drawn_for_product({k, n}, dtype, 2),
                    bias = drawn_for_product({n, 2}, dtype, 3);
        const auto there = [&](const Array& x, int bit) {
          return layout & bit ? sent_in_other_order(x, fake.device) : x.to_device(fake.device);
        };
        Array out = there(zeros({m, n}, dtype), 4);
        const Array row =
            layout & 8 ? bias.to_device(fake.device)[{Slice(), 1}] : bias[{Slice(), 1}].copy().to_device(fake.device);
        const int multiplied = fake.multiplied();
        const int64_t calls = fake.backend.counts(0).calls;
        fake.backend.gemm_bias(there(a, 1), there(b, 2), row, out);
        EXPECT_EQ(fake.multiplied() - multiplied, k ? 1 : 0);
        const bool in_one_call = k && out.is_contiguous() && row.is_contiguous();
        if (!in_one_call) continue;  // kernels do not run on this device
        EXPECT_EQ(fake.backend.counts(0).calls - calls, 1);
        EXPECT_CLOSE(to_host(out), matmul(a, b) + bias[{Slice(), 1}], {.atol = 1e-5, .rtol = 1e-5});
      }
  // The address of the bias may change between calls of one shape.
  Array out({2, 3}, float32, fake.device);
  const int chosen = fake.chosen();
  for (const float value : {1.f, 2.f}) {
    fake.backend.gemm_bias(ones({2, 4}).to_device(fake.device), ones({4, 3}).to_device(fake.device),
                           full({3}, value).to_device(fake.device), out);
    EXPECT_CLOSE(to_host(out), full({2, 3}, 4 + value), {.atol = 0, .rtol = 0});
  }
  EXPECT_EQ(fake.chosen(), chosen + 1);
}

TEST(algorithms_are_asked_for_once_a_shape) {
  FakeProducts fake;
  const Array a = ones({8, 8}).to_device(fake.device), b = ones({8, 4}).to_device(fake.device);
  Array out(Shape{8, 4}, float32, fake.device), more = out.copy();
  const int before = fake.chosen();
  for (int i = 0; i < 3; ++i) fake.backend.gemm(a, b, out, 1, 0);
  EXPECT_EQ(fake.chosen(), before + 1);
  fake.backend.gemm(a, b, out, 1, 1);
  EXPECT_EQ(fake.chosen(), before + 2);
}

TEST(what_the_library_does_not_multiply_the_kernel_does) {
  FakeProducts fake;
  const auto by_kernel = [&](const Array& a, const Array& b, Dtype dtype) {
    Array out(Shape{a.shape()[0], b.shape()[1]}, dtype, fake.device);
    fake.backend.fill(out, 0);
    const int before = fake.multiplied();
    fake.backend.gemm(a, b, out, 1, 0);
    return fake.multiplied() == before && std::string(fake.launched()).starts_with("gemm_");
  };
  const auto some = [&](const Shape& s, Dtype d) { return zeros(s, d).to_device(fake.device); };
  EXPECT(by_kernel(some({3, 4}, int64), some({4, 5}, int64), int64));
  EXPECT(by_kernel(some({3, 4}, float16), some({4, 5}, float16), float16));  // the fake has no algorithm for it
  EXPECT(by_kernel(some({3, 0}, float32), some({0, 5}, float32), float32));
  EXPECT(by_kernel(some({3, 8}, float32)[{Slice(), Slice(0, 8, 2)}], some({4, 5}, float32), float32));
  fake.answer(0, 1);
  EXPECT(by_kernel(some({30, 4}, float32), some({4, 5}, float32), float32));
  fake.answer(13, 0);
  Array out(Shape{7, 5}, float32, fake.device);
  EXPECT_THROW(DeviceError, "cublasLtMatmul: status 13 for (7, 4) x (4, 5) of float32",
               fake.backend.gemm(some({7, 4}, float32), some({4, 5}, float32), out, 1, 0));
}

TEST(working_memory_of_products_goes_back) {
  std::size_t (*used)() = nullptr;
  std::size_t before = 0;
  {
    FakeProducts fake;
    used = fake.find<std::size_t()>("fake_used");
    before = used();
    Array out(Shape{30, 5}, float32, fake.device);
    fake.backend.gemm(ones({30, 4}, float32).to_device(fake.device), ones({4, 5}, float32).to_device(fake.device), out,
                      1, 0);
    EXPECT(used() >= before + cuda::CublasLt::kWorkspace);
  }
  EXPECT(used() < before + cuda::CublasLt::kWorkspace);
}

TEST(products_without_the_library_at_all) {
  for (const char* nobody : {"none", "libcublasLt_of_nobody.so"}) {
    const EnvironmentVariable named("CHAINER_CUBLASLT_LIBRARY", nobody);
    EXPECT(!cuda::CublasLt::open());
  }
}
