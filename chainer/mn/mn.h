// SPDX-License-Identifier: MIT
// Training with several processes (manual: "Distributed Deep Learning with ChainerMN"). Not included by chainer.h:
// programs that use it link chainer::mn.
#pragma once
#include "chainer/mn/checkpointer.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/datasets.h"
#include "chainer/mn/evaluator.h"
#include "chainer/mn/extensions.h"
#include "chainer/mn/functions.h"
#include "chainer/mn/global_except_hook.h"
#include "chainer/mn/iterators.h"
#include "chainer/mn/links.h"
#include "chainer/mn/optimizer.h"
#include "chainer/mn/roll_call.h"
