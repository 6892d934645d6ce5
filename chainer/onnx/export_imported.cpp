// SPDX-License-Identifier: MIT
// Exports imported models inside of a computation, with the operators of their files.
#include <algorithm>

#include "chainer/onnx/emitter.h"
#include "chainer/onnx/program.h"

namespace chainer::onnx {
namespace {

// Returns for each step whether an output in use depends on it.
std::vector<bool> needed_steps(const Program& p, const Recorded& call) {
  std::vector<bool> read(p.plan.values.size(), false), needed(p.plan.steps.size(), false);
  for (std::size_t i = 0; i < p.output_slots.size(); ++i)
    if (call.outputs[i].present) read[static_cast<std::size_t>(p.output_slots[i])] = true;
  for (std::size_t k = p.plan.steps.size(); k-- > 0;) {
    const Step& step = p.plan.steps[k];
    needed[k] = std::any_of(step.out.begin(), step.out.end(),
                            [&](int s) { return s >= 0 && read[static_cast<std::size_t>(s)]; });
    for (const int s : step.in)
      if (needed[k] && s >= 0) read[static_cast<std::size_t>(s)] = true;
  }
  return needed;
}

// Returns the dtype of a step's results, as far as constants need it: that of its first floating input, or the target
// of a cast.
Dtype made_by(const Step& step, const std::vector<Dtype>& dtypes) {
  if (step.node->op_type == "Cast")
    for (const Attribute& a : step.node->attributes)
      if (a.name == "to") return dtype_of_element(a.integer, "Cast");
  const std::size_t like = step.node->op_type == "CastLike" ? 1 : 0;
  for (std::size_t i = like; i < step.in.size(); ++i)
    if (step.in[i] >= 0 && is_floating(dtypes[static_cast<std::size_t>(step.in[i])]))
      return dtypes[static_cast<std::size_t>(step.in[i])];
  return step.in.empty() || step.in[0] < 0 ? float32 : dtypes[static_cast<std::size_t>(step.in[0])];
}

// Gives the tensors of a body new names, given the names of those of outer graphs.
void rename(Graph& g, std::map<std::string, std::string> names, Emitter& e) {
  std::set<std::string> own;
  const auto define = [&](std::string& name) {
    if (name.empty()) return;
    name = names[name] = e.unique(name);
    own.insert(name);
  };
  const auto use = [&](std::string& name) {
    if (const auto it = names.find(name); it != names.end()) name = it->second;
  };
  for (ValueInfo& v : g.inputs) define(v.name);
  for (Node& n : g.nodes)
    for (std::string& name : n.outputs) define(name);
  for (Node& n : g.nodes) {
    for (std::string& name : n.inputs) use(name);
    if (!n.name.empty()) n.name = e.unique(n.name);
    if (!n.domain.empty()) e.file.opsets[n.domain] = 1;
    for (Attribute& a : n.attributes) {
      if (!a.graph) continue;
      a.graph = std::make_shared<Graph>(*a.graph);
      rename(*a.graph, names, e);
    }
  }
  for (ValueInfo& v : g.outputs) {
    use(v.name);
    if (own.contains(v.name)) continue;
    Node same;  // results of bodies must be computed in them
    same.op_type = "Identity";
    same.inputs = {v.name};
    same.outputs = {v.name = e.unique(v.name)};
    g.nodes.push_back(std::move(same));
  }
}

void imported_model(const Emission& m) {
  const Program& p = *m.get<std::shared_ptr<const Program>>("program");
  const std::vector<bool> needed = needed_steps(p, m.call);
  std::vector<std::string> names(p.plan.values.size());
  for (std::size_t i = 0; i < p.input_slots.size(); ++i) names[static_cast<std::size_t>(p.input_slots[i])] = m.in(i);
  std::map<int, std::size_t> leaf;
  for (std::size_t i = 0; i < p.leaves.size(); ++i) leaf[p.leaves[i].slot] = p.input_slots.size() + i;
  const auto name = [&](int slot) {
    std::string& n = names[static_cast<std::size_t>(slot)];
    if (!n.empty()) return n;
    if (const auto it = leaf.find(slot); it != leaf.end()) return n = m.in(it->second);
    return n = m.e.constant(p.plan.values[static_cast<std::size_t>(slot)].array());
  };
  std::vector<Dtype> dtypes;
  for (const Variable& v : p.plan.values) dtypes.push_back(v ? v.dtype() : float32);
  for (std::size_t i = 0; i < m.call.inputs.size(); ++i) {
    const int slot = i < p.input_slots.size() ? p.input_slots[i] : p.leaves[i - p.input_slots.size()].slot;
    dtypes[static_cast<std::size_t>(slot)] = m.call.inputs[i].dtype;
  }
  std::set<int> made;
  for (const Step& step : p.plan.steps) made.insert(step.out.begin(), step.out.end());
  std::map<int, std::size_t> result;  // slot computed by a step -> the first output with this slot
  for (std::size_t i = p.output_slots.size(); i-- > 0;)
    if (m.call.outputs[i].present && made.contains(p.output_slots[i])) result[p.output_slots[i]] = i;
  for (std::size_t k = 0; k < p.plan.steps.size(); ++k) {
    const Step& step = p.plan.steps[k];
    for (const int s : step.out)
      if (s >= 0) dtypes[static_cast<std::size_t>(s)] = made_by(step, dtypes);
    if (!needed[k]) continue;
    Node n = *step.node;
    for (std::size_t i = 0; i < step.inputs(); ++i) n.inputs[i] = step.in[i] < 0 ? "" : name(step.in[i]);
    const int64_t from = n.opset ? n.opset : p.opset;
    if (!step.bodies.empty() && from != m.e.opset())
      throw ValueError("onnx: export in operator set ", m.e.opset(), ": the imported ", n.op_type, " '", n.name,
                       "' has bodies, which can only be written in their operator set ", from);
    std::map<std::string, std::string> captured;
    for (std::size_t i = 0; i < n.captured.size(); ++i) captured[n.captured[i]] = name(step.in[step.inputs() + i]);
    for (Attribute& a : n.attributes) {
      if (!a.graph) continue;
      a.graph = std::make_shared<Graph>(*a.graph);
      rename(*a.graph, captured, m.e);
    }
    for (std::size_t i = 0; i < step.out.size(); ++i) {
      if (step.out[i] < 0) continue;
      const auto it = result.find(step.out[i]);
      n.outputs[i] = names[static_cast<std::size_t>(step.out[i])] =
          it == result.end() ? m.e.unique(n.outputs[i]) : m.out(it->second);
    }
    const bool has_first = !step.in.empty() && step.in[0] >= 0;
    add_upgraded(m.e, std::move(n), from, has_first ? dtypes[static_cast<std::size_t>(step.in[0])] : float32);
  }
  for (std::size_t i = 0; i < p.output_slots.size(); ++i) {
    const auto it = result.find(p.output_slots[i]);
    if (m.call.outputs[i].present && (it == result.end() || it->second != i))
      m.e.node("Identity", {name(p.output_slots[i])}, {}, m.out(i));
  }
}

constexpr Exporter kExporters[] = {{kImportedModel, imported_model}};

}  // namespace

std::span<const Exporter> imported_exporters() { return kExporters; }

}  // namespace chainer::onnx
