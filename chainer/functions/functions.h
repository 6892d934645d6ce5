// F: all functions. A call takes the manual's required arguments in their order. Options follow: one alone as a value
// (F::leaky_relu(x, 0.1)), several as a struct named after the function, whose members stand in the manual's order, so
// that braces take them by name or by position: F::normalize(x, {.eps = 1e-4, .axis = 2}), F::normalize(x, {1e-4, 2}).
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
