// SPDX-License-Identifier: MIT
#include "chainer/links/chain_list.h"

#include <algorithm>

namespace chainer {

ChainList::ChainList(const ChainList& o) : Link(o) {
  for (const auto& l : o.list_) list_.emplace_back(l->clone(*LinkCopier::current()));
}

std::size_t ChainList::resolve(int64_t i) const {
  const auto n = static_cast<int64_t>(list_.size());
  if (i < -n || i >= n) throw IndexError("ChainList: index ", i, " is out of range for ", n, " links");
  return static_cast<std::size_t>(i < 0 ? i + n : i);
}

void ChainList::insert(int64_t i, Kept<Link> link) {
  const auto n = static_cast<int64_t>(list_.size());
  list_.insert(list_.begin() + std::clamp<int64_t>(i < 0 ? i + n : i, 0, n), std::move(link));
}
Kept<Link> ChainList::pop(int64_t i) {
  const std::size_t at = resolve(i);
  Kept<Link> l = std::move(list_[at]);
  list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(at));
  return l;
}
void ChainList::remove(const Link& link) { pop(index(link)); }
void ChainList::reverse() { std::reverse(list_.begin(), list_.end()); }
Link& ChainList::operator[](int64_t i) const { return *list_[resolve(i)]; }
void ChainList::set(int64_t i, Kept<Link> link) { list_[resolve(i)] = std::move(link); }
int64_t ChainList::index(const Link& link) const {
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (&*list_[i] == &link) return static_cast<int64_t>(i);
  throw ValueError("ChainList: the link is not in the list");
}
int64_t ChainList::count(const Link& link) const {
  return std::count_if(list_.begin(), list_.end(), [&](const Kept<Link>& l) { return &*l == &link; });
}

void ChainList::visit(MemberVisitor& v) {
  for (std::size_t i = 0; i < list_.size(); ++i) v.link(std::to_string(i), *list_[i]);
  visit_added(v);
}
ChainList ChainList::copy(CopyMode mode) const {
  const LinkCopier copier(mode);
  ChainList c(*this);
  copier.finish(c);
  return c;
}
std::shared_ptr<Link> ChainList::clone(CopyMode mode) const { return std::make_shared<ChainList>(copy(mode)); }

}  // namespace chainer
