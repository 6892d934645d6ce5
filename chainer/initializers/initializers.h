// SPDX-License-Identifier: MIT
// Initial values of weights (manual: "Weight Initializers").
#pragma once
#include "chainer/initializers/constant.h"
#include "chainer/initializers/random.h"
