// SPDX-License-Identifier: MIT
// CHAINER_MEMBERS in two parts, for links of a library: declarations in the header and definitions in the source file.
// A program that includes the header then does not compile the definitions.
//
//   class Linear : public Link {
//     ...
//     CHAINER_DECLARE_MEMBERS(Linear);         // in the header
//   };
//   CHAINER_DEFINE_MEMBERS(Linear, W, b)       // in the source
#pragma once
#include "chainer/links/link.h"

/// The declarations of CHAINER_MEMBERS.
#define CHAINER_DECLARE_MEMBERS(Type)                      \
  void visit(::chainer::MemberVisitor& visitor_) override; \
  CHAINER_DECLARE_LINK(Type)

/// The declarations of CHAINER_LINK.
#define CHAINER_DECLARE_LINK(Type)                                                  \
  Type copy(::chainer::CopyMode mode_ = ::chainer::CopyMode::share) const;          \
  std::shared_ptr<::chainer::Link> clone(::chainer::CopyMode mode_) const override; \
  ::chainer::Variables call(const ::chainer::Variables& x_) override;               \
  using ::chainer::Link::call;                                                      \
  std::size_t object_size() const override;                                         \
  template <class... A_>                                                            \
  decltype(auto) operator()(A_&&... a_) {                                           \
    return ::chainer::detail::call_with_hooks(*this, std::forward<A_>(a_)...);      \
  }                                                                                 \
  static_assert(true)

/// The definitions of CHAINER_MEMBERS, with the list of members.
#define CHAINER_DEFINE_MEMBERS(Type, ...)                                                \
  void Type::visit(::chainer::MemberVisitor& visitor_) {                                 \
    ::chainer::detail::visit_members(visitor_, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
    this->visit_added(visitor_);                                                         \
  }                                                                                      \
  CHAINER_DEFINE_LINK(Type __VA_OPT__(, ) __VA_ARGS__)

#define CHAINER_DEFINE_LINK(Type, ...)                                            \
  Type Type::copy(::chainer::CopyMode mode_) const {                              \
    using Members_ = decltype(::chainer::detail::types_of(__VA_ARGS__));          \
    return ::chainer::detail::copy_link<Members_>(*this, mode_);                  \
  }                                                                               \
  std::shared_ptr<::chainer::Link> Type::clone(::chainer::CopyMode mode_) const { \
    return std::make_shared<Type>(copy(mode_));                                   \
  }                                                                               \
  ::chainer::Variables Type::call(const ::chainer::Variables& x_) {               \
    return ::chainer::detail::call_forward(*this, x_);                            \
  }                                                                               \
  std::size_t Type::object_size() const { return sizeof(Type); }
