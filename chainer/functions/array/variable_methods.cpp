// SPDX-License-Identifier: MIT
// The methods of Variable that call functions of the graph.
#include "chainer/functions/array.h"

namespace chainer {

Variable Variable::operator[](const Index& index) const { return functions::get_item(*this, {index}); }
Variable Variable::operator[](std::initializer_list<Index> indices) const {
  return functions::get_item(*this, indices);
}
Variable Variable::reshape(const Shape& s) const { return functions::reshape(*this, s); }
Variable Variable::transpose(const Axes& axes) const { return functions::transpose(*this, axes); }
Variable Variable::to_device(const Device& d) const { return d == device() ? *this : functions::copy(*this, d); }

}  // namespace chainer
