// SPDX-License-Identifier: MIT
// The object that array handles refer to. Internal: for views, backends and the evaluator.
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

/// The pending computations that read an owner's memory. Modified only under the lock of a registry and the short-term
/// lock in this object, because pending computations of several threads may read one array.
struct Readers {
  std::atomic<Reader*> first{nullptr};
  std::atomic<bool> locked{false};
  Registry* holder = nullptr;  ///< the registry that counts this memory as kept alive by its computations

  bool any() const { return first.load(std::memory_order_acquire) != nullptr; }
};
}  // namespace deferred

/// An array: its layout, and either its memory (an owner) or a reference to the body whose memory it uses (a view). On
/// the host, elements of up to kInlineBytes are stored after the body in the same block.
struct ArrayBody {
  static constexpr std::size_t kInlineBytes = 1024;
  /// Bits of `marks`.
  enum Mark : uint8_t {
    kReadOnly = 1,  ///< writing is an error: read-only memory, views that repeat elements, and their views
    kShared = 2,    ///< owner only: other code may write to the memory at any time
    kExternal = 4,  ///< owner only: external memory; the body is an ExternalBody (array/external.h)
    kForms = 8      ///< owner only: derived forms of the elements are cached (array/derived.h)
  };

  RefCount refs;
  Dtype dtype;
  bool contiguous = true;            ///< C order without gaps; strides are implied
  std::atomic<uint8_t> marks{0};     ///< bits of Mark
  uint32_t tail = 0;                 ///< bytes after the body
  std::atomic<uint32_t> updates{0};  ///< owner only: counts updates by optimizers (array/version.h)
  int64_t size;
  char* data = nullptr;  ///< the first element, an address in the device's memory
  memory::Block block;   ///< owned memory, if any
  Device device;
  Shape shape;
  Strides strides;                         ///< in elements; empty if contiguous; an owner has no gaps
  Ref<ArrayBody> base;                     ///< the owner; null for an owner
  std::atomic<Pending*> pending{nullptr};  ///< how to compute the elements; null once they are computed
  deferred::Readers readers;               ///< owner only
  deferred::Registry* registry = nullptr;  ///< of the pending computation; set before `pending`, guarded by its lock
  int32_t position = -1;                   ///< in the evaluation `visit`, while pending
  std::atomic<uint32_t> version{0};        ///< owner only: counts writes to its memory (array/version.h)
  uint64_t visit = 0;
  uint64_t recorded = 0;  ///< owner only: the recording that made it, and its slot there (array/recording/recorder.h)

  ArrayBody(const Shape& s, Dtype d, Device dev, int64_t elements) : dtype(d), size(elements), device(dev), shape(s) {}
  ~ArrayBody();
  static void destroy(ArrayBody* b);
  /// The last reference to a pending array is dropped only under the lock of its registry, because an evaluation may be
  /// about to take a reference.
  static bool drop_reference(ArrayBody* b);

  Strides effective_strides() const { return contiguous ? contiguous_strides(shape) : strides; }
  /// Sets strides, which may be C-order strides; the lengths of axes decide whether the array is contiguous.
  void set_strides(const Strides& s);
  ArrayBody& owner() { return base ? *base : *this; }
  bool marked(int mask) const { return (marks.load(std::memory_order_acquire) & mask) != 0; }
  void mark(Mark m) { marks.fetch_or(m, std::memory_order_acq_rel); }
  void unmark(Mark m) { marks.fetch_and(static_cast<uint8_t>(~m), std::memory_order_acq_rel); }

  /// Creates a body with its own memory and undefined elements. Axes are stored in `order` (array/order.h), by default
  /// in C order. This function and the next two check shapes; error messages name `operation`, by default the calling
  /// function.
  static Ref<ArrayBody> make(const Shape& shape, Dtype dtype, Device device, const Dims& order = {},
                             const char* operation = __builtin_FUNCTION());
  /// Creates a body whose memory is allocated when its elements are computed.
  static Ref<ArrayBody> without_memory(const Shape& shape, Dtype dtype, Device device, const Dims& order = {},
                                       const char* operation = __builtin_FUNCTION());
  void allocate(std::string_view operation);
  /// Creates a view into `of`; `offset` is in elements from its first one. A view of a pending array is pending too. A
  /// view of read-only memory is read-only.
  static Ref<ArrayBody> view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset,
                             const char* operation = __builtin_FUNCTION());
};

// Defined by the evaluator, deferred/deferred.cpp.
namespace deferred {
void evaluate(ArrayBody& body);
/// Runs the pending computations that read the owner's memory.
void evaluate_readers(ArrayBody& owner);
/// Prepares a write: throws ValueError if the body is read-only, drops derived forms, runs the pending computations
/// that read the memory.
void prepare_write(ArrayBody& body);
void attach_view(ArrayBody& view, ArrayBody& of, int64_t offset);
bool drop_last(ArrayBody& body) noexcept;
}  // namespace deferred

[[gnu::always_inline]] inline bool ArrayBody::drop_reference(ArrayBody* b) {
  if (!b->pending.load(std::memory_order_acquire)) [[likely]]
    return b->refs.decrement();
  return !b->refs.decrement_unless_last() && deferred::drop_last(*b);
}

/// The two choke points: force() must be called before any read of memory, before_write() before any write.
inline void force(ArrayBody& body) {
  if (body.pending.load(std::memory_order_acquire)) [[unlikely]]
    deferred::evaluate(body);
}
inline void before_write(ArrayBody& body) {
  force(body);
  ArrayBody& o = body.owner();
  if (o.readers.any() || o.marked(ArrayBody::kForms) || body.marked(ArrayBody::kReadOnly)) [[unlikely]]
    deferred::prepare_write(body);
  // Not an atomic increment: when writes happen at the same time, noticing one of them is enough.
  o.version.store(o.version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace chainer
