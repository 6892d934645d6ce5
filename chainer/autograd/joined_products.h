// Gradients of weights that many functions share, as one product instead of one for each function.
#pragma once
#include <unordered_map>
#include <vector>

#include "chainer/autograd/variable.h"

namespace chainer {

/// What backward() still owes to the gradients of leaves: products left^T right of matrices with as many rows. A
/// network that applies a weight at each of many times has few rows a time, so that one product for each reads and
/// writes the whole gradient for little arithmetic; all of them together do it once. Lives as long as a call of
/// backward() on this thread.
class JoinedProducts {
 public:
  JoinedProducts();
  JoinedProducts(const JoinedProducts&) = delete;
  JoinedProducts& operator=(const JoinedProducts&) = delete;
  ~JoinedProducts();
  /// That of the innermost backward() on this thread; nullptr where there is none, where gradients have a graph, and in
  /// debug mode, which looks at each function's results.
  static JoinedProducts* current();
  /// Owes left^T right to a leaf that has a gradient already.
  void add(const Ref<VariableNode>& leaf, const Array& left, const Array& right);
  /// Adds what is owed to the gradients where it is worth it: from kRows rows on.
  void settle_due();
  /// Adds all that is owed.
  void settle_all();
  /// Adds what is owed to one leaf.
  void settle(const VariableNode& leaf);

 private:
  struct Debt {
    Ref<VariableNode> leaf;
    Arrays left, right;
    int64_t rows = 0;
  };
  static void settle(Debt& debt);
  static constexpr int64_t kRows = 1024;  // enough for full speed, few enough to hold no memory for long
  std::vector<Debt> debts_;
  std::unordered_map<const VariableNode*, std::size_t> at_;  // a leaf's among the debts
  std::vector<std::size_t> due_;                             // with kRows rows or more
  JoinedProducts* outer_;
};

}  // namespace chainer
