// SPDX-License-Identifier: MIT
// Functions that a file defines, written out at their calls.
#include <map>
#include <tuple>

#include "chainer/onnx/model_file.h"

namespace chainer::onnx {
namespace {

constexpr std::size_t kMostNodes = 200'000;  // functions that call functions grow exponentially
constexpr int kDeepestCalls = 64;

using Names = std::map<std::string, std::string, std::less<>>;

class Inliner {
 public:
  Inliner(const std::vector<Function>& functions, std::string_view what) : what_(what) {
    for (const Function& f : functions) functions_.emplace(key(f.domain, f.name, f.overload), &f);
  }

  void expand(std::vector<Node>& nodes, int depth) {
    std::vector<Node> out;
    for (Node& n : nodes) {
      if (++count_ > kMostNodes) throw ValueError(what_, ": more than ", kMostNodes, " nodes and calls of functions");
      for (Attribute& a : n.attributes)
        if (a.graph) expand(a.graph->nodes, depth);
      const auto it = functions_.find(key(n.domain, n.op_type, n.overload));
      if (it == functions_.end()) {
        out.push_back(std::move(n));
        continue;
      }
      if (depth >= kDeepestCalls)
        throw ValueError(what_, ": function '", n.op_type, "' is called within ", depth, " others, or calls itself");
      std::vector<Node> body = body_of(n, *it->second);
      expand(body, depth + 1);
      for (Node& b : body) out.push_back(std::move(b));
    }
    nodes = std::move(out);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key(const std::string& domain, const std::string& name, const std::string& overload) {
    return {domain, name, overload};
  }

  // Returns the nodes of f for a call.
  std::vector<Node> body_of(const Node& call, const Function& f) {
    if (call.inputs.size() > f.inputs.size() || call.outputs.size() > f.outputs.size())
      throw ValueError(what_, ": function '", f.name, "' has ", f.inputs.size(), " inputs and ", f.outputs.size(),
                       " outputs, a call has ", call.inputs.size(), " and ", call.outputs.size());
    prefix_ = text(call.name.empty() ? f.name : call.name, "#", ++calls_, "/");
    Names names;
    for (std::size_t i = 0; i < f.inputs.size(); ++i)
      names[f.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : std::string();
    std::vector<Node> out;
    for (std::size_t i = 0; i < f.outputs.size(); ++i) {
      if (i >= call.outputs.size() || call.outputs[i].empty()) continue;
      if (names.emplace(f.outputs[i], call.outputs[i]).second) continue;
      Node same;  // the output is an input of the function, or another output
      same.op_type = "Identity";
      same.inputs = {names[f.outputs[i]]};
      same.outputs = {call.outputs[i]};
      out.push_back(std::move(same));
    }
    for (const Node& n : f.nodes) out.push_back(n);
    for (std::size_t i = out.size() - f.nodes.size(); i < out.size(); ++i) adapt(out[i], names, call, f);
    return out;
  }

  std::string renamed(const std::string& name, const Names& names) const {
    if (name.empty()) return name;
    const auto it = names.find(name);
    return it == names.end() ? prefix_ + name : it->second;
  }

  void adapt(Node& n, const Names& names, const Node& call, const Function& f) {
    n.opset = f.opset ? f.opset : call.opset;
    if (!n.name.empty()) n.name = prefix_ + n.name;
    for (std::string& s : n.inputs) s = renamed(s, names);
    for (std::string& s : n.outputs) s = renamed(s, names);
    std::vector<Attribute> attributes;
    for (Attribute& a : n.attributes) {
      if (!a.reference.empty()) {
        const Attribute* given = nullptr;
        for (const auto* list : {&f.defaults, &call.attributes})
          for (const Attribute& b : *list)
            if (b.name == a.reference) given = &b;
        if (!given) continue;  // the operator's own default
        const std::string name = a.name;
        a = *given;
        a.name = name;
        a.reference.clear();
        if (a.graph) a.graph = copied(*a.graph);  // belongs to the graph of the call: its names stay
      } else if (a.graph) {
        a.graph = copied(*a.graph);
        adapt(*a.graph, names, call, f);
      }
      attributes.push_back(std::move(a));
    }
    n.attributes = std::move(attributes);
  }
  void adapt(Graph& g, const Names& names, const Node& call, const Function& f) {
    for (auto& [name, value] : g.initializers) name = renamed(name, names);
    for (ValueInfo& v : g.inputs) v.name = renamed(v.name, names);
    for (ValueInfo& v : g.outputs) v.name = renamed(v.name, names);
    for (Node& n : g.nodes) adapt(n, names, call, f);
  }

  static std::shared_ptr<Graph> copied(const Graph& g) {
    auto out = std::make_shared<Graph>(g);
    for (Node& n : out->nodes)
      for (Attribute& a : n.attributes)
        if (a.graph) a.graph = copied(*a.graph);
    return out;
  }

  std::string_view what_;
  std::map<Key, const Function*> functions_;
  std::size_t count_ = 0, calls_ = 0;
  std::string prefix_;
};

}  // namespace

void inline_functions(ModelFile& file, std::string_view what) {
  if (file.functions.empty()) return;
  Inliner(file.functions, what).expand(file.nodes, 0);
}

}  // namespace chainer::onnx
