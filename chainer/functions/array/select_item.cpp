// SPDX-License-Identifier: MIT
#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable SelectItem::operator()(const Variable& x, const Variable& t) const {
  type_check::check("SelectItem", {x.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    type_check::expect(in[1].dtype().kind() == 'i', in[0].ndim() == 2, in[1].ndim() == 1);
    type_check::expect(in[0].shape(0) == in[1].shape(0));
  });
  recording::step("labels", {&t.array(), 1}, {}, [classes = x.shape()[1]](std::span<const Array> in, std::span<Array>) {
    const std::vector<int64_t> labels = in[0].to_vector<int64_t>();
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] < 0 || labels[i] >= classes)
        throw IndexError("select_item: label ", labels[i], " at position ", i, " is not in 0 ... ", classes - 1);
  });
  return get_item(x, {arange(t.size()), t.array()});
}

}  // namespace chainer::functions
