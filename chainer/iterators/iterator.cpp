// SPDX-License-Identifier: MIT
#include "chainer/iterators/iterator.h"

namespace chainer {

Examples Iterator::next() {
  std::optional<Examples> batch = try_next();
  if (!batch) throw StopIteration("the iterator has ended");
  return std::move(*batch);
}

}  // namespace chainer
