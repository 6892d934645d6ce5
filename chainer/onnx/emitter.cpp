// SPDX-License-Identifier: MIT
#include "chainer/onnx/emitter.h"

#include <algorithm>

#include "chainer/array/host.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {

std::string Emitter::unique(const std::string& wish) {
  std::string name = wish;
  for (int64_t i = 1; !names_.insert(name).second; ++i) name = wish + "_" + std::to_string(i);
  return name;
}

std::string Emitter::name(const std::vector<const Value*>& in_runs) {
  const Value& v = *in_runs[0];
  if (v.source.kind == Source::Kind::input) return inputs_[v.source.index];
  if (v.source.kind == Source::Kind::call) {
    const auto it = made_.find(key(v.source));
    if (it == made_.end()) throw RuntimeError("onnx: export: a tensor of shape ", v.shape, " was not recorded");
    return it->second;
  }
  if (!v.present) return "";
  if (!v.array) throw RuntimeError("onnx: export: a tensor of shape ", v.shape, " was not recorded");
  const auto it = arrays_.find(v.array.body_ref().get());
  if (it != arrays_.end()) return it->second.second;
  Arrays all;
  bool alike = true;
  for (const Value* r : in_runs) {
    all.push_back(r->array);
    alike = alike && same(r->array, v.array);
  }
  return alike ? constant(v.array) : varying(all);
}

void Emitter::define_input(std::size_t i, const std::string& name) {
  inputs_.resize(std::max(inputs_.size(), i + 1));
  inputs_[i] = name;
}

void Emitter::node(std::string_view op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                   std::vector<Attribute> attributes) {
  Node n;
  n.op_type = op;
  n.name = std::string(op) + "_" + std::to_string(counter_++);
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  n.attributes = std::move(attributes);
  file.nodes.push_back(std::move(n));
}

std::string Emitter::node(std::string_view op, std::vector<std::string> inputs, std::vector<Attribute> attributes,
                          const std::string& output) {
  const std::string made = output.empty() ? unique("t") : output;
  node(op, std::move(inputs), std::vector<std::string>{made}, std::move(attributes));
  return made;
}

std::string Emitter::constant(const Array& value) {
  constexpr int64_t kSmall = 64;
  const Array a = to_host(value).contiguous();
  std::string key;
  if (a.size() <= kSmall) {
    key = text(a.dtype(), a.shape(), "\n");
    key.append(static_cast<const char*>(a.raw()), static_cast<std::size_t>(a.nbytes()));
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
  }
  const std::string made = unique("constant");
  file.initializers.emplace_back(made, a);
  if (key.empty())
    arrays_[value.body_ref().get()] = {value, made};
  else
    known_[key] = made;
  return made;
}
std::string Emitter::number(double value, Dtype dtype) { return constant(full({}, value, dtype)); }
std::string Emitter::integers(const Lengths& values) {
  return constant(array(values, Shape{static_cast<int64_t>(values.size())}));
}

std::string Emitter::new_name(std::size_t call, std::size_t output) {
  const auto it = wishes_.find({call, output});
  return made_[{call, output}] = it == wishes_.end() ? unique("t") : it->second;
}

std::string Emission::in(std::size_t i) const {
  std::vector<const Value*> values;
  for (const auto& run : e.runs()) values.push_back(&run->calls[index].inputs[i]);
  return e.name(values);
}
std::string Emission::out(std::size_t i) const { return call.outputs[i].present ? e.new_name(index, i) : ""; }

}  // namespace chainer::onnx
