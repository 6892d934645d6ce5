// SPDX-License-Identifier: MIT
// Pooling: the kernels process windows (pooling_windows.h) for many channels or windows at a time.
#include <algorithm>
#include <limits>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/convolution/pooling_windows.h"

namespace chainer::cpu {
namespace {

using namespace windows;

// As for_rows, for images of one channel: each image is processed by one thread, and several share the geometry of a
// row.
template <class F, class G>
void for_images(const Windows& w, int64_t outer, int64_t item, F&& f, G&& before) {
  // As many images as fit in the cache while their rows are processed.
  const int64_t together = std::clamp<int64_t>((1 << 18) / std::max<int64_t>((w.image + w.windows) * item, 1), 1, 64);
  const int last = w.axes - 1;
  parallel_ranges(outer, outer * std::max(w.image, w.windows), 1, [&](int64_t begin, int64_t end) {
    WindowRow row(w);
    for (int64_t b = begin; b < end; b += together) {
      before(b, std::min(b + together, end));
      Dims position = Dims::filled(w.axes, 0);
      int64_t first = 0;
      do {
        row.place(position);
        for (int64_t i = b; i < std::min(b + together, end); ++i) f(i * w.image, i * w.windows + first, row);
        first += w.plan.out[last];
      } while (advance(position, w.plan.out, 0, last));
    }
  });
}

// Returns true if the windows on images of one channel do not overlap and have no gaps.
bool lie_side_by_side(const PoolingPlan& p) {
  for (int d = 0; d < p.size.ndim(); ++d)
    if (p.stride[d] != p.ksize[d] || p.pad[d] != 0 || p.out[d] * p.ksize[d] > p.size[d]) return false;
  return p.weight != PoolingPlan::Weight::inside;
}

// Repeats every number `times` times, multiplied by a weight.
template <class T, int kTimes>
void repeat(T* out, const T* in, int64_t n, int64_t times, T weight) {
  const int64_t k = kTimes ? kTimes : times;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j) out[i * k + j] = weight * in[i];
}

// Calls f(image, line, row of windows, place of the line in its windows) for every line of the images along the last
// axis, if windows do not overlap. The row is negative for lines without windows.
template <class F>
void for_lines_side_by_side(const Windows& w, int64_t outer, F&& f) {
  const PoolingPlan& p = w.plan;
  const int last = w.axes - 1;
  const int64_t lines = p.size.product() / std::max<int64_t>(p.size[last], 1);
  parallel_ranges(outer, outer * w.image, 1, [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      Dims at = Dims::filled(last, 0);
      for (int64_t line = 0; line < lines; ++line, advance(at, p.size, 0, last)) {
        int64_t row = 0, place = 0;
        for (int d = 0; d < last && row >= 0; ++d) {
          const int64_t o = at[d] / p.ksize[d];
          row = o < p.out[d] ? row * p.out[d] + o : -1;
          place = place * p.ksize[d] + at[d] % p.ksize[d];
        }
        f(image, line, row, static_cast<int32_t>(place * p.ksize[last]));
      }
    }
  });
}

// Pooling::spread for such windows: a line is computed once and copied to the next ones under the same windows.
template <class T>
void spread_side_by_side(const Windows& w, int64_t outer, const T* in, T* out) {
  const int last = w.axes - 1;
  const int64_t length = w.plan.size[last], windows = w.plan.out[last], k = w.plan.ksize[last], covered = windows * k;
  const T weight = static_cast<T>(w.weight(1));
  const auto write = k == 2 ? repeat<T, 2> : k == 3 ? repeat<T, 3> : k == 4 ? repeat<T, 4> : repeat<T, 0>;
  for_lines_side_by_side(w, outer, [&](int64_t image, int64_t line, int64_t row, int32_t place) {
    T* to = out + image * w.image + line * length;
    if (row < 0) {
      std::fill_n(to, length, T(0));
    } else if (last > 0 && place / k % w.plan.ksize[last - 1] != 0) {
      std::copy_n(to - length, length, to);
    } else {
      write(to, in + image * w.windows + row * windows, windows, k, weight);
      std::fill(to + covered, to + length, T(0));
    }
  });
}

// Pooling::scatter for such windows.
template <class T>
void scatter_side_by_side(const Windows& w, int64_t outer, const T* in, T* out, const int32_t* place,
                          const ImageKernels& kernels) {
  const int last = w.axes - 1;
  const int64_t length = w.plan.size[last], windows = w.plan.out[last], k = w.plan.ksize[last], covered = windows * k;
  for_lines_side_by_side(w, outer, [&](int64_t image, int64_t line, int64_t row, int32_t first) {
    T* to = out + image * w.image + line * length;
    if (row < 0) {
      std::fill_n(to, length, T(0));
      return;
    }
    const int64_t from = image * w.windows + row * windows;
    kernels.pool_scatter_row[sizeof(T) == 4 ? kF32 : kF64](to, in + from, place + from, first, windows, k);
    std::fill(to + covered, to + length, T(0));
  });
}

