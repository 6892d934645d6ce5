// SPDX-License-Identifier: MIT
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

/// How a link is copied: with the same arrays (share), with copies of them (copy), or with new ones from the
/// initializers (init).
enum class CopyMode { share, copy, init };

/// Variables by name, from examples that are dictionaries.
using NamedVariables = std::map<std::string, Variable>;

/// A computation with parameters. Derive, list parameters, children and persistent values in CHAINER_MEMBERS, and
/// define forward(); see the example in links.h. Links are moved; only copy() copies them, the copy constructor throws
/// RuntimeError.
///
/// A parameter that several members share (tied weights) is one parameter: walks yield it once, under its first path,
/// so an optimizer updates it once per step (in the release: once per path). Files store it under each of its paths, as
/// those of the release do; loading throws ValueError if these differ. copy() keeps parameters tied.
class Link : public Anchored {
 public:
  Link();
  Link(const Link& o);
  Link(Link&& o) noexcept;
  Link& operator=(const Link&) = delete;
  Link& operator=(Link&& o) noexcept;
  ~Link() override;

  /// Returns the link's own parameters by name, then those of its children, each once; paths like /l1/W.
  std::vector<Parameter> params(bool include_uninit = true) const;
  std::vector<std::pair<std::string, Parameter>> namedparams(bool include_uninit = true) const;
  /// Returns this link first (path /), then its children depth first.
  std::vector<Link*> links(bool skipself = false) const;
  std::vector<std::pair<std::string, Link*>> namedlinks(bool skipself = false) const;
  /// Returns the direct children, by name or index.
  std::vector<Link*> children() const;
  /// The name that the last walk from a parent set; empty for the outermost link.
  const std::string& name() const { return name_.get(); }

  void cleargrads();
  void zerograds();
  /// Copies the data (not gradients) of another link by path, and its persistent arrays, numbers and strings. Throws
  /// KeyError if the other link has not all paths of this one, TypeError if a persistent value has another type.
  void copyparams(const Link& other, bool copy_persistent = true);
  /// Adds the gradients of another link, by path. Throws KeyError if this link has not all of its parameters.
  void addgrads(const Link& other);
  /// Returns the number of elements of all initialized parameters; warns about each uninitialized one.
  int64_t count_params() const;
  void enable_update();
  void disable_update();
  /// Returns true if the update rule of any parameter is enabled.
  bool update_enabled() const;
  /// Moves parameters and persistent arrays to a device.
  Link& to_device(const Device& device);
  Link& to_cpu() { return to_device(Device()); }
  /// Moves to a CUDA device: the one with this number, else the thread's current one (Device::use), else the first.
  Link& to_gpu(std::optional<int> id = {}) { return to_device(gpu_device(id)); }
  virtual void serialize(Serializer& s);
  /// Returns a Sequential of n copies of this link. Each copy is one layer, even of a Sequential: the paths of
  /// Sequential(Linear, tanh).repeat(2) are /0/0/W and /1/0/W.
  Sequential repeat(int64_t n, CopyMode mode = CopyMode::init) const;

  /// Registers a parameter or persistent value at run time. Without an initializer a parameter is NaN. Throws KeyError
  /// if the name is taken, ValueError if it is empty.
  Parameter add_param(const std::string& name, std::optional<Shape> shape = {}, InitializerArg initializer = {});
  void add_persistent(const std::string& name, Array value);
  /// Returns a persistent value that was added at run time. Throws KeyError if there is none of this name.
  Array& persistent(const std::string& name);
  /// Returns a parameter that was added at run time. Throws KeyError if there is none of this name.
  Parameter param(const std::string& name) const;

  /// Adds or deletes a hook around forward() of this link. Throws KeyError if a hook of this name exists, or does not.
  Link& add_hook(std::shared_ptr<LinkHook> hook, const std::string& name = {});
  void delete_hook(const std::string& name);
  const std::vector<std::pair<std::string, std::shared_ptr<LinkHook>>>& local_link_hooks() const { return hooks_; }

