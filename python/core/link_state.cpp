// SPDX-License-Identifier: MIT
#include "python/core/link_state.h"

#include <cstring>

namespace chainer::python {
namespace {

// Calls f(element) for the elements of a container; returns false if the object is none.
template <class F>
bool each_element(PyObject* o, F&& f) {
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) f(PySequence_Fast_GET_ITEM(o, i));
  } else if (PyDict_CheckExact(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) f(key), f(value);
  } else {
    return false;
  }
  return true;
}

// Calls f(name, value) for the attributes of a link, until it returns false.
template <class F>
void each_attribute(PyObject* link, F&& f) {
  const nb::object attributes = nb::steal(PyObject_GenericGetDict(link, nullptr));
  if (!attributes.is_valid()) throw nb::python_error();
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(attributes.ptr(), &at, &name, &value);) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (text && !std::strcmp(text, "schedule_manager")) continue;
    if (!f(name, value)) return;
  }
}

bool is_plain(PyObject* o) { return !PyObject_IS_GC(o); }

}  // namespace

LinkState::LinkState(const nb::list& links) {
  const auto keep = [&](PyObject* o) {
    if (is_plain(o)) kept_.push_back(nb::borrow(o));
  };
  for (nb::handle link : links) {
    State& s = links_.emplace_back(State{link.ptr(), {}});
    each_attribute(link.ptr(), [&](PyObject* name, PyObject* value) {
      keep(name), keep(value);
      Attribute& a = s.attributes.emplace_back(Attribute{name, value, {}});
      (void)each_element(value, [&](PyObject* e) { keep(e), a.elements.push_back(e); });
      return true;
    });
  }
}

bool LinkState::holds() const {
  for (const State& s : links_) {
    std::size_t next = 0;
    bool same = true;
    each_attribute(s.link, [&](PyObject* name, PyObject* value) {
      same = next < s.attributes.size() && s.attributes[next].name == name && s.attributes[next].value == value;
      if (!same) return false;
      const std::vector<PyObject*>& elements = s.attributes[next++].elements;
      std::size_t k = 0;
      (void)each_element(value, [&](PyObject* e) { same = same && k < elements.size() && elements[k++] == e; });
      same = same && k == elements.size();
      return same;
    });
    if (!same || next != s.attributes.size()) return false;
  }
  return !links_.empty();
}

}  // namespace chainer::python
