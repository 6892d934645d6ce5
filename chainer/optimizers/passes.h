// Updates of parameters on a device, which wait to run together.
#pragma once
#include <deque>
#include <set>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/version.h"

namespace chainer::optimizer {

/// Passes of a device's backend that wait to run together: one launch for many parameters. What waits runs first where
/// another pass would read or write its arrays, or is of another backend.
class Passes {
 public:
  void add(UpdatePass pass);
  void run();

 private:
  std::vector<UpdatePass> waiting_;
  std::deque<UpdateOf> counted_;
  std::set<const ArrayBody*> written_, read_;  // the owners of their memory
};

}  // namespace chainer::optimizer
