// The schedules of one static chain: which call records, which replays, which runs the code itself.
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

/// What a static chain keeps between calls. Threads may call one static chain; each call has a schedule of its own.
class ScheduleManager {
 public:
  explicit ScheduleManager(const StaticGraphOptions& options);
  ScheduleManager(const ScheduleManager&) = delete;
  ScheduleManager& operator=(const ScheduleManager&) = delete;

  /// The forward pass of this iteration is over: schedules may be used again, and with that the gradients of the calls
  /// so far are lost. (backward() says so by itself, and so does the end of a call's results.)
  void end_forward();
  /// Drops all schedules that no call uses.
  void clear();
  /// How many schedules there are now.
  std::size_t size() const;
  /// Why the code itself runs at every call; empty where schedules are replayed.
  std::string refused() const;
  /// How often schedules were recorded and replayed.
  struct Counts {
    int64_t recorded = 0, replayed = 0, define_by_run = 0;
  };
  Counts counts() const;
  /// The schedules, step by step: what the manual's inspection of schedules is here.
  std::string text() const;
  const StaticGraphOptions& options() const { return options_; }

  /// f(args), replayed where that is possible. `nesting` says how long the lists among the arguments are; `structure`
  /// is given back from the call that recorded what is replayed.
  Variables call(const char* name, const static_graphs::Function& f, const Variables& args,
                 const std::vector<int64_t>& nesting, const std::vector<Link*>& links, std::any* structure);

 private:
  struct State;
  void say(int level, const char* name, const std::string& what) const;

  const StaticGraphOptions options_;
  const std::shared_ptr<State> state_;
};

}  // namespace chainer
