// SPDX-License-Identifier: MIT
#include "chainer/onnx/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace chainer::onnx {
namespace {

constexpr int64_t kNewestOpset = 28;
constexpr std::size_t kMostWeights = 20000;  // members of links are searched linearly by name

TensorInfo info_of(const ValueInfo& v, std::string_view what) {
  TensorInfo out{v.name, float32, {}};
  if (v.element_type < 0)
    throw TypeError(what, ": '", v.name, "' is a sequence, a map or an optional value, expected a tensor");
  if (v.element_type) out.dtype = dtype_of_element(v.element_type, text(what, ": '", v.name, "'"));
  if (!v.has_shape) return out;
  out.shape.emplace();
  for (const Dimension& d : v.shape) out.shape->push_back(d.length);
  return out;
}

// Calls f(node) for all nodes, also those of bodies.
template <class F>
void for_all_nodes(const std::vector<Node>& nodes, const F& f) {
  for (const Node& n : nodes) {
    f(n);
    for (const Attribute& a : n.attributes)
      if (a.graph) for_all_nodes(a.graph->nodes, f);
  }
}

void check_operators(const ModelFile& file, std::string_view what) {
  std::set<std::string> missing;
  for_all_nodes(file.nodes, [&](const Node& n) {
    if (!find_operator(n)) missing.insert(n.domain.empty() ? n.op_type : n.domain + "." + n.op_type);
  });
  if (missing.empty()) return;
  std::string list;
  for (const std::string& m : missing) list += (list.empty() ? "" : ", ") + m;
  throw ValueError(what, ": operators that are not supported: ", list);
}

// Replaces names made by Identity nodes of initializers by the initializers, so that these are recognized as weights.
void resolve_identities(ModelFile& file) {
  std::map<std::string, std::string, std::less<>> other;
  std::set<std::string, std::less<>> constants, results;
  for (const auto& [name, value] : file.initializers) constants.insert(name);
  for (const ValueInfo& v : file.outputs) results.insert(v.name);
  std::vector<Node> rest;
  for (Node& n : file.nodes) {
    for (std::string& name : n.inputs)
      if (const auto it = other.find(name); it != other.end()) name = it->second;
    if (n.op_type == "Identity" && n.domain.empty() && n.inputs.size() == 1 && n.outputs.size() == 1 &&
        constants.contains(n.inputs[0]) && !results.contains(n.outputs[0]) && !constants.contains(n.outputs[0]))
      other[n.outputs[0]] = n.inputs[0];
    else
      rest.push_back(std::move(n));
  }
  file.nodes = std::move(rest);
}

}  // namespace

Program::Program(ModelFile file, std::string_view what, std::vector<std::pair<Leaf, Array>>& weights) {
  inline_functions(file, what);
  check_operators(file, what);
  make_initializers(file);
  resolve_names(file, what);
  sort_nodes(file, what);
  resolve_identities(file);
  opset = file.opsets.contains("") ? file.opsets[""] : 0;
  if (opset < 1 || opset > kNewestOpset)
    throw ValueError(what, ": operator set ", opset, " is newer than the supported sets up to ", kNewestOpset);
  producer = file.producer_name;
  metadata = file.metadata;

  std::map<std::string, int, std::less<>> slots;
  const auto define = [&](const std::string& name, std::string_view by) {
    const auto [it, fresh] = slots.emplace(name, static_cast<int>(slots.size()));
    if (!fresh) throw ValueError(what, ": two tensors are named '", name, "', one of them ", by);
    return it->second;
  };
  // A weight is a floating initializer at an input that an operator trains.
  std::map<std::string, bool, std::less<>> weight_names;  // name -> is persistent
  std::map<std::string, int64_t, std::less<>> sizes;
  for (const auto& [name, value] : file.initializers)
    if (is_floating(value.dtype())) sizes.emplace(name, value.size());
  for_all_nodes(file.nodes, [&](const Node& n) {
    const Operator& op = *find_operator(n);
    const bool arithmetic = op.weights == 3 && n.op_type != "MatMul";  // single numbers in arithmetic are not weights
    for (std::size_t i = 0; i < std::min<std::size_t>(n.inputs.size(), 32); ++i) {
      const auto it = sizes.find(n.inputs[i]);
      if (it == sizes.end() || (arithmetic && it->second <= 1)) continue;
      if (op.weights >> i & 1) weight_names[n.inputs[i]] = false;
      if (op.persistents >> i & 1) weight_names.emplace(n.inputs[i], true);
    }
  });
  if (weight_names.size() > kMostWeights)
    throw ValueError(what, ": ", weight_names.size(), " weights, more than ", kMostWeights);
  std::vector<std::pair<int, Array>> constants;
  for (auto& [name, value] : file.initializers) {
    const int slot = define(name, "an initializer");
    const auto it = weight_names.find(name);
    if (it == weight_names.end()) {
      constants.emplace_back(slot, std::move(value));
    } else {
      leaves.push_back({slot, name, it->second});
      weights.emplace_back(leaves.back(), std::move(value));
    }
  }
  for (const ValueInfo& v : file.inputs) {
    if (slots.contains(v.name)) continue;  // before version 4 of the format, initializers are listed as inputs also
    inputs.push_back(info_of(v, what));
    declared_inputs.push_back(v);
    input_slots.push_back(define(v.name, "an input"));
  }
  add_steps(file.nodes, plan, slots, what);
  for (const ValueInfo& v : file.outputs) {
    const auto it = slots.find(v.name);
    if (it == slots.end()) throw ValueError(what, ": output '", v.name, "' is computed by no node");
    outputs.push_back(info_of(v, what));
    declared_outputs.push_back(v);
    output_slots.push_back(it->second);
  }
  plan.values.resize(slots.size());
  for (auto& [slot, value] : constants) plan.values[static_cast<std::size_t>(slot)] = Variable(std::move(value), false);
  find_dead(plan, output_slots);
}

