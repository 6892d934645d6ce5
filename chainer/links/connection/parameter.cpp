// SPDX-License-Identifier: MIT
#include "chainer/links/connection.h"

namespace chainer::links {

CHAINER_DEFINE_MEMBERS(Parameter, W)

}  // namespace chainer::links
