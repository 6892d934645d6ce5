// Deferred evaluation: elementwise operations and reductions on large arrays wait until somebody reads, and then run
// together, block by block in cache. Invisible but for speed: shapes, dtypes and errors are settled at the call, and
// the results are those of eager evaluation, bit for bit. docs/architecture.md has the rules.
#pragma once
#include <functional>
#include <optional>
#include <span>

#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"

namespace chainer::deferred {

/// Arrays of fewer elements are computed at once: below this, waiting costs more than it saves.
inline constexpr int64_t kLeast = 2048;
/// An expression is evaluated when it gets deeper than this.
inline constexpr int kDeepest = 32;
/// What may be recomputed instead of stored when somebody holds it: this many additions or products.
inline constexpr float kCheap = 4;
/// Memory that waiting computations keep alive before the oldest of them run.
inline constexpr int64_t kBudget = int64_t(256) << 20;

/// Whether operations of this thread may wait: unless CHAINER_DEFERRED=0 or inside EagerMode.
bool enabled();
/// While it lives, this thread computes everything at once.
class EagerMode {
 public:
  EagerMode();
  ~EagerMode();
  EagerMode(const EagerMode&) = delete;
  EagerMode& operator=(const EagerMode&) = delete;
};

/// The result of an elementwise operation in memory order `order` (empty: C order), to be computed later; none if it is
/// better computed now. Operands are of one shape.
Array elementwise(Elementwise op, std::span<const Array* const> in, const Dims& order, Dtype dtype, Dtype compute);
/// The same for the reduction of sorted `axes` to `shape` in memory order `order`.
Array reduce(Reduce op, const Array& a, const Dims& axes, const Shape& shape, const Dims& order, Dtype dtype);
/// `a` in another dtype, if `a` itself is still waiting; else none.
Array cast(const Array& a, Dtype dtype);

/// Computes all of these that wait, together where they go over one space.
void evaluate(std::span<const Array> arrays);

/// For a request for memory of `device` that found no room: computes one of the expressions that wait for this thread
/// there, so that operands go which nobody else holds. What finds no room itself waits on. False if nothing was
/// computed; so it is inside of an evaluation, too, whose arrays are being computed.
bool make_room(Device device);

/// How much waits now, and what ran so far.
struct Statistics {
  int64_t waiting = 0;     ///< computations
  int64_t held_bytes = 0;  ///< memory they keep alive
  int64_t programs = 0, operations = 0;
};
Statistics statistics();

/// Called after each program with its operations, seconds and elements. An empty function ends that.
using Observer = std::function<void(const std::string& operations, double seconds, int64_t elements)>;
void set_observer(Observer observer);

}  // namespace chainer::deferred
