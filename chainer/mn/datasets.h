// SPDX-License-Identifier: MIT
// Datasets for several processes (manual: "Dataset Utilities").
#pragma once
#include <optional>

#include "chainer/datasets/datasets.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/core/other_options.h"

namespace chainer::mn {

/// Options of scatter_dataset(), in the manual's order.
struct ScatterDatasetOptions {
  int root = 0;
  bool shuffle = false;
  std::optional<uint32_t> seed = {};         ///< seed of the shuffle; by default the global generator of rank root
  int64_t max_buf_len = int64_t(256) << 20;  ///< bytes sent at a time, below 2147483647
};

/// Returns a part of rank root's dataset on each rank; the argument of other ranks is ignored (AnyDataset() for none).
/// Of n examples in (shuffled) order, rank i of s gets ceil(n / s) examples from n i / s (rounded down) on: equal
/// sizes, which overlap if s does not divide n. Rank root reads and sends the examples of the other ranks; if one
/// cannot be read, all ranks throw. Its own examples are read when they are used. Throws ValueError for options out of
/// range. Collective.
///
/// Other ranks get examples, not the dataset, so a transform is applied to them once. A transform that draws random
/// numbers, from example_random() or random::global(), throws (ValueError on rank root, RuntimeError on the others),
/// because its results would be fixed. Apply it on each rank: TransformDataset(scatter_dataset(...), f).
AnyDataset scatter_dataset(const AnyDataset& dataset, const Communicator& comm,
                           const ScatterDatasetOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(scatter_dataset, ".root, .shuffle, .seed, .max_buf_len", const AnyDataset&,
                         const Communicator&);

/// Returns the range of the examples that a rank gets of n.
std::pair<int64_t, int64_t> shard_of(int64_t n, int rank, int size);

namespace datasets {
/// Returns a dataset of the same length whose examples are empty tuples, for models that receive their inputs from and
/// send their outputs to other ranks. Throws TypeError if there is no dataset.
AnyDataset create_empty_dataset(const AnyDataset& dataset);
}  // namespace datasets

}  // namespace chainer::mn
