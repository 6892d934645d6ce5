// Links: parameters and the computation that uses them.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "chainer/autograd/parameter.h"
#include "chainer/core/kept.h"
#include "chainer/core/serializer.h"
#include "chainer/links/member_visitor.h"
#include "chainer/links/shared_name.h"

namespace chainer {

class LinkHook;
class Sequential;

/// How a link is copied: new links on the same arrays, on copies of them, or on freshly initialized ones.
enum class CopyMode { share, copy, init };

/// Variables by name, as dict examples give them.
using NamedVariables = std::map<std::string, Variable>;

/// A parametrised computation. Derive, list parameters, children and persistent values in CHAINER_MEMBERS, and define
/// forward; see the example in links.h. Links are moved, never copied by accident: copy() says how.
///
/// A parameter that several members share (tied weights) is one parameter: walks yield it once, under its first path,
/// so that an optimizer updates it once a step (the release: once a path). Files hold it under each of its paths, as
/// the release's do; loading demands that these are equal. copy() keeps the tie.
class Link : public Anchored {
 public:
  Link();
  Link(const Link& o);
  Link(Link&& o) noexcept;
  Link& operator=(const Link&) = delete;
  Link& operator=(Link&& o) noexcept;
  ~Link() override;

  /// Own parameters by name, then those of children; paths like /l1/W. Each parameter once.
  std::vector<Parameter> params(bool include_uninit = true) const;
  std::vector<std::pair<std::string, Parameter>> namedparams(bool include_uninit = true) const;
  /// This link first (path /), then children depth first.
  std::vector<Link*> links(bool skipself = false) const;
  std::vector<std::pair<std::string, Link*>> namedlinks(bool skipself = false) const;
  /// Direct children, by name or index.
  std::vector<Link*> children() const;
  /// Set by walks from the parent (the one that came last, where there are several); empty for the outermost link.
  const std::string& name() const { return name_.get(); }

  void cleargrads();
  void zerograds();
  /// Copies the other link's data (not gradients) by path, and its persistent arrays, numbers and texts. KeyError
  /// where the other link lacks a path of this one, TypeError where a value there is of another kind.
  void copyparams(const Link& other, bool copy_persistent = true);
  /// Adds the other link's gradients, by path.
  void addgrads(const Link& other);
  /// Elements of all initialized parameters; warns about each uninitialized one.
  int64_t count_params() const;
  void enable_update();
  void disable_update();
  /// Whether any parameter's update rule is enabled.
  bool update_enabled() const;
  /// Moves parameters and array values.
  Link& to_device(const Device& device);
  Link& to_cpu() { return to_device(Device()); }
  /// To that CUDA device; without a number to the thread's current one (Device::use), or else the first.
  Link& to_gpu(std::optional<int> id = {}) { return to_device(gpu_device(id)); }
  virtual void serialize(Serializer& s);
  /// n copies of this link, one after the other. Each is one layer, also where it is a Sequential itself: the paths of
  /// Sequential(Linear, tanh).repeat(2) are /0/0/W and /1/0/W.
  Sequential repeat(int64_t n, CopyMode mode = CopyMode::init) const;

  /// Registered at run time, under names that are not taken. Without an initializer a parameter is NaN.
  Parameter add_param(const std::string& name, std::optional<Shape> shape = {}, InitializerArg initializer = {});
  void add_persistent(const std::string& name, Array value);
  /// A persistent value added at run time.
  Array& persistent(const std::string& name);
  /// A parameter added at run time.
  Parameter param(const std::string& name) const;

  /// Hooks around this link's forward.
  Link& add_hook(std::shared_ptr<LinkHook> hook, const std::string& name = {});
  void delete_hook(const std::string& name);
  const std::vector<std::pair<std::string, std::shared_ptr<LinkHook>>>& local_link_hooks() const { return hooks_; }

  /// forward with variables whose number is known at run time only: what trainers and evaluators call.
  virtual Variables call(const Variables& x);
  /// A link is called through the operator that CHAINER_MEMBERS defines. This one is met where it is missing.
  template <class... A>
  void operator()(A&&...) {
    static_assert(sizeof...(A) > 1000,
                  "the class of this link has no CHAINER_MEMBERS(Class, members...), which makes "
                  "it callable, trained and saved; without members: CHAINER_MEMBERS(Class)");
  }
  virtual Variables call(const NamedVariables& x);
  virtual std::shared_ptr<Link> clone(CopyMode mode) const;
  /// Walks listed and added members.
  virtual void visit(MemberVisitor& v);
  /// The class name.
  std::string class_name() const;
  /// Bytes of the most derived object; 0 for a class without CHAINER_MEMBERS.
  virtual std::size_t object_size() const { return 0; }
  /// Whether the link was moved elsewhere. Calling, walking or saving it is a RuntimeError.
  bool is_moved_from() const { return moved_from_; }

