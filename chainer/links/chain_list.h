// SPDX-License-Identifier: MIT
// Links with numbered children.
#pragma once
#include "chainer/links/link.h"

namespace chainer {

/// A link with children by index: paths /0/W, /1/W. Derive and define forward(), or use ChainList as a container.
/// Members that take an index throw IndexError if it is out of range; negative indices count from the end.
class ChainList : public Link {
 public:
  ChainList() = default;
  ChainList(const ChainList& o);  // for copy(); throws RuntimeError otherwise
  ChainList(ChainList&&) noexcept = default;
  ChainList& operator=(ChainList&&) = default;
  template <class... L>
  requires(sizeof...(L) > 0 && !(std::derived_from<std::remove_cvref_t<L>, ChainList> && ...) &&
           (std::is_constructible_v<Kept<Link>, L> && ...)) explicit ChainList(L&&... links) {
    (append(std::forward<L>(links)), ...);
  }
  void append(Kept<Link> link) { list_.push_back(std::move(link)); }
  void add_link(Kept<Link> link) { append(std::move(link)); }
  void insert(int64_t index, Kept<Link> link);
  Kept<Link> pop(int64_t index = -1);
  void remove(const Link& link);
  void reverse();
  void clear() { list_.clear(); }
  std::size_t size() const { return list_.size(); }
  Link& operator[](int64_t index) const;
  void set(int64_t index, Kept<Link> link);
  /// Returns the position of a link. Throws ValueError if the link is not in the list.
  int64_t index(const Link& link) const;
  int64_t count(const Link& link) const;

  /// The children in order: for (Link& child : chain_list).
  class Iterator {
   public:
    explicit Iterator(const Kept<Link>* at) : at_(at) {}
    Link& operator*() const { return **at_; }
    Link* operator->() const { return &**at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Kept<Link>* at_;
  };
  Iterator begin() const { return Iterator(list_.data()); }
  Iterator end() const { return Iterator(list_.data() + list_.size()); }

  void visit(MemberVisitor& v) override;
  ChainList copy(CopyMode mode = CopyMode::share) const;
  std::shared_ptr<Link> clone(CopyMode mode) const override;

 private:
  std::size_t resolve(int64_t index) const;
  std::vector<Kept<Link>> list_;
};

}  // namespace chainer
