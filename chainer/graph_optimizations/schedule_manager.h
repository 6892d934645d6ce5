// SPDX-License-Identifier: MIT
// The schedules of one static chain: decides which call records, which replays, and which runs the code itself.
#pragma once
#include <any>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/graph_optimizations/options.h"

namespace chainer {

class Link;
namespace static_graphs {
using Function = std::function<Variables(const Variables&)>;
}  // namespace static_graphs

/// The schedules of a static chain. Several threads may call a static chain; each call uses its own schedule.
class ScheduleManager {
 public:
  explicit ScheduleManager(const StaticGraphOptions& options);
  ScheduleManager(const ScheduleManager&) = delete;
  ScheduleManager& operator=(const ScheduleManager&) = delete;

  /// Ends the forward pass of this iteration: schedules may be reused, so gradients of earlier calls are no longer
  /// available. (backward() and the destruction of a call's results have the same effect for that call.)
  void end_forward();
  /// Drops all unused schedules.
  void clear();
  /// Returns the number of schedules.
  std::size_t size() const;
  /// Returns the reason why the code itself runs at every call; empty if schedules are replayed.
  std::string refused() const;
  /// Lets the code itself run at every call from now on.
  void refuse(const std::string& why);
  /// The numbers of recorded calls, of replayed calls, and of calls that ran the code itself.
  struct Counts {
    int64_t recorded = 0, replayed = 0, define_by_run = 0;
  };
  Counts counts() const;
  /// Returns a description of the schedules, step by step, which replaces the manual's inspection of schedules.
  std::string text() const;
  const StaticGraphOptions& options() const { return options_; }

  /// Returns f(args), replayed if possible. `nesting` holds the lengths of the lists among the arguments; `structure`
  /// is set to that of the recording call. Throws RuntimeError inside of another static chain.
  Variables call(const char* name, const static_graphs::Function& f, const Variables& args,
                 const std::vector<int64_t>& nesting, const std::vector<Link*>& links, std::any* structure);

 private:
  struct State;
  void say(int level, const char* name, const std::string& what) const;
  void tell_once(const char* name) const;

  const StaticGraphOptions options_;
  const std::shared_ptr<State> state_;
};

}  // namespace chainer
