// SPDX-License-Identifier: MIT
// A sequence of layers.
#pragma once
#include "chainer/links/link.h"

namespace chainer {

/// One layer: a link, or a function of variables.
class Layer {
 public:
  template <class T>
  requires std::derived_from<std::remove_cvref_t<T>, Link> Layer(T&& link) : link_(std::forward<T>(link)) {}
  template <class T>
  requires std::derived_from<T, Link> Layer(std::shared_ptr<T> link) : link_(std::move(link)) {}
  template <class F>
  requires(std::is_invocable_v<const F&, const Variable&> && !std::derived_from<F, Link>) Layer(F f) {
    if constexpr (requires { F::name; })
      name_ = F::name;
    else
      name_ = "<lambda>";
    function_ = [f = std::move(f)](const Variable& x) -> Variable { return f(x); };
  }
  bool is_link() const { return static_cast<bool>(link_); }
  Link& link() const { return *link_; }
  /// The name of the function, or the class name of the link.
  std::string name() const { return is_link() ? link().class_name() : name_; }
  Variables operator()(const Variables& x) const;
  Layer copy(CopyMode mode) const;

 private:
  Kept<Link> link_;
  std::function<Variable(const Variable&)> function_;
  std::string name_;
};

/// Applies layers in order; the results of a layer are the arguments of the next. Prints one line for each layer. Paths
/// and file keys are those of the release, which numbers links differently from layers: the first link is 0 and each
/// later one is inserted right after it, so the last of five links is 1; numbers depend on the order in which layers
/// were inserted and removed. Indices and iteration are in order. forward()
/// throws TypeError if a function gets, or a single result needs, another number of variables than one; members that
/// take an index throw IndexError if it is out of range.
///   auto mlp = Sequential(L::Linear(100), F::relu, L::Linear(10));
class Sequential : public Link {
 public:
  Sequential() = default;
  Sequential(const Sequential& o);  // for copy(); throws RuntimeError otherwise
  Sequential(Sequential&&) noexcept = default;
  Sequential& operator=(Sequential&&) = default;
  template <class... T>
  requires(sizeof...(T) > 0 && (sizeof...(T) > 1 || !(std::same_as<std::remove_cvref_t<T>, Sequential> && ...)) &&
           (std::is_constructible_v<Layer, T> && ...)) explicit Sequential(T&&... layers) {
    (append(Layer(std::forward<T>(layers))), ...);
  }

  Variable forward(const Variable& x);
  Variables forward(const Variables& x);
  Variable operator()(const Variable& x) { return detail::call_with_hooks(*this, x); }
  Variables operator()(const Variables& x) { return detail::call_with_hooks(*this, x); }

  std::size_t size() const { return layers_.size(); }
  const Layer& operator[](int64_t i) const;
  auto begin() const { return layers_.begin(); }
  auto end() const { return layers_.end(); }
  void append(Layer layer) { insert(static_cast<int64_t>(layers_.size()), std::move(layer)); }
  void extend(Sequential&& other);
  void insert(int64_t i, Layer layer);
  Layer pop(int64_t i = -1);
  void set(int64_t i, Layer layer);
  void clear() { layers_.clear(), numbers_.clear(); }
  /// Removes or counts layers by the name of their class or function.
  void remove_by_layer_type(const std::string& type);
  int64_t count_by_layer_type(const std::string& type) const;
  int64_t index(const Link& link) const;
  Sequential& operator+=(Sequential&& other) {
    extend(std::move(other));
    return *this;
  }
  /// Returns a Sequential in which nested Sequentials are replaced by their layers, which are shared with this one.
  Sequential flatten() const;
  Sequential copy(CopyMode mode = CopyMode::share) const;

  Variables call(const Variables& x) override { return (*this)(x); }
  using Link::call;
  std::shared_ptr<Link> clone(CopyMode mode) const override;
  void visit(MemberVisitor& v) override;

 private:
  std::size_t resolve(int64_t i) const;
  void erase(std::size_t at);
  std::vector<Layer> layers_;
  std::vector<int64_t> numbers_;  // the number of each layer's link; -1 for functions
};
std::string to_string(const Sequential& s);

}  // namespace chainer
