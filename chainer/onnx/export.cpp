#include <algorithm>
#include <deque>

#include "chainer/array/index.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/core/file.h"
#include "chainer/onnx/emitter.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

using Function = std::function<Variables(const Variables&)>;

// What happened in a run: functions with the arrays of their inputs, and composed functions.
struct Trace : FunctionHook, CompositeRecorder {
  struct Call {
    Ref<FunctionNode> function;
    Arrays in;
  };
  struct Composite {
    Recorded recorded;
    Variables keep;  // inputs and output, so that their nodes live
  };
  std::string name() const override { return "ONNX export"; }
  void forward_postprocess(FunctionNode& f, const Arrays& in) override {
    calls.push_back({Ref<FunctionNode>(&f), Arrays(in.begin(), in.end())});
  }
  void record(std::string_view label, const Variables& inputs, NodeAttributes attributes,
              const Variable& output) override {
    if (!output.node_pointer()) return;
    Composite c{{std::string(label), {}, {}, std::move(attributes)}, inputs};
    for (const Variable& v : inputs) c.recorded.inputs.push_back({v.node_pointer(), v.array(), v.shape(), v.dtype()});
    c.recorded.outputs.push_back({output.node_pointer(), {}, output.shape(), output.dtype()});
    c.keep.push_back(output);
    composites.push_back(std::move(c));
    by_node[output.node_pointer()] = composites.size() - 1;
  }

  std::deque<Call> calls;
  std::deque<Composite> composites;
  std::map<const VariableNode*, std::size_t> by_node;
  Variables inputs, outputs;
};

