// What a recording holds: steps of the backend on slots of memory, and how they run again.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/recording/direct_kernel.h"

namespace chainer::recording {

/// Memory that steps read and write.
struct Slot {
  enum class Kind : uint8_t {
    bound,     ///< an array from outside, given anew for each run
    internal,  ///< comes and goes within a run
    constant,  ///< what the host made of numbers alone, the same in each run
    result     ///< an array that a run hands out: new memory each time
  };
  Kind kind = Kind::internal;
  int phase = 0;         ///< in which it first came up
  bool member = false;   ///< bound: a parameter or persistent value, whose array is likely the same again
  bool written = false;  ///< by a step
  bool saved = false;    ///< a later phase uses it
  Dtype dtype = float32;
  Shape shape;
  Strides strides;    ///< of a bound one that is not contiguous
  bool dense = true;  ///< a bound one is contiguous
  Dims order;         ///< of the axes in memory, of all others; empty: C order
  int64_t bytes = 0;
  Array constant;
  Array owner;  ///< of all but bound ones: what all operands are views of, without memory of its own

  // While a run lasts.
  char* data = nullptr;
  Array array;           ///< the bound one, or the result
  uint32_t version = 0;  ///< of its memory when the first phase ended
};

/// An array that steps read or write: a slot's memory from byte `offset` on.
struct Operand {
  int slot = 0;
  int64_t offset = 0;
  Dtype dtype = float32;
  Shape shape;
  Strides strides;
  bool contiguous = true;
};

struct ProgramStep;

/// One call of the backend, or of a HostStep.
struct Step {
  const char* name = "";
  SmallVector<int, 6> operands;  ///< what it reads, then what it writes
  int writes = 1;                ///< how many it writes
  std::function<void(Array* const*)> run;
  int constant = -1;        ///< this step fills that slot with its constant
  bool pure = false;        ///< it computes the same from the same operands, and does nothing else
  Kernel kernel = nullptr;  ///< instead of `run`: a loop over `size` elements
  int64_t size = 0;
  // What join_convolutions() needs to know.
  std::shared_ptr<const ConvolutionPlan> convolution;  ///< of a forward convolution: x, W, perhaps a bias, y
  std::shared_ptr<ProgramStep> program;                ///< a program
};

/// A sequence of steps: the forward pass, or one way of the backward pass.
struct Phase {
  int number = 0;
  std::vector<Operand> operands;
  std::vector<Step> steps;
  SmallVector<int, 4> results;  ///< operands
  std::vector<Step> settled;    ///< of what stays (settle.h): they wait for the first run
  std::vector<int> passing;     ///< slots that only those use

  // Made before the first run.
  struct Use {
    int slot;
    std::vector<int> operands;
    ArrayBody* seen = nullptr;  ///< of a bound slot: the array that the operands are made of
  };
  bool planned = false, has_run = false;
  std::vector<Array> arrays;  ///< of the operands
  std::vector<Use> bound, results_used, internal, earlier;
  std::vector<int> inside;  ///< internal slots of this phase
  std::vector<int64_t> places;
  int64_t bytes = 0;  ///< of the block of all internal slots
  char* seen_block = nullptr;
  char* seen_earlier = nullptr;
};

/// A recorded computation: the first phase is the forward pass, each further one a backward pass that uses what the
/// first left. All memory of one phase but results is one block, whose parts serve several arrays one after the other.
/// A tape runs on one thread at a time.
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape() { release(); }

  std::vector<Slot> slots;
  std::vector<std::unique_ptr<Phase>> phases;
  bool members_stay = false;  ///< members are never written to, and there is one phase: settle() serves it

  /// The array of a bound slot in the next run of a phase; shape, dtype and strides are those of the recording.
  void bind(int slot, const Array& a);
  /// Runs a phase; returns its results. The first one's internal memory stays until release().
  Arrays run(Phase& phase);
  /// Plans the memory of all phases; what runs does so by itself. No phase may come along later.
  void prepare();
  /// Gives back memory and arrays of the run.
  void release() noexcept;
  /// A line for each step.
  std::string text(const Phase& phase) const;

 private:
  void plan(Phase& phase);
  void place(Phase& phase);
  void run_settled(Phase& phase);
  [[gnu::always_inline]] static inline void run(Phase& phase, const Step& step, std::vector<Array*>& many);
  void connect(Phase& phase, char* block);
  void check_versions(const Phase& phase) const;
  memory::Block block_;  // of the first phase
};

}  // namespace chainer::recording
