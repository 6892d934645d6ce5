// SPDX-License-Identifier: MIT
#include "chainer/onnx/trace.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "chainer/autograd/mixed_precision.h"
#include "chainer/array/index.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/onnx/program.h"
#include "chainer/routines/sorting.h"

namespace chainer::onnx {
namespace {

// Records the functions, composed functions and imported models of a run, in order.
struct Events : FunctionHook, CompositeRecorder, ModelRecorder {
  struct Event {
    Ref<FunctionNode> function;  // set for functions; the members after `out` are set for the other kinds
    Arrays in, out;              // out: of functions that are not in the graph
    std::string label;
    NodeAttributes attributes;
    Variables inputs, outputs;
  };
  std::string name() const override { return "ONNX export"; }
  void forward_results(FunctionNode& f, const Arrays& in, const Arrays& out) override {
    place[&f] = events.size();
    events.push_back({Ref<FunctionNode>(&f), Arrays(in.begin(), in.end()), {}, {}, {}, {}, {}});
    // Arrays that come from inputs by functions outside of the graph (masks, ids), of which only the arrays are passed
    // on.
    if (!f.inputs().empty()) return;
    const auto is_derived = [&](const Array& a) { return derived.contains(a.body_ref().get()); };
    if (std::none_of(in.begin(), in.end(), is_derived)) return;
    events.back().out = Arrays(out.begin(), out.end());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (is_derived(out[i])) continue;  // passed through
      by_array[out[i].body_ref().get()] = {events.size() - 1, i};
      derived.insert(out[i].body_ref().get());
    }
  }
  void record(std::string_view label, const Variables& inputs, NodeAttributes attributes,
              const Variable& output) override {
    add(label, inputs, std::move(attributes), {output});
  }
  void record_model(const std::shared_ptr<const Program>& program, const Variables& in, const Variables& leaves,
                    const Variables& outputs) override {
    NodeAttributes a;
    a("program", program);
    Variables all = in;
    for (const Variable& v : leaves) all.push_back(v);
    add(kImportedModel, all, std::move(a), outputs);
  }
  // Outputs that are inputs passed through belong to an earlier event.
  void add(std::string_view label, const Variables& inputs, NodeAttributes attributes, const Variables& outputs) {
    Event e{{}, {}, {}, std::string(label), std::move(attributes), inputs, outputs};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Variable& y = outputs[i];
      const auto passed = [&](const auto& same) {
        return std::any_of(inputs.begin(), inputs.end(), [&](const Variable& x) { return x && same(x); });
      };
      const bool old_array = y && passed([&](const Variable& x) { return x.array().is(y.array()); });
      if (!y || (y.node_pointer() ? passed([&](const Variable& x) { return x.node_pointer() == y.node_pointer(); })
                                  : old_array)) {
        e.outputs[i] = Variable();
        continue;
      }
      if (y.node_pointer()) by_node[y.node_pointer()] = {events.size(), i};
      // Functions may receive only the array of a variable.
      if (!old_array) by_array[y.array().body_ref().get()] = {events.size(), i};
    }
    events.push_back(std::move(e));
  }

  std::deque<Event> events;
  std::map<const FunctionNode*, std::size_t> place;
  std::map<const VariableNode*, std::pair<std::size_t, std::size_t>> by_node;
  std::map<const ArrayBody*, std::pair<std::size_t, std::size_t>> by_array;
  std::set<const ArrayBody*> derived;  // the inputs' arrays, and those computed from them outside of the graph
};

struct Recording {
  explicit Recording(Events& t)
      : scope(t),
        outer(std::exchange(CompositeRecorder::current, &t)),
        outer_models(std::exchange(ModelRecorder::current, &t)) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    CompositeRecorder::current = outer;
    ModelRecorder::current = outer_models;
  }
  FunctionHookScope scope;
  CompositeRecorder* outer;
  ModelRecorder* outer_models;
};

// Returns a function's name in the table of exporters, in which constants of labels are named c.
std::string table_label(const FunctionNode& f) {
  const std::string label = f.label();
  if (f.impl_name().find("Constant") == std::string::npos) return label;
  if (label.starts_with("_ ")) return label.substr(0, label.find(' ', 2)) + " c";
  const std::size_t at = label.rfind(" _");
  const std::size_t sign = label.rfind(' ', at - 1);
  return "c" + label.substr(sign);
}

// Finds the sources of tensors, and the events on which they depend.
class Reader {
 public:
  Reader(Events& events, Trace& t) : events_(events), trace_(t) {}

