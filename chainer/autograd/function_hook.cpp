// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_hook.h"

#include <algorithm>

#include "chainer/core/report.h"

namespace chainer {

namespace {
std::vector<std::pair<std::string, FunctionHook*>>& mutable_hooks() {
  thread_local std::vector<std::pair<std::string, FunctionHook*>> hooks;
  return hooks;
}
}  // namespace

const std::vector<std::pair<std::string, FunctionHook*>>& get_function_hooks() { return mutable_hooks(); }

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
  auto& hooks = mutable_hooks();
  const std::string name = hook.name();
  for (const auto& [existing, h] : hooks)
    if (existing == name) throw KeyError("hook ", name, " already exists");
  hooks.emplace_back(name, &hook);
  ++function_hook_count;
  hook.added(nullptr);
}

FunctionHookScope::~FunctionHookScope() {
  --function_hook_count;
  auto& hooks = mutable_hooks();
  report_exceptions("deleted() of a function hook", [&] { hook_.deleted(nullptr); });
  hooks.erase(std::remove_if(hooks.begin(), hooks.end(), [&](const auto& h) { return h.second == &hook_; }),
              hooks.end());
}

}  // namespace chainer