template <class T>
void pool(Pooling op, const Windows& w, int64_t outer, const T* in, T* out, int32_t* place,
          const ImageKernels& kernels) {
  constexpr Compute c = sizeof(T) == 4 ? kF32 : kF64;
  // For one channel, neighbouring windows are adjacent in memory; for several channels, the channels of one window are.
  const bool single = w.inner == 1;
  const int64_t stride = w.plan.stride[w.axes - 1], step = single ? stride : 1, apart = stride * w.inner;
  // Calls f(elements, first element, first result, number of adjacent results, number of windows).
  const auto for_runs = [&](auto&& f) {
    const auto of_row = [&](int64_t image, int64_t windows, WindowRow& row) {
      row.run([&](int64_t o, int64_t n, const Elements& e, int64_t where) {
        f(e, image + where, windows + o * w.inner, single ? n : w.inner, single ? 1 : n);
      });
    };
    single ? for_images(w, outer, sizeof(T), of_row, [](int64_t, int64_t) {}) : for_rows(w, outer, of_row);
  };
  const auto clear = [&](int64_t begin, int64_t end) { std::fill(out + begin * w.image, out + end * w.image, T(0)); };
  switch (op) {
    case Pooling::max:
      return for_runs([&](const Elements& e, int64_t from, int64_t at, int64_t n, int64_t windows) {
        if (e.count())
          return kernels.pool_max[c](out + at, place ? place + at : nullptr, in + from, e.at.data(), e.place.data(),
                                     e.count(), n, step, windows, apart);
        std::fill_n(out + at, n * windows, -std::numeric_limits<T>::infinity());
        if (place) std::fill_n(place + at, n * windows, 0);
      });
    case Pooling::sum:
      return for_runs([&](const Elements& e, int64_t from, int64_t at, int64_t n, int64_t windows) {
        kernels.pool_sum[c](out + at, in + from, e.at.data(), e.count(), w.weight(e.count()), n, step, windows, apart);
      });
    case Pooling::gather:
      return for_runs([&](const Elements& e, int64_t from, int64_t at, int64_t n, int64_t windows) {
        if (e.count() == w.plan.ksize.product()) {  // positions equal the elements' numbers
          const int64_t* const where = e.at.data();
          for (int64_t o = 0; o < windows; ++o, from += apart)
            for (int64_t l = 0; l < n; ++l, ++at) out[at] = in[from + where[place[at]] + l * step];
          return;
        }
        for (int64_t o = 0; o < windows; ++o, from += apart)
          for (int64_t l = 0; l < n; ++l, ++at) {
            const int64_t found = e.find(place[at]);
            out[at] = found < 0 ? T(0) : in[from + e.at[static_cast<std::size_t>(found)] + l * step];
          }
      });
    case Pooling::scatter:
      if (!single)
        return for_lines(w, outer, [&](int64_t element, int64_t windows, const PoolLine& line) {
          kernels.pool_scatter[c](out + element, in + windows, place + windows, line, w.inner);
        });
      if (lie_side_by_side(w.plan)) return scatter_side_by_side(w, outer, in, out, place, kernels);
      return for_images(
          w, outer, sizeof(T),
          [&](int64_t image, int64_t windows, WindowRow& row) {
            row.run([&](int64_t o, int64_t n, const Elements& e, int64_t where) {
              if (e.count() == w.plan.ksize.product()) {
                const int64_t* const elements = e.at.data();
                for (int64_t i = windows + o; n > 0; --n, ++i, where += step)
                  out[image + where + elements[place[i]]] += in[i];
                return;
              }
              for (int64_t i = windows + o; n > 0; --n, ++i, where += step)
                if (const int64_t found = e.find(place[i]); found >= 0)
                  out[image + where + e.at[static_cast<std::size_t>(found)]] += in[i];
            });
          },
          clear);
    case Pooling::spread:
      if (!single)
        return for_lines(w, outer, [&](int64_t element, int64_t windows, const PoolLine& line) {
          kernels.pool_spread[c](out + element, in + windows, line, w.inner);
        });
      if (lie_side_by_side(w.plan)) return spread_side_by_side(w, outer, in, out);
      return for_images(
          w, outer, sizeof(T),
          [&](int64_t image, int64_t windows, WindowRow& row) {
            row.run([&](int64_t o, int64_t n, const Elements& e, int64_t where) {
              const T weight = static_cast<T>(w.weight(e.count()));
              for (int64_t i = windows + o; n > 0; --n, ++i, where += step)
                for (const int64_t at : e.at) out[image + where + at] += weight * in[i];
            });
          },
          clear);
  }
}

}  // namespace

void CpuBackend::pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* place) {
  const int64_t outer = in.shape()[0];
  const Windows windows(plan, in.shape()[in.ndim() - 1]);
  int32_t* places = place ? static_cast<int32_t*>(place->mutable_raw()) : nullptr;
  if (in.dtype() == float64)
    pool(op, windows, outer, in.data<double>(), out.mutable_data<double>(), places, image_kernels());
  else
    pool(op, windows, outer, in.data<float>(), out.mutable_data<float>(), places, image_kernels());
}

}  // namespace chainer::cpu
