// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Arrays that the calls in one run of a function computed from state that they changed: factors of running statistics,
/// vectors of a power iteration. A later run takes the same arrays, whatever happened to the state in between, so that
/// F::forget computes the gradients of its first run.
///   StateRecord record;
///   {
///     const StateScope scope(record, StateScope::record);
///     f(x);
///   }
///   const StateScope scope(record, StateScope::repeat);
///   f(x);  // the same again
class StateRecord {
 public:
  /// Returns compute(), which a recording StateScope of this thread keeps, or the arrays that the corresponding call of
  /// the recorded run got, in a repeating one. Throws RuntimeError if the recorded run made fewer calls; that a later
  /// run makes fewer is not noticed.
  static Arrays get(const std::function<Arrays()>& compute);

 private:
  friend class StateScope;
  std::vector<Arrays> calls_;
};

/// While it lives, StateRecord::get() of this thread records or repeats. Scopes may be nested.
class StateScope {
 public:
  enum Use { record, repeat };
  StateScope(StateRecord& of, Use use);
  StateScope(const StateScope&) = delete;
  ~StateScope();

 private:
  friend class StateRecord;
  Arrays get(const std::function<Arrays()>& compute);
  StateRecord& record_;
  const Use use_;
  std::size_t next_ = 0;
  StateScope* outer_;
};

}  // namespace chainer
