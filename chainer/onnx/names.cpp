// SPDX-License-Identifier: MIT
// Names of tensors in bodies of control flow operators, and the order of nodes.
#include <algorithm>
#include <map>
#include <set>

#include "chainer/onnx/model_file.h"

namespace chainer::onnx {
namespace {

// The names that are visible in a body, with their unique names.
struct Scope {
  const Scope* outer = nullptr;
  std::map<std::string, std::string, std::less<>> names = {};

  const std::string* find(const std::string& name) const {
    for (const Scope* s = this; s; s = s->outer)
      if (const auto it = s->names.find(name); it != s->names.end()) return &it->second;
    return nullptr;
  }
};

class Resolver {
 public:
  Resolver(ModelFile& file, std::string_view what) : file_(file), what_(what) {}

  void run() {
    Scope top;
    const auto visible = [&](const std::string& name) {
      used_.insert(name);
      top.names.emplace(name, name);
    };
    for (const ValueInfo& v : file_.inputs) visible(v.name);
    for (const auto& [name, value] : file_.initializers) visible(name);
    for (const Node& n : file_.nodes)
      for (const std::string& name : n.outputs) visible(name);
    for (Node& n : file_.nodes) resolve_bodies(n, top);
  }

 private:
  std::string define(Scope& scope, const std::string& name) {
    if (name.empty()) return name;
    std::string fresh = name;
    while (!used_.insert(fresh).second) fresh = text(name, "_", ++count_);
    if (!scope.names.emplace(name, fresh).second)
      throw ValueError(what_, ": two tensors of a body are named '", name, "'");
    return fresh;
  }

  void resolve_bodies(Node& n, const Scope& outer) {
    std::set<std::string> read;
    for (Attribute& a : n.attributes)
      if (a.graph) {
        const std::set<std::string> free = resolve(*a.graph, outer);
        read.insert(free.begin(), free.end());
      }
    n.captured.assign(read.begin(), read.end());
  }

  // Returns the names that the body does not define.
  std::set<std::string> resolve(Graph& g, const Scope& outer) {
    Scope scope{&outer};
    std::set<std::string> own, free;
    const auto defined = [&](std::string& name) {
      name = define(scope, name);
      own.insert(name);
    };
    for (ValueInfo& v : g.inputs) defined(v.name);
    for (auto& [name, value] : g.initializers) {
      file_.initializers.emplace_back(define(scope, name), std::move(value));
    }
    g.initializers.clear();
    for (Node& n : g.nodes)
      for (std::string& name : n.outputs) defined(name);
    const auto used = [&](std::string& name) {
      if (name.empty()) return;
      if (const std::string* unique = scope.find(name)) name = *unique;
      if (!own.contains(name)) free.insert(name);
    };
    for (Node& n : g.nodes) {
      for (std::string& name : n.inputs) used(name);
      resolve_bodies(n, scope);
      for (const std::string& name : n.captured)
        if (!own.contains(name)) free.insert(name);
    }
    for (ValueInfo& v : g.outputs) used(v.name);
    return free;
  }

  ModelFile& file_;
  std::string_view what_;
  std::set<std::string, std::less<>> used_;
  std::size_t count_ = 0;
};

}  // namespace

void resolve_names(ModelFile& file, std::string_view what) { Resolver(file, what).run(); }

void sort_nodes(Graph& graph, std::string_view what) {
  std::map<std::string, std::size_t, std::less<>> maker;
  std::set<std::string, std::less<>> given;
  for (const ValueInfo& v : graph.inputs) given.insert(v.name);
  for (const auto& [name, value] : graph.initializers) given.insert(name);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::string& name : graph.nodes[i].outputs)
      if (!name.empty() && !given.contains(name)) maker.emplace(name, i);
  const std::size_t n = graph.nodes.size();
  std::vector<std::size_t> missing(n, 0);
  std::vector<std::vector<std::size_t>> readers(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const auto* list : {&graph.nodes[i].inputs, &graph.nodes[i].captured})
      for (const std::string& name : *list) {
        const auto it = maker.find(name);
        if (name.empty() || it == maker.end()) continue;
        readers[it->second].push_back(i);
        ++missing[i];
      }
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < n; ++i)
    if (!missing[i]) ready.insert(i);
  std::vector<Node> sorted;
  sorted.reserve(n);
  while (!ready.empty()) {
    const std::size_t i = *ready.begin();
    ready.erase(ready.begin());
    sorted.push_back(std::move(graph.nodes[i]));
    for (const std::size_t r : readers[i])
      if (--missing[r] == 0) ready.insert(r);
  }
  for (std::size_t i = 0; sorted.size() < n && i < n; ++i)
    if (missing[i])
      throw ValueError(what, ": ", graph.nodes[i].op_type, " '", graph.nodes[i].name,
                       "' is part of a cycle or follows one");
  graph.nodes = std::move(sorted);
}

}  // namespace chainer::onnx
