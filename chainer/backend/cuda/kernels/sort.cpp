// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/sort.h"

namespace chainer::cuda {
namespace {

template <class T>
DEVICE bool is_before(T a, T b) {
  return a < b || (b != b && a == a);
}

// A bitonic sort in shared memory. Places beyond the row have the position -1 and are last.
template <class T>
DEVICE void sort_tiles(const SortArgs& a) {
  SHARED(T, keys, [SortArgs::kTile]);
  SHARED(int, places, [SortArgs::kTile]);
  const int threads = blockDim.x, t = threadIdx.x;
  const auto swapped = [&](int i, int j) {  // whether element j of the tile comes before element i
    if (places[j] < 0 || places[i] < 0) return places[i] < 0 && places[j] >= 0;
    if (is_before(keys[j], keys[i])) return true;
    return !is_before(keys[i], keys[j]) && places[j] < places[i];
  };
  const int64_t tiles = (a.n + a.tile - 1) / a.tile;
  for (int64_t which = blockIdx.x; which < a.rows * tiles; which += gridDim.x) {
    const int64_t row = which / tiles, first = which % tiles * a.tile;
    for (int i = t; i < a.tile; i += threads) {
      const bool is_inside = first + i < a.n;
      keys[i] = is_inside ? load<T>(a.in + (row * a.n + first + i) * a.bytes, a.type) : T(0);
      places[i] = is_inside ? static_cast<int>(first) + i : -1;
    }
    __syncthreads();
    for (int size = 2; size <= a.tile; size *= 2)
      for (int distance = size / 2; distance > 0; distance /= 2) {
        for (int pair = t; pair < a.tile / 2; pair += threads) {
          const int i = 2 * pair - pair % distance, j = i + distance;
          const bool up = (i & size) == 0;
          if (up ? swapped(i, j) : swapped(j, i)) {
            const T key = keys[i];
            const int place = places[i];
            keys[i] = keys[j], places[i] = places[j];
            keys[j] = key, places[j] = place;
          }
        }
        __syncthreads();
      }
    T* const out = reinterpret_cast<T*>(a.keys) + row * a.n + first;
    int* const order = a.order + row * a.n + first;
    for (int i = t; i < a.tile && first + i < a.n; i += threads) out[i] = keys[i], order[i] = places[i];
    __syncthreads();
  }
}

// Each element finds its place: its number in its own run, and the number of elements of the other run before it.
template <class T>
DEVICE void merge_runs(const SortArgs& a) {
  const T* const from = reinterpret_cast<const T*>(a.from_keys);
  T* const to = reinterpret_cast<T*>(a.keys);
  for (int64_t i = first_element(); i < a.rows * a.n; i += element_step()) {
    const int64_t row = i / a.n * a.n, at = i - row, pair = at / (2 * a.run) * (2 * a.run);
    const bool is_left = at - pair < a.run;
    const int64_t own = is_left ? pair : pair + a.run, other = is_left ? pair + a.run : pair;
    const T key = from[i];
    int64_t low = other < a.n ? other : a.n, high = other + a.run < a.n ? other + a.run : a.n;
    const int64_t begin = low;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const T there = from[row + middle];
      // Of equal keys those of the left run come first.
      if (is_left ? is_before(there, key) : !is_before(key, there))
        low = middle + 1;
      else
        high = middle;
    }
    const int64_t place = row + pair + (at - own) + (low - begin);
    to[place] = key;
    a.order[place] = a.from_order[i];
  }
}

}  // namespace

KERNEL(sort_tiles_float32, SortArgs) { sort_tiles<float>(a); }
KERNEL(sort_tiles_float64, SortArgs) { sort_tiles<double>(a); }
KERNEL(sort_tiles_int64, SortArgs) { sort_tiles<int64_t>(a); }
KERNEL(merge_runs_float32, SortArgs) { merge_runs<float>(a); }
KERNEL(merge_runs_float64, SortArgs) { merge_runs<double>(a); }
KERNEL(merge_runs_int64, SortArgs) { merge_runs<int64_t>(a); }

}  // namespace chainer::cuda
