// SPDX-License-Identifier: MIT
// The functions that fill the kernel tables, defined in sources that are compiled once per instruction set.
#pragma once
#include "chainer/backend/cpu/kernels/instruction_sets.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/ivdep.h"

namespace chainer::cpu {

CHAINER_DECLARE_FILL(fill_elementwise, Kernels)
CHAINER_DECLARE_FILL(fill_convert, Kernels)
CHAINER_DECLARE_FILL(fill_transpose, Kernels)
CHAINER_DECLARE_FILL(fill_reduce, Kernels)
CHAINER_DECLARE_FILL(fill_update, Kernels)
CHAINER_DECLARE_FILL(fill_random, Kernels)
CHAINER_DECLARE_FILL(fill_picked_rows, Kernels)
CHAINER_DECLARE_FILL(fill_thin, Kernels)
CHAINER_DECLARE_FILL(fill_normalize, Kernels)
CHAINER_DECLARE_FILL(fill_recurrent, Kernels)

}  // namespace chainer::cpu
