// The graph behind variables, as text for Graphviz.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "chainer/autograd/function_node.h"

namespace chainer::computational_graph {

/// DOT attributes in the order they are printed.
using Style = std::vector<std::pair<std::string, std::string>>;

/// Options of build_computational_graph(), in the manual's order.
struct GraphOptions {
  Style variable_style = {{"shape", "octagon"}, {"fillcolor", "#E0E0E0"}, {"style", "filled"}};
  Style function_style = {{"shape", "record"}, {"fillcolor", "#6495ED"}, {"style", "filled"}};
  std::string rankdir = "TB";    ///< TB, BT, LR or RL
  bool remove_variable = false;  ///< connect functions directly
  bool show_name = true;         ///< show the names of variables
};

/// What was reached, ready to be written.
class ComputationalGraph {
 public:
  /// The text of the graph; "dot" is the one format.
  std::string dump(std::string_view format = "dot") const;
  struct Node {
    std::string label;
    bool is_function;
  };
  std::vector<Node> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  GraphOptions options;
};

/// Everything reachable backward from the outputs, up to variables that were unchained.
ComputationalGraph build_computational_graph(const Variables& outputs, const GraphOptions& options = {});

}  // namespace chainer::computational_graph
