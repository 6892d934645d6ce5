// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/sort.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {

// Tiles are sorted in shared memory, then runs are merged pairwise, from one pair of arrays to another.
bool CudaBackend::argsort(const Array& rows, Array& order) {
  if (order.size() == 0) return true;
  const int64_t n = rows.shape()[rows.ndim() - 1];
  if (n >= most_elements) return false;
  const Dtype wide = is_floating(rows.dtype()) ? compute_dtype(rows.dtype()) : int64;
  const auto make = [&](Dtype d) { return Array(rows.shape(), d, rows.device()); };
  Array keys = make(wide), other_keys, places = make(int32), other_places;
  SortArgs args{};
  args.in = static_cast<const char*>(rows.raw());
  args.type = type_of(rows.dtype()), args.bytes = static_cast<int>(item_size(rows.dtype()));
  args.n = n, args.rows = rows.size() / n;
  args.tile = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n, 2, SortArgs::kTile))));
  args.keys = static_cast<char*>(keys.mutable_raw()), args.order = static_cast<int*>(places.mutable_raw());
  const int index = order.device().index();
  const auto threads = static_cast<unsigned>(std::clamp(args.tile / 2, 32, 512));
  launch(index, kernel_for("sort_tiles", wide), {blocks_for(args.rows * ((n + args.tile - 1) / args.tile)), 1, 1},
         {threads, 1, 1}, args);
  if (args.tile < n) other_keys = make(wide), other_places = make(int32);
  for (args.run = args.tile; args.run < n; args.run *= 2) {
    std::swap(keys, other_keys), std::swap(places, other_places);
    args.from_keys = static_cast<char*>(other_keys.mutable_raw());
    args.from_order = static_cast<int*>(other_places.mutable_raw());
    args.keys = static_cast<char*>(keys.mutable_raw()), args.order = static_cast<int*>(places.mutable_raw());
    const Threads t(rows.size());
    launch(index, kernel_for("merge_runs", wide), t.grid, t.block, args);
  }
  copy_elements(places, order);
  return true;
}

}  // namespace chainer::cuda
