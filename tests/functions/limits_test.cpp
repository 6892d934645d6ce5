// SPDX-License-Identifier: MIT
// Shapes on both sides of the limits at which the host's code switches algorithms. The limits are read from the
// sources. On both sides results must agree with float64 and not depend on the number of threads, and one more element
// must not multiply the time.
#include <chainer/chainer.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "chainer/core/parallel.h"
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;

namespace {

// The value of the constant `name` in a source file of the library: a number, or a product or shift of two.
int64_t limit_in(const std::string& file, const std::string& name) {
  std::ifstream in(std::string(SOURCE_DIR "/chainer/backend/cpu/") + file);
  std::stringstream all;
  all << in.rdbuf();
  const std::string source = std::regex_replace(all.str(), std::regex("int64_t\\((\\d+)\\)"), "$1");
  std::smatch m;
  if (!std::regex_search(source, m, std::regex("\\b" + name + " = (\\d+)(?: (<<|\\*) (\\d+))?[,;]")))
    throw ValueError("no number named ", name, " in ", file);
  const int64_t first = std::stoll(m[1]);
  if (!m[2].matched) return first;
  const int64_t second = std::stoll(m[3]);
  return m[2] == "*" ? first * second : first << second;
}

struct Limit {
  const char *file, *name;
  const char* what;
  std::function<Array(int64_t, Dtype)> compute;
  int64_t over = 1;  ///< the limit is reached at length limit / over
};

// Cached, so that times do not include drawing.
Array numbers(const Shape& shape, Dtype dtype, uint32_t seed = 1) {
  static std::map<std::string, Array> made;
  Array& a = made[text(shape, dtype, seed)];
  if (!a) a = random::RandomState(seed).randn(shape, float32).astype(dtype);
  return a;
}

Array convolved(int64_t n, int64_t channels, int64_t out, int64_t side, Dtype d, int64_t taps = 3, int64_t stride = 1) {
  const Variable x(numbers({n, channels, side, side}, d)), w(numbers({out, channels, taps, taps}, d, 2));
  const Variable y = F::convolution_2d(x, w, Variable(), {.stride = stride, .pad = 1});
  const Variables g = grad({F::sum(F::square(y))}, {x, w});
  return concatenate({y.array().reshape({-1}), g[0].array().reshape({-1}), g[1].array().reshape({-1})}, 0);
}
Array pooled(int64_t channels, int64_t side, Dtype d) {
  const Variable x(numbers({2, channels, 9, side}, d));
  return concatenate(
      {F::max_pooling_2d(x, {3, 3}).array().reshape({-1}), F::average_pooling_2d(x, {3, 3}).array().reshape({-1})}, 0);
}
Array normalized(int64_t rows, int64_t columns, Dtype d) {
  const Variable x(numbers({rows, columns}, d)), one(ones({columns}, d)), zero(zeros({columns}, d));
  return concatenate({F::layer_normalization(x, one, zero).array(), F::batch_normalization(x, one, zero).array()}, 0);
}
// Several reductions over the middle axis.
Array reduced(const Shape& shape, Dtype d) {
  const Array x = numbers(shape, d);
  return concatenate({sum(x, 1), mean(x, 1), max(x, 1), var(x, 1), min(x, 1)}, 0);
}

const std::vector<Limit>& limits() {
  static const std::vector<Limit> all = {
      {"loops/accumulate.h", "kManyRows", "sums over n rows of two columns",
       [](int64_t n, Dtype d) {
         return sum(numbers({1000, n, 2}, d), 1);
       }},
      {"loops/accumulate.h", "kManyRows", "reductions over n rows of two columns",
       [](int64_t n, Dtype d) {
         return reduced({300, n, 2}, d);
       }},
      {"loops/accumulate.h", "kManyRows", "reductions over n rows of one column",
       [](int64_t n, Dtype d) {
         return reduced({40, n, 1}, d);
       }},
      {"loops/accumulate.h", "kFewSums", "reductions of n columns",
       [](int64_t n, Dtype d) {
         return reduced({1, 2048, n}, d);
       }},
      {"loops/accumulate.h", "kFewSums", "reductions of n arrays of two columns",
       [](int64_t n, Dtype d) {
         return reduced({n, 2048, 2}, d);
       },
       2},
      {"loops/accumulate.h", "kJobs", "reductions of n arrays over many rows",
       [](int64_t n, Dtype d) {
         return reduced({n, 4096, 3}, d);
       }},
      {"loops/accumulate.h", "kRowsInPlace", "sums of n rows",
       [](int64_t n, Dtype d) {
         return reduced({3, n, 1500}, d);
       }},
      {"../../array/deferred/deferred.h", "kLeast", "operations on n elements",
       [](int64_t n, Dtype d) {
         const Array a = numbers({n}, d), b = numbers({n}, d, 2);
         return maximum(a * b, a) - b;
       }},
      {"products/panel_product.h", "kSmallPanels", "products by n transposed rows",
       [](int64_t n, Dtype d) {
         return dot(numbers({300, 512}, d), numbers({n, 512}, d, 2).transpose());
       },
       512},
      {"loops/accumulate.cpp", "kRow", "sums over n neighbours",
       [](int64_t n, Dtype d) {
         return sum(numbers({2000, n}, d), 1);
       }},
      {"cpu_backend.h", "kBlock", "reductions over n rows of 40 columns",
       [](int64_t n, Dtype d) {
         return reduced({4, n, 40}, d);
       }},
      {"kernels/table.h", "kFewColumns", "reductions of n columns",
       [](int64_t n, Dtype d) {
         return reduced({8, 3000, n}, d);
       }},
      {"loops/scan.cpp", "kRun", "cumulative sums",
       [](int64_t n, Dtype d) {
         return cumsum(numbers({500, n}, d), 1);
       }},
      {"loops/moments.cpp", "kRun", "normalization of n rows", [](int64_t n, Dtype d) { return normalized(n, 16, d); }},
      {"kernels/normalize.cpp", "kRun", "normalization of n columns",
       [](int64_t n, Dtype d) { return normalized(64, n, d); }},
      {"kernels/affine.cpp", "kRun", "an affine map of n columns",
       [](int64_t n, Dtype d) {
         return F::scale(Variable(numbers({60, n}, d)), Variable(numbers({n}, d, 2)), 1).array();
       }},
      {"loops/fourier.cpp", "kLargestRadix", "Fourier transforms of n numbers",
       [](int64_t n, Dtype d) {
         return F::fft({numbers({50, n}, d), numbers({50, n}, d, 2)})[0].array();
       }},
      {"products/gemm.cpp", "kSmall", "products of 32 rows and n columns",
       [](int64_t n, Dtype d) {
         return dot(numbers({32, 16}, d), numbers({16, n}, d, 2));
       },
       32 * 16},
      {"products/gemm.cpp", "kPanelRows", "products of n rows",
       [](int64_t n, Dtype d) {
         return dot(numbers({n, 96}, d), numbers({96, 80}, d, 2));
       }},
      {"products/own_product.cpp", "kRowsFrom", "products of n rows by a transposed matrix",
       [](int64_t n, Dtype d) {
         return dot(numbers({n, 300}, d), numbers({200, 300}, d, 2).transpose());
       }},
      {"products/own_product.cpp", "kRowsTo", "products of n rows by a transposed matrix",
       [](int64_t n, Dtype d) {
         return dot(numbers({n, 96}, d), numbers({80, 96}, d, 2).transpose());
       }},
      {"products/own_product.cpp", "kColumns", "products by n transposed rows",
       [](int64_t n, Dtype d) {
         return dot(numbers({48, 64}, d), numbers({n, 64}, d, 2).transpose());
       }},
      {"products/gemm.cpp", "kLongSum", "products of n inner elements",
       [](int64_t n, Dtype d) {
         return dot(numbers({24, n}, d), numbers({n, 24}, d, 2));
       }},
      {"products/thin_product.cpp", "kThinUnit", "products of 4 rows and n columns",
       [](int64_t n, Dtype d) {
         return dot(numbers({4, 300}, d), numbers({300, n}, d, 2));
       }},
      {"products/gemm.cpp", "kThinPiece", "products of 2 rows and n columns",
       [](int64_t n, Dtype d) {
         return dot(numbers({2, 512}, d), numbers({512, n}, d, 2));
       },
       512},
      {"kernels/table.h", "kThinRows", "products of n rows",
       [](int64_t n, Dtype d) {
         return dot(numbers({n, 400}, d), numbers({400, 500}, d, 2));
       }},
      {"products/panel_product.cpp", "kRows", "products of n rows and long ones",
       [](int64_t n, Dtype d) {
         return dot(numbers({n, 700}, d), numbers({700, 300}, d, 2));
       }},
      {"convolution/few_channels.cpp", "kMostChannels", "convolutions of n channels",
       [](int64_t n, Dtype d) { return convolved(2, n, 16, 20, d); }},
      {"convolution/convolution_columns.cpp", "kManyImages", "convolutions of n images",
       [](int64_t n, Dtype d) { return convolved(n, 3, 8, 12, d); }},
      {"cpu_backend.h", "kFewResults", "convolutions to n channels",
       [](int64_t n, Dtype d) { return convolved(2, 12, n, 20, d); }},
      {"convolution/winograd.cpp", "kTilesOfBlock", "convolutions of pictures of n pixels",
       [](int64_t n, Dtype d) { return convolved(1, 16, 24, n, d); }},
      {"convolution/winograd.cpp", "kLeastPadded", "convolutions of n channels, padded",
       [](int64_t n, Dtype d) { return convolved(1, n, n + 9, 18, d); }},
      {"convolution/winograd.cpp", "kLeastPadded2", "convolutions of n channels with stride two, padded",
       [](int64_t n, Dtype d) { return convolved(1, n, n + 3, 34, d, 4, 2); }},
      {"convolution/winograd_filter_gradient.cpp", "kStrip", "convolutions of n channels to many",
       [](int64_t n, Dtype d) { return convolved(2, n, 48, 16, d); }},
      {"kernels/pooling.cpp", "kGroup", "poolings of n channels", [](int64_t n, Dtype d) { return pooled(n, 30, d); }},
      {"kernels/pooling.cpp", "kMost", "poolings of rows of n", [](int64_t n, Dtype d) { return pooled(8, n, d); }, 1},
      {"kernels/recurrent.cpp", "kUnits", "LSTM units",
       [](int64_t n, Dtype d) {
         const Variables y = F::lstm(numbers({20, n}, d), numbers({20, 4 * n}, d, 2));
         return concatenate({y[0].array(), y[1].array()}, 0);
       }},
      {"kernels/elementwise.cpp", "kRun", "numbers one by one",
       [](int64_t n, Dtype d) {
         return chainer::tanh(numbers({100, n}, d) * numbers({n}, d, 2));
       }},
  };
  return all;
}

double seconds(const Limit& l, int64_t n) {
  const auto begin = std::chrono::steady_clock::now();
  (void)l.compute(n, float32).raw();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool same_bits(const Array& a, const Array& b) {
  const Array x = a.contiguous(), y = b.contiguous();
  return x.shape() == y.shape() && std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0;
}

}  // namespace

TEST(results_on_both_sides_of_limits) {
  const int threads = cpu::thread_count();
  for (const Limit& l : limits()) {
    const int64_t at = limit_in(l.file, l.name) / l.over;
    for (const int64_t n : {at - 1, at, at + 1}) {
      if (n < 1) continue;
      const Array got = l.compute(n, float32), want = l.compute(n, float64);
      const double size = max(absolute(want)).item<double>();
      const double error = max(absolute(got.astype(float64) - want)).item<double>();
      ++test::expectations;
      if (!(error <= 2e-5 * size))
        test::fail(l.file, 0, text(l.name, ", ", l.what, " at ", n, ": off by ", error, " of ", size));
      for (const int others : {1, 3}) {
        cpu::set_thread_count(others);
        ++test::expectations;
        if (!same_bits(l.compute(n, float32), got))
          test::fail(l.file, 0, text(l.name, ", ", l.what, " at ", n, ": other bits with ", others, " threads"));
      }
      cpu::set_thread_count(threads);
    }
  }
}

// Minima of several runs, alternating between both sides so that other load on the machine affects both.
TEST(one_more_costs_no_multiple) {
  if (kSanitized) return;
  for (const Limit& l : limits()) {
    const int64_t at = limit_in(l.file, l.name) / l.over, low = std::max<int64_t>(1, at - 1);
    double before = 1, after = 1, twice = 1;
    const auto measure = [&](int rounds) {
      for (int i = 0; i < rounds; ++i) {
        before = std::min(before, seconds(l, low));
        after = std::min({after, seconds(l, at), seconds(l, at + 1)});
        twice = std::min(twice, seconds(l, 2 * at));  // an algorithm that begins at the limit may grow from there
      }
    };
    const auto fits = [&] {
      const double grown = static_cast<double>(at) / static_cast<double>(low), slack = 1e-4;
      return after <= 3 * grown * before + slack && before <= 3 * after + slack && twice <= 12 * grown * before + slack;
    };
    measure(4);
    if (!fits()) measure(30);
    ++test::expectations;
    if (!fits())
      test::fail(l.file, 0,
                 text(l.name, ", ", l.what, ": ", before * 1e3, " ms below ", at, ", ", after * 1e3,
                      " ms from there on, ", twice * 1e3, " ms at twice that"));
  }
}
