// SPDX-License-Identifier: MIT
// Keeps the graphs of observed values while an extension needs them.
#pragma once
#include <optional>

#include "chainer/autograd/config.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/reporter.h"

namespace chainer::training::extensions {

/// Scope in which values reported by this thread keep their graphs (config().keep_graph_on_report). The end of the last
/// such scope restores the setting, whatever the order in which scopes end.
class KeepGraph {
 public:
  KeepGraph() {
    if (state().count++ > 0) return;
    state().before = config().keep_graph_on_report.local();
    config().keep_graph_on_report = true;
  }
  KeepGraph(const KeepGraph&) = delete;
  KeepGraph& operator=(const KeepGraph&) = delete;
  ~KeepGraph() {
    if (--state().count == 0) config().keep_graph_on_report.restore(state().before);
  }

  /// Drops the graphs of observed values, which outlive the iteration, unless another scope exists. Each extension
  /// calls this after use.
  static void let_go(Observation& observation) {
    if (state().count > 0) return;
    for (auto& [key, v] : observation)
      if (const Variable* y = v.variable(); y && *y && y->creator()) v = ReportValue(y->array());
  }

 private:
  struct State {
    int count = 0;
    std::optional<bool> before = {};
  };
  static State& state() {
    static constinit thread_local State s;
    return s;
  }
};

}  // namespace chainer::training::extensions
