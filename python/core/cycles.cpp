// SPDX-License-Identifier: MIT
// Python's garbage collector sees through the graph. A variable owns its part of the graph, and the graph owns
// functions written in Python (Carrier), which may refer back to the variable: such cycles lead through counted C++
// objects, which the collector cannot visit. For each full collection the graph is therefore mirrored by Python objects
// (Relay) with the same ownership: a Python Variable owns the relay of its node, a relay those of the nodes that its
// node owns, and the relay of a carrier shows the one reference that the carrier owns. Relays of nodes that something
// else owns as well (a call that is under way, a Python object of a node) are held from outside, so that nothing below
// them is collected.
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chainer/autograd/backprop.h"
#include "python/core/nodes.h"

namespace chainer::python {

std::atomic<int> Unlocked::count{0};
std::atomic<int64_t> Carrier::alive{0};

struct Relay {
  PyObject ob_base;
  std::vector<PyObject*>* owned;
  Carrier* carrier;
  std::size_t at;  // its place among all
};

namespace {

PyTypeObject* relay_type = nullptr;
std::vector<Relay*> relays;     // of the collection under way; an entry is nullptr when its relay is gone
std::vector<PyObject*> pinned;  // owned: of nodes that something outside holds

int relay_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* r = reinterpret_cast<Relay*>(self);
  for (PyObject* o : *r->owned) Py_VISIT(o);
  if (r->carrier) Py_VISIT(r->carrier->self());
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int relay_clear(PyObject* self) {
  std::vector<PyObject*> gone;
  gone.swap(*reinterpret_cast<Relay*>(self)->owned);
  for (PyObject* o : gone) Py_DECREF(o);
  return 0;
}
void relay_gone(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, relay_gone) auto* r = reinterpret_cast<Relay*>(self);
  relay_clear(self);
  if (r->carrier) r->carrier->relay = nullptr;
  if (r->at < relays.size() && relays[r->at] == r) relays[r->at] = nullptr;
  delete r->owned;
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
  Py_TRASHCAN_END
}

// The mirror of what is reachable from Python's variables.
class Mirror {
 public:
  void build() {
    for (Handle* h = Handle::first; h; h = h->next)
      if (VariableNode* n = h->v.node_pointer()) h->relay = Py_NewRef(of_handle(n));
    while (!waiting_.empty()) {
      const auto [variable, function] = waiting_.back();
      waiting_.pop_back();
      if (variable)
        enter(*variable);
      else
        enter(*function);
    }
    for (const auto& [n, seen] : variables_) {
      const uint32_t handles = Backprop::handles(*n);
      if (handles != seen.handles || n->refs.value() != seen.refs + (handles > 0) || is_held(n)) pin(seen.relay);
    }
    for (const auto& [f, seen] : functions_)
      if (f->refs.value() != seen.refs || is_held(f)) pin(seen.relay);
  }

