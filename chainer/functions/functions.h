// SPDX-License-Identifier: MIT
// F: all functions. A call takes the manual's required arguments in their order. Options follow: a single option as a
// value (F::leaky_relu(x, 0.1)), several as a struct named after the function. The members of the struct are in the
// manual's order, so braces take them by name or by position: F::normalize(x, {.eps = 1e-4, .axis = 2}),
// F::normalize(x, {1e-4, 2}).
// Errors of all functions: dtypes and shapes of the inputs are checked before any computation. A failed check throws
// InvalidType, whose message shows the condition and the values; with config().type_check = false it throws the base
// class TypeError with a shorter message. An input that is none, and inputs on different devices, throw TypeError. An
// axis out of range throws IndexError, and an axis that is given twice ValueError. Memory that cannot be allocated
// throws MemoryError. Integer inputs such as labels are of signed dtypes; where a comment names a floating dtype, any
// of float16, bfloat16, float32 and float64 is meant.
#pragma once
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/evaluation.h"
#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/text_metrics.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/rnn.h"
#include "chainer/functions/sparse.h"
#include "chainer/functions/util.h"
