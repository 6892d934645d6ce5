// Graphs behind what is observed, while somebody wants them.
#pragma once
#include <optional>

#include "chainer/autograd/config.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/reporter.h"

namespace chainer::training::extensions {

/// While one of these lives in the thread, what is reported keeps its graph (config().keep_graph_on_report); the
/// setting from before comes back with the last one's end, in whatever order they go.
class KeepGraph {
 public:
  KeepGraph() {
    if (count()++ > 0) return;
    before() = config().keep_graph_on_report.local();
    config().keep_graph_on_report = true;
  }
  KeepGraph(const KeepGraph&) = delete;
  KeepGraph& operator=(const KeepGraph&) = delete;
  ~KeepGraph() {
    if (--count() == 0) config().keep_graph_on_report.restore(before());
  }

  /// Takes the graphs out of what was observed, which lives longer than they should, unless another extension of this
  /// iteration still wants to see them: called by each behind its own look.
  static void let_go(Observation& observation) {
    if (count() > 0) return;
    for (auto& [key, v] : observation)
      if (const Variable* y = v.variable(); y && *y && y->creator()) v = ReportValue(y->array());
  }

 private:
  static int& count() {
    static thread_local int n = 0;
    return n;
  }
  static std::optional<bool>& before() {
    static thread_local std::optional<bool> value;
    return value;
  }
};

}  // namespace chainer::training::extensions
