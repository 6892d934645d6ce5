// SPDX-License-Identifier: MIT
#include "chainer/core/kept.h"

#include "chainer/core/system/type_name.h"

namespace chainer {

void detail::kept_is_gone(const std::type_info* type, const std::type_info& base) {
  if (!type) throw RuntimeError("there is no ", type_name(base), " here: none was given");
  throw RuntimeError("the ", type_name(*type), " that was kept here by reference is gone: it must live longer than ",
                     "what uses it. Move it in (std::move), or share it (std::shared_ptr)");
}

}  // namespace chainer
