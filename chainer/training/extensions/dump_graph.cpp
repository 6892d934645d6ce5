// SPDX-License-Identifier: MIT
#include "chainer/core/system/file.h"
#include "chainer/training/extensions.h"
#include "chainer/training/extensions/keep_graph.h"

namespace chainer::training::extensions {

void DumpGraph::initialize(Trainer&) {
  if (called_) return;
  original_flag_ = config().keep_graph_on_report.local().value_or(false);
  keep_ = std::make_shared<KeepGraph>();
}

void DumpGraph::operator()(Trainer& trainer) {
  if (called_) return;
  called_ = true;
  const auto it = trainer.observation.find(root_name_);
  const Variable* root = it == trainer.observation.end() ? nullptr : it->second.variable();
  if (!root || !*root) throw TypeError("dump_graph: the root '", root_name_, "' was not reported as a variable");
  const auto graph = computational_graph::build_computational_graph({*root}, options_);
  write_file(trainer.out() / out_name_, graph.dump());
  finalize();
  KeepGraph::let_go(trainer.observation);
}

void DumpGraph::finalize() {
  keep_.reset();
  original_flag_.reset();
}

void DumpGraph::serialize(Serializer& s) {
  bool original = original_flag_.value_or(false);
  if (!s.is_loading() || s.contains("_original_flag")) s("_original_flag", original);
  if (!s.is_loading() || s.contains("_flag_called")) s("_flag_called", called_);
}

DumpGraph dump_graph(const std::string& root_name, const std::string& out_name,
                     const computational_graph::GraphOptions& options) {
  return DumpGraph(root_name, out_name, options);
}

}  // namespace chainer::training::extensions
