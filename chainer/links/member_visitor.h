// SPDX-License-Identifier: MIT
// Visits the members of a link, whatever their types.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "chainer/autograd/parameter.h"

namespace chainer {

class Child;
class Link;

/// Interface of walks over the members of a link.
class MemberVisitor {
 public:
  virtual ~MemberVisitor() = default;
  virtual void param(const std::string& name, Parameter& p) { (void)name, (void)p; }
  virtual void link(const std::string& name, Link& l) { (void)name, (void)l; }
  /// A persistent value: serialized, not trained.
  virtual void persistent(const std::string& name, Array& v) { (void)name, (void)v; }
  virtual void persistent(const std::string& name, int64_t& v) { (void)name, (void)v; }
  virtual void persistent(const std::string& name, double& v) { (void)name, (void)v; }
  virtual void persistent(const std::string& name, bool& v) { (void)name, (void)v; }
  virtual void persistent(const std::string& name, std::string& v) { (void)name, (void)v; }
  /// Narrow numbers are visited as wide ones. Throws ValueError if the visitor sets a value that does not fit.
  virtual void persistent(const std::string& name, int& v);
  virtual void persistent(const std::string& name, float& v);
  /// Returns true if the walk is also shown what a link holds but neither trains nor saves, such as the model that
  /// L::LowRankAdaptation adapts: true for copies and moves to a device.
  virtual bool visits_held() const { return false; }
  /// Returns a replacement for a link in a std::shared_ptr, before the link is visited; nullptr keeps the link.
  virtual std::shared_ptr<Link> replacement(const std::shared_ptr<Link>& link) { return (void)link, nullptr; }
};

namespace detail {

std::string next_name(std::string_view& names);

template <class M>
inline constexpr bool kSharesLink = false;
template <std::derived_from<Link> L>
inline constexpr bool kSharesLink<std::shared_ptr<L>> = true;
template <class M>
inline constexpr bool kOwnsOne = std::same_as<M, Child>;
template <class T>
inline constexpr bool kOwnsOne<std::optional<T>> = true;
template <class T>
inline constexpr bool kOwnsOne<std::unique_ptr<T>> = true;
template <class M>
concept NamedMembers = requires(M& m) {
  m.begin()->second;
  requires std::convertible_to<decltype(m.begin()->first), std::string>;
};
template <class M>
concept MemberRange = requires(M& m) {
  m.begin() != m.end();
  ++m.begin();
  *m.begin();
};
template <class M>
inline constexpr bool kIsMember = false;

template <class M>
void visit_member(MemberVisitor& v, const std::string& name, M& m) {
  if constexpr (std::derived_from<M, Link>) {
    v.link(name, m);
  } else if constexpr (std::same_as<M, Parameter>) {
    v.param(name, m);
  } else if constexpr (requires { v.persistent(name, m); }) {
    v.persistent(name, m);
  } else if constexpr (kSharesLink<M>) {
    if (!m) return;
    if (auto other = v.replacement(m)) m = std::static_pointer_cast<typename M::element_type>(std::move(other));
    v.link(name, *m);
  } else if constexpr (kOwnsOne<M>) {
    if (m) visit_member(v, name, *m);
  } else if constexpr (NamedMembers<M>) {
    for (auto& [key, e] : m) visit_member(v, name + "/" + key, e);
  } else if constexpr (MemberRange<M>) {
    std::size_t i = 0;
    for (auto& e : m) visit_member(v, name + "/" + std::to_string(i++), e);
  } else {
    static_assert(
        kIsMember<M>,
        "CHAINER_MEMBERS takes links, Parameter, Child, and the persistent values Array, int64_t, int, double, "
        "float, bool and std::string; std::optional, std::unique_ptr, std::vector, std::array and std::map "
        "with text keys of them; std::shared_ptr of links. Leave any other member out of the list.");
  }
}
template <class... M>
void visit_members([[maybe_unused]] MemberVisitor& v, [[maybe_unused]] std::string_view names, M&... m) {
  (visit_member(v, next_name(names), m), ...);
}

}  // namespace detail
}  // namespace chainer
