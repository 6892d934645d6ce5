// SPDX-License-Identifier: MIT
// Writes the computational graph as TensorFlow's GraphDef, with links as scopes.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

#include "chainer/autograd/function_node.h"
#include "chainer/links/link.h"
#include "chainer/viewing/tensorboard/protobuf.h"
#include "chainer/viewing/tensorboard/writer.h"

namespace chainer::tensorboard {
namespace {

using Path = std::vector<std::string>;

// TensorFlow's DataType (types.proto) for each Dtype.
constexpr uint64_t kDataTypes[kDtypeCount] = {10, 6, 5, 3, 9, 4, 19, 1, 2, 14};

// Splits "/predictor/l1" into its parts; replaces characters that TensorFlow does not allow.
Path path_of(const std::string& slashes) {
  Path out;
  std::string part;
  for (const char c : slashes + "/") {
    if (c != '/') {
      part += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' ? c : '_';
    } else if (!part.empty()) {
      if (part[0] == '_' || part[0] == '-') part.insert(0, 1, '.');
      out.push_back(std::move(part));
      part.clear();
    }
  }
  return out;
}
std::string name_in(const Path& scope, const std::string& name) {
  std::string out;
  for (const std::string& part : scope) out += part + "/";
  const Path own = path_of(name);
  return out + (own.empty() ? "variable" : own.back());
}
Path common(const Path& a, const Path& b) {
  return Path(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
}

struct Operation {
  const FunctionNode* function;
  // Scopes: of its parameters, and of the nearest functions with parameters above and below.
  std::optional<Path> own, above, below;
  std::string name;
  void meet(std::optional<Path>& at, const std::optional<Path>& other) const {
    if (other) at = at ? common(*at, *other) : *other;
  }
  // A function between two parts of a link belongs to that link; before the first and after the last function with
  // parameters, to the top level.
  Path scope() const { return own ? *own : above && below ? common(*above, *below) : Path(); }
};

// Returns the functions of the graph by rank, so that each function comes after the creators of its inputs.
std::vector<Operation> operations_behind(const Variables& outputs) {
  std::vector<Operation> out;
  std::set<const FunctionNode*> met;
  std::vector<const FunctionNode*> waiting;
  const auto meet = [&](const FunctionNode* f) {
    if (f && met.insert(f).second) waiting.push_back(f);
  };
  for (const Variable& y : outputs) meet(y.creator().get());
  while (!waiting.empty()) {
    const FunctionNode* f = waiting.back();
    waiting.pop_back();
    out.push_back({f, {}, {}, {}, {}});
    for (const auto& x : f->inputs()) meet(x->creator());
  }
  std::reverse(out.begin(), out.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const Operation& a, const Operation& b) { return a.function->rank() < b.function->rank(); });
  return out;
}

void set_scopes(std::vector<Operation>& all, const std::unordered_map<const VariableNode*, Path>& parameters) {
  std::unordered_map<const FunctionNode*, std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) places[all[i].function] = i;
  for (Operation& o : all)
    for (const auto& x : o.function->inputs()) {
      if (const auto p = parameters.find(x.get()); p != parameters.end())
        o.meet(o.own, Path(p->second.begin(), p->second.end() - 1));
      if (!x->creator()) continue;
      const Operation& from = all[places.at(x->creator())];
      o.meet(o.above, from.own ? from.own : from.above);
    }
  for (auto o = all.rbegin(); o != all.rend(); ++o)
    for (const auto& x : o->function->inputs())
      if (x->creator()) {
        Operation& from = all[places.at(x->creator())];
        from.meet(from.below, o->own ? o->own : o->below);
      }
}

Message shape_message(const Shape& shape) {
  Message out;
  for (const int64_t n : shape) out.message(2, Message().number(1, static_cast<uint64_t>(n)));
  return out;
}

Message node_message(const std::string& name, const std::string& operation, const std::vector<std::string>& inputs,
                     const std::vector<const VariableNode*>& outputs) {
  Message node;
  node.bytes(1, name).bytes(2, operation);
  for (const std::string& input : inputs) node.bytes(3, input);
  Message shapes;
  for (const VariableNode* y : outputs)
    shapes.message(7, y ? shape_message(y->shape()) : Message().number(3, 1));  // 3: of unknown rank
  node.message(5, Message().bytes(1, "_output_shapes").message(2, Message().message(1, shapes)));
  if (!outputs.empty() && outputs[0])
    node.message(5, Message()
                        .bytes(1, "dtype")
                        .message(2, Message().number(6, kDataTypes[static_cast<std::size_t>(outputs[0]->dtype())])));
  return node;
}

}  // namespace

void Writer::graph(const Variables& outputs, const std::map<std::string, const Link*>& links) {
  std::unordered_map<const VariableNode*, Path> parameters;
  for (const auto& [name, link] : links)
    for (const auto& [path, p] : link->namedparams(false))
      parameters.try_emplace(p.variable().node_pointer(), path_of(name + "/" + path));
  std::vector<Operation> all = operations_behind(outputs);
  if (all.empty())
    throw ValueError("tensorboard::Writer::graph: the ", outputs.size(),
                     " outputs have no computational graph; observed variables keep theirs only with "
                     "config().keep_graph_on_report");
  set_scopes(all, parameters);

  Message graph;
  std::set<std::string> taken;
  const auto unused = [&](const std::string& name) {
    std::string out = name;
    for (int n = 1; !taken.insert(out).second; ++n) out = chainer::text(name, "_", n);
    return out;
  };
  std::unordered_map<const VariableNode*, std::string> leaves;
  std::unordered_map<const FunctionNode*, const Operation*> done;
  const auto leaf = [&](const VariableNode* x, const Operation& reader) -> const std::string& {
    const auto [it, fresh] = leaves.try_emplace(x);
    if (!fresh) return it->second;
    const auto p = parameters.find(x);
    if (p != parameters.end()) {
      const Path scope(p->second.begin(), p->second.end() - 1);
      it->second = unused(name_in(scope, p->second.back()));
      graph.message(1, node_message(it->second, "Parameter", {}, {x}));
    } else {
      // Other inputs of a function with parameters come from outside its link; those of other functions are constants
      // in the function's own scope.
      it->second = unused(name_in(reader.own ? Path() : reader.scope(), x->name().empty() ? "input" : x->name()));
      graph.message(1, node_message(it->second, "Placeholder", {}, {x}));
    }
    return it->second;
  };
  for (Operation& o : all) {
    std::vector<std::string> inputs;
    for (const auto& x : o.function->inputs()) {
      const FunctionNode* creator = x->creator();
      if (!creator) {
        inputs.push_back(leaf(x.get(), o));
        continue;
      }
      const auto& ys = creator->outputs();
      const auto at = std::find(ys.begin(), ys.end(), x.get()) - ys.begin();
      inputs.push_back(done.at(creator)->name + (at > 0 ? chainer::text(":", at) : std::string()));
    }
    o.name = unused(name_in(o.scope(), o.function->label()));
    done[o.function] = &o;
    graph.message(1, node_message(o.name, o.function->label(), inputs,
                                  {o.function->outputs().begin(), o.function->outputs().end()}));
  }
  graph.message(4, Message().number(1, 22));  // the GraphDef version that TensorBoard's own writers use
  write_graph(graph);
}

}  // namespace chainer::tensorboard
