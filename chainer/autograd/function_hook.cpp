#include "chainer/autograd/function_hook.h"

#include <algorithm>

namespace chainer {

std::vector<std::pair<std::string, FunctionHook*>>& get_function_hooks() {
  thread_local std::vector<std::pair<std::string, FunctionHook*>> hooks;
  return hooks;
}

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
  auto& hooks = get_function_hooks();
  const std::string name = hook.name();
  for (const auto& [existing, h] : hooks)
    if (existing == name) throw KeyError("hook ", name, " already exists");
  hooks.emplace_back(name, &hook);
  hook.added(nullptr);
}

FunctionHookScope::~FunctionHookScope() {
  auto& hooks = get_function_hooks();
  hook_.deleted(nullptr);
  hooks.erase(std::remove_if(hooks.begin(), hooks.end(), [&](const auto& h) { return h.second == &hook_; }),
              hooks.end());
}

}  // namespace chainer
