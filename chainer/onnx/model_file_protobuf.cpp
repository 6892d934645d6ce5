// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "chainer/array/host.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/onnx/model_file.h"
#include "chainer/onnx/onnx.pb.h"
#include "chainer/onnx/raw_tensors.h"

namespace chainer::onnx {
namespace {

constexpr std::size_t kLeastExternal = 1024;

// Returns an array from the bytes of its elements in a file.
Array from_raw(std::string_view raw, const Shape& shape, int type, std::string_view what) {
  const Dtype dtype = dtype_of_element(type, what);
  const int64_t bytes = checked_size(shape, item_size(dtype), what) * item_size(dtype);
  if (static_cast<int64_t>(raw.size()) != bytes)
    throw FileError(what, ": ", raw.size(), " bytes for a tensor of shape ", shape, ", which needs ", bytes);
  Array out(shape, dtype);
  if (dtype == bool_) {
    auto* to = static_cast<uint8_t*>(out.mutable_raw());
    for (std::size_t i = 0; i < raw.size(); ++i) to[i] = raw[i] != 0;
  } else if (bytes) {
    copy_little_endian(out.mutable_raw(), raw.data(), raw.size(), static_cast<std::size_t>(item_size(dtype)));
  }
  return out;
}

template <class T, class Field>
Array from_field(const Field& field, const Shape& shape, Dtype dtype, std::string_view what) {
  if (checked_size(shape, item_size(dtype), what) != static_cast<int64_t>(field.size()))
    throw FileError(what, ": ", field.size(), " elements for a tensor of shape ", shape);
  Array out(shape, dtype_of<T>());
  auto* to = static_cast<T*>(out.mutable_raw());
  for (const auto v : field) *to++ = static_cast<T>(v);
  return out.astype(dtype, false);
}

// Returns an array of 16-bit floating elements, each stored in the low bits of an int32.
Array from_bits(const google::protobuf::RepeatedField<int32_t>& field, const Shape& shape, Dtype dtype,
                std::string_view what) {
  if (checked_size(shape, item_size(dtype), what) != static_cast<int64_t>(field.size()))
    throw FileError(what, ": ", field.size(), " elements for a tensor of shape ", shape);
  Array out(shape, dtype);
  auto* to = static_cast<uint16_t*>(out.mutable_raw());
  for (const int32_t v : field) *to++ = static_cast<uint16_t>(v);
  return out;
}

int64_t parse_count(const std::string& text, std::string_view what) {
  int64_t n = 0;
  for (const char c : text)
    if (c < '0' || c > '9' || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, c - '0', &n))
      throw FileError(what, ": the position or length of external data is '", text, "', expected a number of bytes");
  return n;
}

Array from_external(const proto::TensorProto& t, const Shape& shape, const std::filesystem::path& folder,
                    std::string_view what) {
  std::string location, offset = "0", length;
  for (const auto& e : t.external_data()) {
    if (e.key() == "location") location = e.value();
    if (e.key() == "offset") offset = e.value();
    if (e.key() == "length") length = e.value();
  }
  if (folder.empty())
    throw FileError(what, ": its data are in the file '", location, "', but the model was not read from a folder");
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path base = fs::weakly_canonical(folder, error);
  const fs::path file = fs::weakly_canonical(base / location, error);
  const auto [end, rest] = std::mismatch(base.begin(), base.end(), file.begin(), file.end());
  if (error || location.empty() || location.find('\0') != std::string::npos || fs::path(location).is_absolute() ||
      end != base.end())
    throw FileError(what, ": external data in '", location, "', which is not inside the model's folder");
  const MappedFile mapped(file);
  const int64_t size = static_cast<int64_t>(mapped.bytes().size()), from = parse_count(offset, what);
  const int64_t bytes = length.empty() ? size - from : parse_count(length, what);
  if (from > size || bytes < 0 || bytes > size - from)
    throw FileError(what, ": ", bytes, " bytes of external data at ", from, " exceed the file '", location, "' of ",
                    size, " bytes");
  return from_raw(mapped.bytes().substr(static_cast<std::size_t>(from), static_cast<std::size_t>(bytes)), shape,
                  t.data_type(), what);
}

// Returns the array of a tensor, whose elements are `raw` if that is not null.
Array from_proto(const proto::TensorProto& t, const std::filesystem::path& folder, std::string_view file,
                 std::string_view raw = {}) {
  const std::string what = text(file, ": tensor '", t.name(), "'");
  if (t.dims_size() > kMaxNdim) throw DimensionError(what, " has ", t.dims_size(), " axes, more than ", kMaxNdim);
  const Shape shape(t.dims().begin(), t.dims().end());
  const Dtype dtype = dtype_of_element(t.data_type(), what);
  checked_size(shape, item_size(dtype), what);
  if (t.data_location() == 1) return from_external(t, shape, folder, what);
  if (raw.data()) return from_raw(raw, shape, t.data_type(), what);
  if (t.has_raw_data()) return from_raw(t.raw_data(), shape, t.data_type(), what);
  if (dtype == float32) return from_field<float>(t.float_data(), shape, dtype, what);
  if (dtype == float64) return from_field<double>(t.double_data(), shape, dtype, what);
  if (dtype == float16 || dtype == bfloat16) return from_bits(t.int32_data(), shape, dtype, what);
  if (dtype == int64) return from_field<int64_t>(t.int64_data(), shape, dtype, what);
  return from_field<int32_t>(t.int32_data(), shape, dtype, what);
}

// Where messages come from.
struct Origin {
  const std::filesystem::path& folder;
  std::string_view what;
  bool in_function = false;
};

Graph from_proto(proto::GraphProto& g, const Origin& origin, const std::vector<std::string_view>& of_weights = {});

Attribute from_proto(const proto::AttributeProto& a, const Origin& origin, std::string_view what) {
  Attribute out;
  out.name = a.name();
  out.reference = a.ref_attr_name();
  if (!out.reference.empty() && !origin.in_function)
    throw FileError(what, ": attribute '", a.name(), "' refers to an attribute of a function, but is not in one");
  using Kind = Attribute::Kind;
  constexpr Kind kinds[] = {Kind::other, Kind::real,  Kind::integer,  Kind::text, Kind::tensor,
                            Kind::graph, Kind::reals, Kind::integers, Kind::texts};
  if (a.type() > 0 && a.type() < static_cast<int>(std::size(kinds))) out.kind = kinds[a.type()];
  out.real = a.f();
  out.integer = a.i();
  out.text = a.s();
  if (out.kind == Kind::tensor && out.reference.empty()) out.tensor = from_proto(a.t(), origin.folder, what);
  if (out.kind == Kind::graph && out.reference.empty()) {
    proto::GraphProto g = a.g();
    out.graph = std::make_shared<Graph>(from_proto(g, origin));
  }
  out.reals.assign(a.floats().begin(), a.floats().end());
  out.integers.assign(a.ints().begin(), a.ints().end());
  out.texts.assign(a.strings().begin(), a.strings().end());
  return out;
}

ValueInfo from_proto(const proto::ValueInfoProto& v) {
  ValueInfo out;
  out.name = v.name();
  const auto& type = v.type().tensor_type();
  out.element_type = v.has_type() && !v.type().has_tensor_type() ? -1 : type.elem_type();
  out.has_shape = type.has_shape();
  for (const auto& d : type.shape().dim()) out.shape.push_back({d.has_dim_value() ? d.dim_value() : -1, d.dim_param()});
  return out;
}

Node from_proto(const proto::NodeProto& n, const Origin& origin) {
  Node node{n.name(), n.op_type(), n.domain() == "ai.onnx" ? "" : n.domain(), {}, {}, {}, n.overload()};
  node.inputs.assign(n.input().begin(), n.input().end());
  node.outputs.assign(n.output().begin(), n.output().end());
  const std::string where = text(origin.what, ": ", n.op_type(), " '", n.name(), "'");
  for (const auto& a : n.attribute()) node.attributes.push_back(from_proto(a, origin, where));
  return node;
}

Graph from_proto(proto::GraphProto& g, const Origin& origin, const std::vector<std::string_view>& of_weights) {
  Graph out;
  if (g.sparse_initializer_size())
    throw FileError(origin.what, ": sparse initializer '", g.sparse_initializer(0).values().name(), "' cannot be read");
  for (std::size_t i = 0; auto& t : *g.mutable_initializer()) {
    const std::string_view raw = i < of_weights.size() ? of_weights[i] : std::string_view();
    ++i;
    out.initializers.emplace_back(t.name(), from_proto(t, origin.folder, origin.what, raw));
    t.Clear();  // frees the data before the next tensor is copied
  }
  for (const auto& n : g.node()) out.nodes.push_back(from_proto(n, origin));
  for (const auto& v : g.input()) out.inputs.push_back(from_proto(v));
  for (const auto& v : g.output()) out.outputs.push_back(from_proto(v));
  return out;
}

Function from_proto(const proto::FunctionProto& f, const Origin& origin) {
  Function out;
  out.name = f.name();
  out.domain = f.domain() == "ai.onnx" ? "" : f.domain();
  out.overload = f.overload();
  out.inputs.assign(f.input().begin(), f.input().end());
  out.outputs.assign(f.output().begin(), f.output().end());
  for (const auto& a : f.attribute_proto()) out.defaults.push_back(from_proto(a, origin, origin.what));
  for (const auto& n : f.node()) out.nodes.push_back(from_proto(n, origin));
  for (const auto& o : f.opset_import())
    if (o.domain().empty() || o.domain() == "ai.onnx") out.opset = o.version();
  return out;
}

void to_proto(const Array& value, const std::string& name, proto::TensorProto& t, std::string* external,
              const std::string& external_name) {
  const Array a = to_host(value).contiguous();
  t.set_name(name);
  t.set_data_type(element_type(a.dtype()));
  for (const int64_t d : a.shape()) t.add_dims(d);
  const LittleEndianBytes in_file(a.raw(), a.nbytes(), item_size(a.dtype()));
  const std::string_view bytes = in_file.view();
  if (!external || bytes.size() < kLeastExternal) return t.set_raw_data(std::string(bytes));
  external->resize((external->size() + 63) / 64 * 64);  // aligned, so that readers can map the file
  t.set_data_location(1);
  const std::pair<std::string, std::string> entries[] = {{"location", external_name},
                                                         {"offset", std::to_string(external->size())},
                                                         {"length", std::to_string(bytes.size())}};
  for (const auto& [key, text] : entries) {
    auto* e = t.add_external_data();
    e->set_key(key);
    e->set_value(text);
  }
  external->append(bytes);
}

void to_proto(const Graph& graph, proto::GraphProto& g, std::string* external, const std::string& external_name);

void to_proto(const Attribute& a, proto::AttributeProto& out) {
  using Kind = Attribute::Kind;
  out.set_name(a.name);
  switch (a.kind) {
    case Kind::real: out.set_type(1), out.set_f(static_cast<float>(a.real)); break;
    case Kind::integer: out.set_type(2), out.set_i(a.integer); break;
    case Kind::text: out.set_type(3), out.set_s(a.text); break;
    case Kind::graph:
      out.set_type(5), out.mutable_g()->set_name(a.name), to_proto(*a.graph, *out.mutable_g(), nullptr, "");
      break;
    case Kind::tensor: out.set_type(4), to_proto(a.tensor, "", *out.mutable_t(), nullptr, ""); break;
    case Kind::reals:
      out.set_type(6);
      for (const double v : a.reals) out.add_floats(static_cast<float>(v));
      break;
    case Kind::integers:
      out.set_type(7);
      for (const int64_t v : a.integers) out.add_ints(v);
      break;
    case Kind::texts:
      out.set_type(8);
      for (const std::string& v : a.texts) out.add_strings(v);
      break;
    default: throw ValueError("onnx: cannot write attribute '", a.name, "' of this kind");
  }
}

void to_proto(const ValueInfo& v, proto::ValueInfoProto& out) {
  out.set_name(v.name);
  if (v.element_type <= 0 && !v.has_shape) return;  // as in bodies
  auto* type = out.mutable_type()->mutable_tensor_type();
  type->set_elem_type(v.element_type);
  if (!v.has_shape) return;
  auto* shape = type->mutable_shape();
  for (const Dimension& d : v.shape) {
    auto* dim = shape->add_dim();
    if (d.length >= 0)
      dim->set_dim_value(d.length);
    else if (!d.name.empty())
      dim->set_dim_param(d.name);
  }
}

void to_proto(const Node& node, proto::NodeProto& n) {
  n.set_name(node.name);
  n.set_op_type(node.op_type);
  n.set_domain(node.domain);
  if (!node.overload.empty()) n.set_overload(node.overload);
  for (const auto& s : node.inputs) n.add_input(s);
  for (const auto& s : node.outputs) n.add_output(s);
  for (const auto& a : node.attributes) {
    auto* to = n.add_attribute();
    to_proto(a, *to);
    if (!a.reference.empty()) to->set_ref_attr_name(a.reference);
  }
}

void to_proto(const Graph& graph, proto::GraphProto& g, std::string* external, const std::string& external_name) {
  for (const auto& [name, value] : graph.initializers)
    to_proto(value, name, *g.add_initializer(), external, external_name);
  for (const Node& node : graph.nodes) to_proto(node, *g.add_node());
  for (const auto& v : graph.inputs) to_proto(v, *g.add_input());
  for (const auto& v : graph.outputs) to_proto(v, *g.add_output());
}

bool parse(google::protobuf::MessageLite& message, std::string_view bytes) {
  return bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

ModelFile read_model(std::string_view bytes, const std::filesystem::path& folder, std::string_view what) {
  proto::ModelProto m;
  const SplitModel split = split_model(bytes);
  if (!split.valid || !parse(m, split.of_weights.empty() ? bytes : split.rest) || !m.has_graph())
    throw FileError(what, ": damaged, or not an ONNX model");
  const Origin origin{folder, what};
  proto::GraphProto& g = *m.mutable_graph();
  ModelFile out;
  static_cast<Graph&>(out) = from_proto(g, origin, split.of_weights);
  out.ir_version = m.ir_version();
  out.producer_name = m.producer_name();
  out.producer_version = m.producer_version();
  for (const auto& o : m.opset_import()) out.opsets[o.domain() == "ai.onnx" ? "" : o.domain()] = o.version();
  for (const auto& p : m.metadata_props()) out.metadata.emplace_back(p.key(), p.value());
  out.graph_name = g.name();
  for (const auto& f : m.functions()) out.functions.push_back(from_proto(f, Origin{folder, what, true}));
  return out;
}

std::string write_model(const ModelFile& model, std::string* external, const std::string& external_name) {
  proto::ModelProto m;
  m.set_ir_version(model.ir_version);
  m.set_producer_name(model.producer_name);
  m.set_producer_version(model.producer_version);
  for (const auto& [domain, version] : model.opsets) {
    auto* o = m.add_opset_import();
    o->set_domain(domain);
    o->set_version(version);
  }
  for (const auto& [key, value] : model.metadata) {
    auto* p = m.add_metadata_props();
    p->set_key(key);
    p->set_value(value);
  }
  auto* g = m.mutable_graph();
  g->set_name(model.graph_name);
  to_proto(model, *g, external, external_name);
  for (const Function& f : model.functions) {
    auto* to = m.add_functions();
    to->set_name(f.name);
    to->set_domain(f.domain);
    if (!f.overload.empty()) to->set_overload(f.overload);
    for (const auto& i : f.inputs) to->add_input(i);
    for (const auto& i : f.outputs) to->add_output(i);
    for (const Attribute& a : f.defaults) to_proto(a, *to->add_attribute_proto());
    for (const Node& n : f.nodes) to_proto(n, *to->add_node());
    if (!f.opset) continue;
    auto* o = to->add_opset_import();
    o->set_version(f.opset);
  }
  std::string out;
  if (!m.SerializeToString(&out)) throw ValueError("onnx: a file without external data must be smaller than 2 GiB");
  return out;
}

Array read_tensor(std::string_view bytes, std::string_view what) {
  proto::TensorProto t;
  if (!parse(t, bytes)) throw FileError(what, ": damaged, or not an ONNX tensor");
  return from_proto(t, {}, what);
}

std::string write_tensor(const Array& value, const std::string& name) {
  proto::TensorProto t;
  to_proto(value, name, t, nullptr, "");
  return t.SerializeAsString();
}

}  // namespace chainer::onnx
