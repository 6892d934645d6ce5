// SPDX-License-Identifier: MIT
#include "python/core/python_link.h"

#include <algorithm>
#include <map>

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

// Shows whether a parameter is trained.
struct Rule : ParameterUpdater {
  explicit Rule(bool on) { enabled = on; }
  void update(chainer::Parameter&) override {}
  double get(std::string_view) const override { return 0; }
  void set(const std::string&, double) override {}
};

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

PythonPart::PythonPart(nb::handle link) {
  if (link.is_none()) return;
  type_ = nb::cast<std::string>(link.type().attr("__name__"));
  // The first class of the method resolution order that is one of the library's links.
  for (nb::handle type : link.type().attr("__mro__")) {
    if (!nb::cast<std::string>(nb::str(type.attr("__module__"))).starts_with("chainer.links.")) continue;
    class_ = nb::cast<std::string>(type.attr("__name__"));
    break;
  }
  if (class_.starts_with("NStep")) layers_ = nb::cast<int64_t>(link.attr("n_layers"));
}

serializers::WeightLayer PythonPart::weight_layer() const {
  using Layer = serializers::WeightLayer;
  using Kind = Layer::Kind;
  static const std::map<std::string, Kind, std::less<>> kKinds = {{"Linear", Kind::linear},
                                                                  {"EmbedID", Kind::embedding},
                                                                  {"LayerNormalization", Kind::normalization},
                                                                  {"GroupNormalization", Kind::normalization},
                                                                  {"BatchNormalization", Kind::batch_normalization},
                                                                  {"LSTM", Kind::lstm},
                                                                  {"StatelessLSTM", Kind::lstm}};
  const auto is = [&](const char* name) {  // Convolution2D, ConvolutionND, ...
    return class_.starts_with(name) && class_.size() == std::string(name).size() + 2;
  };
  if (const auto it = kKinds.find(class_); it != kKinds.end()) return {it->second};
  if (is("Convolution")) return {Kind::convolution};
  if (is("Deconvolution")) return {Kind::deconvolution};
  if (!class_.starts_with("NStep") || children_.empty()) return {};
  return {Kind::n_step, layers_, static_cast<int64_t>(children_.size()),
          static_cast<int64_t>(children_[0].second->parameters_.size()) / 4};
}

void PythonPart::visit(MemberVisitor& v) {
  for (auto& [name, p] : parameters_) v.param(name, *p);
  for (auto& [name, p] : persistents_) v.persistent(name, p->array());
  for (auto& [name, child] : children_) v.link(name, *child);
}

PythonPart& PythonPart::at(const std::string& path, nb::handle link) {
  const std::string names = below(path);
  if (names.empty()) return *this;
  const std::size_t slash = std::min(names.find('/'), names.size());
  const std::string name = names.substr(0, slash), rest = names.substr(slash);
  const auto it = std::find_if(children_.begin(), children_.end(), [&](const auto& c) { return c.first == name; });
  if (it != children_.end()) return it->second->at(rest, link);
  children_.emplace_back(name, std::make_unique<PythonPart>(rest.empty() ? link : nb::handle(Py_None)));
  return children_.back().second->at(rest, link);
}

PythonLink::PythonLink(nb::object model) : PythonPart(model), model_(std::move(model)) {
  Named links, parameters, persistents;
  collect(links, parameters, persistents);
  for (const auto& [path, link] : links) (void)at(path, link);
  const auto place = [&](const std::string& path) -> std::pair<PythonPart*, std::string> {
    const std::size_t slash = path.rfind('/');
    return {&at(path.substr(0, slash), nb::none()), path.substr(slash + 1)};
  };
  for (auto& [path, p] : parameters) {
    const Handle* const h = as_handle(p.ptr());
    if (!h) throw TypeError("namedparams(): ", path, " is not a Parameter");
    objects_.push_back(std::make_unique<Object>(Object{path, p, chainer::Parameter::of(h->v)}));
    if (const nb::object rule = nb::getattr(p, "update_rule", nb::none()); !rule.is_none())
      objects_.back()->parameter.set_update_rule(std::make_shared<Rule>(nb::cast<bool>(rule.attr("enabled"))));
    const auto [part, name] = place(path);
    part->parameters_.emplace_back(name, &objects_.back()->parameter);
  }
  for (auto& [path, value] : persistents) {
    pinned_.push_back(std::make_unique<Pinned>(std::move(value)));
    const auto [part, name] = place(path);
    part->persistents_.emplace_back(name, pinned_.back().get());
  }
}

PythonLink::~PythonLink() {
  const nb::gil_scoped_acquire lock;
  objects_.clear();
  pinned_.clear();
  model_ = nb::object();
}

Variables PythonLink::call(const Variables& x) {
  const nb::gil_scoped_acquire lock;
  nb::object arguments = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(x.size())));
  for (std::size_t i = 0; i < x.size(); ++i) PyTuple_SET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(i), known(x[i]));
  const nb::object y = nb::steal(PyObject_CallObject(model_.ptr(), arguments.ptr()));
  if (!y.is_valid()) throw nb::python_error();
  refresh_arrays();  // the call may have initialized parameters
  return flat(y, "the call of the model");
}

std::shared_ptr<Link> PythonLink::clone(CopyMode mode) const {
  const nb::gil_scoped_acquire lock;
  const char* const word = mode == CopyMode::share ? "share" : mode == CopyMode::copy ? "copy" : "init";
  if (!nb::hasattr(model_, "copy") || !nb::hasattr(model_, "namedlinks")) throw TypeError("the model is not a Link");
  return std::make_shared<PythonLink>(model_.attr("copy")(word));
}

void PythonLink::collect(Named& links, Named& parameters, Named& persistents) const {
  if (!nb::hasattr(model_, "namedparams")) return;
  parameters = named(model_.attr("namedparams")());
  links = named(model_.attr("namedlinks")());
  for (const auto& [path, link] : links) {
    const nb::object values = nb::getattr(link, "_persistent", nb::none());
    if (values.is_none() || nb::len(values) == 0) continue;
    const nb::object sorted = nb::steal(PySequence_List(values.ptr()));
    PyList_Sort(sorted.ptr());
    for (nb::handle name : sorted) {
      nb::object value = nb::getattr(link, name, nb::none());
      if (is_ndarray(value.ptr()))
        persistents.emplace_back((path == "/" ? "" : path) + "/" + nb::cast<std::string>(name), std::move(value));
    }
  }
}

void PythonLink::refresh_arrays() {
  for (const auto& o : objects_) {
    const Variable& now = as_handle(o->object.ptr())->v;
    const Variable& known = o->parameter.variable();
    if (now.node_pointer() != known.node_pointer() || !(now ? known && now.array().is(known.array()) : !known))
      o->parameter = chainer::Parameter::of(now);
  }
}

void PythonLink::initialize_objects() {
  for (const auto& o : objects_) {
    const Handle* const h = as_handle(o->object.ptr());
    if (h->v || !o->parameter.is_initialized()) continue;
    o->object.attr("initialize")(nb::steal(int_tuple(o->parameter.shape())));
    as_handle(o->object.ptr())->v.copydata(o->parameter.variable());
  }
}

}  // namespace chainer::python
