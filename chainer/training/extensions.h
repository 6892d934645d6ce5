// SPDX-License-Identifier: MIT
// The extensions of the trainer (manual: "Extensions").
#pragma once
#include "chainer/training/extensions/confusion_matrix_report.h"
#include "chainer/training/extensions/dashboard.h"
#include "chainer/training/extensions/evaluation.h"
#include "chainer/training/extensions/html_report.h"
#include "chainer/training/extensions/live.h"
#include "chainer/training/extensions/reporting.h"
#include "chainer/training/extensions/schedules.h"
#include "chainer/training/extensions/snapshot.h"
#include "chainer/training/extensions/tensorboard.h"
#include "chainer/training/extensions/trace.h"
#include "chainer/training/extensions/weight_average.h"
