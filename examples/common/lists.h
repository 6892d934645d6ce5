// SPDX-License-Identifier: MIT
// Batches of sequences of different lengths.
#pragma once
#include <chainer/chainer.h>

namespace examples {

/// A converter that returns the first array of each example, then the second of each. They are transferred to another
/// device as one array and split there. (For arrays of one axis and one dtype.)
inline chainer::Example one_after_another(const chainer::Examples& batch,
                                          const std::optional<chainer::Device>& device) {
  using namespace chainer;
  Arrays all;
  for (std::size_t side : {0u, 1u})
    for (const Example& e : batch) all.push_back(e[side]);
  if (!device || device->is_host()) return Example(all);
  const Array sent = concatenate(all).to_device(*device);
  int64_t begin = 0;
  for (Array& a : all) {
    const int64_t end = begin + len(a);
    a = sent[Slice(begin, end)];
    begin = end;
  }
  return Example(all);
}

}  // namespace examples