struct Recording {
  explicit Recording(Trace& t) : scope(t), outer(CompositeRecorder::current) { CompositeRecorder::current = &t; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { CompositeRecorder::current = outer; }
  FunctionHookScope scope;
  CompositeRecorder* outer;
};

void run(Trace& t, const Function& f, const Variables& inputs) {
  UsingConfig test_mode(&Config::train, false);
  ForceBackpropMode graph;
  for (const Variable& v : inputs) t.inputs.push_back(Variable(v.array(), true));
  const Recording recording(t);
  t.outputs = f(t.inputs);
}

// The name of a function in the table of exporters: constants in labels are all called c.
std::string table_label(const FunctionNode& f) {
  const std::string label = f.label();
  if (f.impl_name().find("Constant") == std::string::npos) return label;
  if (label.starts_with("_ ")) return label.substr(0, label.find(' ', 2)) + " c";
  const std::size_t at = label.rfind(" _");
  const std::size_t sign = label.rfind(' ', at - 1);
  return "c" + label.substr(sign);
}

const Exporter* find_exporter(std::string_view label) {
  static const std::map<std::string_view, const Exporter*> table = [] {
    std::map<std::string_view, const Exporter*> out;
    for (const auto chapter : {array_exporters(), connection_exporters(), loss_exporters(), math_exporters()})
      for (const Exporter& e : chapter) out.emplace(e.label, &e);
    return out;
  }();
  const auto it = table.find(label);
  return it == table.end() ? nullptr : it->second;
}

Recorded recorded(const Trace::Call& call) {
  const FunctionNode& f = *call.function;
  Recorded r{table_label(f), {}, {}, {}};
  for (std::size_t i = 0; i < f.inputs().size(); ++i)
    r.inputs.push_back({f.inputs()[i].get(), call.in[i], call.in[i].shape(), call.in[i].dtype()});
  for (const VariableNode* n : f.outputs())
    r.outputs.push_back({n, {}, n ? n->shape() : Shape(), n ? n->dtype() : float32});
  if (const auto* described = dynamic_cast<const Described*>(&f)) described->describe(r.attributes);
  return r;
}

// Which calls and composed functions the outputs need, as positions among the calls: a composed function stands where
// the function that made its result does.
struct Schedule {
  std::map<std::size_t, std::size_t> composite_at;  // call: composite
  std::vector<std::size_t> order;
};

Schedule schedule(const Trace& t) {
  std::map<const FunctionNode*, std::size_t> place;
  for (std::size_t i = 0; i < t.calls.size(); ++i) place[t.calls[i].function.get()] = i;
  Schedule s;
  std::set<std::size_t> wanted;
  std::vector<const VariableNode*> waiting;
  for (const Variable& v : t.outputs) waiting.push_back(v.node_pointer());
  while (!waiting.empty()) {
    const VariableNode* const n = waiting.back();
    waiting.pop_back();
    if (!n || !n->creator()) continue;
    const auto at = place.find(n->creator());
    if (at == place.end()) continue;
    const auto composite = t.by_node.find(n);
    if (composite != t.by_node.end()) s.composite_at[at->second] = composite->second;
    if (!wanted.insert(at->second).second) continue;
    if (composite != t.by_node.end()) {
      for (const Value& v : t.composites[composite->second].recorded.inputs) waiting.push_back(v.node);
    } else {
      for (const auto& in : n->creator()->inputs()) waiting.push_back(in.get());
    }
  }
  s.order.assign(wanted.begin(), wanted.end());
  return s;
}

int64_t common_batch(const Variables& inputs) {
  int64_t n = -1;
  for (const Variable& v : inputs) {
    if (v.ndim() == 0 || (n >= 0 && v.shape()[0] != n)) return -1;
    n = v.shape()[0];
  }
  return n;
}

ValueInfo info(const std::string& name, const Variable& v, const Emitter& e) {
  ValueInfo out{name, element_type(v.dtype()), true, {}};
  for (int d = 0; d < v.ndim(); ++d)
    out.shape.push_back(d == 0 && e.is_batch(v.shape()[0]) ? Dimension{-1, "batch"} : Dimension{v.shape()[d], ""});
  return out;
}

std::string given(const std::vector<std::string>& names, std::size_t i, const char* otherwise) {
  return i < names.size() ? names[i] : text(otherwise, "_", i);
}

// Arrays that are the same numbers in both runs, or the inputs themselves.
bool same(const Array& a, const Array& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  if (a.body_ref().get() == b.body_ref().get() || a.size() == 0) return true;
  const Array equal = is_floating(a.dtype()) ? (a == b) | (isnan(a) & isnan(b)) : a == b;
  return all(equal).item<bool>();
}

// Other numbers of the same kind: the elements in reversed order, floating ones also moved a little.
Variables disturbed(const Variables& inputs) {
  Variables out;
  for (const Variable& v : inputs) {
    Array a = flip(v.array().ravel(), 0).reshape(v.shape());
    out.push_back(Variable(is_floating(a.dtype()) ? (a * 0.9375).astype(a.dtype(), false) : a.copy(), false));
  }
  return out;
}

// The arrays of positions in a function's index.
Arrays index_arrays(const FunctionNode& f) {
  Arrays out;
  const auto* described = dynamic_cast<const Described*>(&f);
  if (!described) return out;
  NodeAttributes attributes;
  described->describe(attributes);
  if (!attributes.contains("slices")) return out;
  for (const Index& i : attributes.get<Indices>("slices"))
    if (const Array* const a = i.get<Array>()) out.push_back(*a);
  return out;
}

// Throws where the two runs differ in more than what is computed from the inputs by functions.
void compare(const Trace& a, const Schedule& plan, const Trace& b) {
  const auto refuse = [](const FunctionNode& f, const char* what) {
    throw ValueError(
        "onnx: export of ", f.label(), ": ", what,
        " depends on the inputs' values outside of functions, and ONNX would keep what it was in this run");
  };
  for (const std::size_t i : plan.order) {
    const Trace::Call& call = a.calls[i];
    if (i >= b.calls.size() || b.calls[i].function->label() != call.function->label())
      refuse(*call.function, "whether it is called");
    if (plan.composite_at.contains(i)) continue;
    const auto is_input = [&](const Array& x) {
      return std::any_of(a.inputs.begin(), a.inputs.end(), [&](const Variable& v) { return v.array().is(x); });
    };
    const Arrays positions = index_arrays(*call.function), others = index_arrays(*b.calls[i].function);
    for (std::size_t k = 0; k < positions.size(); ++k)
      if (!is_input(positions[k]) && (k >= others.size() || !same(positions[k], others[k])))
        refuse(*call.function, "an index");
    const auto& nodes = call.function->inputs();
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (nodes[k]->creator() || nodes[k]->requires_grad()) continue;
      if (!is_input(call.in[k]) && !same(call.in[k], b.calls[i].in[k])) refuse(*call.function, "a constant");
    }
  }
}

