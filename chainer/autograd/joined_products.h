// SPDX-License-Identifier: MIT
// Batching of weight gradients: one matrix product for all functions that share a weight.
#pragma once
#include <unordered_map>
#include <vector>

#include "chainer/autograd/variable.h"

namespace chainer {

/// Products left^T right that are still to be added to the gradients of leaves. In a network that applies a weight at
/// every time step, each step has few rows, and a separate product per step reads and writes the whole gradient for
/// little arithmetic; one product over the rows of all steps does so only once. Exists during a call of backward() on
/// this thread.
class JoinedProducts {
 public:
  JoinedProducts();
  JoinedProducts(const JoinedProducts&) = delete;
  JoinedProducts& operator=(const JoinedProducts&) = delete;
  ~JoinedProducts();
  /// Returns the object of the innermost backward() on this thread. Returns nullptr outside of backward(), if gradients
  /// have a graph, and in debug mode, which checks the result of each function.
  static JoinedProducts* current();
  /// Defers the addition of left^T right to a leaf, which must have a gradient already.
  void add(const Ref<VariableNode>& leaf, const Array& left, const Array& right);
  /// Adds the pending products of leaves with at least kRows pending rows.
  void flush_due();
  /// Adds all pending products.
  void flush_all();
  /// Adds the pending products of one leaf.
  void flush(const VariableNode& leaf);

 private:
  struct PendingProduct {
    Ref<VariableNode> leaf;
    Arrays left, right;
    int64_t rows = 0;
  };
  static void flush(PendingProduct& product);
  static constexpr int64_t kRows = 1024;  // enough for full speed, but little memory is held
  std::vector<PendingProduct> pending_;
  std::unordered_map<const VariableNode*, std::size_t> at_;  // positions in pending_, by leaf
  std::vector<std::size_t> due_;                             // positions of those with kRows rows or more
  JoinedProducts* outer_;
};

}  // namespace chainer
