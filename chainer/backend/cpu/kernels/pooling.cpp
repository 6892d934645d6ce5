// SPDX-License-Identifier: MIT
// Pooling windows, several of them or several channels at a time. Compiled once per instruction set.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/backend/cpu/kernels/register_bytes.h"
#include "chainer/core/ivdep.h"

namespace {

using chainer::cpu::PoolLine;

// A vector of W elements, and the integers for their positions.
template <class T, int W>
struct Lanes {
  using Integer = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T type __attribute__((vector_size(W * sizeof(T))));
  typedef Integer integer __attribute__((vector_size(W * sizeof(T))));
};
template <class T, int W>
using Vector = typename Lanes<T, W>::type;
template <class T, int W>
using Integers = typename Lanes<T, W>::integer;

template <class V, class T>
[[gnu::always_inline]] inline void load(V& v, const T* from) {
  std::memcpy(&v, from, sizeof(V));
}
template <class T, int W>
[[gnu::always_inline]] inline void load_places(Integers<T, W>& v, const int32_t* from) {
  if constexpr (sizeof(T) == 4)
    load(v, from);
  else
    for (int l = 0; l < W; ++l) v[l] = from[l];
}
template <class T, int W>
[[gnu::always_inline]] inline void store_places(int32_t* to, const Integers<T, W>& v) {
  if constexpr (sizeof(T) == 4)
    std::memcpy(to, &v, sizeof v);
  else
    for (int l = 0; l < W; ++l) to[l] = static_cast<int32_t>(v[l]);
}

// The most and the fewest elements of a vector. (Compilers compare wider vectors than registers one element at a time.)
template <class T>
constexpr int kWidest = static_cast<int>(kRegisterBytes / sizeof(T));
template <class T>
constexpr int kNarrowest = static_cast<int>(16 / sizeof(T));
template <class T>
constexpr int kMiddle = std::min(2 * kNarrowest<T>, kWidest<T>);
template <int W>
using Width = std::integral_constant<int, W>;

// Calls f(W, i) for the n channels from i on in vectors of W, as wide as the channels and `room` allow. Elements
// written beyond the channels are overwritten later.
template <class T, class F>
[[gnu::always_inline]] inline void over_channels(int64_t n, int64_t room, F f) {
  for (int64_t i = 0; i < n;) {
    const int64_t left = n - i, free = room - i;
    if (left > kMiddle<T> && free >= kWidest<T>) {
      f(Width<kWidest<T>>(), i);
      i += kWidest<T>;
    } else if (left > kNarrowest<T> && free >= kMiddle<T>) {
      f(Width<kMiddle<T>>(), i);
      i += kMiddle<T>;
    } else if (free >= kNarrowest<T>) {
      f(Width<kNarrowest<T>>(), i);
      i += kNarrowest<T>;
    } else {
      f(Width<1>(), i);
      ++i;
    }
  }
}

// Calls f(W, i) for n windows, in vectors of W from i on. The last ones may overlap. Returns false, without a call, if
// there are too few windows for the shortest vector.
template <class T, class F>
[[gnu::always_inline]] inline bool over_windows(int64_t n, F f) {
  if (n < kNarrowest<T>) return false;
  int64_t i = 0;
  for (; n - i >= kWidest<T>; i += kWidest<T>) f(Width<kWidest<T>>(), i);
  if (n - i >= kMiddle<T>) f(Width<kMiddle<T>>(), i), i += kMiddle<T>;
  const int64_t left = n - i;
  if (left > kNarrowest<T> && n >= kMiddle<T>) return f(Width<kMiddle<T>>(), n - kMiddle<T>), true;
  if (left > kNarrowest<T>) f(Width<kNarrowest<T>>(), i);
  if (left > 0) f(Width<kNarrowest<T>>(), n - kNarrowest<T>);
  return true;
}

// The largest of the elements that read(v, e) reads, and its place. The first NaN of a window is kept.
template <class T, int W, bool wants_index, class Read>
[[gnu::always_inline]] inline void largest(Vector<T, W>& best, Integers<T, W>& where, const int32_t* place,
                                           int64_t count, Read read) {
  Vector<T, W> v;
  read(best, 0);
  where = Integers<T, W>{} + place[0];
  for (int64_t e = 1; e < count; ++e) {
    read(v, e);
    const Integers<T, W> better = ~(v <= best) & (best == best);
    best = better ? v : best;
    if (wants_index) where = better ? Integers<T, W>{} + place[e] : where;
  }
}

template <class T, bool wants_index>
void max_channels(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
                  int64_t windows, int64_t apart) {
  for (int64_t o = 0; o < windows; ++o, x += apart, y += n, index += wants_index ? n : 0) {
    // Elements written after this window are overwritten by the next windows.
    over_channels<T>(n, (windows - o) * n, [&]<int W>(Width<W>, int64_t i) {
      Vector<T, W> best;
      Integers<T, W> where;
      largest<T, W, wants_index>(best, where, place, count, [&](auto& v, int64_t e) { load(v, x + at[e] + i); });
      std::memcpy(y + i, &best, sizeof best);
      if (wants_index) store_places<T, W>(index + i, where);
    });
  }
}

// Reads every second element from x on, without those after the last one.
template <class T, int W>
[[gnu::always_inline]] inline void load_even(Vector<T, W>& v, const T* x) {
  Vector<T, W> first, second;
  load(first, x);
  load(second, x + W - 1);
  [&]<int... lane>(std::integer_sequence<int, lane...>) {
    v = __builtin_shufflevector(first, second, (lane < W / 2 ? 2 * lane : 2 * lane + 1)...);
  }
  (std::make_integer_sequence<int, W>());
}

// n windows of one channel, whose first elements are `step` apart; kStep is the step, or 0 if it is not a constant.
template <class T, bool wants_index, int kStep>
void max_row(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
             int64_t step) {
  const bool done = over_windows<T>(n, [&]<int W>(Width<W>, int64_t i) {
    Vector<T, W> best;
    Integers<T, W> where;
    largest<T, W, wants_index>(best, where, place, count, [&](auto& v, int64_t e) {
      const T* const from = x + at[e] + i * step;
      if constexpr (kStep == 1)
        load(v, from);
      else if constexpr (kStep == 2)
        load_even<T, W>(v, from);
      else
        for (int l = 0; l < W; ++l) v[l] = from[l * step];
    });
    std::memcpy(y + i, &best, sizeof best);
    if (wants_index) store_places<T, W>(index + i, where);
  });
  if (done) return;
  // The lanes after the last window repeat it.
  constexpr int W = kNarrowest<T>;
  Vector<T, W> best;
  Integers<T, W> where;
  largest<T, W, wants_index>(best, where, place, count, [&](auto& v, int64_t e) {
    for (int64_t l = 0; l < W; ++l) v[l] = x[at[e] + std::min(l, n - 1) * step];
  });
  for (int64_t l = 0; l < n; ++l) {
    y[l] = best[l];
    if (wants_index) index[l] = static_cast<int32_t>(where[l]);
  }
}

// A window with many elements: finds the extreme by vectors along its rows (for one channel they are contiguous and of
// one length), then the first element equal to it.
template <class T>
void max_of_large(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count) {
  constexpr int kWide = 16;
  int64_t length = 1;
  while (length < count && at[length] == at[0] + length) ++length;
  T best[kWide];
  int nan = 0;
  for (T& b : best) b = x[at[0]];
  const int64_t whole = length / kWide * kWide;
  for (int64_t e = 0; e < count; e += length) {
    const T* row = x + at[e];
    for (int64_t i = 0; i < whole; i += kWide)
      for (int l = 0; l < kWide; ++l) {
        best[l] = row[i + l] > best[l] ? row[i + l] : best[l];
        nan |= row[i + l] != row[i + l];
      }
    for (int64_t i = whole; i < length; ++i) {
      best[0] = row[i] > best[0] ? row[i] : best[0];
      nan |= row[i] != row[i];
    }
  }
  for (int l = 1; l < kWide; ++l) best[0] = best[l] > best[0] ? best[l] : best[0];
  const T extreme = best[0];
  int64_t e = 0;
  for (; e + length < count; e += length) {
    const T* row = x + at[e];
    int found = 0;
    for (int64_t i = 0; i < length; ++i) found |= nan ? row[i] != row[i] : row[i] == extreme;
    if (found) break;
  }
  while (e + 1 < count && !(nan ? x[at[e]] != x[at[e]] : x[at[e]] == extreme)) ++e;
  *y = x[at[e]];
  if (index) *index = place[e];
}

template <class T, bool wants_index>
void max_windows(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
                 int64_t step) {
  if (step == 1) return max_row<T, wants_index, 1>(y, index, x, at, place, count, n, 1);
  if (step >= 8 && count >= 32) {
    for (int64_t i = 0; i < n; ++i)
      max_of_large(y + i, wants_index ? index + i : nullptr, x + i * step, at, place, count);
    return;
  }
  if (step == 2) return max_row<T, wants_index, 2>(y, index, x, at, place, count, n, 2);
  max_row<T, wants_index, 0>(y, index, x, at, place, count, n, step);
}

template <class T>
void pool_max(void* y_, int32_t* index, const void* x_, const int64_t* at, const int32_t* place, int64_t count,
              int64_t n, int64_t step, int64_t windows, int64_t apart) {
  T* y = static_cast<T*>(y_);
  const T* x = static_cast<const T*>(x_);
  if (windows == 1)
    index ? max_windows<T, true>(y, index, x, at, place, count, n, step)
          : max_windows<T, false>(y, index, x, at, place, count, n, step);
  else
    index ? max_channels<T, true>(y, index, x, at, place, count, n, windows, apart)
          : max_channels<T, false>(y, index, x, at, place, count, n, windows, apart);
}

// Large windows are added in groups of elements, whose sums are then added; read(e) is element e.
template <class V, class Read>
[[gnu::always_inline]] inline void add_up(V& total, int64_t count, Read read) {
  constexpr int64_t kGroup = 32;
  total = V{};
  for (int64_t e = 0; e < count;) {
    const int64_t end = count - e < kGroup ? count : e + kGroup;
    V group{}, v;
    for (; e < end; ++e) {
      read(v, e);
      group += v;
    }
    total += group;
  }
}

// Several windows of one channel with few elements; if `n` and `step` are constants, loads are vectors.
template <class T>
[[gnu::always_inline]] inline void sum_block(T* y, const T* x, const int64_t* at, int64_t count, T weight, int64_t n,
                                             int64_t step) {
  constexpr int64_t kMost = 32;
  T total[kMost] = {};
  for (int64_t e = 0; e < count; ++e) {
    const T* v = x + at[e];
    CHAINER_IVDEP
    for (int64_t l = 0; l < n; ++l) total[l] += v[l * step];
  }
  for (int64_t l = 0; l < n; ++l) y[l] = total[l] * weight;
}
template <class T>
int64_t sum_windows(T* y, const T* x, const int64_t* at, int64_t count, T weight, int64_t n, int64_t step) {
  int64_t i = 0;
  if (count > 32) return i;
  if (step == 2)
    for (; i + 32 <= n; i += 32) sum_block(y + i, x + i * 2, at, count, weight, 32, 2);
  if (step == 2)
    for (; i + 8 <= n; i += 8) sum_block(y + i, x + i * 2, at, count, weight, 8, 2);
  if (step == 3)
    for (; i + 16 <= n; i += 16) sum_block(y + i, x + i * 3, at, count, weight, 16, 3);
  return i;
}

template <class T>
void pool_sum(void* y_, const void* x_, const int64_t* at, int64_t count, double weight, int64_t n, int64_t step,
              int64_t windows, int64_t apart) {
  T* y = static_cast<T*>(y_);
  const T *x = static_cast<const T*>(x_), w = static_cast<T>(weight);
  if (step > 1) {
    for (int64_t i = sum_windows(y, x, at, count, w, n, step); i < n; ++i) {
      T total;
      add_up(total, count, [&](T& v, int64_t e) { v = x[at[e] + i * step]; });
      y[i] = total * w;
    }
    return;
  }
  for (int64_t o = 0; o < windows; ++o, x += apart, y += n)
    over_channels<T>(n, (windows - o) * n, [&]<int W>(Width<W>, int64_t i) {
      Vector<T, W> total;
      add_up(total, count, [&](Vector<T, W>& v, int64_t e) { load(v, x + at[e] + i); });
      total *= w;
      std::memcpy(y + i, &total, sizeof total);
    });
}

// n windows of one channel with two elements in the line.
template <class T>
bool scatter_pairs(T* gx, const T* gy, const int32_t* index, int32_t place, int64_t n) {
  return over_windows<T>(n, [&]<int W>(Width<W>, int64_t i) {
    Vector<T, W> g;
    Integers<T, W> chosen;
    load(g, gy + i);
    load_places<T, W>(chosen, index + i);
    const Vector<T, W> first = chosen == place ? g : Vector<T, W>{}, second = chosen == place + 1 ? g : Vector<T, W>{};
    [&]<int... lane>(std::integer_sequence<int, lane...>) {
      const Vector<T, W> low = __builtin_shufflevector(first, second, (lane / 2 + lane % 2 * W)...),
                         high = __builtin_shufflevector(first, second, (W / 2 + lane / 2 + lane % 2 * W)...);
      std::memcpy(gx + 2 * i, &low, sizeof low);
      std::memcpy(gx + 2 * i + W, &high, sizeof high);
    }
    (std::make_integer_sequence<int, W>());
  });
}

template <class T>
void pool_scatter_row(void* gx_, const void* gy_, const int32_t* index, int32_t place, int64_t n, int64_t k) {
  T* gx = static_cast<T*>(gx_);
  const T* gy = static_cast<const T*>(gy_);
  if (k == 2 && scatter_pairs(gx, gy, index, place, n)) return;
  using Integer = typename Lanes<T, kNarrowest<T>>::Integer;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j) {  // without a branch, which no processor could predict
      Integer bits;
      std::memcpy(&bits, gy + i, sizeof bits);
      bits &= -static_cast<Integer>(index[i] == place + j);
      std::memcpy(gx + i * k + j, &bits, sizeof bits);
    }
}

