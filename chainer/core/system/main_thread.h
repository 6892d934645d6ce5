// SPDX-License-Identifier: MIT
#pragma once

namespace chainer {

/// Returns true in the thread that runs main(), whose thread-local objects are destroyed when the process ends.
bool is_main_thread();

}  // namespace chainer
