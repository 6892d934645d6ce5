// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/memory.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace chainer::cuda {

Pool::Pool(Source& source)
    : source_(source), caches_([] {
        const char* const chosen = std::getenv("CHAINER_CUDA_POOL");
        return !chosen || std::string_view(chosen) != "none";
      }()) {}
Pool::~Pool() {
  for (const auto& [at, bytes] : segments_) source_.give(const_cast<char*>(at), bytes);
}

int Pool::new_piece() {
  if (unused_.empty()) {
    pieces_.emplace_back();
    return static_cast<int>(pieces_.size()) - 1;
  }
  const int piece = unused_.back();
  unused_.pop_back();
  pieces_[static_cast<std::size_t>(piece)] = {};
  return piece;
}

void Pool::make_free(int i) {
  Piece& p = pieces_[static_cast<std::size_t>(i)];
  p.free = true;
  free_[p.small].insert({p.size, p.at, i});
}
void Pool::take_from_free(int i) {
  Piece& p = pieces_[static_cast<std::size_t>(i)];
  p.free = false;
  free_[p.small].erase({p.size, p.at, i});
}

// Returns a free piece that covers a new segment, or -1.
int Pool::new_segment(std::size_t bytes, bool small) {
  if (limit_ && reserved_ + static_cast<int64_t>(bytes) > limit_) return -1;
  void* memory = source_.take(bytes);
  if (!memory) return -1;
  ++statistics_.system_requests;
  reserved_ += static_cast<int64_t>(bytes);
  statistics_.cached += static_cast<int64_t>(bytes);
  segments_.emplace(static_cast<char*>(memory), bytes);
  const int i = new_piece();
  Piece& p = pieces_[static_cast<std::size_t>(i)];
  p.at = static_cast<char*>(memory);
  p.size = bytes;
  p.small = small;
  make_free(i);
  return i;
}

memory::Block Pool::allocate(std::size_t bytes) {
  if (bytes > std::size_t(1) << 62) return {};
  const std::size_t size = std::max(kUnit, (bytes + kUnit - 1) / kUnit * kUnit);
  const bool small = caches_ && size <= kSmall;
  const std::size_t least = (size + kSmallSegment - 1) / kSmallSegment * kSmallSegment;
  const std::size_t segment = !caches_ ? size : small ? kSmallSegment : size <= kMedium ? kMediumSegment : least;
  int i = -1;
  if (const auto found = free_[small].lower_bound({size, nullptr, 0}); found != free_[small].end())
    i = std::get<int>(*found);
  else
    i = new_segment(segment, small);
  if (i < 0) {
    empty_cache();
    i = new_segment(segment, small);
  }
  if (i < 0 && !small && caches_) i = new_segment(least, small);  // if memory is short, no more than requested
  if (i < 0) return {};
  take_from_free(i);
  if (pieces_[static_cast<std::size_t>(i)].size > size) {
    const int rest = new_piece();
    Piece &p = pieces_[static_cast<std::size_t>(i)], &r = pieces_[static_cast<std::size_t>(rest)];
    r.at = p.at + size;
    r.size = p.size - size;
    r.small = small;
    r.previous = i;
    r.next = p.next;
    if (p.next >= 0) pieces_[static_cast<std::size_t>(p.next)].previous = rest;
    p.next = rest;
    p.size = size;
    make_free(rest);
  }
  ++statistics_.allocations;
  statistics_.allocated_total += static_cast<int64_t>(size);
  statistics_.in_use += static_cast<int64_t>(size);
  statistics_.cached -= static_cast<int64_t>(size);
  statistics_.peak = std::max(statistics_.peak, statistics_.in_use);
  return {pieces_[static_cast<std::size_t>(i)].at, i};
}

// Merges the right one of two neighbours into the left one; neither is in the list of free pieces.
void Pool::join(int left, int right) {
  Piece &l = pieces_[static_cast<std::size_t>(left)], &r = pieces_[static_cast<std::size_t>(right)];
  l.size += r.size;
  l.next = r.next;
  if (r.next >= 0) pieces_[static_cast<std::size_t>(r.next)].previous = left;
  unused_.push_back(right);
}

void Pool::release(memory::Block block) {
  int i = block.size_class;
  const auto is_free = [&](int piece) { return piece >= 0 && pieces_[static_cast<std::size_t>(piece)].free; };
  const Piece& p = pieces_[static_cast<std::size_t>(i)];
  statistics_.in_use -= static_cast<int64_t>(p.size);
  statistics_.cached += static_cast<int64_t>(p.size);
  if (!caches_) {
    try {
      source_.wait();
    } catch (...) {
      make_free(i);  // empty_cache() frees it
      throw;
    }
    return end_segment(i);
  }
  if (const int next = p.next; is_free(next)) {
    take_from_free(next);
    join(i, next);
  }
  if (const int previous = p.previous; is_free(previous)) {
    take_from_free(previous);
    join(previous, i);
    i = previous;
  }
  make_free(i);
}

void Pool::empty_cache() {
  bool waited = false;
  for (Free& list : free_)
    for (auto it = list.begin(); it != list.end();) {
      const int i = std::get<int>(*it);
      const Piece p = pieces_[static_cast<std::size_t>(i)];
      if (p.previous >= 0 || p.next >= 0) {
        ++it;
        continue;
      }
      if (!waited) source_.wait(), waited = true;
      it = list.erase(it);
      end_segment(i);
    }
}
void Pool::end_segment(int piece) {
  const Piece p = pieces_[static_cast<std::size_t>(piece)];
  segments_.erase(p.at);
  unused_.push_back(piece);
  reserved_ -= static_cast<int64_t>(p.size);
  statistics_.cached -= static_cast<int64_t>(p.size);
  source_.give(p.at, p.size);
}

}  // namespace chainer::cuda
