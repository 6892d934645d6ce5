// SPDX-License-Identifier: MIT
// Pending computations (one operation on arrays each), and the program into which several of them are combined.
#pragma once
#include <array>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/operations/families.h"
#include "chainer/core/small_vector.h"

namespace chainer {

/// The order in which a program traverses its space, seen as (outer, rows, width) in memory order. Reductions determine
/// it, so that they add in the same order as eager evaluation: `rows` reduced runs of `width` each, `outer` times; or,
/// with `columns`, over the middle axis, one tile of the last axis at a time.
struct Traversal {
  bool columns = false;
  int64_t outer = 1, rows = 1, width = 1;
  friend bool operator==(const Traversal&, const Traversal&) = default;
};

/// One operand of a pending computation, as an entry in the list of readers of its memory.
struct deferred::Reader {
  Pending* computation = nullptr;
  Reader *next = nullptr, *previous = nullptr;
};

/// How the elements of an array are computed. Operands have the array's shape (zero strides along broadcast axes) and
/// follow its memory order; the operand of a reduction has the shape before reduction and no gaps.
struct Pending {
  enum class Kind : uint8_t { elementwise, reduce, view };
  Kind kind = Kind::elementwise;
  Elementwise op{};
  Reduce reduction = Reduce::sum;
  Dtype compute = Dtype::float32;
  uint8_t depth = 1;
  uint8_t count = 0;             ///< number of operands
  bool flush_denormals = false;  ///< the mode of the calling thread, used for the evaluation
  std::array<Ref<ArrayBody>, 3> in;
  std::array<deferred::Reader, 3> reads;  ///< entries of the operands
  int64_t offset = 0;                     ///< of a view, in elements from its owner's first one
  Traversal traversal;
  ArrayBody* body = nullptr;
  Pending *older = nullptr, *newer = nullptr;
};

/// Operations over one space, executed block by block. Values are in slots: the memory of an array, or a register that
/// holds one block. All computed arrays have the same memory order, and blocks are contiguous in it.
struct Program {
  /// Operands that repeat after at most this many elements are loaded once.
  static constexpr int64_t kLongestPeriod = 1024;
  struct Slot {
    ArrayBody* memory;  ///< the whole space, in the program's order; nullptr for a register
    int reg;
    Dtype dtype;
    int64_t period = 1;  ///< of a constant: the number of elements after which it repeats; two registers if it is not 1
  };
  /// kernel: out = op(in...) computed in `compute`. load: out = the elements of `source`, which has another layout, as
  /// dtype of out. convert: out = in[0] as dtype of out.
  struct Instruction {
    enum class Kind : uint8_t { kernel, load, convert } kind;
    Elementwise op;
    Dtype compute;
    int out;
    std::array<int, 3> in;
    ArrayBody* source;
  };
  /// A reduction of a slot into an array.
  struct Reduction {
    Reduce op;
    int in;
    ArrayBody* out;
  };
  Dims order;   ///< of the axes in memory; empty: C order
  Shape space;  ///< the lengths of the axes in that order
  Traversal traversal;
  int registers = 0;
  SmallVector<Slot, 8> slots;
  using Code = SmallVector<Instruction, 4>;
  Code constants;  ///< loads of repeating operands, executed once
  Code code;
  std::vector<Reduction> reductions;

  /// Returns the names of the operations, "multiply sigmoid add sum", for profiles.
  std::string names() const;
};

}  // namespace chainer
