// SPDX-License-Identifier: MIT
#include "chainer/core/system/precise_sleeps.h"

#include <sys/prctl.h>

namespace chainer {

PreciseSleeps::PreciseSleeps() : before_(::prctl(PR_GET_TIMERSLACK)) { ::prctl(PR_SET_TIMERSLACK, 1000UL); }
PreciseSleeps::~PreciseSleeps() {
  if (before_ > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_));
}

}  // namespace chainer
