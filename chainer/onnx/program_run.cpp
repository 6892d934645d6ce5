// SPDX-License-Identifier: MIT
// Runs imported graphs, and simplifies them.
#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include "chainer/onnx/program.h"
#include "chainer/onnx/quantized.h"

namespace chainer::onnx {
namespace {

std::size_t at(int slot) { return static_cast<std::size_t>(slot); }

// Returns true if the results of a node differ between calls.
bool draws_random_numbers(const Node& n) {
  constexpr std::array kNames = {"Bernoulli",         "RandomNormal", "RandomNormalLike", "RandomUniform",
                                 "RandomUniformLike", "Dropout",      "Multinomial"};
  if (std::find(kNames.begin(), kNames.end(), n.op_type) != kNames.end()) return true;
  return std::any_of(n.attributes.begin(), n.attributes.end(), [](const Attribute& a) {
    return a.graph && std::any_of(a.graph->nodes.begin(), a.graph->nodes.end(), draws_random_numbers);
  });
}

// Constants of the file that meet tensors on a device are copied there. Integers are lengths, axes and positions except
// in arithmetic, and some operators read their other inputs as numbers: these stay.
void join_device(Variables& in, const Node& n) {
  constexpr std::array kReadNumbers = {"Clip",   "Resize", "Upsample",       "Dropout",          "Pad",
                                       "OneHot", "Range",  "QuantizeLinear", "DequantizeLinear", "NonMaxSuppression"};
  const auto there = std::find_if(in.begin(), in.end(), [](const Variable& v) { return v && !v.device().is_host(); });
  if (there == in.end() || std::find(kReadNumbers.begin(), kReadNumbers.end(), n.op_type) != kReadNumbers.end()) return;
  constexpr std::array kArithmetic = {
      "Add",   "Sub",         "Mul",   "Div",   "Pow", "Mod", "Min", "Max", "Less", "Greater", "GreaterOrEqual",
      "Where", "LessOrEqual", "Equal", "Concat"};
  const Device device = there->device();
  const bool arithmetic = std::find(kArithmetic.begin(), kArithmetic.end(), n.op_type) != kArithmetic.end();
  for (Variable& v : in) {
    if (!v || !v.device().is_host() || v.requires_grad()) continue;
    if (arithmetic || is_floating(v.dtype()) || v.dtype() == bool_) v = Variable(v.array().to_device(device), false);
  }
}

}  // namespace

SlotValues Program::run_step(const Step& step, const SlotValues& all, bool in_body) const {
  if (step.node->op_type == "Identity" && !all.empty() && all[0].sequence) return all;
  const std::size_t count = step.op->control ? std::min(step.inputs(), step.in.size()) : step.in.size();
  Variables in;
  for (std::size_t i = 0; i < count; ++i) in.push_back(all[i].tensor);
  // Training updates running statistics in place. Those that are not persistent values of this model are copied, since
  // copies of the model share them.
  for (std::size_t i = 0; step.op->persistents && config().train && i < in.size(); ++i) {
    const bool own = !in_body && std::any_of(leaves.begin(), leaves.end(),
                                             [&](const Leaf& l) { return l.persistent && l.slot == step.in[i]; });
    if ((step.op->persistents >> i & 1) && in[i] && !own) in[i] = Variable(in[i].array().copy(), false);
  }
  if (!step.op->control) join_device(in, *step.node);
  const int64_t version = step.node->opset ? step.node->opset : opset;
  const Call call(*step.node, version, in);
  try {
    if (step.op->control) {
      const auto run_body = [&](std::string_view attribute, const SlotValues& inputs) {
        const auto found =
            std::find_if(step.bodies.begin(), step.bodies.end(), [&](const auto& b) { return b.first == attribute; });
        if (found == step.bodies.end()) call.fail("attribute '", attribute, "' must be a graph");
        const Body& body = *found->second;
        if (inputs.size() != body.inputs.size())
          call.fail("'", attribute, "' has ", body.inputs.size(), " inputs, expected ", inputs.size());
        SlotValues mine(body.plan.values.size());
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i].tensor = body.plan.values[i];
        for (std::size_t i = 0; i < body.captured.size(); ++i) mine[at(body.captured[i])] = all[count + i];
        for (std::size_t i = 0; i < inputs.size(); ++i) mine[at(body.inputs[i])] = inputs[i];
        return run_steps(body.plan, std::move(mine), body.outputs, true);
      };
      return step.op->control(ControlCall(*step.node, version, in, all, run_body));
    }
    SlotValues out;
    for (Variable& y : step.op->run(call)) out.push_back({std::move(y), nullptr});
    return out;
  } catch (const Error& e) {
    const std::string_view message = e.what();
    if (message.starts_with("onnx: ")) throw;
    throw ValueError(call.where(), ": ", message);
  }
}

