// SPDX-License-Identifier: MIT
// oneDNN's functions, resolved at run time in the library, which is opened at its first use.
#pragma once
#include <oneapi/dnnl/dnnl.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chainer/array/memory.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/core/system/fork.h"

namespace chainer::cpu::onednn {

#define CHAINER_ONEDNN_FUNCTIONS(X)     \
  X(engine_create)                      \
  X(stream_create)                      \
  X(memory_desc_equal)                  \
  X(memory_desc_get_size)               \
  X(memory_create)                      \
  X(memory_destroy)                     \
  X(primitive_attr_create)              \
  X(primitive_attr_destroy)             \
  X(primitive_attr_set_scratchpad_mode) \
  X(primitive_attr_set_post_ops)        \
  X(post_ops_create)                    \
  X(post_ops_destroy)                   \
  X(primitive_desc_destroy)             \
  X(primitive_desc_query_md)            \
  X(primitive_desc_query)               \
  X(reorder_primitive_desc_create)      \
  X(primitive_create)                   \
  X(primitive_destroy)                  \
  X(primitive_execute)
#define CHAINER_ONEDNN_MEMBER(NAME) decltype(&dnnl_##NAME) NAME = nullptr;

/// The functions common to oneDNN 2 and oneDNN 3; version.h has the differences.
struct Library {
  CHAINER_ONEDNN_FUNCTIONS(CHAINER_ONEDNN_MEMBER)
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
};
/// Returns nullptr if the library is missing or lacks a function.
const Library* library();

/// A memory descriptor of float32 elements. Copies share it.
class Layout {
 public:
  /// The type of a pointer to a descriptor: to a value in oneDNN 2, to an opaque object in oneDNN 3.
  template <class R, class A>
  static A first_argument(R (*)(A));
  using Handle = decltype(first_argument(&dnnl_memory_desc_get_size));

  Layout() = default;
  /// Throws RuntimeError if the library rejects these lengths.
  static Layout with_strides(const Dims& shape, const Dims& strides);
  /// Lets the primitive choose the layout.
  static Layout of_any_order(const Dims& shape);
  static Layout copy_of(Handle layout);
  Handle handle() const { return static_cast<Handle>(description_.get()); }
  std::size_t bytes() const { return library()->memory_desc_get_size(handle()); }
  bool operator==(const Layout& o) const { return library()->memory_desc_equal(handle(), o.handle()) != 0; }

 private:
  std::shared_ptr<const void> description_;
};

/// Scratch memory from the caching allocator; none for zero bytes.
struct Scratch {
  explicit Scratch(std::size_t bytes) : block(bytes ? memory::allocate(bytes) : memory::Block()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (block.data) memory::release(block);
  }
  memory::Block block;
};

/// A primitive with the memory layouts that it requires.
struct Primitive {
  Primitive() = default;
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;
  ~Primitive();
  dnnl_primitive_t primitive = nullptr;
  std::vector<Layout> layouts;    ///< in the order in which they were requested
  std::size_t scratch_bytes = 0;  ///< size of the scratch memory of a run
  Layout scratchpad;
  std::string implementation;
};
/// Returns the number of threads for a primitive that is created or run here: one inside parallel(), else the number
/// for libraries. A primitive keeps the number of its creation, so it must be part of a Cache's key.
int primitive_threads();
/// A convolution in the library's terms: of images x with filters W and result y, or one of its two gradients.
struct WantedConvolution {
  Convolution op;
  const Layout &x, &W, &y;
  const Layout* bias;  ///< of a forward convolution, or nullptr
  dnnl_dims_t stride, dilate, pad, pad_end;
};
/// Returns the library's preferred primitive, except implementations whose name begins with `not_by`; null if there is
/// none. The primitive's layouts are those of its inputs and, last, of its output.
std::shared_ptr<const Primitive> make_primitive(const WantedConvolution& wanted, std::string_view not_by = {});
/// Returns a primitive that changes the layout; with `add`, it adds to the target.
std::shared_ptr<const Primitive> make_reorder(const Layout& from, const Layout& to, bool add);

/// An argument of a run: its role, layout and memory.
struct Argument {
  int role;
  const Layout& layout;
  void* memory;
};
/// Throws RuntimeError, naming `operation`, if oneDNN fails.
void execute(const Primitive& primitive, std::initializer_list<Argument> arguments, const char* operation);

/// A cache of the most recently used values, keyed by lists of numbers. Thread-safe. Must have static storage duration;
/// never destroyed, because fork() acquires its lock.
template <class Value>
class Cache {
 public:
  using Key = std::vector<int64_t>;
  /// Returns the value of a key, created by make() at its first use. The value may be null.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make&& make) {
    const std::lock_guard lock(mutex_);
    if (const auto it = places_.find(key); it != places_.end()) {
      order_.splice(order_.begin(), order_, it->second);
      return it->second->second;
    }
    order_.emplace_front(key, make());
    places_.emplace(key, order_.begin());
    if (order_.size() > kCapacity) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }

 private:
  static constexpr std::size_t kCapacity = 1024;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      uint64_t h = 0;
      for (int64_t v : key) h = (h ^ static_cast<uint64_t>(v)) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
      return h;
    }
  };
  using Order = std::list<std::pair<Key, std::shared_ptr<const Value>>>;
  ForkSafe<std::mutex> mutex_{kForkPrimitives};
  Order order_;  // most recent first
  std::unordered_map<Key, typename Order::iterator, Hash> places_;
};

}  // namespace chainer::cpu::onednn
