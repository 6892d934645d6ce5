// SPDX-License-Identifier: MIT
// static_graph() records code whose graph is the same at each call, and replays the recording at later calls.
#pragma once
#include <any>
#include <memory>
#include <optional>

#include "chainer/core/system/type_name.h"
#include "chainer/graph_optimizations/arguments.h"
#include "chainer/graph_optimizations/schedule_manager.h"
#include "chainer/links/link.h"
#include "chainer/core/other_options.h"

namespace chainer {

namespace static_graphs {

// Returns f(args...), recorded or replayed by the manager.
template <class F, class... A>
auto call(ScheduleManager& manager, const char* name, const std::vector<Link*>& links, F&& f, const A&... args) {
  static_assert((is_static<Taken<A>>() && ...),
                "the arguments of a static chain are variables (arrays are wrapped), and lists and tuples of them");
  std::tuple<Taken<A>...> given(taken(args)...);
  using Result = std::decay_t<decltype(std::apply(f, given))>;
  static_assert(is_static<Result>(), "the result of a static chain is a variable, or a list or tuple of them");
  std::vector<int64_t> nesting;
  const Variables in = flat(given, nesting);
  std::optional<Result> made;
  const auto run = [&](const Variables& xs) {
    std::tuple<Taken<A>...> mine = given;
    fill(mine, xs);
    made.emplace(std::apply(f, mine));
    std::vector<int64_t> lengths;
    return flat(*made, lengths);
  };
  if constexpr (IsVariable<Result>) {
    return std::move(manager.call(name, run, in, nesting, links, nullptr)[0]);
  } else {
    std::any structure;
    const auto run_and_keep = [&](const Variables& xs) {
      Variables out = run(xs);
      Result empty = *made;
      fill(empty, {});
      structure = std::move(empty);
      return out;
    };
    const Variables out = manager.call(name, run_and_keep, in, nesting, links, &structure);
    Result result = std::any_cast<Result>(structure);
    fill(result, out);
    return result;
  }
}

}  // namespace static_graphs

/// A link whose forward() is static; the result of static_graph(link). It has the parameters of the link under the same
/// paths, so files, optimizers and trainers work with either.
template <std::derived_from<Link> L>
class StaticChain : public Chain {
 public:
  StaticChain(Kept<Link> link, const StaticGraphOptions& options)
      : child_(std::move(link)), manager_(manager(options)) {}
  CHAINER_OTHER_OPTIONS(StaticChain,
                        ".force_test_define_by_run, .minimize_cache_size, .verbosity_level, .enable_double_backprop",
                        Kept<Link>);
  StaticChain(const StaticChain& o) : Chain(o), child_(o.child_), manager_(manager(o.manager_->options())) {}
  StaticChain(StaticChain&&) noexcept = default;

  template <class... A>
  requires requires(L& l, const A&... a) { l.forward(a...); }
  auto forward(const A&... args) {
    L& l = link();
    return static_graphs::call(
        *manager_, name_of_type().c_str(), {&l}, [&](const auto&... x) { return l(x...); }, args...);
  }
  /// Returns the original link.
  L& link() const { return static_cast<L&>(*child_); }
  ScheduleManager& schedule_manager() { return *manager_; }
  void visit(MemberVisitor& v) override {
    link().visit(v);
    this->visit_added(v);
  }
  void serialize(Serializer& s) override { link().serialize(s); }
  Link* wrapped() const override { return &link(); }
  CHAINER_LINK(StaticChain);

