// SPDX-License-Identifier: MIT
// The caching allocator of a device's memory.
#pragma once
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "chainer/array/memory.h"

namespace chainer::cuda {

/// A pool of blocks in segments from a driver. Segments have 2 MiB for blocks of up to 1 MiB, 20 MiB for blocks of up
/// to 10 MiB, and the block's size rounded up to 2 MiB beyond. A request takes the smallest free block that is large
/// enough and splits off the rest; a freed block is merged with free neighbours in its segment. Sizes are multiples of
/// 512 bytes. With CHAINER_CUDA_POOL=none every block is a segment of its own, which is returned when the block is
/// freed, so that tools that check memory see each array. Callers must hold a lock.
class Pool {
 public:
  /// The source of segments.
  struct Source {
    virtual ~Source() = default;
    virtual void* take(std::size_t bytes) = 0;  ///< nullptr if there is no memory
    virtual void give(void* memory, std::size_t bytes) noexcept = 0;
    virtual void wait() = 0;  ///< waits until freed blocks are no longer in use; called before segments are returned
  };
  static constexpr std::size_t kUnit = 512, kSmall = std::size_t(1) << 20, kSmallSegment = std::size_t(2) << 20,
                               kMedium = std::size_t(10) << 20, kMediumSegment = std::size_t(20) << 20;

  explicit Pool(Source& source);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  /// Returns all segments, even those in use.
  ~Pool();

  /// Returns a block. If the source has no memory, cached segments are returned to it first; without success, the block
  /// has no data.
  [[nodiscard]] memory::Block allocate(std::size_t bytes);
  void release(memory::Block block);
  /// Returns unused segments to the source.
  void empty_cache();
  /// Limits the total bytes of segments; 0 means no limit.
  void set_limit(int64_t bytes) { limit_ = bytes; }
  /// Returns the size of a block, at least the size requested.
  std::size_t size_of(memory::Block block) const { return pieces_[static_cast<std::size_t>(block.size_class)].size; }
  memory::Statistics statistics() const { return statistics_; }
  void reset_peak() { statistics_.peak = statistics_.in_use; }

 private:
  struct Piece {
    char* at = nullptr;
    std::size_t size = 0;
    int previous = -1, next = -1;  // neighbours in the segment
    bool free = false, small = false;
  };
  using Free = std::set<std::tuple<std::size_t, char*, int>>;

  int new_piece();
  int new_segment(std::size_t bytes, bool small);
  void make_free(int piece);
  void take_from_free(int piece);
  void join(int left, int right);

  void end_segment(int piece);

  Source& source_;
  const bool caches_;
  std::vector<Piece> pieces_;
  std::vector<int> unused_;  // unused entries of pieces_
  Free free_[2];             // of large and of small segments
  std::map<const char*, std::size_t> segments_;
  memory::Statistics statistics_;
  int64_t limit_ = 0, reserved_ = 0;
};

}  // namespace chainer::cuda
