// SPDX-License-Identifier: MIT
// Values, first and second gradients from the smallest to the largest numbers of float32 and float64, compared with
// exact ones (conformance/make_sweep.py). docs/sweep.md describes the comparison and lists its exceptions.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>
#include <map>

#include "sweep.h"
#include "test.h"

using namespace chainer;

namespace {

constexpr double kAll = std::numeric_limits<double>::infinity();

// Weaker requirements; docs/sweep.md has a line for each, with its reason.
struct Exception {
  const char* beginning;  ///< of the names of the functions
  double terms = 0;       ///< errors may be relative to numbers of this size, which cancel
  double least = 0;       ///< the range of |x| is least to most, to most_float32 in float32
  double most = kAll, most_float32 = kAll;
  bool overflow = false;  ///< where the exact number overflows, any result is accepted
};
const Exception kExceptions[] = {
#include "sweep_exceptions.inc"
};

Exception exception_of(const std::string& name) {
  Exception out{""};
  for (const Exception& e : kExceptions)
    if (name.rfind(e.beginning, 0) == 0) out = e;  // the last match counts
  return out;
}

std::vector<sweep::Case> cases() {
  std::vector<sweep::Case> c;
  sweep::add_functions(c);
  sweep::add_losses_and_layers(c);
  sweep::add_distributions(c);
  return c;
}

// The value, the gradient with a graph and without, and the second gradient at each x; missing gradients are zeros.
std::vector<std::vector<double>> computed(const sweep::Case& c, const Array& at) {
  const Variable x(at);
  const auto derivative = [&](const Variable& y, bool graph = true) {
    if (!y) return Variable();
    const Variable one(ones_like(y.array()), false);
    return grad({y}, {x}, {.grad_outputs = {one}, .enable_double_backprop = graph})[0];
  };
  const auto numbers = [&](const Variable& v) {
    return v ? v.array().to_vector<double>() : std::vector<double>(static_cast<std::size_t>(x.size()));
  };
  const Variable y = c.function(x);
  if (y.shape() != x.shape()) throw ValueError(c.name, ": shape ", y.shape(), " instead of ", x.shape());
  const Variable g = derivative(y), alone = derivative(c.function(x), false), gg = derivative(g);
  return {numbers(y), numbers(g), numbers(alone), numbers(gg)};
}

// The tables of sweep.npz: rows of x, the value, and three derivatives.
std::map<std::string, Array> tables(const serializers::NpzFile& file, Dtype dtype) {
  std::vector<std::string> names(1);
  for (int64_t c : file.array("names").to_vector<int64_t>())
    c == '\n' ? names.emplace_back() : names.back() += static_cast<char>(c);
  const Array all = file.array(text(dtype, "/table"));
  std::map<std::string, Array> out;
  int64_t first = 0;
  std::size_t i = 0;
  for (int64_t count : file.array(text(dtype, "/counts")).to_vector<int64_t>()) {
    out[names[i++]] = all[{Slice(), Slice(first, first + count)}].copy();
    first += count;
  }
  return out;
}

void compare(const sweep::Case& c, const Array& table) {
  const Exception leeway = exception_of(c.name);
  const bool single = table.dtype() == float32;
  const double smallest = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const double largest = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double tolerance = single ? 1e-5 : 1e-12,
               most = single ? std::min(leeway.most, leeway.most_float32) : leeway.most;
  const char* results[] = {"value", "gradient", "gradient without a graph", "second gradient"};
  const int orders[] = {0, 1, 1, 2};
  const std::vector<std::vector<double>> ours = computed(c, table[0]);
  const std::vector<double> at = table[0].to_vector<double>();
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<double> expected = table[orders[k] + 1].to_vector<double>();
    const std::vector<double> next = table[orders[k] + 2].to_vector<double>();
    int wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (std::abs(at[i]) > most || (at[i] != 0 && std::abs(at[i]) < leeway.least)) continue;
      ++test::expectations;
      const double a = ours[k][i], b = expected[i];
      // Relative to the exact number and to its change over the last digits of x. Denormal numbers are flushed to zero.
      const double allowed =
          tolerance * (std::abs(b) + (at[i] == 0 ? 0 : std::abs(at[i] * next[i])) + leeway.terms) + 8 * smallest;
      const bool infinite = std::isinf(a) && (a > 0) == (b > 0);
      const bool right = (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= allowed) ||
                         (std::isinf(b) && (leeway.overflow || std::abs(a) > largest / 16) &&
                          (leeway.overflow || (a > 0) == (b > 0))) ||
                         (std::abs(b) > largest / 16 && infinite);
      if (!right && wrong++ < 3) first += text(" at ", at[i], ": ", a, ", expected ", b, ";");
    }
    if (wrong)
      test::fail(text(table.dtype(), " ", c.name).c_str(), 0, text(results[k], ", ", wrong, " of ", at.size(), first));
  }
}

}  // namespace

TEST(sweep_from_the_smallest_to_the_largest_numbers) {
  const serializers::NpzFile file(TEST_DATA "../conformance/sweep.npz");
  const std::vector<sweep::Case> all = cases();
  for (Dtype dtype : {float32, float64}) {
    std::map<std::string, Array> truth = tables(file, dtype);
    for (const sweep::Case& c : all) {
      const auto it = truth.find(c.name);
      if (it == truth.end()) {
        test::fail(c.name.c_str(), 0, "sweep.npz lacks this function");
        continue;
      }
      try {
        compare(c, it->second);
      } catch (const MissingPartError& e) {
        std::fprintf(stderr, "left out: %s\n", e.what());
      } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, e.what()); }
      truth.erase(it);
    }
    for (const auto& [name, table] : truth)
      test::fail(name.c_str(), 0, "sweep.npz has this function, the test does not");
  }
}
