// SPDX-License-Identifier: MIT
// The node of a call of a static chain in the surrounding graph.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "chainer/autograd/function_node.h"
#include "chainer/graph_optimizations/schedule.h"

namespace chainer::static_graphs {

/// The use of a schedule by one call. Its destruction ends the use: gradients of the call are no longer available.
struct Use {
  Use(std::shared_ptr<Schedule> s, uint64_t n, std::function<void(Schedule&, uint64_t)> e)
      : schedule(std::move(s)), number(n), ended(std::move(e)) {}
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { ended(*schedule, number); }
  const std::shared_ptr<Schedule> schedule;
  const uint64_t number;
  const std::function<void(Schedule&, uint64_t)> ended;
  std::function<void(Schedule&, uint64_t)> differentiated;  ///< called after a backward pass
};

/// A call of a static chain. Inputs are the arguments of the call, then the parameters that the chain reads.
class StaticScheduleFunction : public FunctionNode {
 public:
  /// forward() calls `compute` for the results.
  StaticScheduleFunction(std::shared_ptr<Use> use, std::function<Arrays()> compute)
      : use_(std::move(use)), compute_(std::move(compute)) {}
  std::string label() const override { return "StaticScheduleFunction"; }
  Arrays forward(const Arrays&) override { return std::exchange(compute_, nullptr)(); }
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  std::shared_ptr<Use> use_;
  std::function<Arrays()> compute_;
};

}  // namespace chainer::static_graphs
