// SPDX-License-Identifier: MIT
#include "chainer/mn/datasets.h"

namespace chainer::mn::datasets {
namespace {
struct Empty : Dataset {
  explicit Empty(int64_t n) : n(n) {}
  int64_t size() const override { return n; }
  Example get(int64_t) const override { return Example(Arrays()); }
  int64_t n;
};
}  // namespace

AnyDataset create_empty_dataset(const AnyDataset& dataset) {
  if (!dataset) throw TypeError("create_empty_dataset: the dataset is none");
  return Empty(dataset.size());
}

}  // namespace chainer::mn::datasets
