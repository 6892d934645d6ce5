// SPDX-License-Identifier: MIT
// The contents of a recording: the backend's steps on slots of memory, and their execution.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/recording/captured.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/host_kernels/direct_kernel.h"

namespace chainer::recording {

/// Memory that steps read and write.
struct Slot {
  enum class Kind : uint8_t {
    bound,     ///< an external array, given for each run
    internal,  ///< allocated and freed within a run
    constant,  ///< made by the host from numbers alone, the same in each run
    result     ///< an array that a run returns: new memory each time
  };
  Kind kind = Kind::internal;
  int phase = 0;         ///< the phase that uses it first
  bool member = false;   ///< bound: a parameter or persistent value, usually the same array in each run
  bool written = false;  ///< by a step
  bool saved = false;    ///< used by a later phase
  Dtype dtype = float32;
  Shape shape;
  Strides strides;    ///< of a bound array that is not contiguous
  bool dense = true;  ///< true if a bound array is contiguous
  Dims order;         ///< of the axes in memory, of all other kinds; empty: C order
  int64_t bytes = 0;
  Array constant;
  Array owner;  ///< of all kinds but bound: the owner of all operands, without memory of its own

  // Valid during a run.
  char* data = nullptr;
  Array array;           ///< the bound array, or the result
  Array own;             ///< of a bound array whose elements are copied to a captured graph's memory: that memory
  Array given;           ///< the array bound in place of `own`
  uint64_t binding = 0;  ///< counts the arrays bound so far
  uint32_t version = 0;  ///< of its memory at the end of the first phase
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
  SmallVector<int, 6> operands;  ///< the operands read, then those written
  int writes = 1;                ///< number of operands written
  std::function<void(Array* const*)> run;
  int constant = -1;                      ///< the slot that this step fills with its constant, or -1
  bool pure = false;                      ///< the results depend on the operands only, and there are no other effects
  bool of_host = false;                   ///< a loop of the host, which may do anything: never part of a graph
  host_kernels::Kernel kernel = nullptr;  ///< if set, called instead of `run`, over `size` elements
  int64_t size = 0;
  // Used by join_convolutions().
  std::shared_ptr<const ConvolutionPlan> convolution;  ///< of a forward convolution: x, W, an optional bias, y
  std::shared_ptr<ProgramStep> program;                ///< of a program
};

/// A sequence of steps: the forward pass, or one form of the backward pass.
struct Phase {
  int number = 0;
  std::vector<Operand> operands;
  std::vector<Step> steps;
  SmallVector<int, 4> results;  ///< operands
  std::vector<Step> hoisted;    ///< steps on constants (hoist_constants.h), executed at the first run
  std::vector<int> passing;     ///< slots used only by hoisted steps

  // Computed before the first run.
  struct Use {
    int slot;
    std::vector<int> operands;
    uint64_t seen = 0;  ///< of a bound slot: the binding for which the operands were made; 0: none
  };
  bool planned = false, has_run = false;
  std::vector<Array> arrays;  ///< of the operands
  std::vector<Use> bound, results_used, internal, earlier;
  std::vector<int> inside;  ///< internal slots of this phase
  std::vector<int64_t> places;
  int64_t bytes = 0;  ///< of the block of all internal slots
  char* seen_block = nullptr;
  char* seen_earlier = nullptr;
  Captures captures;
};

/// A recorded computation. The first phase is the forward pass; each further phase is a backward pass that uses memory
/// of the first. All memory of one phase except results is one block, whose parts are reused by several arrays in turn.
/// A tape runs on one thread at a time.
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape();

  std::vector<Slot> slots;
  std::vector<std::unique_ptr<Phase>> phases;
  Device device;              ///< of all slots
  bool members_stay = false;  ///< members are never written and there is one phase: hoist_constants() applies

  /// Sets the array of a bound slot for the next run of a phase. Shape, dtype and strides must be those of the
  /// recording.
  void bind(int slot, const Array& a);
  /// Runs a phase and returns its results. The memory of the first phase is kept until release().
  Arrays run(Phase& phase);
  /// Plans the memory of all phases; run() does this when needed. No phase may be added later.
  void prepare();
  /// Releases memory and arrays of the run.
  void release() noexcept;
  /// Returns the approximate size of steps, operands and constants in bytes.
  int64_t bytes() const;
  /// Returns a text with one line per step.
  std::string text(const Phase& phase) const;

 private:
  void plan(Phase& phase);
  void place(Phase& phase);
  void run_hoisted(Phase& phase);
  [[gnu::always_inline]] static inline void run(Phase& phase, const Step& step, std::vector<Array*>& many);
  void connect(Phase& phase, char* block, const Arrays* results = nullptr);
  void run_steps(Phase& phase, std::size_t begin, std::size_t end);
  Arrays results_of(Phase& phase) const;
  // Graphs of devices (captured.cpp).
  bool may_capture(Phase& phase);
  bool run_captured(Phase& phase);
  void announce_writes(Phase& phase);
  std::vector<const void*> addresses(const Phase& phase) const;
  bool give_own_memory(Phase& phase, const Capture& capture, const std::vector<const void*>& now);
  Capture* find_capture(Phase& phase, const std::vector<const void*>& now);
  bool capture_steps(Phase& phase, Capture& capture);
  memory::Block block_for(int64_t bytes) const;
  void release_block(memory::Block block) const noexcept;
  void let_go(Phase& phase) noexcept;
  void check_versions(const Phase& phase) const;
  memory::Block block_;  // of the first phase
};

}  // namespace chainer::recording
