// SPDX-License-Identifier: MIT
#include "chainer/onnx/call.h"

#include <algorithm>
#include <map>

#include "chainer/autograd/config.h"
#include "chainer/onnx/onnx.h"

namespace chainer::onnx {

std::string Call::where() const {
  return chainer::text("onnx: ", node_.op_type, node_.name.empty() ? "" : " '" + node_.name + "'",
                       node_.outputs.empty() ? "" : " (" + node_.outputs[0] + ")");
}

void Call::expect_one_dtype() const {
  // (In mixed precision, functions cast arrays of 16 bits and of float32.)
  const bool mixed = config().dtype.get().products.has_value() && dtype() != float64;
  for (const Variable& v : in_)
    if (v && floating() && v.dtype() != dtype() && !(mixed && is_floating(v.dtype()) && v.dtype() != float64))
      throw TypeError(where(), ": inputs must have the same dtype, not ", dtype(), " and ", v.dtype());
}

const Variable& Call::operator[](std::size_t i) const {
  if (!has(i)) fail("input ", i, " is needed, ", in_.size(), " are given");
  return in_[i];
}

std::vector<int64_t> Call::values(std::size_t i) const {
  const Array& a = array(i);
  if (is_floating(a.dtype())) fail("input ", i, " must have an integer dtype, not ", a.dtype());
  return a.to_vector<int64_t>();
}

std::size_t Call::outputs() const {
  std::size_t n = node_.outputs.size();
  while (n && node_.outputs[n - 1].empty()) --n;
  return n;
}

const Attribute* Call::find(std::string_view name) const {
  for (const Attribute& a : node_.attributes)
    if (a.name == name) return &a;
  return nullptr;
}

const Attribute& Call::expect(std::string_view name, Attribute::Kind kind) const {
  const Attribute* const a = find(name);
  if (!a) fail("attribute '", name, "' is needed");
  if (a->kind != kind) fail("attribute '", name, "' has an unexpected type");
  return *a;
}

int64_t Call::integer(std::string_view name, std::optional<int64_t> otherwise) const {
  if (otherwise && !contains(name)) return *otherwise;
  return expect(name, Attribute::Kind::integer).integer;
}
double Call::real(std::string_view name, std::optional<double> otherwise) const {
  if (otherwise && !contains(name)) return *otherwise;
  return expect(name, Attribute::Kind::real).real;
}
std::string Call::text(std::string_view name, std::optional<std::string> otherwise) const {
  if (otherwise && !contains(name)) return *otherwise;
  return expect(name, Attribute::Kind::text).text;
}
std::vector<int64_t> Call::integers(std::string_view name, std::optional<std::vector<int64_t>> otherwise) const {
  if (otherwise && !contains(name)) return *otherwise;
  return expect(name, Attribute::Kind::integers).integers;
}
std::vector<double> Call::reals(std::string_view name, std::vector<double> otherwise) const {
  return contains(name) ? expect(name, Attribute::Kind::reals).reals : otherwise;
}
std::vector<std::string> Call::texts(std::string_view name, std::vector<std::string> otherwise) const {
  return contains(name) ? expect(name, Attribute::Kind::texts).texts : otherwise;
}
const Variables& ControlCall::sequence(std::size_t i) const {
  if (!has_sequence(i)) fail("input ", i, " must be a sequence");
  return *values_[i].sequence;
}
const Graph& ControlCall::graph(std::string_view attribute) const {
  const Attribute* const a = find(attribute);
  if (!a || !a->graph) fail("attribute '", attribute, "' must be a graph");
  return *a->graph;
}

const Array& Call::tensor(std::string_view name) const { return expect(name, Attribute::Kind::tensor).tensor; }

std::optional<std::vector<int64_t>> Call::integers_or_input(std::string_view name, std::size_t i) const {
  if (contains(name)) return integers(name);
  if (has(i)) return values(i);
  return std::nullopt;
}

int Call::axis(int64_t axis, int ndim) const {
  if (axis < -ndim || axis >= ndim) fail("axis ", axis, " is out of range for ", ndim, " axes");
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

namespace {

const std::map<std::string_view, const Operator*>& table() {
  static const std::map<std::string_view, const Operator*> rows = [] {
    std::map<std::string_view, const Operator*> out;
    for (const auto chapter :
         {activation_operators(),   arithmetic_operators(), attention_operators(),     connection_operators(),
          control_operators(),      creation_operators(),   elementwise_operators(),   image_operators(),
          indexing_operators(),     language_operators(),   logic_operators(),         loss_operators(),
          math_operators(),         microsoft_operators(),  normalization_operators(), pooling_operators(),
          quantization_operators(), recurrent_operators(),  reduction_operators(),     region_operators(),
          sampling_operators(),     sequence_operators(),   shape_operators(),         signal_operators()})
      for (const Operator& o : chapter) out.emplace(o.name, &o);
    return out;
  }();
  return rows;
}

}  // namespace

const Operator* find_operator(std::string_view name) {
  const auto it = table().find(name);
  return it == table().end() ? nullptr : it->second;
}

const Operator* find_operator(const Node& node) {
  return find_operator(node.domain.empty() ? node.op_type : node.domain + "." + node.op_type);
}

std::vector<SupportedOperator> supported_operators() {
  std::vector<SupportedOperator> out;
  for (const auto& [name, row] : table()) out.push_back({std::string(name), row->since});
  return out;
}

}  // namespace chainer::onnx
