// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/quantized_linear.h"

namespace chainer::functions {

Variable quantized_rows(const Variable& x, const QuantizedMatrix& W, std::optional<int64_t> ignore) {
  if (CompositeRecorder::current || kind(x.dtype()) != 'i') {
    const Array wide = host_kernels::to_float(W.on_host()).to_device(x.device());
    return embed_id(x, Variable(wide, false), {.ignore_label = ignore});
  }
  Array ids = x.array().to_device(Device()).astype(int64).ravel();
  int64_t* const id = ids.mutable_data<int64_t>();
  std::vector<bool> ignored(static_cast<std::size_t>(ids.size()));
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (ignore && id[i] == *ignore)
      ignored[static_cast<std::size_t>(i)] = true, id[i] = 0;
    else if (id[i] < 0 || id[i] >= W.rows())
      throw IndexError("embed_id: id ", id[i], " at position ", i, " is outside the vocabulary of ", W.rows());
  }
  Array rows = host_kernels::to_float(W.on_host(), ids);
  for (int64_t i = 0; i < ids.size(); ++i)
    if (ignored[static_cast<std::size_t>(i)]) std::fill_n(rows.mutable_data<float>() + i * W.columns, W.columns, 0.f);
  Shape shape = x.shape();
  shape.push_back(W.columns);
  return Variable(rows.reshape(shape).to_device(x.device()), false);
}

}  // namespace chainer::functions
