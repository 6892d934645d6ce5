// The caching allocator of a device's memory.
#pragma once
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "chainer/array/memory.h"

namespace chainer::cuda {

/// Blocks out of segments that come from a driver: of 2 MiB for blocks to 1 MiB, of 20 MiB for blocks to 10 MiB, and
/// beyond of the block's size, rounded up to 2 MiB. A request takes the smallest free block that is large enough, and
/// gives its rest back; a freed block joins free neighbours of its segment. Blocks are multiples of 512 bytes. Whoever
/// calls holds a lock.
class Pool {
 public:
  /// Where segments come from.
  struct Source {
    virtual ~Source() = default;
    virtual void* take(std::size_t bytes) = 0;  ///< nullptr without room
    virtual void give(void* memory, std::size_t bytes) noexcept = 0;
    virtual void wait() = 0;  ///< until nothing uses blocks that were freed; before segments are given back
  };
  static constexpr std::size_t kUnit = 512, kSmall = std::size_t(1) << 20, kSmallSegment = std::size_t(2) << 20,
                               kMedium = std::size_t(10) << 20, kMediumSegment = std::size_t(20) << 20;

  explicit Pool(Source& source) : source_(source) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  /// Gives all segments back, whatever is in use.
  ~Pool();

  /// A block; where the source has no room, cached segments go back to it first. Without data where that does not help.
  [[nodiscard]] memory::Block allocate(std::size_t bytes);
  void release(memory::Block block);
  /// Gives back segments of which nothing is in use.
  void empty_cache();
  /// The most bytes that segments may have together; 0 is no limit.
  void set_limit(int64_t bytes) { limit_ = bytes; }
  /// Bytes of a block, at least those that were asked for.
  std::size_t size_of(memory::Block block) const { return pieces_[static_cast<std::size_t>(block.size_class)].size; }
  /// Whether an address lies in a segment.
  bool owns(const void* address) const;
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

  Source& source_;
  std::vector<Piece> pieces_;
  std::vector<int> unused_;  // of pieces_
  Free free_[2];             // of large segments and of small ones
  std::map<const char*, std::size_t> segments_;
  memory::Statistics statistics_;
  int64_t limit_ = 0, reserved_ = 0;
};

}  // namespace chainer::cuda
