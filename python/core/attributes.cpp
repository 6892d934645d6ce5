// SPDX-License-Identifier: MIT
// Python's values of the attributes that function nodes describe for exporters.
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/loss.h"
#include "python/core/calls.h"
#include "python/core/nodes.h"

namespace chainer::python {
namespace {

nb::object give_index(const Index& i) {
  if (const auto* n = i.get<int64_t>()) return nb::int_(*n);
  if (const auto* s = i.get<Slice>()) {
    const auto bound = [](const std::optional<int64_t>& v) { return v ? nb::object(nb::int_(*v)) : nb::none(); };
    const nb::object start = bound(s->start), stop = bound(s->stop);
    const nb::object step = s->step == 1 ? nb::none() : nb::object(nb::int_(s->step));
    return nb::steal(PySlice_New(start.ptr(), stop.ptr(), step.ptr()));
  }
  if (i.get<NewAxis>()) return nb::none();
  if (const auto* a = i.get<Array>()) return nb::steal(to_numpy(*a));
  return nb::borrow(Py_Ellipsis);
}

nb::object give_scalar(const Scalar& s) {
  if (s.kind() == 'f') return nb::float_(s.to_double());
  return s.kind() == 'b' ? nb::object(nb::bool_(s.to_bool())) : nb::object(nb::int_(s.to_int()));
}

const char* text_of(Reduction r) { return r == Reduction::mean ? "mean" : r == Reduction::sum ? "sum" : "no"; }

template <class T>
bool give_as(nb::dict& d, const char* name, const std::any& value) {
  const T* const v = std::any_cast<T>(&value);
  if (v) d[name] = give(*v);
  return v != nullptr;
}

void give_attribute(nb::dict& d, const char* name, const std::any& value) {
  if (give_as<double>(d, name, value) || give_as<int64_t>(d, name, value) || give_as<int>(d, name, value) ||
      give_as<bool>(d, name, value) || give_as<Axes>(d, name, value) || give_as<Dims>(d, name, value) ||
      give_as<Shape>(d, name, value) || give_as<Dtype>(d, name, value) ||
      give_as<std::optional<int64_t>>(d, name, value) || give_as<std::optional<double>>(d, name, value) ||
      give_as<std::vector<int64_t>>(d, name, value) || give_as<std::string>(d, name, value))
    return;
  if (const auto* s = std::any_cast<Scalar>(&value)) {
    d[name] = give_scalar(*s);
  } else if (const auto* slices = std::any_cast<Indices>(&value)) {
    d[name] = give(*slices);
  } else if (const auto* plan = std::any_cast<ConvolutionPlan>(&value)) {
    d["stride"] = give(plan->stride);
    d["pad"] = give(plan->pad);
    d["dilate"] = give(plan->dilate);
    d["groups"] = plan->groups;
  } else if (const auto* windows = std::any_cast<PoolingPlan>(&value)) {
    bool covers = true;
    for (int i = 0; i < windows->size.ndim(); ++i) {
      const int64_t room = windows->size[i] + 2 * windows->pad[i] - windows->ksize[i] + windows->stride[i] - 1;
      covers = covers && windows->out[i] == room / windows->stride[i] + 1;
    }
    d["ksize"] = give(windows->ksize);
    d["stride"] = give(windows->stride);
    d["pad"] = give(windows->pad);
    d["cover_all"] = covers;
  } else if (const auto* soft = std::any_cast<functions::SoftmaxCrossEntropyOptions>(&value)) {
    d["normalize"] = soft->normalize;
    d["cache_score"] = soft->cache_score;
    d["class_weight"] = give(soft->class_weight);
    d["ignore_label"] = soft->ignore_label;
    d["reduce"] = text_of(soft->reduce);
  } else if (const auto* sigmoid = std::any_cast<functions::SigmoidCrossEntropyOptions>(&value)) {
    d["normalize"] = sigmoid->normalize;
    d["reduce"] = text_of(sigmoid->reduce);
  }
}

}  // namespace

nb::object give(const Indices& v) {
  nb::list all;
  for (const Index& i : v) all.append(give_index(i));
  return nb::tuple(all);
}
nb::object give(const PerAxis& v) {
  if (!v.given()) return nb::none();
  const auto on = [&](int axes) -> std::optional<Dims> {
    try {
      return v.on(axes, "");
    } catch (const ValueError&) { return {}; }
  };
  const auto one = on(1);
  if (one && on(2)) return nb::int_((*one)[0]);
  for (int axes = 1; axes <= kMaxNdim; ++axes)
    if (const auto list = on(axes)) return give(*list);
  return nb::none();
}

nb::dict attributes_of(const FunctionNode& f) {
  nb::dict d;
  if (const auto* described = dynamic_cast<const Described*>(&f)) {
    NodeAttributes a;
    described->describe(a);
    for (const auto& [name, value] : a.values()) give_attribute(d, name.c_str(), value);
  }
  return d;
}

}  // namespace chainer::python
