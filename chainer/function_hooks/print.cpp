// SPDX-License-Identifier: MIT
#include "chainer/function_hooks/function_hooks.h"

namespace chainer::function_hooks {

void PrintHook::print(const FunctionNode& f, const Arrays& in, const Arrays* gy) const {
  const auto list = [&](const char* title, const Arrays& arrays) {
    std::fprintf(file_, "%s%s", title, end_.c_str());
    for (const Array& a : arrays)
      std::fprintf(file_, "%s%s", a ? Variable(a, false).debug_print().c_str() : "(removed)", end_.c_str());
  };
  std::fprintf(file_, "function\t%s%s", f.label().c_str(), end_.c_str());
  list("input data", in);
  if (gy) list("output gradient", *gy);
  if (flush_) std::fflush(file_);
}
void PrintHook::forward_preprocess(FunctionNode& f, const Arrays& in) { print(f, in, nullptr); }
void PrintHook::backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) { print(f, in, &gy); }

}  // namespace chainer::function_hooks
