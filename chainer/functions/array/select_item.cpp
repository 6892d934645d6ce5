// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/label_positions.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable SelectItem::operator()(const Variable& x, const Variable& t) const {
  type_check::check("SelectItem", {x.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    type_check::expect(in[1].dtype().kind() == 'i', in[0].ndim() == 2, in[1].ndim() == 1);
    type_check::expect(in[0].shape(0) == in[1].shape(0));
  });
  const Array chosen = label_positions<SelectItem>(t.array().to_device(x.device()), x.shape()[1]);
  // Labels that are an input of an exported network are an index of their own.
  return x.array().device().is_host() ? get_item(x, {arange(t.size()), t.array()}) : get_item(flatten(x), {chosen});
}

}  // namespace chainer::functions
