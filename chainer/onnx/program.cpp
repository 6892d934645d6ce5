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

// Returns true if the results of a node differ between calls.
bool draws_random_numbers(const Node& n) {
  constexpr std::array kNames = {"Bernoulli",     "RandomNormal",      "RandomNormalLike",
                                 "RandomUniform", "RandomUniformLike", "Dropout"};
  return std::find(kNames.begin(), kNames.end(), n.op_type) != kNames.end();
}

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

void check_operators(const ModelFile& file, std::string_view what) {
  std::set<std::string> missing;
  for (const Node& n : file.nodes)
    if (!n.domain.empty() || !find_operator(n.op_type))
      missing.insert(n.domain.empty() ? n.op_type : n.domain + "." + n.op_type);
  if (missing.empty()) return;
  std::string list;
  for (const std::string& m : missing) list += (list.empty() ? "" : ", ") + m;
  throw ValueError(what, ": operators that are not supported: ", list);
}

// Sorts nodes topologically; keeps the order of the file if it is one.
void sort_nodes(ModelFile& file, std::string_view what) {
  std::map<std::string, std::size_t, std::less<>> maker;
  std::set<std::string, std::less<>> given;
  for (const ValueInfo& v : file.inputs) given.insert(v.name);
  for (const auto& [name, value] : file.initializers) given.insert(name);
  for (std::size_t i = 0; i < file.nodes.size(); ++i)
    for (const std::string& name : file.nodes[i].outputs)
      if (!name.empty() && !given.contains(name)) maker.emplace(name, i);
  const std::size_t n = file.nodes.size();
  std::vector<std::size_t> missing(n, 0);
  std::vector<std::vector<std::size_t>> readers(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const std::string& name : file.nodes[i].inputs) {
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
    sorted.push_back(std::move(file.nodes[i]));
    for (const std::size_t r : readers[i])
      if (--missing[r] == 0) ready.insert(r);
  }
  for (std::size_t i = 0; sorted.size() < n && i < n; ++i)
    if (missing[i])
      throw ValueError(what, ": ", file.nodes[i].op_type, " '", file.nodes[i].name,
                       "' is part of a cycle or follows one");
  file.nodes = std::move(sorted);
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
  check_operators(file, what);
  make_initializers(file);
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
  for (const Node& n : file.nodes) {
    const Operator& op = *find_operator(n.op_type);
    const bool arithmetic = op.weights == 3 && n.op_type != "MatMul";  // single numbers in arithmetic are not weights
    for (std::size_t i = 0; i < std::min<std::size_t>(n.inputs.size(), 32); ++i) {
      const auto it = sizes.find(n.inputs[i]);
      if (it == sizes.end() || (arithmetic && it->second <= 1)) continue;
      if (op.weights >> i & 1) weight_names[n.inputs[i]] = false;
      if (op.persistents >> i & 1) weight_names.emplace(n.inputs[i], true);
    }
  }
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
  for (Node& n : file.nodes) {
    const Operator* const op = find_operator(n.op_type);
    const std::string where = text(what, ": ", n.op_type, " '", n.name, "'");
    if (opset < op->since)
      throw ValueError(where, ": requires operator set ", op->since, " or newer, the file is of set ", opset);
    Step step{op, nullptr, {}, {}, {}};
    for (const std::string& name : n.inputs) {
      const auto it = slots.find(name);
      if (it == slots.end() && !name.empty())
        throw ValueError(where, ": '", name, "' is neither an input of the model nor an output of a node");
      step.in.push_back(name.empty() ? -1 : it->second);
    }
    for (const std::string& name : n.outputs)
      step.out.push_back(name.empty() ? -1 : define(name, "an output of " + where));
    step.node = std::make_shared<const Node>(std::move(n));
    plan.steps.push_back(std::move(step));
  }
  for (const ValueInfo& v : file.outputs) {
    const auto it = slots.find(v.name);
    if (it == slots.end()) throw ValueError(what, ": output '", v.name, "' is computed by no node");
    outputs.push_back(info_of(v, what));
    declared_outputs.push_back(v);
    output_slots.push_back(it->second);
  }
  plan.values.resize(slots.size());
  for (auto& [slot, value] : constants) plan.values[static_cast<std::size_t>(slot)] = Variable(std::move(value), false);
  find_dead(plan);
}

