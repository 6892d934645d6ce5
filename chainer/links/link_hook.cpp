// SPDX-License-Identifier: MIT
#include "chainer/links/link_hook.h"

#include <algorithm>
#include <memory>

#include "chainer/core/clock.h"
#include "chainer/core/report.h"

namespace chainer {

std::vector<std::pair<std::string, LinkHook*>>& get_link_hooks() {
  // Behind a pointer, because memory of threads is scarce in libraries that are loaded late.
  using Hooks = std::vector<std::pair<std::string, LinkHook*>>;
  thread_local const std::unique_ptr<Hooks> hooks = std::make_unique<Hooks>();
  return *hooks;
}

LinkHookScope::LinkHookScope(LinkHook& hook) : hook_(hook) {
  auto& hooks = get_link_hooks();
  const std::string name = hook.name();
  for (const auto& [existing, h] : hooks)
    if (existing == name) throw KeyError("hook ", name, " already exists");
  hooks.emplace_back(name, &hook);
  hook.added(nullptr);
}
LinkHookScope::~LinkHookScope() {
  report_exceptions("deleted() of a link hook", [&] { hook_.deleted(nullptr); });
  auto& hooks = get_link_hooks();
  hooks.erase(std::remove_if(hooks.begin(), hooks.end(), [&](const auto& h) { return h.second == &hook_; }),
              hooks.end());
}

bool LinkCall::hooked(const Link& link) {
  return !get_link_hooks().empty() || !link.local_link_hooks().empty() || link.is_moved_from();
}
LinkCall::LinkCall(Link& link, Variables args, std::vector<LinkArgument> arguments)
    : link_(link), args_(std::move(args)), arguments_(std::move(arguments)) {
  if (link.is_moved_from()) throw RuntimeError("a ", link.class_name(), " is called after it was moved elsewhere");
  try {
    const auto begin = [&](std::shared_ptr<LinkHook> hook) {
      hook->forward_preprocess({link_, "forward", args_, {}, arguments_});
      begun_.push_back(std::move(hook));
    };
    const auto everywhere = get_link_hooks();
    for (const auto& [name, hook] : everywhere) begin(std::shared_ptr<LinkHook>(std::shared_ptr<void>(), hook));
    const auto own = link_.local_link_hooks();
    for (const auto& [name, hook] : own) begin(hook);
  } catch (...) {
    abort();
    throw;
  }
}
// The hook that began last ends first, so that each finds the link as it left it. After an exception the destructor
// tells the others.
void LinkCall::finish(Variables out, LinkArgument result) {
  while (!begun_.empty()) {
    const std::shared_ptr<LinkHook> hook = std::move(begun_.back());
    begun_.pop_back();
    hook->forward_postprocess({link_, "forward", args_, out, arguments_, result});
  }
}
void LinkCall::abort() noexcept {
  for (; !begun_.empty(); begun_.pop_back()) begun_.back()->forward_aborted({link_, "forward", args_, {}, arguments_});
}
LinkCall::~LinkCall() { abort(); }

namespace link_hooks {
void TimerHook::forward_preprocess(const LinkHookArgs&) { running_.push_back(now()); }
void TimerHook::forward_postprocess(const LinkHookArgs& args) {
  if (running_.empty()) return;
  const double seconds = now() - running_.back();
  running_.pop_back();
  history_.push_back({args.link.class_name(), seconds, static_cast<int>(running_.size())});
}
void TimerHook::forward_aborted(const LinkHookArgs&) noexcept {
  if (!running_.empty()) running_.pop_back();
}
double TimerHook::total_time() const {
  double total = 0;
  for (const Call& c : history_)
    if (c.depth == 0) total += c.seconds;
  return total;
}
std::map<std::string, function_hooks::TimeRecord> TimerHook::summary() const {
  std::map<std::string, function_hooks::TimeRecord> out;
  for (const Call& c : history_) {
    out[c.link].elapsed_time += c.seconds;
    ++out[c.link].occurrence;
  }
  return out;
}
void TimerHook::print_report(std::FILE* file) const {
  std::fprintf(file, "%24s %12s %11s\n", "LinkName", "ElapsedTime", "Occurrence");
  for (const auto& [link, r] : summary())
    std::fprintf(file, "%24s %12s %11lld\n", link.c_str(), function_hooks::format_seconds(r.elapsed_time).c_str(),
                 static_cast<long long>(r.occurrence));
}

}  // namespace link_hooks
}  // namespace chainer
