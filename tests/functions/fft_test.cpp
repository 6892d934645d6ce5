// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>
#include <chainer/routines/fft.h>

#include <complex>
#include <numbers>

#include "test.h"

using namespace chainer;

namespace {

// The discrete Fourier transform by its definition.
std::vector<std::complex<double>> sums(const std::vector<double>& re, const std::vector<double>& im, bool inverse) {
  const std::size_t n = re.size();
  std::vector<std::complex<double>> y(n), roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) y[k] += std::complex(re[j], im[j]) * roots[j * k % n];
  return y;
}

void expect_transform(int64_t n, Dtype dtype, double tolerance) {
  random::RandomState r(static_cast<uint32_t>(n));
  const Array re = r.randn({2, n}).astype(dtype), im = r.randn({2, n}).astype(dtype);
  for (const bool inverse : {false, true}) {
    const Arrays y = fft(re, im, inverse);
    EXPECT(y[0].dtype() == dtype && y[1].shape() == re.shape());
    for (int64_t row = 0; row < 2; ++row) {
      const auto want = sums(re[row].to_vector<double>(), im[row].to_vector<double>(), inverse);
      const auto got_re = y[0][row].to_vector<double>(), got_im = y[1][row].to_vector<double>();
      double largest = 0, worst = 0;
      const double scale = inverse ? 1 / static_cast<double>(n) : 1;
      for (std::size_t k = 0; k < want.size(); ++k) {
        largest = std::max(largest, std::abs(want[k] * scale));
        worst = std::max(worst, std::abs(want[k] * scale - std::complex(got_re[k], got_im[k])));
      }
      EXPECT(worst <= tolerance * largest);
    }
  }
}

}  // namespace

TEST(fft_of_every_length_up_to_100) {
  for (int64_t n = 1; n <= 100; ++n) {
    expect_transform(n, float32, 1e-6);
    expect_transform(n, float64, 4e-15);
  }
}

// Every radix, products of several, primes and powers of primes above the largest radix, and long lengths.
TEST(fft_of_longer_lengths) {
  for (const int64_t n : {128, 169, 210, 243, 256, 289, 343, 512, 625, 641, 1001, 1024, 1536, 2048, 2310}) {
    expect_transform(n, float32, 1e-6);
    expect_transform(n, float64, 1e-14);
  }
}

TEST(fft_of_nothing_and_of_other_dtypes) {
  EXPECT(fft(zeros({3, 0}), zeros({3, 0}))[0].shape() == Shape({3, 0}));
  EXPECT(fft(zeros({0, 4}), zeros({0, 4}))[1].shape() == Shape({0, 4}));
  EXPECT(fft(ones({4}, float16), zeros({4}, float16))[0].dtype() == float16);
  EXPECT_CLOSE(fft(ones({4}, int32), zeros({4}, int32))[0], array({4., 0., 0., 0.}));
}

// The bits of a row do not depend on its neighbours or on the number of threads.
TEST(fft_has_the_same_bits_for_any_number_of_threads) {
  random::RandomState r(3);
  const Array re = r.randn({40, 1000}).astype(float32), im = r.randn({40, 1000}).astype(float32);
  Arrays first;
  for (const int threads : {1, 2, 5}) {
    cpu::set_thread_count(threads);
    const Arrays y = fft(re, im);
    if (first.empty()) first = y;
    EXPECT(all(equal(y[0], first[0])).item<bool>() && all(equal(y[1], first[1])).item<bool>());
  }
  cpu::set_thread_count(0);
  const Array alone = fft(re[7].copy(), im[7].copy())[0];
  EXPECT(all(equal(alone, first[0][7])).item<bool>());
}