 private:
  struct Seen {
    PyObject* relay = nullptr;  // borrowed of its owners, but for the time of build()
    uint32_t handles = 0, refs = 0;
  };
  static void pin(PyObject* relay) { pinned.push_back(Py_NewRef(relay)); }
  static PyObject* make(Carrier* carrier) {
    auto* r = PyObject_GC_New(Relay, relay_type);
    if (!r) throw nb::python_error();
    r->owned = new std::vector<PyObject*>;
    r->carrier = carrier;
    r->at = relays.size();
    if (carrier) carrier->relay = r;
    relays.push_back(r);
    auto* o = reinterpret_cast<PyObject*>(r);
    PyObject_GC_Track(o);
    return o;
  }
  Seen& seen(VariableNode* n) {
    Seen& s = variables_[n];
    if (!s.relay) {
      s.relay = keep(make(nullptr));
      waiting_.push_back({n, nullptr});
    }
    return s;
  }
  Seen& seen(FunctionNode* f) {
    Seen& s = functions_[f];
    if (!s.relay) {
      s.relay = keep(make(dynamic_cast<Carrier*>(f)));
      waiting_.push_back({nullptr, f});
    }
    return s;
  }
  // The first references go when the mirror is built.
  PyObject* keep(PyObject* relay) {
    first_.push_back(nb::steal(relay));
    return relay;
  }
  PyObject* of_handle(VariableNode* n) {
    Seen& s = seen(n);
    ++s.handles;
    return s.relay;
  }
  static void own(PyObject* owner, PyObject* relay) {
    reinterpret_cast<Relay*>(owner)->owned->push_back(Py_NewRef(relay));
  }
  void enter(VariableNode& n) {
    PyObject* const relay = variables_[&n].relay;
    if (FunctionNode* f = n.creator()) {
      Seen& s = seen(f);
      ++s.refs;
      own(relay, s.relay);
    }
    for (const Variable* v : {&n.grad, &n.arriving})
      if (VariableNode* g = v->node_pointer()) own(relay, of_handle(g));
  }
  void enter(FunctionNode& f) {
    PyObject* const relay = functions_[&f].relay;
    own_inputs(relay, f.inputs());
    // (Counted for the first of its owners.)
    if (const ComposedCall* call = f.composed_call(); call && calls_.insert(call).second)
      own_inputs(relay, call->inputs());
  }
  void own_inputs(PyObject* owner, const SmallVector<Ref<VariableNode>, 2>& inputs) {
    for (const Ref<VariableNode>& x : inputs) {
      Seen& s = seen(x.get());
      ++s.refs;
      own(owner, s.relay);
    }
  }
  std::unordered_set<const ComposedCall*> calls_;
  std::unordered_map<VariableNode*, Seen> variables_;
  std::unordered_map<FunctionNode*, Seen> functions_;
  std::vector<std::pair<VariableNode*, FunctionNode*>> waiting_;
  std::vector<nb::object> first_;
};

// Takes the mirror away. Each relay lets go of the others first, so that none dies inside of another.
void take_away() {
  for (Handle* h = Handle::first; h; h = h->next) Py_CLEAR(h->relay);
  std::vector<nb::object> all;
  for (Relay* r : relays)
    if (r) all.push_back(nb::borrow(reinterpret_cast<PyObject*>(r)));
  relays.clear();
  std::vector<PyObject*> outside;
  outside.swap(pinned);
  for (PyObject* o : outside) Py_DECREF(o);
  for (const nb::object& o : all) relay_clear(o.ptr());
}

void collection(const std::string& phase, const nb::dict& info) {
  if (phase != "start") return relays.empty() ? void() : take_away();
  // What runs without the interpreter's lock changes the graph meanwhile.
  if (Carrier::alive == 0 || Unlocked::count > 0 || !relays.empty() || nb::cast<int>(info["generation"]) < 2) return;
  Mirror().build();
}

}  // namespace

void forget_carrier(Relay* r) { r->carrier = nullptr; }

int variable_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_VISIT(*dict);
  if (nb::inst_ready(nb::handle(self))) Py_VISIT(nb::inst_ptr<Handle>(nb::handle(self))->relay);
  return 0;
}
int variable_clear(PyObject* self) {
  if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_CLEAR(*dict);
  if (!nb::inst_ready(nb::handle(self))) return 0;
  auto* h = nb::inst_ptr<Handle>(nb::handle(self));
  Py_CLEAR(h->relay);
  Variable gone(Array(), make_ref<VariableNode>(Shape(), Dtype::float32, false));
  gone.swap(h->v);
  return 0;
}

void bind_cycles(nb::module_& m) {
  PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(relay_traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(relay_clear)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(relay_gone)},
                         {0, nullptr}};
  PyType_Spec spec = {"chainer._core.Relay", sizeof(Relay), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  relay_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!relay_type) throw nb::python_error();
  m.def("_collection", &collection);
  nb::module_::import_("gc").attr("callbacks").attr("append")(m.attr("_collection"));
}

}  // namespace chainer::python
