// Windows of pooling, several of them or of their channels side by side. Compiled once per instruction set.
#include <cstdint>
#include <cstring>

#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/ivdep.h"

namespace {

using chainer::cpu::PoolLine;

template <class T>
struct Wide;
template <>
struct Wide<float> {
  typedef float type __attribute__((vector_size(64)));
  typedef int32_t integer __attribute__((vector_size(64)));
};
template <>
struct Wide<double> {
  typedef double type __attribute__((vector_size(64)));
  typedef int64_t integer __attribute__((vector_size(64)));
};
template <class T>
constexpr int64_t kWide = 64 / sizeof(T);
template <class T>
using Vector = typename Wide<T>::type;
template <class T>
using Integers = typename Wide<T>::integer;

template <class V, class T>
[[gnu::always_inline]] inline void load(V& v, const T* from) {
  std::memcpy(&v, from, sizeof(V));
}
[[gnu::always_inline]] inline void load_places(Integers<float>& v, const int32_t* from) { load(v, from); }
[[gnu::always_inline]] inline void load_places(Integers<double>& v, const int32_t* from) {
  for (int64_t l = 0; l < kWide<double>; ++l) v[l] = from[l];
}
[[gnu::always_inline]] inline void store_places(int32_t* to, const Integers<float>& v) {
  std::memcpy(to, &v, sizeof v);
}
[[gnu::always_inline]] inline void store_places(int32_t* to, const Integers<double>& v) {
  for (int64_t l = 0; l < kWide<double>; ++l) to[l] = static_cast<int32_t>(v[l]);
}

// Calls whole(i) for vectors and single(i) for the elements of `n` channels that fill none. A vector may hold elements
// of what follows if there are so many: `room`, counted from the first channel.
template <class T, class Whole, class Single>
[[gnu::always_inline]] inline void over_channels(int64_t n, int64_t room, Whole whole, Single single) {
  int64_t i = 0;
  for (; i < n && i + kWide<T> <= room; i += kWide<T>) whole(i);
  for (; i < n; ++i) single(i);
}

// The first NaN of a window stays.
template <class T, bool wants_index>
void max_channels(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
                  int64_t windows, int64_t apart) {
  for (int64_t o = 0; o < windows; ++o, x += apart, y += n, index += wants_index ? n : 0) {
    over_channels<T>(
        n, (windows - o) * n,  // what is written behind this window, the next ones write again
        [&](int64_t i) {
          Vector<T> best, v;
          Integers<T> where = Integers<T>{} + place[0];
          load(best, x + at[0] + i);
          for (int64_t e = 1; e < count; ++e) {
            load(v, x + at[e] + i);
            const Integers<T> better = ~(v <= best) & (best == best);
            best = better ? v : best;
            if (wants_index) where = better ? Integers<T>{} + place[e] : where;
          }
          std::memcpy(y + i, &best, sizeof best);
          if (wants_index) store_places(index + i, where);
        },
        [&](int64_t i) {
          T best = x[at[0] + i];
          int32_t where = place[0];
          for (int64_t e = 1; e < count; ++e) {
            const T v = x[at[e] + i];
            const bool better = !(v <= best) & (best == best);
            best = better ? v : best;
            where = better ? place[e] : where;
          }
          y[i] = best;
          if (wants_index) index[i] = where;
        });
  }
}

// Some windows of one channel; with `n` and `step` constants the loads are vectors.
template <class T, bool wants_index>
[[gnu::always_inline]] inline void max_block(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place,
                                             int64_t count, int64_t n, int64_t step) {
  for (int64_t l = 0; l < n; ++l) {
    y[l] = x[at[0] + l * step];
    if (wants_index) index[l] = place[0];
  }
  for (int64_t e = 1; e < count; ++e) {
    const T* v = x + at[e];
    const int32_t here = place[e];
    CHAINER_IVDEP
    for (int64_t l = 0; l < n; ++l) {
      const T b = y[l], w = v[l * step];
      const bool better = !(w <= b) & (b == b);
      y[l] = better ? w : b;
      if (wants_index) index[l] = better ? here : index[l];
    }
  }
}

template <class T, bool wants_index>
void max_windows(T* y, int32_t* index, const T* x, const int64_t* at, const int32_t* place, int64_t count, int64_t n,
                 int64_t step) {
  if (step == 1) return max_channels<T, wants_index>(y, index, x, at, place, count, n, 1, 0);
  int64_t i = 0;
  if (step == 2) {
    for (; i + 16 <= n; i += 16) max_block<T, wants_index>(y + i, index + i, x + i * 2, at, place, count, 16, 2);
    for (; i + 4 <= n; i += 4) max_block<T, wants_index>(y + i, index + i, x + i * 2, at, place, count, 4, 2);
  }
  max_block<T, wants_index>(y + i, index + i, x + i * step, at, place, count, n - i, step);
}

template <class T>
void pool_max(void* y_, int32_t* index, const void* x_, const int64_t* at, const int32_t* place, int64_t count,
              int64_t n, int64_t step, int64_t windows, int64_t apart) {
  T* y = static_cast<T*>(y_);
  const T* x = static_cast<const T*>(x_);
  if (step > 1)
    index ? max_windows<T, true>(y, index, x, at, place, count, n, step)
          : max_windows<T, false>(y, index, x, at, place, count, n, step);
  else
    index ? max_channels<T, true>(y, index, x, at, place, count, n, windows, apart)
          : max_channels<T, false>(y, index, x, at, place, count, n, windows, apart);
}

// Large windows are added in groups of elements, whose sums are added: read(e) is added to `total` for all e.
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

template <class T>
void pool_sum(void* y_, const void* x_, const int64_t* at, int64_t count, double weight, int64_t n, int64_t step,
              int64_t windows, int64_t apart) {
  T* y = static_cast<T*>(y_);
  const T *x = static_cast<const T*>(x_), w = static_cast<T>(weight);
  const auto one = [&](int64_t i) {
    T total;
    add_up(total, count, [&](T& v, int64_t e) { v = x[at[e] + i * step]; });
    y[i] = total * w;
  };
  if (step > 1) {
    for (int64_t i = 0; i < n; ++i) one(i);
    return;
  }
  for (int64_t o = 0; o < windows; ++o, x += apart, y += n) {
    over_channels<T>(
        n, (windows - o) * n,
        [&](int64_t i) {
          Vector<T> total;
          add_up(total, count, [&](Vector<T>& v, int64_t e) { load(v, x + at[e] + i); });
          total *= w;
          std::memcpy(y + i, &total, sizeof total);
        },
        one);
  }
}

template <class T>
void pool_scatter(void* gx_, const void* gy_, const int32_t* index, const PoolLine& line, int64_t n) {
  T* gx = static_cast<T*>(gx_);
  const T* gy = static_cast<const T*>(gy_);
  for (int64_t x = 0; x < line.length; ++x, gx += n) {
    // f(first element of a window, place of x in it)
    const auto windows = [&](auto&& f) {
      for (int64_t v = 0; v < line.rows; ++v)
        for (int64_t o = line.first[x]; o < line.end[x]; ++o)
          f((line.window[v] + o) * n, line.place[v] + static_cast<int32_t>(x - o * line.stride + line.pad));
    };
    const int64_t last = line.rows && line.end[x] > line.first[x] ? line.window[line.rows - 1] + line.end[x] : 1;
    const int64_t written = line.length - x, read = line.windows - last + 1;
    over_channels<T>(
        n, (written < read ? written : read) * n,
        [&](int64_t i) {
          Vector<T> sum{}, g;
          Integers<T> chosen;
          windows([&](int64_t from, int32_t here) {
            load(g, gy + from + i);
            load_places(chosen, index + from + i);
            sum += chosen == here ? g : Vector<T>{};
          });
          std::memcpy(gx + i, &sum, sizeof sum);
        },
        [&](int64_t i) {
          T sum = 0;
          windows([&](int64_t from, int32_t here) { sum += index[from + i] == here ? gy[from + i] : T(0); });
          gx[i] = sum;
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
    const int64_t last = line.rows && line.end[x] > line.first[x] ? line.window[line.rows - 1] + line.end[x] : 1;
    const int64_t written = line.length - x, read = line.windows - last + 1;
    over_channels<T>(
        n, (written < read ? written : read) * n,
        [&](int64_t i) {
          Vector<T> sum{}, g;
          windows([&](int64_t from, T w) {
            load(g, gy + from + i);
            sum += w * g;
          });
          std::memcpy(gx + i, &sum, sizeof sum);
        },
        [&](int64_t i) {
          T sum = 0;
          windows([&](int64_t from, T w) { sum += w * gy[from + i]; });
          gx[i] = sum;
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
  k.pool_spread[0] = pool_spread<float>;
  k.pool_spread[1] = pool_spread<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
