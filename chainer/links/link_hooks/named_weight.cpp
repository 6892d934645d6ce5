// SPDX-License-Identifier: MIT
#include "chainer/links/link_hooks/named_weight.h"

#include "chainer/functions/array.h"
#include "chainer/links/convolution.h"

namespace chainer::link_hooks {
namespace {

struct Finder : MemberVisitor {
  explicit Finder(const std::string& n) : name(n) {}
  void param(const std::string& n, Parameter& p) override {
    if (n == name) found = &p;
  }
  const std::string& name;
  Parameter* found = nullptr;
};

}  // namespace

const Parameter& named_weight(const char* operation, Link& link, const std::string& name) {
  Finder f(name);
  link.visit(f);
  if (!f.found) throw ValueError(operation, ": the ", link.class_name(), " has no parameter '", name, "'");
  if (!f.found->is_initialized())
    throw ValueError(operation, ": the parameter '", name, "' of the ", link.class_name(),
                     " has no size yet: give the link its input size, or call it before");
  if (f.found->ndim() < 2)
    throw ValueError(operation, ": the parameter '", name, "' must have at least two axes, not the shape ",
                     f.found->shape());
  return *f.found;
}

int output_axis(const Link& link) { return dynamic_cast<const L::DeconvolutionND*>(&link) ? 1 : 0; }

Variable as_rows(const Variable& w, int axis) {
  const Variable front = axis == 0 ? w : F::moveaxis(w, axis, 0);
  return F::reshape(front, {front.shape()[0], -1});
}

}  // namespace chainer::link_hooks
