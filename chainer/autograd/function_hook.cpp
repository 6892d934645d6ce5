// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_hook.h"

#include <algorithm>
#include <memory>

#include "chainer/core/report.h"

namespace chainer {

namespace {
std::vector<std::pair<std::string, FunctionHook*>>& mutable_hooks() {
  // Behind a pointer, because memory of threads is scarce in libraries that are loaded late.
  using Hooks = std::vector<std::pair<std::string, FunctionHook*>>;
  thread_local const std::unique_ptr<Hooks> hooks = std::make_unique<Hooks>();
  return *hooks;
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