  /// Calls forward() with a number of variables known only at run time, for trainers and evaluators. Throws TypeError
  /// if forward() does not take that many, NotImplementedError if the class has no CHAINER_MEMBERS.
  virtual Variables call(const Variables& x);
  /// CHAINER_MEMBERS defines the operator that calls a link. This overload explains a missing CHAINER_MEMBERS.
  template <class... A>
  void operator()(A&&...) {
    static_assert(sizeof...(A) > 1000,
                  "the class of this link has no CHAINER_MEMBERS(Class, members...), which makes "
                  "it callable, trained and saved; without members: CHAINER_MEMBERS(Class)");
  }
  virtual Variables call(const NamedVariables& x);
  virtual std::shared_ptr<Link> clone(CopyMode mode) const;
  /// Returns the link that this one calls in its place, whose values are reported under this one's name; or nullptr.
  virtual Link* wrapped() const { return nullptr; }
  /// Visits listed and added members.
  virtual void visit(MemberVisitor& v);
  /// The class name.
  std::string class_name() const;
  /// The size of the most derived object in bytes; 0 for a class without CHAINER_MEMBERS.
  virtual std::size_t object_size() const { return 0; }
  /// Returns true if the link was moved from. Calling, walking or saving such a link throws RuntimeError.
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
  std::set<std::string, std::less<>> added_names_;  // the names in the three lists above
  std::vector<std::pair<std::string, std::shared_ptr<LinkHook>>> hooks_;
};

/// A link with children.
class Chain : public Link {
 public:
  /// Registers a child. Throws KeyError if the name is taken, ValueError if it is empty.
  void add_link(const std::string& name, Kept<Link> link) { add_child(name, std::move(link)); }
  /// Returns the child of this name. Throws KeyError if there is none.
  Link& operator[](const std::string& name) const;
};

/// A child of any type, owned or shared as Kept describes, and copied with its parent.
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

/// Scope of a copy: while it exists, copy constructors of links may run on this thread.
struct LinkCopier {
  explicit LinkCopier(CopyMode mode);
  LinkCopier(const LinkCopier&) = delete;
  LinkCopier& operator=(const LinkCopier&) = delete;
  ~LinkCopier();
  static const CopyMode* current();
  /// Replaces the parameters and arrays of the copy as the mode requires.
  void finish(Link& copy) const;

 private:
  CopyMode mode_;
  const CopyMode* outer_;
};

/// One argument or result of forward(), of any type, for hooks: args.arguments[1].as<bool>() is a pointer to the second
/// argument if this is a bool. Refers to the object itself; after the call, an argument that was moved in is a
/// moved-from object.
class LinkArgument {
 public:
  LinkArgument() = default;
  template <class T>
  requires(!std::same_as<T, LinkArgument>) explicit LinkArgument(const T& value)
      : value_(std::addressof(value)), type_(&typeid(T)) {}
  /// Returns the object if it is a T, else nullptr.
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

/// Runs link hooks around a call of forward(): preprocess in the constructor, postprocess in finish(), and aborted if
/// forward() throws.
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
  std::vector<std::shared_ptr<LinkHook>> begun_;  // hooks whose preprocess ran
};

namespace detail {

// True if members of these types can be copied. std::is_copy_constructible is true for every std::vector.
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
    throw TypeError("a ", link.class_name(), " cannot be copied, because a std::unique_ptr among its members cannot; ",
                    "use Child or std::optional instead");
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

// True if forward() takes this many variables.
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

// Appends the variables in an argument or result: one, or those of tuples, optionals and ranges, in order.
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

// Adds to the message of the error the path, below `link`, of the link that threw it.
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
/// bool, std::string), std::optional, std::unique_ptr, std::vector, std::array and std::map with string keys of them,
/// and std::shared_ptr of links. params(), serialize(), copy() and other methods use the list; operator() runs hooks
/// around forward(), with the signature of the type's own forward(). copy() also copies links in a std::shared_ptr,
/// each once, and throws TypeError for a link with a std::unique_ptr (use Child or std::optional instead). A parameter
/// or link in the object that is not in the list is reported when an optimizer is set up. (C++ allows no templates in
/// classes local to a function: define links at namespace scope.)
#define CHAINER_MEMBERS(Type, ...)                                                       \
  void visit(::chainer::MemberVisitor& visitor_) override {                              \
    ::chainer::detail::visit_members(visitor_, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
    this->visit_added(visitor_);                                                         \
  }                                                                                      \
  CHAINER_LINK(Type __VA_OPT__(, ) __VA_ARGS__)

/// CHAINER_MEMBERS without visit(), for a link type whose visit() is handwritten or inherited, as that of ChainList.
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