// pool_scatter() for windows that do not overlap.
template <class T>
void scatter_apart(T* gx, const T* gy, const int32_t* index, const PoolLine& line, int64_t n) {
  const int64_t first = line.rows ? line.window[0] : 0;
  for (int64_t x = 0, o = 0; x < line.length; ++o) {
    const int64_t end = x + line.stride < line.length ? x + line.stride : line.length;
    if (!line.rows || line.end[x] == line.first[x]) {  // no window
      std::memset(gx, 0, static_cast<std::size_t>((end - x) * n) * sizeof(T));
      gx += (end - x) * n, x = end;
      continue;
    }
    const T* g = gy + (first + o) * n;
    const int32_t* chosen = index + (first + o) * n;
    const int64_t read = (line.windows - first - o) * n;
    for (int32_t here = line.place[0]; x < end; ++x, ++here, gx += n) {
      over_channels<T>(n, std::min((line.length - x) * n, read), [&]<int W>(Width<W>, int64_t i) {
        Vector<T, W> v;
        Integers<T, W> places;
        load(v, g + i);
        load_places<T, W>(places, chosen + i);
        v = places == here ? v : Vector<T, W>{};
        std::memcpy(gx + i, &v, sizeof v);
      });
    }
  }
}

// Returns how many elements may be read and written from pixel x of a line on.
int64_t room_at(const PoolLine& line, int64_t x, int64_t n) {
  const int64_t last = line.rows && line.end[x] > line.first[x] ? line.window[line.rows - 1] + line.end[x] : 1;
  return std::min(line.length - x, line.windows - last + 1) * n;
}