 protected:
  void visit_added(MemberVisitor& v);
  void add_child(const std::string& name, Kept<Link> link);

 private:
  void expect_free(const std::string& name);
  friend struct LinkCopier;
  friend class LinkCollector;
  SharedName name_;
  bool moved_from_ = false;
  std::vector<std::pair<std::string, Parameter>> added_params_;
  std::vector<std::pair<std::string, Array>> added_persistents_;
  std::vector<std::pair<std::string, Kept<Link>>> added_links_;
  std::set<std::string, std::less<>> added_names_;  // of these three
  std::vector<std::pair<std::string, std::shared_ptr<LinkHook>>> hooks_;
};

/// A link with children.
class Chain : public Link {
 public:
  /// Registers a child under a name that is not taken.
  void add_link(const std::string& name, Kept<Link> link) { add_child(name, std::move(link)); }
  /// The child of that name; KeyError if there is none.
  Link& operator[](const std::string& name) const;
};

/// A child of any type, kept as Kept does; copied along with the link that has it.
class Child {
 public:
  Child() = default;
  template <class T>
  requires std::is_constructible_v<Kept<Link>, T> Child(T&& link) : kept_(std::forward<T>(link)) {}
  Child(const Child& o);
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) = default;
  explicit operator bool() const { return static_cast<bool>(kept_); }
  Link& operator*() const { return *kept_; }
  Link* operator->() const { return &*kept_; }

 private:
  Kept<Link> kept_;
};

/// A link that is being copied; while one exists, copy constructors of links may run on this thread.
struct LinkCopier {
  explicit LinkCopier(CopyMode mode);
  LinkCopier(const LinkCopier&) = delete;
  LinkCopier& operator=(const LinkCopier&) = delete;
  ~LinkCopier();
  static const CopyMode* current();
  /// Gives the finished copy parameters of its own.
  void finish(Link& copy) const;

 private:
  CopyMode mode_;
  const CopyMode* outer_;
};

/// One argument or result of a link's forward, of any type, as hooks see it: args.arguments[1].as<bool>() is a pointer
/// to the second argument where that is a bool. It refers to the object itself; after the call, an argument that was
/// moved in is a moved-from object.
class LinkArgument {
 public:
  LinkArgument() = default;
  template <class T>
  requires(!std::same_as<T, LinkArgument>) explicit LinkArgument(const T& value)
      : value_(std::addressof(value)), type_(&typeid(T)) {}
  /// The object if it is a T, else nullptr.
  template <class T>
  const T* as() const {
    return value_ && *type_ == typeid(T) ? static_cast<const T*>(value_) : nullptr;
  }
  const std::type_info& type() const { return *type_; }
  explicit operator bool() const { return value_ != nullptr; }

 private:
  const void* value_ = nullptr;
  const std::type_info* type_ = &typeid(void);
};

/// Runs link hooks around a call of forward: preprocess at its begin, postprocess in finish(), or aborted where forward
/// throws.
class LinkCall {
 public:
  LinkCall(Link& link, Variables args, std::vector<LinkArgument> arguments);
  LinkCall(const LinkCall&) = delete;
  LinkCall& operator=(const LinkCall&) = delete;
  ~LinkCall();
  void finish(Variables out, LinkArgument result);
  static bool hooked(const Link& link);

 private:
  void abort() noexcept;
  Link& link_;
  Variables args_;
  std::vector<LinkArgument> arguments_;
  std::vector<LinkHook*> begun_;  // their preprocess ran
};

