// SPDX-License-Identifier: MIT
#include "chainer/functions/loss/labels_and_samples.h"

#include "chainer/array/host.h"
#include "chainer/array/index.h"

namespace chainer::functions {

Array labels_and_samples(const Array& t, const Array& samples, int64_t vocabulary, std::string_view name,
                         bool* ignored) {
  if (samples.ndim() != 2 || t.ndim() != 1 || t.size() != samples.shape()[0])
    throw DimensionError(name, ": labels of shape ", t.shape(), " and samples of shape ", samples.shape(),
                         " do not fit: a row of samples for each label is needed");
  const int64_t n = samples.shape()[0], k = samples.shape()[1] + 1;
  const Array labels = to_host(t).astype(Dtype::int64);
  Array index({n, k}, Dtype::int64);
  index.set({Slice(), Slice(1, std::nullopt)}, samples);
  const int64_t* label = labels.data<int64_t>();
  int64_t* p = index.mutable_data<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    *ignored |= label[i] == -1;
    if (label[i] != -1 && (label[i] < 0 || label[i] >= vocabulary))
      throw IndexError(name, ": label ", label[i], " at position ", i, " is not in 0 ... ", vocabulary - 1);
    p[i * k] = label[i] == -1 ? 0 : label[i];
    for (int64_t j = i * k + 1; j < (i + 1) * k; ++j)
      if (p[j] < 0 || p[j] >= vocabulary)
        throw IndexError(name, ": sample ", p[j], " at position ", i, " is not in 0 ... ", vocabulary - 1);
  }
  return index.to_device(t.device());
}

}  // namespace chainer::functions
