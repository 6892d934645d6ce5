// F: all functions.
#pragma once
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/evaluation.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/rnn.h"
#include "chainer/functions/sparse.h"
#include "chainer/functions/util.h"