namespace detail {

// Whether members of these types can be copied. A std::vector claims that it can, whatever it holds.
template <class M>
inline constexpr bool kCopies = std::is_copy_constructible_v<M>;
template <class M>
inline constexpr bool kCopies<std::vector<M>> = kCopies<M>;
template <class M, std::size_t n>
inline constexpr bool kCopies<std::array<M, n>> = kCopies<M>;
template <class K, class M>
inline constexpr bool kCopies<std::map<K, M>> = kCopies<M>;
template <class... M>
struct Types {
  static constexpr bool copies = (kCopies<M> && ...);
};
template <class... M>
Types<M...> types_of(const M&...);

template <class Members, class T>
T copy_link(const T& link, CopyMode mode) {
  if constexpr (Members::copies && std::is_copy_constructible_v<T>) {
    const LinkCopier copier(mode);
    T copy(link);
    copier.finish(copy);
    return copy;
  } else {
    throw TypeError("a ", link.class_name(), " cannot be copied: a std::unique_ptr among its members has one owner; ",
                    "a Child or a std::optional is copied along");
  }
}

template <class R>
Variables as_variables(R&& r) {
  if constexpr (std::is_convertible_v<R, Variable>)
    return Variables{Variable(std::forward<R>(r))};
  else if constexpr (std::is_convertible_v<R, Variables>)
    return std::forward<R>(r);
  else
    return Variables(r.begin(), r.end());
}
[[noreturn]] void wrong_argument_count(const Link& link, std::size_t count, std::initializer_list<int> accepted);

// Whether forward takes so many variables.
template <class L, class... V>
inline constexpr bool kTakes = requires(L& l, const V&... v) {
  l.forward(v...);
};

template <class L>
Variables call_forward(L& l, const Variables& x) {
  using V = Variable;
  constexpr bool one = kTakes<L, V>, two = kTakes<L, V, V>, three = kTakes<L, V, V, V>;
  if constexpr (one)
    if (x.size() == 1) return as_variables(l(x[0]));
  if constexpr (two)
    if (x.size() == 2) return as_variables(l(x[0], x[1]));
  if constexpr (three)
    if (x.size() == 3) return as_variables(l(x[0], x[1], x[2]));
  if constexpr (kTakes<L, Variables>)
    return as_variables(l(x));
  else
    wrong_argument_count(l, x.size(), {one ? 1 : 0, two ? 2 : 0, three ? 3 : 0});
}

// The variables in an argument or result: one, or those of tuples, optionals and ranges, in order.
template <class A>
void collect_variables(Variables& out, const A& a) {
  if constexpr (std::is_convertible_v<const A&, Variable>) {
    out.push_back(a);
  } else if constexpr (requires { std::tuple_size<A>::value; }) {
    std::apply([&](const auto&... e) { (collect_variables(out, e), ...); }, a);
  } else if constexpr (requires { a.has_value(), *a; }) {
    if (a) collect_variables(out, *a);
  } else if constexpr (requires { a.begin() != a.end(), *a.begin(); }) {
    if constexpr (!std::same_as<std::remove_cvref_t<decltype(*a.begin())>, A> &&
                  !std::is_arithmetic_v<std::remove_cvref_t<decltype(*a.begin())>>)
      for (const auto& e : a) collect_variables(out, e);
  }
}

// Adds to the error which link below `link` it comes from.
void locate_error(const Link& link, Error& e);

template <class L, class... A>
decltype(auto) call_with_hooks(L& l, A&&... a) {
  try {
    if (!LinkCall::hooked(l)) [[likely]]
      return l.forward(std::forward<A>(a)...);
    Variables args, results;
    (collect_variables(args, a), ...);
    LinkCall call(l, std::move(args), {LinkArgument(a)...});
    decltype(auto) out = l.forward(std::forward<A>(a)...);
    collect_variables(results, out);
    call.finish(std::move(results), LinkArgument(out));
    return out;
  } catch (Error& e) {
    locate_error(l, e);
    throw;
  }
}

}  // namespace detail

/// Lists the members of a link type, once: parameters, links, persistent values (Array, int64_t, int, double, float,
/// bool, std::string), std::optional, std::unique_ptr, std::vector, std::array and std::map with text keys of them, and
/// std::shared_ptr of links. From the list come params(), serialize(), copy() and the rest; operator() runs hooks
/// around forward, whose signature is the type's own. copy() copies links behind a std::shared_ptr, too, each once. A
/// link with a std::unique_ptr cannot be copied: there copy() is a TypeError (Child and std::optional are copied). A
/// parameter or link inside the object that is not in the list is found when an optimizer is set up. (C++ allows no
/// templates in classes local to a function: define links at namespace scope.)
#define CHAINER_MEMBERS(Type, ...)                                                       \
  void visit(::chainer::MemberVisitor& visitor_) override {                              \
    ::chainer::detail::visit_members(visitor_, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
    this->visit_added(visitor_);                                                         \
  }                                                                                      \
  CHAINER_LINK(Type __VA_OPT__(, ) __VA_ARGS__)

/// The same without visit(), for a link type whose visit() is written by hand or inherited, as ChainList's.
#define CHAINER_LINK(Type, ...)                                                      \
  Type copy(::chainer::CopyMode mode_ = ::chainer::CopyMode::share) const {          \
    using Members_ = decltype(::chainer::detail::types_of(__VA_ARGS__));             \
    return ::chainer::detail::copy_link<Members_>(*this, mode_);                     \
  }                                                                                  \
  std::shared_ptr<::chainer::Link> clone(::chainer::CopyMode mode_) const override { \
    return std::make_shared<Type>(copy(mode_));                                      \
  }                                                                                  \
  ::chainer::Variables call(const ::chainer::Variables& x_) override {               \
    return ::chainer::detail::call_forward(*this, x_);                               \
  }                                                                                  \
  using ::chainer::Link::call;                                                       \
  std::size_t object_size() const override { return sizeof(Type); }                  \
  template <class... A_>                                                             \
  decltype(auto) operator()(A_&&... a_) {                                            \
    return ::chainer::detail::call_with_hooks(*this, std::forward<A_>(a_)...);       \
  }                                                                                  \
  static_assert(true)

}  // namespace chainer
