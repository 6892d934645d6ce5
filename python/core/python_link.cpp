// SPDX-License-Identifier: MIT
#include "python/core/python_link.h"

#include "python/core/casters.h"

namespace chainer::python {
namespace {

using Named = std::vector<std::pair<std::string, nb::object>>;

void append(Variables& out, nb::handle result, const char* what) {
  if (const Variable* const v = as_variable(result.ptr())) {
    out.push_back(*v);
  } else if (PyDict_Check(result.ptr())) {
    for (const auto& [key, value] : nb::borrow<nb::dict>(result)) append(out, value, what);
  } else if (PyTuple_Check(result.ptr()) || PyList_Check(result.ptr())) {
    for (nb::handle one : result) append(out, one, what);
  } else {
    throw TypeError(what, ": a Variable, or a tuple, list or dict of Variables is expected as the result, not ",
                    nb::cast<std::string>(nb::str(result.type())));
  }
}

// "/l1/W" as the name l1/W below the link.
std::string below(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

Named named(nb::handle pairs) {
  Named out;
  for (nb::handle pair : pairs) out.emplace_back(nb::cast<std::string>(pair[0]), nb::borrow(pair[1]));
  return out;
}

}  // namespace

Variables flat(nb::handle result, const char* what) {
  Variables out;
  append(out, result, what);
  return out;
}

PythonLink::PythonLink(nb::object model) : model_(std::move(model)) { (void)refresh(); }

PythonLink::~PythonLink() {
  const nb::gil_scoped_acquire lock;
  parameters_.clear();
  persistents_.clear();
  model_ = nb::object();
}

Variables PythonLink::call(const Variables& x) {
  const nb::gil_scoped_acquire lock;
  nb::object arguments = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(x.size())));
  for (std::size_t i = 0; i < x.size(); ++i)
    PyTuple_SET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(i), known(x[i]));
  const nb::object y = nb::steal(PyObject_CallObject(model_.ptr(), arguments.ptr()));
  if (!y.is_valid()) throw nb::python_error();
  return flat(y, "the call of the model");
}

std::shared_ptr<Link> PythonLink::clone(CopyMode mode) const {
  const nb::gil_scoped_acquire lock;
  const char* const word = mode == CopyMode::share ? "share" : mode == CopyMode::copy ? "copy" : "init";
  if (!nb::hasattr(model_, "copy") || !nb::hasattr(model_, "namedlinks")) throw TypeError("the model is not a Link");
  return std::make_shared<PythonLink>(model_.attr("copy")(word));
}

void PythonLink::collect(Named& parameters, Named& persistents) const {
  if (!nb::hasattr(model_, "namedparams")) return;
  parameters = named(model_.attr("namedparams")());
  for (const auto& [path, link] : named(model_.attr("namedlinks")())) {
    const nb::object values = nb::getattr(link, "_persistent", nb::none());
    if (values.is_none()) continue;
    const nb::object sorted = nb::steal(PySequence_List(values.ptr()));
    PyList_Sort(sorted.ptr());
    for (nb::handle name : sorted) {
      nb::object value = nb::getattr(link, name, nb::none());
      if (is_ndarray(value.ptr()))
        persistents.emplace_back((path == "/" ? "" : path) + "/" + nb::cast<std::string>(name), std::move(value));
    }
  }
}

bool PythonLink::refresh() {
  Named parameters, persistents;
  collect(parameters, persistents);
  const auto same = [](const auto& a, const nb::object& b) { return a.is(b); };
  bool stays = parameters.size() == parameters_.size() && persistents.size() == persistents_.size();
  for (std::size_t i = 0; stays && i < parameters.size(); ++i)
    stays = same(parameters_[i].object, parameters[i].second);
  for (std::size_t i = 0; stays && i < persistents.size(); ++i)
    stays = same(persistents_[i].value->ndarray(), persistents[i].second);
  if (stays) {
    for (Parameters& p : parameters_) {
      const Variable& now = as_handle(p.object.ptr())->v;
      const Variable& known = p.parameter.variable();
      if (now.node_pointer() == known.node_pointer() && (now ? known && now.array().is(known.array()) : !known)) continue;
      p.parameter = chainer::Parameter::of(now);
    }
    return true;
  }
  parameters_.clear();
  persistents_.clear();
  for (auto& [path, p] : parameters) {
    const Handle* const h = as_handle(p.ptr());
    if (!h) throw TypeError("namedparams(): ", path, " is not a Parameter");
    parameters_.push_back({below(path), p, chainer::Parameter::of(h->v)});
  }
  for (auto& [path, value] : persistents)
    persistents_.push_back({below(path), std::make_unique<Pinned>(std::move(value))});
  return false;
}

void PythonLink::visit(MemberVisitor& v) {
  for (Parameters& p : parameters_) v.param(p.name, p.parameter);
  for (Persistent& p : persistents_) v.persistent(p.name, p.value->array());
}

}  // namespace chainer::python
