// What an array handle points at. Users never see it; views, backends and the evaluator do.
#pragma once
#include <atomic>

#include "chainer/array/device.h"
#include "chainer/array/dtype.h"
#include "chainer/array/memory.h"
#include "chainer/array/shape.h"
#include "chainer/core/ref.h"

namespace chainer {

struct ArrayBody;

struct Pending;  // deferred/pending.h
namespace deferred {
struct Registry;  // deferred/evaluation.h
}

/// One array: its layout, and either its memory (owner) or the body whose memory it looks into (view).
/// On the host elements up to kInlineBytes lie behind the body in the same block.
struct ArrayBody {
  static constexpr std::size_t kInlineBytes = 1024;

  RefCount refs;
  Dtype dtype;
  bool contiguous = true;  ///< C order without gaps; strides are then implied
  uint32_t tail = 0;       ///< bytes behind the body
  int64_t size;
  char* data = nullptr;  ///< the first element, an address of the device
  memory::Block block;   ///< owned memory, if any
  Device device;
  Shape shape;
  Strides strides;                           ///< in elements; set only when not contiguous, of owners without gaps
  Ref<ArrayBody> base;                       ///< the owner, of a view
  std::atomic<Pending*> pending{nullptr};    ///< how the elements will be computed, while they are not there yet
  std::atomic<uint32_t> pending_readers{0};  ///< owner only: computations that wait and read this memory
  deferred::Registry* registry = nullptr;    ///< where it waits: set before `pending`, whose lock guards it
  std::atomic<deferred::Registry*> holder{nullptr};  ///< owner only: counts it among what computations keep alive
  int32_t position = -1;                             ///< in the evaluation `visit`, while it waits
  uint64_t visit = 0;

  ArrayBody(const Shape& s, Dtype d, Device dev, int64_t elements) : dtype(d), size(elements), device(dev), shape(s) {}
  ~ArrayBody();
  static void destroy(ArrayBody* b);
  /// The last reference to an array that waits goes away behind the lock of its registry only: an evaluation there may
  /// be about to take a reference of its own.
  static bool drop_reference(ArrayBody* b);

  Strides effective_strides() const { return contiguous ? contiguous_strides(shape) : strides; }
  /// Takes these strides, which are those of C order where no axis longer than one says otherwise.
  void set_strides(const Strides& s);
  ArrayBody& owner() { return base ? *base : *this; }

  /// A body with memory of its own, elements undefined. Axes lie in memory in `order` (array/order.h), or in C order.
  /// Shapes are checked here and in the next two: errors name `operation`, by default the function that calls.
  static Ref<ArrayBody> make(const Shape& shape, Dtype dtype, Device device, const Dims& order = {},
                             const char* operation = __builtin_FUNCTION());
  /// A body whose memory comes when its elements are computed.
  static Ref<ArrayBody> without_memory(const Shape& shape, Dtype dtype, Device device, const Dims& order = {},
                                       const char* operation = __builtin_FUNCTION());
  void allocate(std::string_view operation);
  /// A view into `of`: `offset` in elements from its first one. A view of what is still to be computed waits with it.
  static Ref<ArrayBody> view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset,
                             const char* operation = __builtin_FUNCTION());
};

// Defined by the evaluator, deferred/deferred.cpp.
namespace deferred {
void evaluate(ArrayBody& body);
void evaluate_readers(ArrayBody& owner);
void attach_view(ArrayBody& view, ArrayBody& of, int64_t offset);
bool drop_last(ArrayBody& body) noexcept;
}  // namespace deferred

inline bool ArrayBody::drop_reference(ArrayBody* b) {
  if (!b->pending.load(std::memory_order_acquire)) [[likely]]
    return b->refs.decrement();
  return !b->refs.decrement_unless_last() && deferred::drop_last(*b);
}

/// The two choke points: nothing reads memory without the first, nothing writes without the second.
inline void force(ArrayBody& body) {
  if (body.pending.load(std::memory_order_acquire)) [[unlikely]]
    deferred::evaluate(body);
}
inline void before_write(ArrayBody& body) {
  force(body);
  if (ArrayBody& o = body.owner(); o.pending_readers.load(std::memory_order_acquire)) [[unlikely]]
    deferred::evaluate_readers(o);
}

}  // namespace chainer