SlotValues Program::run_steps(const Plan& p, SlotValues values, const std::vector<int>& outputs, bool in_body) const {
  for (const Step& step : p.steps) {
    SlotValues in;
    for (const int s : step.in) in.push_back(s < 0 ? SlotValue() : values[at(s)]);
    SlotValues out = run_step(step, in, in_body);
    for (std::size_t i = 0; i < step.out.size(); ++i) {
      if (step.out[i] < 0) continue;
      if (i >= out.size() || !(out[i].tensor || step.op->control))
        throw ValueError("onnx: ", step.node->op_type, " '", step.node->name, "' has no output ", i);
      values[at(step.out[i])] = std::move(out[i]);
    }
    for (const int s : step.dead) values[at(s)] = {};
  }
  SlotValues out;
  for (const int s : outputs) out.push_back(values[at(s)]);
  return out;
}

Variables Program::run(const Plan& p, const Variables& leaf_values, const Variables& in) const {
  if (in.size() != input_slots.size())
    throw ValueError("onnx: the model has ", input_slots.size(), " inputs, got ", in.size());
  SlotValues values(p.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i].tensor = p.values[i];
  for (std::size_t i = 0; i < leaf_values.size(); ++i) values[at(leaves[i].slot)].tensor = leaf_values[i];
  for (std::size_t i = 0; i < in.size(); ++i) {
    const TensorInfo& t = inputs[i];
    if (!in[i]) throw TypeError("onnx: input '", t.name, "' is none");
    if (in[i].dtype() != t.dtype || (t.shape && static_cast<int>(t.shape->size()) != in[i].ndim()))
      throw TypeError("onnx: input '", t.name, "'\nExpect: ", t.dtype,
                      t.shape ? text(" with ", t.shape->size(), " axes") : std::string(), "\nActual: ", in[i].dtype(),
                      " of shape ", in[i].shape());
    values[at(input_slots[i])].tensor = in[i];
  }
  Variables out;
  for (SlotValue& v : run_steps(p, std::move(values), output_slots, false)) {
    if (!v.tensor)
      throw TypeError("onnx: output '", outputs[out.size()].name, "' is a sequence or empty, expected a tensor");
    out.push_back(std::move(v.tensor));
  }
  return out;
}

Plan Program::folded(const Variables& leaf_values) const {
  Plan out;
  out.values = plan.values;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    out.values[at(leaves[i].slot)] = Variable(leaf_values[i].array(), false);
  // Integers of weights stay until it is known which operators compute with them.
  fold_steps(plan.steps, out, false, true);
  if (fuse_quantized(out, output_slots, opset)) {
    const std::vector<Step> rest = std::exchange(out.steps, {});
    fold_steps(rest, out, false, false);
  }
  fold_batch_normalization(out, output_slots);
  fold_bias(out, output_slots);
  find_dead(out, output_slots);
  return out;
}