  void read() {
    std::vector<std::size_t> waiting;
    std::set<std::size_t> wanted;
    const auto want = [&](const Value& v) {
      if (v.source.kind == Source::Kind::call && wanted.insert(v.source.index).second)
        waiting.push_back(v.source.index);
    };
    for (const Variable& v : trace_.results) {
      trace_.outputs.push_back(value(v.node_pointer(), v.array()));
      want(trace_.outputs.back());
    }
    std::map<std::size_t, Recorded> found;
    while (!waiting.empty()) {
      const std::size_t at = waiting.back();
      waiting.pop_back();
      Recorded& r = found[at] = recorded(events_.events[at]);
      for (const Value& v : r.inputs) want(v);
    }
    std::map<std::size_t, std::size_t> number;
    for (const auto& [at, r] : found) number.emplace(at, number.size());
    const auto renumber = [&](std::vector<Value>& values) {
      for (Value& v : values)
        if (v.source.kind == Source::Kind::call) v.source.index = number.at(v.source.index);
    };
    for (auto& [at, r] : found) {
      renumber(r.inputs);
      trace_.calls.push_back(std::move(r));
    }
    renumber(trace_.outputs);
  }

 private:
  Source source_of(const VariableNode* node, const Array& array) const {
    using Kind = Source::Kind;
    if (node) {
      if (const auto it = events_.by_node.find(node); it != events_.by_node.end())
        return {Kind::call, it->second.first, it->second.second};
      if (const FunctionNode* const f = node->creator()) {
        if (const auto it = events_.place.find(f); it != events_.place.end())
          for (std::size_t i = 0; i < f->outputs().size(); ++i)
            if (f->outputs()[i] == node) return {Kind::call, it->second, i};
      }
    }
    for (std::size_t i = 0; i < trace_.inputs.size(); ++i)
      if ((node && trace_.inputs[i].node_pointer() == node) || (array && trace_.inputs[i].array().is(array)))
        return {Kind::input, i, 0};
    if (array)
      if (const auto it = events_.by_array.find(array.body_ref().get()); it != events_.by_array.end())
        return {Kind::call, it->second.first, it->second.second};
    return {};
  }
  Value value(const VariableNode* node, const Array& array) const {
    if (!node && !array) return {{}, {}, float32, {}, false};
    return {array, array.shape(), array.dtype(), source_of(node, array), true};
  }

  Recorded recorded(const Events::Event& e) const {
    Recorded r;
    if (e.function) {
      const FunctionNode& f = *e.function;
      r.label = table_label(f);
      r.exact = f.label();
      const bool in_graph = !f.inputs().empty();
      for (std::size_t i = 0; i < e.in.size(); ++i)
        r.inputs.push_back(value(in_graph ? f.inputs()[i].get() : nullptr, e.in[i]));
      for (const Array& y : e.out) r.outputs.push_back({{}, y.shape(), y.dtype(), {}, true});
      for (const VariableNode* n : f.outputs())
        r.outputs.push_back({{}, n ? n->shape() : Shape(), n ? n->dtype() : float32, {}, n != nullptr});
      if (const auto* described = dynamic_cast<const Described*>(&f)) described->describe(r.attributes);
    } else {
      r.label = r.exact = e.label;
      r.attributes = e.attributes;
      for (const Variable& v : e.inputs) r.inputs.push_back(value(v.node_pointer(), v.array()));
      for (const Variable& v : e.outputs)
        r.outputs.push_back({{}, v ? v.shape() : Shape(), v ? v.dtype() : float32, {}, static_cast<bool>(v)});
    }
    r.index_from = r.inputs.size();
    if (r.attributes.contains("slices"))
      for (const Index& i : r.attributes.get<Indices>("slices")) {
        const Array* const a = i.get<Array>();
        if (!a) continue;
        if (a->dtype() != bool_) {
          r.inputs.push_back(value(nullptr, *a));
        } else {
          for (const Array& places : nonzero(*a)) r.inputs.push_back(value(nullptr, places));
        }
      }
    return r;
  }

  Events& events_;
  Trace& trace_;
};

}  // namespace

std::shared_ptr<const Trace> trace(const Computation& f, const Variables& inputs) {
  UsingConfig test_mode(&Config::train, false);
  const UsingConfig no_checks(&Config::debug, false);
  const PlainPrecision plain;
  ForceBackpropMode graph;
  auto events = std::make_shared<Events>();
  auto t = std::make_shared<Trace>();
  // Inputs are identified by their arrays, so each needs its own.
  for (const Variable& v : inputs) {
    const bool again = std::any_of(t->inputs.begin(), t->inputs.end(),
                                   [&](const Variable& other) { return other.array().is(v.array()); });
    t->inputs.push_back(Variable(again ? v.array().copy() : v.array(), true));
  }
  {
    for (const Variable& v : t->inputs) events->derived.insert(v.array().body_ref().get());
    const Recording recording(*events);
    t->results = f(t->inputs);
  }
  Reader(*events, *t).read();
  t->keep.push_back(events);
  return t;
}

Variables results_of(const Computation& f, const Variables& inputs) {
  UsingConfig test_mode(&Config::train, false);
  const UsingConfig no_checks(&Config::debug, false);
  const PlainPrecision plain;
  NoBackpropMode no_graph;
  return f(inputs);
}

}  // namespace chainer::onnx
