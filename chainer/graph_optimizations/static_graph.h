// static_graph(): code whose graph is the same at each call is recorded at the first one and replayed later.
#pragma once
#include <any>
#include <memory>
#include <optional>

#include "chainer/core/type_name.h"
#include "chainer/graph_optimizations/arguments.h"
#include "chainer/graph_optimizations/schedule_manager.h"
#include "chainer/links/link.h"

namespace chainer {

namespace static_graphs {

// f(args...), by way of the manager.
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

/// A link whose forward is static: what static_graph(link) returns. It has the link's parameters under the same paths,
/// so files, optimizers and trainers take one for the other.
template <std::derived_from<Link> L>
class StaticChain : public Chain {
 public:
  StaticChain(Kept<Link> link, const StaticGraphOptions& options)
      : child_(std::move(link)), manager_(std::make_shared<ScheduleManager>(options)) {}
  StaticChain(const StaticChain& o)
      : Chain(o), child_(o.child_), manager_(std::make_shared<ScheduleManager>(o.manager_->options())) {}
  StaticChain(StaticChain&&) noexcept = default;

  template <class... A>
  requires requires(L& l, const A&... a) { l.forward(a...); }
  auto forward(const A&... args) {
    L& l = link();
    return static_graphs::call(
        *manager_, name_of_type().c_str(), {&l}, [&](const auto&... x) { return l(x...); }, args...);
  }
  /// The link itself.
  L& link() const { return static_cast<L&>(*child_); }
  ScheduleManager& schedule_manager() { return *manager_; }
  void visit(MemberVisitor& v) override {
    link().visit(v);
    this->visit_added(v);
  }
  void serialize(Serializer& s) override { link().serialize(s); }
  CHAINER_LINK(StaticChain);

 private:
  static const std::string& name_of_type() {
    static const std::string name = type_name(typeid(L));
    return name;
  }
  Child child_;
  std::shared_ptr<ScheduleManager> manager_;
};

/// A function that is static: what static_graph(function) returns. Copies share their schedules.
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

/// Marks a link, whose graph is the same at each call, as static. The first call runs it and records what the device
/// computes, as does the first backward pass; later calls replay that without building a graph: no nodes, no checks,
/// memory planned once. Results and gradients are those of the link itself, with the same bits. In the graph around it
/// a call is one function, StaticScheduleFunction. The link is borrowed, or owned where it is moved in.
///
///   L::Linear link(3, 2);
///   auto fast = static_graph(link);
///   for (int i = 0; i < 3; ++i) F::sum(fast(ones({4, 3}))).backward();
///   fast.schedule_manager().counts().replayed  // 2
///
/// A schedule serves calls with the same shapes, dtypes and memory orders, config().train and enable_backprop; others
/// record one of their own. Elements of arguments, parameters and persistent values are read anew at each call,
/// statistics are updated, dropout draws, and reports are made. Code beside functions and links runs while recording
/// only, unless static_code() marks it. What cannot be replayed is noticed, not guessed: where the code reads elements
/// on the host (item()), uses arrays from elsewhere, keeps arrays outside, draws from the Mersenne Twister, or updates
/// parameters, it runs by itself from then on, and verbosity_level 1 says why. So it does in debug mode, with hooks,
/// and on other devices than the host.
///
/// Arguments and results are variables, and lists and tuples of them. RuntimeError: a static chain inside of another
/// one; gradients with a graph without enable_double_backprop; gradients of other outputs or by other inputs than when
/// it was recorded.
template <class L>
requires std::derived_from<std::remove_cvref_t<L>, Link>
auto static_graph(L&& link, const StaticGraphOptions& options = {}) {
  return StaticChain<std::remove_cvref_t<L>>(Kept<Link>(std::forward<L>(link)), options);
}
/// The same for a function of its arguments.
///
///   auto f = static_graph([](const Variable& x, const Variable& y) { return F::tanh(x * y) + x; });
///   f(array({0.f, 0.f}), array({1.f, 2.f})).array()  // array({0.f, 0.f})
template <class F>
requires(!std::derived_from<std::remove_cvref_t<F>, Link>) auto static_graph(F f,
                                                                             const StaticGraphOptions& options = {}) {
  return StaticFunction<F>(std::move(f), {}, options);
}
/// The same for a function that also reads the parameters and persistent values of a link.
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
