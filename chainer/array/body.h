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
struct Reader;    // deferred/pending.h

/// The computations that wait and read an owner's memory. It changes behind the lock of a registry and a lock of its
/// own, which is held for some instructions: computations of several threads may read one array.
struct Readers {
  std::atomic<Reader*> first{nullptr};
  std::atomic<bool> locked{false};
  Registry* holder = nullptr;  ///< counts the memory among what its computations keep alive

  bool any() const { return first.load(std::memory_order_acquire) != nullptr; }
};
}  // namespace deferred

/// One array: its layout, and either its memory (owner) or the body whose memory it looks into (view).
/// On the host elements up to kInlineBytes lie behind the body in the same block.
struct ArrayBody {
  static constexpr std::size_t kInlineBytes = 1024;
  /// Bits of `marks`.
  enum Mark : uint8_t {
    kReadOnly = 1,  ///< a write is an error: to memory that is read-only, to views that repeat elements, to their views
    kShared = 2,    ///< owner only: others may write to the memory at any time
    kExternal = 4,  ///< owner only: the memory is somebody else's, the body an ExternalBody (array/external.h)
    kForms = 8      ///< owner only: other forms of the elements are kept (array/derived.h)
  };

  RefCount refs;
  Dtype dtype;
  bool contiguous = true;         ///< C order without gaps; strides are then implied
  std::atomic<uint8_t> marks{0};  ///< what whoever writes, keeps or releases must know
  uint32_t tail = 0;              ///< bytes behind the body
  int64_t size;
  char* data = nullptr;  ///< the first element, an address of the device
  memory::Block block;   ///< owned memory, if any
  Device device;
  Shape shape;
  Strides strides;                         ///< in elements; set only when not contiguous, of owners without gaps
  Ref<ArrayBody> base;                     ///< the owner, of a view
  std::atomic<Pending*> pending{nullptr};  ///< how the elements will be computed, while they are not there yet
  deferred::Readers readers;               ///< owner only
  deferred::Registry* registry = nullptr;  ///< where it waits: set before `pending`, whose lock guards it
  int32_t position = -1;                   ///< in the evaluation `visit`, while it waits
  std::atomic<uint32_t> version{0};        ///< owner only: counts writes to its memory (array/version.h)
  uint64_t visit = 0;
  uint64_t recorded = 0;  ///< owner only: by which recording it was made, and as what (array/recording/recorder.h)

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
  bool marked(int mask) const { return (marks.load(std::memory_order_acquire) & mask) != 0; }
  void mark(Mark m) { marks.fetch_or(m, std::memory_order_acq_rel); }
  void unmark(Mark m) { marks.fetch_and(static_cast<uint8_t>(~m), std::memory_order_acq_rel); }

  /// A body with memory of its own, elements undefined. Axes lie in memory in `order` (array/order.h), or in C order.
  /// Shapes are checked here and in the next two: errors name `operation`, by default the function that calls.
  static Ref<ArrayBody> make(const Shape& shape, Dtype dtype, Device device, const Dims& order = {},
                             const char* operation = __builtin_FUNCTION());
  /// A body whose memory comes when its elements are computed.
  static Ref<ArrayBody> without_memory(const Shape& shape, Dtype dtype, Device device, const Dims& order = {},
                                       const char* operation = __builtin_FUNCTION());
  void allocate(std::string_view operation);
  /// A view into `of`: `offset` in elements from its first one. A view of what is still to be computed waits with it,
  /// one of what must not be written to must not be, either.
  static Ref<ArrayBody> view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset,
                             const char* operation = __builtin_FUNCTION());
};

// Defined by the evaluator, deferred/deferred.cpp.
namespace deferred {
void evaluate(ArrayBody& body);
/// Computes what waits and reads the owner's memory.
void evaluate_readers(ArrayBody& owner);
/// Before a write: throws where it is forbidden, forgets forms of the elements, computes what waits and reads them.
void prepare_write(ArrayBody& body);
void attach_view(ArrayBody& view, ArrayBody& of, int64_t offset);
bool drop_last(ArrayBody& body) noexcept;
}  // namespace deferred

[[gnu::always_inline]] inline bool ArrayBody::drop_reference(ArrayBody* b) {
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
  ArrayBody& o = body.owner();
  if (o.readers.any() || o.marked(ArrayBody::kForms) || body.marked(ArrayBody::kReadOnly)) [[unlikely]]
    deferred::prepare_write(body);
  // Not one atomic step: of writes at the same time one is enough to be seen.
  o.version.store(o.version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace chainer
