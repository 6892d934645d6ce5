// Links whose children are numbered.
#pragma once
#include "chainer/links/link.h"

namespace chainer {

/// Children by index: paths /0/W, /1/W. Derive and define forward, or use it as a container.
class ChainList : public Link {
 public:
  ChainList() = default;
  ChainList(const ChainList& o);  // for copy(); by accident it throws, as every link's
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
  /// Position of a link; ValueError if it is not here.
  int64_t index(const Link& link) const;
  int64_t count(const Link& link) const;

  void visit(MemberVisitor& v) override;
  ChainList copy(CopyMode mode = CopyMode::share) const;
  std::shared_ptr<Link> clone(CopyMode mode) const override;

 private:
  std::size_t resolve(int64_t index) const;
  std::vector<Kept<Link>> list_;
};

}  // namespace chainer
