// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>

#include "chainer/links/parameter_hooks.h"

namespace chainer::link_hooks {
namespace {

// The parameters of a link itself, without those of its children.
struct Own : MemberVisitor {
  void param(const std::string& name, Parameter& p) override { all.emplace_back(name, &p); }
  std::vector<std::pair<std::string, Parameter*>> all;
};

}  // namespace

void ParameterHook::forward_preprocess(const LinkHookArgs& args) {
  Own own;
  args.link.visit(own);
  // All replacements are computed before the first parameter is replaced.
  Call call{&args.link, {}};
  for (const auto& [name, p] : own.all) {
    if (!p->is_initialized()) continue;
    if (Variable v = replacement(args.link, name, *p)) call.kept.emplace_back(p, Parameter::of(v));
  }
  for (auto& [p, other] : call.kept) std::swap(*p, other);
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

void ParameterHook::restore(const Link& link) noexcept {
  const std::lock_guard lock(mutex_);
  const auto last = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call& c) { return c.link == &link; });
  if (last == calls_.rend()) return;
  for (auto& [p, original] : last->kept) *p = std::move(original);
  calls_.erase(std::next(last).base());
}

void ParameterHook::forward_postprocess(const LinkHookArgs& args) { restore(args.link); }
void ParameterHook::forward_aborted(const LinkHookArgs& args) noexcept { restore(args.link); }

}  // namespace chainer::link_hooks