void Program::find_dead(Plan& p) const {
  std::vector<bool> read(p.values.size(), false);
  for (const int s : output_slots) read[static_cast<std::size_t>(s)] = true;
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

Variables Program::run_step(const Step& step, const Variables& values) const {
  Variables in;
  for (const int s : step.in) in.push_back(s < 0 ? Variable() : values[static_cast<std::size_t>(s)]);
  // Training updates running statistics in place. Those that are not persistent values of this model are copied, since
  // copies of the model share them.
  for (std::size_t i = 0; step.op->persistents && config().train && i < in.size(); ++i) {
    const bool own =
        std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& l) { return l.persistent && l.slot == step.in[i]; });
    if ((step.op->persistents >> i & 1) && in[i] && !own) in[i] = Variable(in[i].array().copy(), false);
  }
  const Call call(*step.node, opset, in);
  try {
    return step.op->run(call);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    if (message.starts_with("onnx: ")) throw;
    throw ValueError(call.where(), ": ", message);
  }
}

Variables Program::run(const Plan& p, const Variables& leaf_values, const Variables& in) const {
  if (in.size() != input_slots.size())
    throw ValueError("onnx: the model has ", input_slots.size(), " inputs, got ", in.size());
  Variables values = p.values;
  for (std::size_t i = 0; i < leaf_values.size(); ++i)
    values[static_cast<std::size_t>(leaves[i].slot)] = leaf_values[i];
  for (std::size_t i = 0; i < in.size(); ++i) {
    const TensorInfo& t = inputs[i];
    if (!in[i]) throw TypeError("onnx: input '", t.name, "' is none");
    if (in[i].dtype() != t.dtype || (t.shape && static_cast<int>(t.shape->size()) != in[i].ndim()))
      throw TypeError("onnx: input '", t.name, "'\nExpect: ", t.dtype,
                      t.shape ? text(" with ", t.shape->size(), " axes") : std::string(), "\nActual: ", in[i].dtype(),
                      " of shape ", in[i].shape());
    values[static_cast<std::size_t>(input_slots[i])] = in[i];
  }
  for (const Step& step : p.steps) {
    Variables out = run_step(step, values);
    for (std::size_t i = 0; i < step.out.size(); ++i) {
      if (step.out[i] < 0) continue;
      if (i >= out.size() || !out[i])
        throw ValueError("onnx: ", step.node->op_type, " '", step.node->name, "' has no output ", i);
      values[static_cast<std::size_t>(step.out[i])] = std::move(out[i]);
    }
    for (const int s : step.dead) values[static_cast<std::size_t>(s)] = Variable();
  }
  Variables out;
  for (const int s : output_slots) out.push_back(values[static_cast<std::size_t>(s)]);
  return out;
}

Plan Program::folded(const Variables& leaf_values) const {
  Plan out;
  out.values = plan.values;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    out.values[static_cast<std::size_t>(leaves[i].slot)] = Variable(leaf_values[i].array(), false);
  for (const Step& step : plan.steps) {
    const bool known = !draws_random_numbers(*step.node) && std::all_of(step.in.begin(), step.in.end(), [&](int s) {
      return s < 0 || out.values[static_cast<std::size_t>(s)];
    });
    if (!known) {
      out.steps.push_back(step);
      continue;
    }
    Variables results = run_step(step, out.values);
    for (std::size_t i = 0; i < step.out.size() && i < results.size(); ++i)
      if (step.out[i] >= 0) out.values[static_cast<std::size_t>(step.out[i])] = std::move(results[i]);
  }
  fold_batch_normalization(out, output_slots);
  fold_bias(out, output_slots);
  find_dead(out);
  return out;
}

}  // namespace chainer::onnx
