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

/// The computation of an array whose elements are not there yet. run() fills the body and is called once, by the
/// first read. `inputs()` are written to only after this ran.
struct Deferred {
  virtual ~Deferred() = default;
  virtual void run(ArrayBody& out) = 0;
};

/// One array: its layout, and either its memory (owner) or the body whose memory it looks into (view).
/// Elements up to kInlineBytes lie behind the body in the same block.
struct ArrayBody {
  static constexpr std::size_t kInlineBytes = 1024;

  RefCount refs;
  Dtype dtype;
  bool contiguous = true;  ///< C order without gaps; strides are then implied
  uint32_t tail = 0;       ///< bytes behind the body
  int64_t size;
  char* data = nullptr;  ///< the first element
  memory::Block block;   ///< owned memory, if any
  Device device;
  Shape shape;
  Strides strides;               ///< in elements; set only when not contiguous
  Ref<ArrayBody> base;           ///< the owner, of a view
  Deferred* deferred = nullptr;  ///< set while the elements are still to be computed
  Deferred* readers = nullptr;   ///< owner only: pending computation that reads this memory and must run before a write

  ArrayBody(const Shape& s, Dtype d, Device dev) : dtype(d), size(s.product()), device(dev), shape(s) {}
  ~ArrayBody();
  static void destroy(ArrayBody* b);

  Strides effective_strides() const { return contiguous ? contiguous_strides(shape) : strides; }
  ArrayBody& owner() { return base ? *base : *this; }

  /// A body with memory of its own, elements undefined.
  static Ref<ArrayBody> make(const Shape& shape, Dtype dtype, Device device);
  /// A view into `of`: `offset` in elements from its first one.
  static Ref<ArrayBody> view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset);
};

void run_deferred(ArrayBody& body);
void run_readers(ArrayBody& owner);

/// The two choke points: nothing reads memory without the first, nothing writes without the second.
inline void force(ArrayBody& body) {
  if (body.deferred) [[unlikely]]
    run_deferred(body);
}
inline void before_write(ArrayBody& body) {
  force(body);
  if (ArrayBody& o = body.owner(); o.readers) [[unlikely]]
    run_readers(o);
}

}  // namespace chainer
