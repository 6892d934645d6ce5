#include "chainer/functions/array.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variables TransposeSequence::operator()(const Variables& xs) const {
  Variables out;
  if (xs.empty()) return out;
  for (std::size_t i = 1; i < xs.size(); ++i)
    if (len(xs[i]) > len(xs[i - 1]))
      throw ValueError("transpose_sequence: arrays must be sorted by length, the longest first; ", len(xs[i]),
                       " follows ", len(xs[i - 1]));
  // Row t of every array that has one, picked from all of them in one piece.
  const Variable all = concat(xs, 0);
  std::vector<int64_t> starts;
  int64_t at = 0;
  for (const Variable& x : xs) starts.push_back(at), at += len(x);
  for (int64_t t = 0; t < len(xs[0]); ++t) {
    std::vector<int64_t> rows;
    for (std::size_t i = 0; i < xs.size() && len(xs[i]) > t; ++i) rows.push_back(starts[i] + t);
    out.push_back(get_item(all, {array(rows, Shape{static_cast<int64_t>(rows.size())})}));
  }
  return out;
}

}  // namespace chainer::functions
