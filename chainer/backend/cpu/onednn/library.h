// oneDNN's functions, looked up in the library that is opened on first use.
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
#include "chainer/core/fork.h"

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

/// What oneDNN 2 and oneDNN 3 have in common; version.h has what they do differently.
struct Library {
  CHAINER_ONEDNN_FUNCTIONS(CHAINER_ONEDNN_MEMBER)
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
};
/// nullptr where the library is missing or lacks a function.
const Library* library();

/// Where elements of float32 lie in memory, in the library's words. Copies share the description.
class Layout {
 public:
  /// A pointer to a description: to a value in oneDNN 2, to what it keeps for itself in oneDNN 3.
  template <class R, class A>
  static A first_argument(R (*)(A));
  using Handle = decltype(first_argument(&dnnl_memory_desc_get_size));

  Layout() = default;
  /// RuntimeError if the library refuses these lengths.
  static Layout with_strides(const Dims& shape, const Dims& strides);
  /// In whichever order a primitive likes best.
  static Layout of_any_order(const Dims& shape);
  static Layout copy_of(Handle layout);
  Handle handle() const { return static_cast<Handle>(description_.get()); }
  std::size_t bytes() const { return library()->memory_desc_get_size(handle()); }
  bool operator==(const Layout& o) const { return library()->memory_desc_equal(handle(), o.handle()) != 0; }

 private:
  std::shared_ptr<const void> description_;
};

/// Working memory from the caching allocator; none for no bytes.
struct Scratch {
  explicit Scratch(std::size_t bytes) : block(bytes ? memory::allocate(bytes) : memory::Block()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (block.data) memory::release(block);
  }
  memory::Block block;
};

/// A primitive ready to run, and the layouts that it wants.
struct Primitive {
  Primitive() = default;
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;
  ~Primitive();
  dnnl_primitive_t primitive = nullptr;
  std::vector<Layout> layouts;    ///< as they were asked for
  std::size_t scratch_bytes = 0;  ///< working memory of a run
  Layout scratchpad;
  std::string implementation;
};
/// How many threads a primitive that is made or run here takes: one inside parallel(), else as many as there are for
/// libraries. It keeps the number that it was made with, so that number belongs into a Cache's key.
int primitive_threads();
/// A convolution, in the library's terms: of images x with filters W that gives y, and its two gradients.
struct WantedConvolution {
  Convolution op;
  const Layout &x, &W, &y;
  const Layout* bias;  ///< of a forward convolution, or nullptr
  dnnl_dims_t stride, dilate, pad, pad_end;
};
/// The library's first choice but for implementations whose name begins with `not_by`. Null where oneDNN has no such
/// primitive. The primitive's layouts are those of what it reads and, last, of what it computes.
std::shared_ptr<const Primitive> make_primitive(const WantedConvolution& wanted, std::string_view not_by = {});
/// A change of layout; with `add`, added to what the target holds.
std::shared_ptr<const Primitive> make_reorder(const Layout& from, const Layout& to, bool add);

/// An argument of a run: its role, layout and memory.
struct Argument {
  int role;
  const Layout& layout;
  void* memory;
};
/// Throws RuntimeError, naming `operation`, if oneDNN fails.
void execute(const Primitive& primitive, std::initializer_list<Argument> arguments, const char* operation);

/// Keeps the most recently used values, each found by a list of numbers. Threads may share it. Of static storage, never
/// destroyed: fork() waits for its lock.
template <class Value>
class Cache {
 public:
  using Key = std::vector<int64_t>;
  /// The value of a key; made with make() at its first use, which may give null.
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
  Order order_;  // latest first
  std::unordered_map<Key, typename Order::iterator, Hash> places_;
};

}  // namespace chainer::cpu::onednn
