// SPDX-License-Identifier: MIT
#include "chainer/core/system/main_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace chainer {

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

}  // namespace chainer