// Writes the nodes of a run.
void emit(Emitter& e, const Trace& trace, const Schedule& plan, Link* link, const ExportOptions& o) {
  e.file.ir_version = o.opset < 15   ? 7
                      : o.opset < 19 ? 8
                      : o.opset < 21 ? 9
                      : o.opset < 23 ? 10
                      : o.opset < 24 ? 11
                                     : 12;
  e.file.opsets[""] = o.opset;
  e.file.producer_name = "chainer";
  e.file.graph_name = o.graph_name;
  e.file.metadata = o.metadata;
  for (std::size_t i = 0; i < trace.inputs.size(); ++i) {
    const Variable& v = trace.inputs[i];
    const std::string name = e.unique(given(o.input_names, i, "input"));
    e.file.inputs.push_back(info(name, v, e));
    e.define(v.node_pointer(), name);
    e.define(v.array(), name);
  }
  std::vector<std::string> output_names;
  for (std::size_t i = 0; i < trace.outputs.size(); ++i) {
    output_names.push_back(e.unique(given(o.output_names, i, "output")));
    if (const VariableNode* const n = trace.outputs[i].node_pointer()) e.wish(n, output_names[i]);
  }
  std::vector<std::pair<std::string, Array>> weights;  // those that a node names are kept
  const auto weight = [&](const std::string& path, const Array& value) {
    weights.emplace_back(e.unique(path.substr(path.starts_with("/") ? 1 : 0)), value);
    e.define(value, weights.back().first);
  };
  if (link) {
    struct Persistents : MemberVisitor {
      void persistent(const std::string& n, Array& a) override {
        if (a) found.emplace_back(n, a);
      }
      std::vector<std::pair<std::string, Array>> found;
    };
    for (const auto& [path, p] : link->namedparams(false)) weight(path, p.array());
    for (const auto& [path, l] : link->namedlinks()) {
      Persistents values;
      l->visit(values);
      for (const auto& [n, a] : values.found) weight((path == "/" ? "" : path) + "/" + n, a);
    }
  }
  for (const std::size_t i : plan.order) {
    const auto composite = plan.composite_at.find(i);
    const Recorded r =
        composite == plan.composite_at.end() ? recorded(trace.calls[i]) : trace.composites[composite->second].recorded;
    const Exporter* const exporter = find_exporter(r.label);
    if (!exporter) throw ValueError("onnx: export: ONNX has no operators for the function ", r.label);
    exporter->emit({e, r});
  }
  for (std::size_t i = 0; i < trace.outputs.size(); ++i) {
    const Variable& v = trace.outputs[i];
    const std::string name = e.name({v.node_pointer(), v.array(), v.shape(), v.dtype()});
    if (name != output_names[i]) e.node("Identity", {name}, {}, output_names[i]);
    e.file.outputs.push_back(info(output_names[i], v, e));
  }
  std::set<std::string> used;
  for (const Node& n : e.file.nodes) used.insert(n.inputs.begin(), n.inputs.end());
  std::vector<std::pair<std::string, Array>> initializers;
  for (auto& w : weights)
    if (used.contains(w.first)) initializers.push_back(std::move(w));
  for (auto& c : e.file.initializers) initializers.push_back(std::move(c));
  e.file.initializers = std::move(initializers);
}

ModelFile traced(const Function& f, Link* link, const Variables& inputs, const ExportOptions& o) {
  if (o.opset < 13 || o.opset > 28) throw ValueError("onnx: export writes operator sets 13 to 28, not ", o.opset);
  Trace trace;
  run(trace, f, inputs);
  const Schedule plan = schedule(trace);
  {
    Trace other;
    run(other, f, disturbed(inputs));
    compare(trace, plan, other);
  }
  Emitter e(o, o.dynamic_batch ? common_batch(inputs) : -1);
  emit(e, trace, plan, link, o);
  if (!e.batch_is_fixed()) return std::move(e.file);
  Emitter fixed(o, -1);
  emit(fixed, trace, plan, link, o);
  return std::move(fixed.file);
}

ModelFile traced(Link& model, const Variables& inputs, const ExportOptions& o) {
  return traced([&](const Variables& in) { return model.call(in); }, &model, inputs, o);
}

}  // namespace

std::string export_function(const Function& f, const Variables& inputs, const ExportOptions& options) {
  return write_model(traced(f, nullptr, inputs, options));
}
std::string export_model(Link& model, const Variables& inputs, const ExportOptions& options) {
  return write_model(traced(model, inputs, options));
}
void export_model(Link& model, const Variables& inputs, const std::filesystem::path& file,
                  const ExportOptions& options) {
  const ModelFile made = traced(model, inputs, options);
  int64_t bytes = 0;
  for (const auto& [name, value] : made.initializers) bytes += value.nbytes();
  if (bytes <= options.external_data_from) return write_file(file, write_model(made));
  std::string external;
  const std::string beside = file.filename().string() + ".data";
  const std::string text = write_model(made, &external, beside);
  write_file(file.parent_path() / beside, external);
  write_file(file, text);
}

}  // namespace chainer::onnx
