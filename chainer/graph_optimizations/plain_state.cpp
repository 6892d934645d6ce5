// SPDX-License-Identifier: MIT
#include "chainer/graph_optimizations/plain_state.h"

#include <cstring>

namespace chainer::static_graphs {
namespace {

const char* begin_of(const Link& l) { return static_cast<const char*>(dynamic_cast<const void*>(&l)); }
std::size_t words_of(const Link& l) { return l.object_size() / sizeof(uint64_t); }

// Not checked by the thread sanitizer: another thread, which is recording, may change a counter in the object.
__attribute__((no_sanitize("thread"))) uint64_t word(const char* object, std::size_t at) {
  uint64_t w;
  std::memcpy(&w, object + at * sizeof w, sizeof w);
  return w;
}

}  // namespace

PlainState::PlainState(const Members& members) {
  for (const Link* l : members.links) {
    const char* const begin = begin_of(*l);
    const char* const end = begin + words_of(*l) * sizeof(uint64_t);
    Object o;
    for (std::size_t at = 0; at < words_of(*l); ++at) o.words.push_back(word(begin, at));
    o.mask.assign(o.words.size(), ~uint64_t(0));
    const auto leave_out = [&](const void* what, std::size_t size) {
      const char* const from = static_cast<const char*>(what);
      if (from < begin || from + size > end) return;
      std::memset(reinterpret_cast<char*>(o.mask.data()) + (from - begin), 0, size);
    };
    leave_out(l, sizeof(Link));
    for (const auto& [address, size] : members.places) leave_out(address, size);
    for (const Link* inside : members.links)
      if (inside != l && begin_of(*inside) != begin) leave_out(begin_of(*inside), inside->object_size());
    objects_.push_back(std::move(o));
  }
}

void PlainState::leave_out_changes(const PlainState& after) {
  for (std::size_t k = 0; k < objects_.size() && k < after.objects_.size(); ++k) {
    Object& o = objects_[k];
    const std::vector<uint64_t>& now = after.objects_[k].words;
    for (std::size_t at = 0; at < o.words.size() && at < now.size(); ++at) {
      const uint64_t changed = o.words[at] ^ now[at];
      // If any bit of a byte changed, leaves out the whole byte.
      for (int byte = 0; byte < 64; byte += 8)
        if (changed >> byte & 0xFF) o.mask[at] &= ~(uint64_t(0xFF) << byte);
    }
  }
}

bool PlainState::holds(const Members& members) const {
  if (objects_.size() != members.links.size()) return false;
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    const Object& o = objects_[k];
    if (o.words.size() != words_of(*members.links[k])) return false;
    const char* const begin = begin_of(*members.links[k]);
    for (std::size_t at = 0; at < o.words.size(); ++at)
      if ((word(begin, at) ^ o.words[at]) & o.mask[at]) return false;
  }
  return true;
}

}  // namespace chainer::static_graphs
