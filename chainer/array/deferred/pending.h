// What waits to be computed: one operation on the elements of arrays, and the program that several of them become.
#pragma once
#include <array>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"

namespace chainer {

/// The order in which a program goes through its space, seen as (outer, rows, width) in memory order. Reductions decide
/// it, so that they add in the order in which they would eagerly: `rows` reduced runs of `width` (outer of them), or,
/// with `columns`, the middle axis, a tile of the last one at a time.
struct Traversal {
  bool columns = false;
  int64_t outer = 1, rows = 1, width = 1;
  friend bool operator==(const Traversal&, const Traversal&) = default;
};

/// One operand of a computation that waits, in the list of its memory's readers.
struct deferred::Reader {
  Pending* computation = nullptr;
  Reader *next = nullptr, *previous = nullptr;
};

/// How the elements of one array will come about. Operands have the array's shape (zero strides where broadcast) and
/// follow its memory order; the operand of a reduction has the shape of what is reduced and no gaps.
struct Pending {
  enum class Kind : uint8_t { elementwise, reduce, view };
  Kind kind = Kind::elementwise;
  Elementwise op = Elementwise::copy;
  Reduce reduction = Reduce::sum;
  Dtype compute = Dtype::float32;
  uint8_t depth = 1;
  uint8_t count = 0;             ///< of operands
  bool flush_denormals = false;  ///< the mode of the thread that called, in which it is computed
  std::array<Ref<ArrayBody>, 3> in;
  std::array<deferred::Reader, 3> reads;  ///< of the operands
  int64_t offset = 0;                     ///< of a view, in elements of its owner
  Traversal traversal;
  ArrayBody* body = nullptr;
  Pending *older = nullptr, *newer = nullptr;
};

/// Operations over one space, block by block. Values stand in slots: memory of an array, or a register of a block. All
/// arrays that are computed lie in memory in one order, and blocks are runs of that memory.
struct Program {
  /// Operands that repeat after at most this many elements are read once.
  static constexpr int64_t kLongestPeriod = 1024;
  struct Slot {
    ArrayBody* memory;  ///< in the program's order, the whole space; nullptr for a register
    int reg;
    Dtype dtype;
    int64_t period = 1;  ///< of a constant: its elements repeat; it has two registers if this is not one
  };
  /// kernel: out = op(in...) computed in `compute`. load: out = the elements of `source`, whose layout is another, as
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
  std::vector<Slot> slots;
  std::vector<Instruction> constants;  ///< loads of what repeats, once
  std::vector<Instruction> code;
  std::vector<Reduction> reductions;

  /// "multiply sigmoid add sum": what it computes, for profiles.
  std::string names() const;
};

}  // namespace chainer