void Program::add_steps(std::vector<Node>& nodes, Plan& p, std::map<std::string, int, std::less<>>& slots,
                        std::string_view what) {
  for (Node& n : nodes) {
    const Operator* const op = find_operator(n);
    const std::string where = text(what, ": ", n.op_type, " '", n.name, "'");
    const int64_t version = n.opset ? n.opset : opset;
    if (version > kNewestOpset)
      throw ValueError(where, ": operator set ", version, " is newer than the supported sets up to ", kNewestOpset);
    if (n.domain.empty() && version < op->since)
      throw ValueError(where, ": requires operator set ", op->since, " or newer, the file is of set ", version);
    Step step{op, nullptr, {}, {}};
    for (const auto* list : {&n.inputs, &n.captured})
      for (const std::string& name : *list) {
        const auto it = slots.find(name);
        if (it == slots.end() && !name.empty())
          throw ValueError(where, ": '", name, "' is neither an input of the model nor an output of a node");
        step.in.push_back(name.empty() ? -1 : it->second);
      }
    for (Attribute& a : n.attributes)
      if (a.graph) step.bodies.emplace_back(a.name, compiled(*a.graph, n.captured, what));
    for (const std::string& name : n.outputs) {
      if (name.empty()) {
        step.out.push_back(-1);
        continue;
      }
      const auto [it, fresh] = slots.emplace(name, static_cast<int>(slots.size()));
      if (!fresh) throw ValueError(what, ": two tensors are named '", name, "', one of them an output of ", where);
      step.out.push_back(it->second);
    }
    step.node = std::make_shared<const Node>(std::move(n));
    p.steps.push_back(std::move(step));
  }
}

std::shared_ptr<const Body> Program::compiled(Graph& graph, const std::vector<std::string>& captured,
                                              std::string_view what) {
  auto body = std::make_shared<Body>();
  sort_nodes(graph, what);
  std::map<std::string, int, std::less<>> slots;
  const auto define = [&](const std::string& name, std::vector<int>& list) {
    const auto [it, fresh] = slots.emplace(name, static_cast<int>(slots.size()));
    if (!fresh) throw ValueError(what, ": two tensors of a body are named '", name, "'");
    list.push_back(it->second);
  };
  for (const std::string& name : captured) define(name, body->captured);
  for (const ValueInfo& v : graph.inputs) define(v.name, body->inputs);
  std::vector<Node> nodes = graph.nodes;  // the graph keeps its own for exports
  add_steps(nodes, body->plan, slots, what);
  for (const ValueInfo& v : graph.outputs) {
    const auto it = slots.find(v.name);
    if (it == slots.end()) throw ValueError(what, ": output '", v.name, "' of a body is computed by no node");
    body->outputs.push_back(it->second);
  }
  body->plan.values.resize(slots.size());
  find_dead(body->plan, body->outputs);
  return body;
}

void find_dead(Plan& p, const std::vector<int>& outputs) {
  std::vector<bool> read(p.values.size(), false);
  for (const int s : outputs) read[static_cast<std::size_t>(s)] = true;
  for (auto step = p.steps.rbegin(); step != p.steps.rend(); ++step) {
    step->dead.clear();
    for (const auto* list : {&step->out, &step->in})
      for (const int s : *list) {
        if (s < 0 || read[static_cast<std::size_t>(s)]) continue;
        read[static_cast<std::size_t>(s)] = true;
        step->dead.push_back(s);
      }
  }
}

}  // namespace chainer::onnx
