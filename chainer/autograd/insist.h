// Checks that config.type_check = false does not switch off.
#pragma once
#include "chainer/autograd/function_node.h"

namespace chainer::type_check {

[[noreturn]] inline void refuse(const std::string& label, const Arrays& in) {
  std::string shapes;
  for (const Array& a : in) shapes += text(shapes.empty() ? "" : ", ", a.dtype(), " ", a.shape());
  throw TypeError(label, ": inputs ", shapes, " do not fit; with config.type_check the message says why");
}

/// For functions whose loops trust what they check: with config.type_check = false the conditions `f(TypeInfos)` are
/// still tested, and only the message that explains them is lost.
template <class F>
void insist(const std::string& label, const Arrays& in, F&& f) {
  try {
    f(TypeInfos(in));
  } catch (const Failed&) { refuse(label, in); }
}
/// The same in forward of a node, with the conditions of its check_type_forward.
inline void insist(const FunctionNode& node, const Arrays& in) {
  if (!wanted()) insist(node.label(), in, [&](const TypeInfos& t) { node.check_type_forward(t); });
}
/// As check(), and insisting where that does nothing.
template <class F>
void check_always(const char* label, const Arrays& in, F&& f) {
  wanted() ? check(label, in, f) : insist(label, in, f);
}

}  // namespace chainer::type_check
