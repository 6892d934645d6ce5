// SPDX-License-Identifier: MIT
#include "chainer/core/system/read_number.h"

namespace chainer {

std::from_chars_result read_number(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}

}  // namespace chainer
