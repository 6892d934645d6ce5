// SPDX-License-Identifier: MIT
// Helpers for tests: gradient checks, the harness of one function, temporary states. Not a part of chainer/chainer.h,
// because programs that train do not need them.
#pragma once
#include "chainer/testing/gradient_check.h"
#include "chainer/testing/helpers.h"
#include "chainer/testing/op_case.h"
