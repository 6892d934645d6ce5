// SPDX-License-Identifier: MIT
// Computational graphs as Graphviz text.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "chainer/autograd/function_node.h"
#include "chainer/core/other_options.h"

namespace chainer::computational_graph {

/// DOT attributes, in the order in which they are printed.
using Style = std::vector<std::pair<std::string, std::string>>;

/// Options of build_computational_graph(), in the manual's order.
struct GraphOptions {
  Style variable_style = {{"shape", "octagon"}, {"fillcolor", "#E0E0E0"}, {"style", "filled"}};
  Style function_style = {{"shape", "record"}, {"fillcolor", "#6495ED"}, {"style", "filled"}};
  std::string rankdir = "TB";    ///< TB, BT, LR or RL
  bool remove_variable = false;  ///< connect functions directly
  bool show_name = true;         ///< show the names of variables
};

/// The reachable nodes and edges of a graph.
class ComputationalGraph {
 public:
  /// Returns the text of the graph. Throws NotImplementedError for formats other than "dot", ValueError for an unknown
  /// rankdir.
  std::string dump(std::string_view format = "dot") const;
  struct Node {
    std::string label;
    bool is_function;
  };
  std::vector<Node> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  GraphOptions options;
};

/// Returns the graph from which the outputs were computed, up to unchained variables.
ComputationalGraph build_computational_graph(const Variables& outputs, const GraphOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(build_computational_graph,
                         ".variable_style, .function_style, .rankdir, .remove_variable, .show_name", const Variables&);

}  // namespace chainer::computational_graph
