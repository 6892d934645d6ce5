// SPDX-License-Identifier: MIT
// Hooks around the forward computation of links.
#pragma once
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chainer/function_hooks/function_hooks.h"
#include "chainer/links/link.h"

namespace chainer {

/// The information about one call that link hooks receive.
struct LinkHookArgs {
  Link& link;
  std::string forward_name = "forward";
  Variables args;                            ///< the variables among the arguments, also those in lists and tuples
  Variables out = {};                        ///< after the call: all returned variables
  std::vector<LinkArgument> arguments = {};  ///< all arguments, of any type: arguments[1].as<bool>()
  LinkArgument result = {};                  ///< after the call: the returned object
};

/// Callbacks around links; scoped for this thread, or added to one link.
class LinkHook {
 public:
  virtual ~LinkHook() = default;
  virtual std::string name() const { return "LinkHook"; }
  virtual void added(Link* link) { (void)link; }
  virtual void deleted(Link* link) { (void)link; }
  virtual void forward_preprocess(const LinkHookArgs& args) { (void)args; }
  /// The hooks of a call end in the reverse of the order in which they began.
  virtual void forward_postprocess(const LinkHookArgs& args) { (void)args; }
  /// Called instead of forward_postprocess() if forward(), or a hook that ended before, throws.
  virtual void forward_aborted(const LinkHookArgs& args) noexcept { (void)args; }
};

/// Returns the link hooks of this thread in the order of their registration.
std::vector<std::pair<std::string, LinkHook*>>& get_link_hooks();

/// Scope that registers a hook for all links of this thread. The constructor throws KeyError if a hook of this name is
/// registered.
class [[nodiscard]] LinkHookScope {
 public:
  [[nodiscard]] explicit LinkHookScope(LinkHook& hook);
  LinkHookScope(const LinkHookScope&) = delete;
  LinkHookScope& operator=(const LinkHookScope&) = delete;
  ~LinkHookScope();

 private:
  LinkHook& hook_;
};

namespace link_hooks {

/// Measures the time of forward() of each link. The times of nested links overlap; total_time() sums the outermost
/// calls.
class TimerHook : public LinkHook {
 public:
  std::string name() const override { return "TimerHook"; }
  void forward_preprocess(const LinkHookArgs& args) override;
  void forward_postprocess(const LinkHookArgs& args) override;
  void forward_aborted(const LinkHookArgs& args) noexcept override;
  struct Call {
    std::string link;
    double seconds;
    int depth;
  };
  const std::vector<Call>& call_history() const { return history_; }
  double total_time() const;
  std::map<std::string, function_hooks::TimeRecord> summary() const;
  void print_report(std::FILE* file = stdout) const;

 private:
  std::vector<Call> history_;
  std::vector<double> running_;
};

}  // namespace link_hooks
}  // namespace chainer
