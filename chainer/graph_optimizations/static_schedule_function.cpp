// SPDX-License-Identifier: MIT
#include "chainer/graph_optimizations/static_schedule_function.h"

namespace chainer::static_graphs {

Variables StaticScheduleFunction::backward(const Indexes& wanted, const Variables& gy) {
  if (config().enable_backprop)
    throw RuntimeError(
        "static_graph: gradients with a graph of their own need the option "
        "enable_double_backprop");
  Schedule& schedule = *use_->schedule;
  if (schedule.use != use_->number)
    throw RuntimeError(
        "static_graph: backward() of a call whose schedule a later call has used: end_forward() was "
        "called, or backward() a second time after that call");
  Variables gx = schedule.backward(wanted, gy);
  use_->differentiated(schedule, use_->number);
  return gx;
}

}  // namespace chainer::static_graphs
