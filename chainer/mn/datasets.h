// Datasets over several processes (manual: "Dataset Utilities").
#pragma once
#include <optional>

#include "chainer/datasets/datasets.h"
#include "chainer/mn/communicator_base.h"

namespace chainer::mn {

/// Options of scatter_dataset(), in the manual's order.
struct ScatterDatasetOptions {
  int root = 0;
  bool shuffle = false;
  std::optional<uint32_t> seed = {};         ///< of the shuffle; the global generator of rank root by default
  int64_t max_buf_len = int64_t(256) << 20;  ///< bytes sent at a time, below 2147483647
};

/// Collective: a part of rank root's dataset for each rank; what the others pass is ignored (AnyDataset() for none).
/// Of n examples in their (shuffled) order, rank i of s gets ceil(n / s), from number n i / s (rounded down) on: equal
/// sizes, which overlap where s does not divide n. Each rank gets its examples only: root reads and sends them. An
/// error while it reads is thrown by all ranks.
///
/// The other ranks hold examples, not the dataset they came from: a transform is applied once for them. One that draws
/// random numbers, from example_random() or random::global(), would be frozen there and is a ValueError on all ranks;
/// apply it behind the scattering, TransformDataset(scatter_dataset(...), f), on each rank.
AnyDataset scatter_dataset(const AnyDataset& dataset, const Communicator& comm,
                           const ScatterDatasetOptions& options = {});

/// The examples that rank i of s gets of n.
std::pair<int64_t, int64_t> shard_of(int64_t n, int rank, int size);

namespace datasets {
/// A dataset of the same length whose examples are empty tuples: for models that neither take inputs nor return
/// outputs, but receive and send.
AnyDataset create_empty_dataset(const AnyDataset& dataset);
}  // namespace datasets

}  // namespace chainer::mn
