// SPDX-License-Identifier: MIT
// Updates of parameters on a device, collected to run together.
#pragma once
#include <deque>
#include <set>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/version.h"

namespace chainer::optimizer {

/// Collects passes of a device's backend to run together: one launch for many parameters. Adding a pass that would read
/// or write the arrays of a collected pass, or is of another backend, runs the collected ones first.
class Passes {
 public:
  void add(UpdatePass pass);
  void run();

 private:
  std::vector<UpdatePass> waiting_;
  std::deque<UpdateOf> counted_;
  std::set<const ArrayBody*> written_, read_;  // the owners of the memory
};

}  // namespace chainer::optimizer
