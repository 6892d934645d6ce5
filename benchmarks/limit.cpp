// SPDX-License-Identifier: MIT
#include "limit.h"

#include <chainer/array/multiply_adds.h>
#include <chainer/core/clock.h>
#include <chainer/core/parallel.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace bench {
namespace {

// Returns the least time of f in seconds, of at least five calls within 0.2 seconds.
template <class F>
double least(F f) {
  double best = 1e9;
  const double start = chainer::now();
  for (int i = 0; i < 5 || chainer::now() - start < 0.2; ++i) {
    const double t = chainer::now();
    f();
    best = std::min(best, chainer::now() - t);
  }
  return best;
}

// Multiplications per second of the fastest of some square products.
double product_rate() {
  double best = 0;
  for (const int64_t n : {256, 512, 1024, 2048}) {
    const chainer::Array a = uniform({n, n}), b = uniform({n, n});
    chainer::Array out({n, n}, a.dtype());
    const auto work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    best = std::max(best, work / least([&] { chainer::matmul_into(a, b, out, 1, 0); }));
  }
  return best;
}

// Bytes read or written per second by a copy that moves so many bytes in all threads.
double copy_rate(double moved) {
  const auto bytes = static_cast<int64_t>(std::clamp(moved / 2, 1024.0, 256.0 * (1 << 20)));
  const auto from = std::make_unique<char[]>(static_cast<std::size_t>(bytes)),
             to = std::make_unique<char[]>(static_cast<std::size_t>(bytes));
  const double seconds = least([&] {
    chainer::cpu::parallel_ranges(bytes, bytes / 4, 4096, [&](int64_t begin, int64_t end) {
      std::memcpy(to.get() + begin, from.get() + begin, static_cast<std::size_t>(end - begin));
    });
  });
  return 2 * static_cast<double>(bytes) / seconds;
}

double bytes_of(const chainer::Array& a) { return a ? static_cast<double>(a.nbytes()) : 0; }

}  // namespace

Work work_of(Step& step) {
  const bool was_static = std::exchange(use_static, false);  // replays do not count
  (void)step.run().array().raw();
  Work w;
  {
    const chainer::MultiplyAddsCounter counter;
    chainer::memory::reset_peak();
    const int64_t in_use = chainer::memory::statistics().in_use;
    (void)step.run().array().raw();
    w.multiply_adds = static_cast<double>(counter.count());
    w.bytes = 2 * static_cast<double>(chainer::memory::statistics().peak - in_use);
  }
  use_static = was_static;
  for (const auto& [name, a] : step.inputs) w.bytes += bytes_of(a);
  for (const auto& [path, p] : step.parameters) w.bytes += bytes_of(p.array()) + bytes_of(p.grad());
  for (const chainer::Parameter& p : step.trained)
    if (const auto* rule = dynamic_cast<const chainer::UpdateRule*>(p.update_rule().get())) {
      w.bytes += bytes_of(p.array()) + bytes_of(p.grad());  // the new values, and the gradient read
      for (const auto& [name, state] : rule->state) w.bytes += 2 * bytes_of(state);
    }
  return w;
}

Limit limit_of(const Work& work) {
  static const double products = product_rate();
  return {work.multiply_adds / products * 1e3, work.bytes / copy_rate(work.bytes) * 1e3};
}

}  // namespace bench
