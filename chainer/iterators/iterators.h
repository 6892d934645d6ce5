// SPDX-License-Identifier: MIT
// Iterators: batches of a dataset, epoch after epoch (manual: "Iterator").
#pragma once
#include "chainer/iterators/iterator.h"
#include "chainer/iterators/multiprocess_iterator.h"
#include "chainer/iterators/multithread_iterator.h"
#include "chainer/iterators/order_sampler.h"
#include "chainer/iterators/serial_iterator.h"
