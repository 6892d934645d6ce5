// SPDX-License-Identifier: MIT
#include "chainer/core/system/temporary_variable.h"

#include <stdlib.h>

namespace chainer {

TemporaryVariable::TemporaryVariable(bool wanted, const char* name, const char* value) {
  if (wanted && !::getenv(name) && ::setenv(name, value, 0) == 0) ours_ = name;
}
TemporaryVariable::~TemporaryVariable() {
  if (ours_) ::unsetenv(ours_);
}

}  // namespace chainer