 private:
  static const std::string& name_of_type() {
    static const std::string name = type_name(typeid(L));
    return name;
  }
  std::shared_ptr<ScheduleManager> manager(const StaticGraphOptions& options) const {
    const auto made = std::make_shared<ScheduleManager>(options);
    if (child_->object_size() < sizeof(L))
      made->refuse("the class of the link has no CHAINER_MEMBERS of its own, so that its numbers are not seen");
    return made;
  }
  Child child_;
  std::shared_ptr<ScheduleManager> manager_;
};

/// A static function; the result of static_graph(function). Copies share their schedules.
template <class F>
class StaticFunction {
 public:
  StaticFunction(F f, std::vector<Kept<Link>> links, const StaticGraphOptions& options)
      : function_(std::make_shared<F>(std::move(f))),
        links_(std::move(links)),
        manager_(std::make_shared<ScheduleManager>(options)) {}
  template <class... A>
  auto operator()(const A&... args) const {
    std::vector<Link*> links;
    for (const Kept<Link>& l : links_) links.push_back(&*l);
    return static_graphs::call(*manager_, "a function", links, *function_, args...);
  }
  ScheduleManager& schedule_manager() const { return *manager_; }

 private:
  std::shared_ptr<F> function_;
  std::vector<Kept<Link>> links_;
  std::shared_ptr<ScheduleManager> manager_;
};

/// Marks a link, whose graph is the same at each call, as static. The first call runs the link and records the
/// computation of the device, as does the first backward pass; later calls replay the recording without building a
/// graph: no nodes, no checks, memory planned once. Results, and gradients of a call with one output, are bitwise equal
/// to those of the link; sums of gradients of several calls or outputs may differ in their last bits, because the order
/// of the additions differs. In the surrounding graph a call is one function, StaticScheduleFunction. The link is
/// borrowed, or owned if it is moved in.
///
///   L::Linear link(3, 2);
///   auto fast = static_graph(link);
///   for (int i = 0; i < 3; ++i) F::sum(fast(ones({4, 3}))).backward();
///   fast.schedule_manager().counts().replayed  // 2
///
/// A schedule serves calls with the same shapes, dtypes, memory orders, config().train and enable_backprop; other calls
/// record another schedule, as do calls after a number in a link was changed (such as BatchNormalization::decay). Each
/// replay reads the elements of arguments, parameters and persistent values, updates statistics, draws for dropout, and
/// reports. Other code than functions and links runs only while recording, unless marked by static_code(). Code that
/// cannot be replayed is detected: if the code reads elements on the host (item()), uses arrays from outside, stores
/// arrays outside, draws from the Mersenne Twister, changes or clears gradients, or updates parameters, the code itself
/// runs from then on, and verbosity_level 1 prints the reason. The same holds in debug mode, with hooks, and for arrays
/// on several devices. On a CUDA device a replay is one launch after some calls, or a few where steps need the host.
///
/// Arguments and results are variables, and lists and tuples of variables. A call throws RuntimeError inside of another
/// static chain; backward() throws RuntimeError for gradients with a graph without enable_double_backprop, and for
/// gradients of other outputs or with respect to other inputs than recorded.
template <class L>
requires std::derived_from<std::remove_cvref_t<L>, Link>
auto static_graph(L&& link, const StaticGraphOptions& options = {}) {
  return StaticChain<std::remove_cvref_t<L>>(Kept<Link>(std::forward<L>(link)), options);
}
/// Marks a function of its arguments as static.
///
///   auto f = static_graph([](const Variable& x, const Variable& y) { return F::tanh(x * y) + x; });
///   f(array({0.f, 0.f}), array({1.f, 2.f})).array()  // array({0.f, 0.f})
template <class F>
requires(!std::derived_from<std::remove_cvref_t<F>, Link>) auto static_graph(F f,
                                                                             const StaticGraphOptions& options = {}) {
  return StaticFunction<F>(std::move(f), {}, options);
}
/// Marks a function as static that also reads the parameters and persistent values of a link.
///
///   L::Linear link(3, 2);
///   auto squares = [&](const Variable& x) { return F::sum(F::square(link(x))); };
///   auto loss = static_graph(squares, link);
///   for (int i = 0; i < 3; ++i) loss(ones({4, 3})).backward();
template <class F>
requires(!std::derived_from<std::remove_cvref_t<F>, Link>) auto static_graph(F f, Link& reads,
                                                                             const StaticGraphOptions& options = {}) {
  return StaticFunction<F>(std::move(f), {Kept<Link>(reads)}, options);
}

}  // namespace chainer
