// SPDX-License-Identifier: MIT
#include "chainer/autograd/computational_graph.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace chainer::computational_graph {
namespace {

std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '"' || c == '\\' || c == '|' || c == '{' || c == '}' || c == '<' || c == '>') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

ComputationalGraph build_computational_graph(const Variables& outputs, const GraphOptions& options) {
  ComputationalGraph g;
  g.options = options;
  std::unordered_map<const void*, std::size_t> ids;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  std::vector<const FunctionNode*> waiting;
  const auto id = [&](const void* key, auto&& make) {
    const auto [it, fresh] = ids.try_emplace(key, g.nodes.size());
    if (fresh) g.nodes.push_back(make());
    return std::pair(it->second, fresh);
  };
  const auto connect = [&](std::size_t from, std::size_t to) {
    if (seen.emplace(from, to).second) g.edges.emplace_back(from, to);
  };
  const auto variable = [&](const VariableNode* n) {
    return id(n,
              [&] {
                const std::string name = options.show_name ? n->name() : "";
                return ComputationalGraph::Node{name.empty() ? n->label() : name + ": " + n->label(), false};
              })
        .first;
  };
  const auto function = [&](const FunctionNode* f) {
    const auto [at, fresh] = id(f, [&] { return ComputationalGraph::Node{f->label(), true}; });
    if (fresh) waiting.push_back(f);
    return at;
  };
  // Outputs first, then the inputs of each function.
  const auto link_creator = [&](const VariableNode* n) {
    if (const FunctionNode* f = n->creator()) {
      const std::size_t from = function(f);
      if (!options.remove_variable) connect(from, variable(n));
    }
  };
  std::vector<Ref<VariableNode>> roots;
  for (const Variable& y : outputs) roots.push_back(y.node());
  for (const auto& n : roots) {
    if (!options.remove_variable) variable(n.get());
    link_creator(n.get());
  }
  while (!waiting.empty()) {
    const FunctionNode* f = waiting.back();
    waiting.pop_back();
    for (const auto& x : f->inputs()) {
      link_creator(x.get());
      if (!options.remove_variable)
        connect(variable(x.get()), function(f));
      else if (x->creator())
        connect(function(x->creator()), function(f));
    }
  }
  return g;
}

std::string ComputationalGraph::dump(std::string_view format) const {
  if (format != "dot") throw NotImplementedError("only the format 'dot' can be written, not '", format, "'");
  const std::string_view directions[] = {"TB", "BT", "LR", "RL"};
  if (std::find(std::begin(directions), std::end(directions), options.rankdir) == std::end(directions))
    throw ValueError("rankdir must be TB, BT, LR or RL, not '", options.rankdir, "'");
  std::string s = "digraph graphname{rankdir=" + options.rankdir + ";";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Style& given = nodes[i].is_function ? options.function_style : options.variable_style;
    s += text(i, " [label=\"", escaped(nodes[i].label), "\"");
    bool has_shape = false;
    for (const auto& [key, value] : given) {
      has_shape |= key == "shape";
      s += text(",", key, "=\"", escaped(value), "\"");
    }
    if (!has_shape) s += text(",shape=\"", nodes[i].is_function ? "box" : "oval", "\"");
    s += "];";
  }
  for (const auto& [from, to] : edges) s += text(from, " -> ", to, ";");
  return s + "}";
}

}  // namespace chainer::computational_graph
