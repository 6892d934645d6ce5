// The node that stands for a call of a static chain in the graph around it.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "chainer/autograd/function_node.h"
#include "chainer/graph_optimizations/schedule.h"

namespace chainer::static_graphs {

/// One call's hold on a schedule. When the last of it goes, the call's gradients cannot be asked for any more.
struct Use {
  Use(std::shared_ptr<Schedule> s, uint64_t n, std::function<void(Schedule&, uint64_t)> e)
      : schedule(std::move(s)), number(n), ended(std::move(e)) {}
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { ended(*schedule, number); }
  const std::shared_ptr<Schedule> schedule;
  const uint64_t number;
  const std::function<void(Schedule&, uint64_t)> ended;
  std::function<void(Schedule&, uint64_t)> differentiated;  ///< a backward pass is over
};

/// Inputs are the call's arguments, then the parameters that the chain reads.
class StaticScheduleFunction : public FunctionNode {
 public:
  /// `compute` gives the results when forward() runs.
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
