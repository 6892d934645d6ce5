#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/lstm_gates.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variables TreeLstm::operator()(const Variables& inputs) const {
  if (inputs.size() < 2) throw InvalidType("in_types.size >= 2", text(inputs.size(), " < 2"), "tree_lstm");
  const std::size_t children = inputs.size() - 1;
  Arrays arrays;
  for (const Variable& v : inputs) arrays.push_back(v.array());
  type_check::check("TreeLSTM", arrays, [&](const type_check::TypeInfos& in) {
    for (std::size_t i = 0; i < children; ++i) {
      check_cell(in, static_cast<int64_t>(i), static_cast<int64_t>(children), 3 + static_cast<int64_t>(children));
      type_check::expect(in[static_cast<int64_t>(i)].shape(0) == in[static_cast<int64_t>(children)].shape(0));
    }
  });
  // Here, unlike in lstm, the gates stand one behind the other.
  const Variables g = split_axis(inputs.back(), 3 + static_cast<int64_t>(children), 1);
  Variable c = tanh(g[0]) * sigmoid(g[1]);
  for (std::size_t i = 0; i < children; ++i) c = c + sigmoid(g[3 + i]) * inputs[i];
  return {c, sigmoid(g[2]) * tanh(c)};
}

}  // namespace chainer::functions