void Program::fold_steps(const std::vector<Step>& steps, Plan& out, bool in_body, bool integers_stay) const {
  std::deque<Step> todo(steps.begin(), steps.end());
  const auto known = [&](int s) { return s < 0 || out.values[at(s)]; };
  while (!todo.empty()) {
    Step step = std::move(todo.front());
    todo.pop_front();
    if (step.node->op_type == "If" && !step.bodies.empty() && !step.in.empty() && step.in[0] >= 0 &&
        known(step.in[0]) && out.values[at(step.in[0])].size() == 1) {
      const char* const taken = out.values[at(step.in[0])].item<bool>() ? "then_branch" : "else_branch";
      const auto body =
          std::find_if(step.bodies.begin(), step.bodies.end(), [&](const auto& b) { return b.first == taken; });
      if (body != step.bodies.end() && body->second->outputs.size() >= step.out.size()) {
        std::vector<Step> branch = branch_of(step, *body->second, out.values);
        todo.insert(todo.begin(), branch.begin(), branch.end());
        continue;
      }
    }
    const bool stays = integers_stay && step.node->op_type == "DequantizeLinear" && step.node->domain.empty();
    if (!stays && !draws_random_numbers(*step.node) && std::all_of(step.in.begin(), step.in.end(), known)) {
      SlotValues in;
      for (const int s : step.in) in.push_back({s < 0 ? Variable() : out.values[at(s)], nullptr});
      SlotValues results;
      try {
        results = run_step(step, in, in_body);
      } catch (const Error&) {
        if (!in_body) throw;  // a body may never run
      }
      bool whole = true;
      for (std::size_t i = 0; i < step.out.size(); ++i)
        whole &= step.out[i] < 0 || (i < results.size() && results[i].tensor);
      for (std::size_t i = 0; whole && i < step.out.size(); ++i)
        if (step.out[i] >= 0) out.values[at(step.out[i])] = std::move(results[i].tensor);
      if (whole) continue;
    }
    for (auto& [attribute, body] : step.bodies) {
      auto simple = std::make_shared<Body>(*body);
      simple->plan.steps.clear();
      for (std::size_t i = 0; i < body->captured.size(); ++i)
        if (const int s = step.in[step.inputs() + i]; s >= 0)
          simple->plan.values[at(body->captured[i])] = out.values[at(s)];
      fold_steps(body->plan.steps, simple->plan, true, false);
      fold_batch_normalization(simple->plan, simple->outputs);
      fold_bias(simple->plan, simple->outputs);
      find_dead(simple->plan, simple->outputs);
      body = std::move(simple);
    }
    out.steps.push_back(std::move(step));
  }
}

std::vector<Step> branch_of(const Step& step, const Body& branch, Variables& values) {
  std::vector<int> slot(branch.plan.values.size(), -1);
  for (std::size_t i = 0; i < branch.captured.size(); ++i) slot[at(branch.captured[i])] = step.in[step.inputs() + i];
  std::set<int> made;
  for (const Step& s : branch.plan.steps) made.insert(s.out.begin(), s.out.end());
  std::vector<std::pair<int, int>> same;  // results that are no results of steps, or of two outputs
  for (std::size_t i = 0; i < step.out.size(); ++i) {
    if (step.out[i] < 0) continue;
    int& s = slot[at(branch.outputs[i])];
    if (s < 0 && made.contains(branch.outputs[i]))
      s = step.out[i];
    else
      same.emplace_back(branch.outputs[i], step.out[i]);
  }
  for (std::size_t i = 0; i < slot.size(); ++i)
    if (slot[i] < 0) {
      slot[i] = static_cast<int>(values.size());
      values.push_back(branch.plan.values[i]);
    }
  std::vector<Step> out;
  for (Step s : branch.plan.steps) {
    for (auto* list : {&s.in, &s.out})
      for (int& i : *list)
        if (i >= 0) i = slot[at(i)];
    out.push_back(std::move(s));
  }
  static const auto kIdentity = [] {
    Node n;
    n.op_type = "Identity";
    n.inputs = n.outputs = {"same"};
    return std::make_shared<const Node>(std::move(n));
  }();
  for (const auto& [from, to] : same) out.push_back({find_operator("Identity"), kIdentity, {slot[at(from)]}, {to}});
  return out;
}

}  // namespace chainer::onnx
