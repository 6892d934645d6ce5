// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/links/activation.h"

namespace chainer::links {

PReLU::PReLU(const Shape& shape, const InitializerArg& init) : W(init, shape) {}
Variable PReLU::forward(const Variable& x) { return functions::prelu(x, W); }

CHAINER_DEFINE_MEMBERS(PReLU, W)

}  // namespace chainer::links
