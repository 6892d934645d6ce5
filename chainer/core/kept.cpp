// SPDX-License-Identifier: MIT
#include "chainer/core/kept.h"

#include "chainer/core/system/type_name.h"

namespace chainer {

void detail::kept_is_gone(const std::type_info* type, const std::type_info& base) {
  if (!type) throw RuntimeError("no ", type_name(base), " is set");
  throw RuntimeError("the ", type_name(*type), " passed by reference no longer exists: it must outlive its users. ",
                     "Move it in (std::move), or share it (std::shared_ptr)");
}

}  // namespace chainer