template <class T>
void pool_scatter(void* gx_, const void* gy_, const int32_t* index, const PoolLine& line, int64_t n) {
  T* gx = static_cast<T*>(gx_);
  const T* gy = static_cast<const T*>(gy_);
  if (line.apart) return scatter_apart(gx, gy, index, line, n);
  for (int64_t x = 0; x < line.length; ++x, gx += n) {
    // f(first element of a window, position of x in it)
    const auto windows = [&](auto&& f) {
      for (int64_t v = 0; v < line.rows; ++v)
        for (int64_t o = line.first[x]; o < line.end[x]; ++o)
          f((line.window[v] + o) * n, line.place[v] + static_cast<int32_t>(x - o * line.stride + line.pad));
    };
    over_channels<T>(n, room_at(line, x, n), [&]<int W>(Width<W>, int64_t i) {
      Vector<T, W> sum{}, g;
      Integers<T, W> chosen;
      windows([&](int64_t from, int32_t here) {
        load(g, gy + from + i);
        load_places<T, W>(chosen, index + from + i);
        sum += chosen == here ? g : Vector<T, W>{};
      });
      std::memcpy(gx + i, &sum, sizeof sum);
    });
  }
}

template <class T>
void pool_spread(void* gx_, const void* gy_, const PoolLine& line, int64_t n) {
  T* gx = static_cast<T*>(gx_);
  const T* gy = static_cast<const T*>(gy_);
  for (int64_t x = 0; x < line.length; ++x, gx += n) {
    const auto windows = [&](auto&& f) {
      for (int64_t v = 0; v < line.rows; ++v)
        for (int64_t o = line.first[x]; o < line.end[x]; ++o)
          f((line.window[v] + o) * n,
            static_cast<T>(line.by_inside ? 1.0 / static_cast<double>(line.inside[v] * line.covered[o]) : line.weight));
    };
    over_channels<T>(n, room_at(line, x, n), [&]<int W>(Width<W>, int64_t i) {
      Vector<T, W> sum{}, g;
      windows([&](int64_t from, T weight) {
        load(g, gy + from + i);
        sum += weight * g;
      });
      std::memcpy(gx + i, &sum, sizeof sum);
    });
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_pooling(ImageKernels& k) {
  k.pool_max[0] = pool_max<float>;
  k.pool_max[1] = pool_max<double>;
  k.pool_sum[0] = pool_sum<float>;
  k.pool_sum[1] = pool_sum<double>;
  k.pool_scatter[0] = pool_scatter<float>;
  k.pool_scatter[1] = pool_scatter<double>;
  k.pool_scatter_row[0] = pool_scatter_row<float>;
  k.pool_scatter_row[1] = pool_scatter_row<double>;
  k.pool_spread[0] = pool_spread<float>;
  k.pool_spread[1] = pool_spread<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
