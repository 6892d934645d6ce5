// SPDX-License-Identifier: MIT
// Fourier transforms on a device, and the calls of cuFFT with a fake of it that computes on the host. No result is
// computed by cuFFT.
#include <limits>

#include "as_on_the_host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/routines/fft.h"
#include "environment_variable.h"
#include "fake_library.h"

using namespace chainer;

namespace {

Arrays transformed(const Array& re, const Array& im, const Device& d, bool reversed) {
  const auto there = [&](const Array& a) { return Variable(reversed ? reversed_in_memory(a, d) : a.to_device(d)); };
  const Variable x = there(re), y = there(im);
  Arrays out;
  for (const Variables& all : {F::fft({x, y}), F::ifft({x, y})})
    for (const Variable& part : all)
      for (const Array& a : with_gradients(part, {x, y})) out.push_back(a);
  return out;
}

// A driver with the fake. Kernels do not run on it, so rows are transformed through its interface.
struct FakeFourier : FakeLibrary {
  void (*answer)(int, int) = find<void(int, int)>("fake_fourier");
  int (*made)() = find<int()>("fake_fourier_made");
  int (*living)() = find<int()>("fake_fourier_living");
  const EnvironmentVariable named{"CHAINER_CUFFT_LIBRARY", FAKE_LIBCUDA};
  std::unique_ptr<cuda::CudaDriver> driver = fake_driver();
  cuda::Stream stream = driver->make_stream(0);
  ~FakeFourier() {
    answer(0, 0);
    driver->end_stream(stream);
  }
  // Transforms rows of numbers and their imaginary parts.
  Arrays transform(const Array& re, const Array& im, bool inverse) {
    Array pairs = stack({re, im}, -1).contiguous();
    cuda::FourierCall call{nullptr, re.shape()[1], re.shape()[0], re.dtype(), inverse};
    std::vector<char> room(driver->fourier_workspace(stream, call).value());
    call.data = pairs.mutable_raw();
    driver->transform(stream, call, room.data());
    return {pairs[{Ellipsis(), 0}], pairs[{Ellipsis(), 1}]};
  }
};

}  // namespace

TEST(fourier_transforms_stay_on_the_device) {
  const EnvironmentVariable any("CHAINER_CUFFT_LIBRARY", "");
  for (const Dtype dtype : {float32, float64, float16})
    for (const Shape& s : {Shape{1}, {2}, {31}, {3, 32}, {2, 3, 33}, {1, 100}, {5, 1009}, {0, 4}, {40, 60}})
      for (const bool reversed : {false, true}) {
        Array re = random::RandomState(1).randn(s).astype(dtype), im = random::RandomState(2).randn(s).astype(dtype);
        if (s.ndim() == 3) re[{1, 2, 5}].fill(std::numeric_limits<double>::quiet_NaN());
        expect_as_on_the_host(dtype == float64   ? 1e-11
                              : dtype == float32 ? 1e-4
                                                 : 0.1,
                              [&](const Device& d) { return transformed(re, im, d, reversed); });
      }
  expect_as_on_the_host(1e-12,
                        [&](const Device& d) { return fft(arange(12).to_device(d), ones({12}, int64).to_device(d)); });
}

TEST(fourier_transforms_without_the_library_go_through_the_host) {
  const EnvironmentVariable none("CHAINER_CUFFT_LIBRARY", "none");
  const Array x = random::RandomState(1).randn({3, 20});
  expect_as_on_the_host(
      1e-12, [&](const Device& d) { return fft(x.to_device(d), x.to_device(d)); }, 2);
  EXPECT(!cuda::Cufft::open());
}

TEST(plans_of_the_library_are_made_once) {
  FakeFourier fake;
  const int living = fake.living();
  for (const Dtype dtype : {float32, float64})
    for (const bool inverse : {false, true})
      for (int again = 0; again < 2; ++again) {
        const Array re = random::RandomState(1).randn({3, 7}).astype(dtype),
                    im = re[{Slice(), Slice({}, {}, -1)}].copy();
        const Arrays got = fake.transform(re, im, inverse), want = fft_sums(re, im, inverse, 1);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_CLOSE(got[i], want[i], {.atol = 1e-5});
      }
  EXPECT_EQ(fake.living(), living + 2);  // one for each type
  for (int64_t n = 1; n <= int64_t(cuda::Cufft::kMostPlans) + 1; ++n)
    EXPECT(fake.driver->fourier_workspace(fake.stream, {nullptr, n, 2, float32, false}));
  EXPECT(fake.living() - living < int(cuda::Cufft::kMostPlans));
  EXPECT(cuda::Cufft::description().starts_with("cuFFT 12.1.4 ("));
}

TEST(what_the_library_does_not_transform) {
  FakeFourier fake;
  fake.answer(0, 1);
  const cuda::FourierCall call{nullptr, 5, 2, float64, true};
  const int made = fake.made(), living = fake.living();
  for (int i = 0; i < 2; ++i) EXPECT(!fake.driver->fourier_workspace(fake.stream, call));
  EXPECT_EQ(fake.made(), made + 2);
  EXPECT_EQ(fake.living(), living);
  fake.answer(6, 0);
  const Array x = ones({2, 9}, float32);
  EXPECT_THROW(DeviceError, "cufftExecC2C: status 6 for 2 transforms of length 9 of float32",
               fake.transform(x, x, true));
}
