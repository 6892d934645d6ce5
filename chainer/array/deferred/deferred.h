// SPDX-License-Identifier: MIT
// Deferred evaluation: elementwise operations and reductions on large arrays wait until an element is read, and then
// run together, block by block in cache. Shapes, dtypes and errors are determined at the call; results equal those of
// eager evaluation, bit for bit. docs/architecture.md has the rules.
#pragma once
#include <functional>
#include <optional>
#include <span>

#include "chainer/array/array.h"
#include "chainer/array/operations/families.h"

namespace chainer::deferred {

/// Operations on fewer elements are computed at once on the host: deferring them costs more than it saves. On a device
/// it saves launches, so all are deferred.
inline constexpr int64_t kLeast = 4096;
inline bool is_small(int64_t size, const Device& device) { return size < (device.is_host() ? kLeast : 1); }
/// A deeper expression is evaluated at once.
inline constexpr int kDeepest = 32;
/// A value that costs at most this many additions or products per element is recomputed instead of stored, even if a
/// handle refers to it.
inline constexpr float kCheap = 4;
/// The number of bytes that pending computations may keep alive before the oldest of them run.
inline constexpr int64_t kBudget = int64_t(256) << 20;

/// Returns true if operations of this thread may be deferred: false with CHAINER_DEFERRED=0 or inside EagerMode.
bool enabled();
/// During its lifetime, this thread computes everything at once.
class EagerMode {
 public:
  [[nodiscard]] EagerMode();
  ~EagerMode();
  EagerMode(const EagerMode&) = delete;
  EagerMode& operator=(const EagerMode&) = delete;
};

/// Defers an elementwise operation and returns its result, in memory order `order` (empty: C order). Returns an empty
/// array if computing at once is better. Operands have one shape.
Array elementwise(Elementwise op, std::span<const Array* const> in, const Dims& order, Dtype dtype, Dtype compute);
/// Defers the reduction of sorted `axes` to `shape`, with the result in memory order `order`; may return an empty
/// array.
Array reduce(Reduce op, const Array& a, const Dims& axes, const Shape& shape, const Dims& order, Dtype dtype);
/// Defers the conversion of `a` to another dtype, if `a` is pending; else returns an empty array.
Array cast(const Array& a, Dtype dtype);

/// Evaluates all pending arrays of `arrays`, together if they are over one space.
void evaluate(std::span<const Array> arrays);

/// Runs what is pending for this thread on `device`.
void run_all(const Device& device);

/// Called when an allocation on `device` fails: evaluates one of the expressions that are pending for this thread on
/// this device, which frees operands without other references. An expression that finds no memory either remains
/// pending. Returns false if nothing was computed, as always inside an evaluation.
bool make_room(Device device);

/// Counts of pending and executed computations.
struct Statistics {
  int64_t waiting = 0;     ///< computations
  int64_t held_bytes = 0;  ///< bytes of memory that pending computations keep alive
  int64_t programs = 0, operations = 0;
};
Statistics statistics();

/// Sets a function called after each program with its operations, seconds and elements; an empty function removes it.
using Observer = std::function<void(const std::string& operations, double seconds, int64_t elements)>;
void set_observer(Observer observer);

}  // namespace chainer::deferred
