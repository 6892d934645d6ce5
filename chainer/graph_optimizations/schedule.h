// SPDX-License-Identifier: MIT
// A static schedule: the recorded computation of a call, and the memory for one call at a time.
#pragma once
#include <any>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/recording/recorder.h"
#include "chainer/autograd/function_node.h"
#include "chainer/graph_optimizations/members.h"
#include "chainer/graph_optimizations/plain_state.h"
#include "chainer/graph_optimizations/schedule_manager.h"

namespace chainer::static_graphs {

/// Returns the device of the arguments, or without any that of the members.
Device device_of(const Variables& args, const Members& members);

/// The recorded forward pass of a function for one signature of calls, and the recorded backward passes. A recording
/// call runs the function itself (define-by-run); its backward passes run the resulting graph and are recorded, too.
/// Later calls are replayed.
class Schedule {
 public:
  /// A recorded backward pass.
  struct Backward {
    SmallVector<char, 4> given;  ///< which outputs have a gradient
    Indexes wanted;
    SmallVector<int, 4> slots;   ///< slots of the given gradients
    SmallVector<int, 4> result;  ///< the position among the results of each wanted gradient, or -1
    recording::Phase* phase = nullptr;
  };

  explicit Schedule(std::vector<int64_t> call) : key(std::move(call)) {}
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule();

  /// Runs and records f. If the recording is refused, the results are part of the caller's graph.
  Variables record(const Function& f, const Variables& args, const std::vector<Link*>& links, bool graph);
  /// Runs the recorded forward pass.
  Arrays replay(const Arrays& args, const Members& members);
  /// Returns the gradients with respect to the `wanted` inputs: arguments, then `leaves`. Records the pass if the graph
  /// of the recording call still exists. Throws RuntimeError for gradients that were not recorded.
  Variables backward(const Indexes& wanted, const Variables& gy);
  /// Drops the graph of the recording call.
  void finish();
  /// Called after finish(): refuses the recording if other objects still hold its arrays.
  void check();

  /// Returns true if the plain state of the links is that of the recorded call.
  bool fits(const Members& members) const { return plain_.holds(members); }
  const std::string& refused() const { return refused_; }
  /// Returns true if calls may be replayed: with a graph, a backward pass must have been recorded completely.
  bool complete() const { return !broken_ && (!graph_ || !ways_.empty()); }
  /// The approximate memory of the schedule while no call uses it.
  int64_t bytes() const { return tape.bytes(); }
  bool is_recording() const { return recorder_ != nullptr; }
  /// Returns a description of the recording, with the planned memory after the first replay.
  std::string text() const;

  const std::vector<int64_t> key;
  std::vector<std::size_t> leaves;  ///< positions, among the members of the links, of parameters that get gradients
  std::any structure;               ///< the structure of the results
  // Set by the manager.
  std::atomic<uint64_t> use{0};  ///< number of calls
  bool taken = false;            ///< true while a call may still run its backward pass
  uint64_t last_use = 0;
  recording::Tape tape;

 private:
  void write_back(const Variables& args, const std::vector<uint32_t>& versions);
  void find_leaves(const Variables& results, const Variables& args, const Members& members);
  Variables run_graph(const Indexes& wanted, const Variables& gy);
  Variables record_backward(const Indexes& wanted, const Variables& gy, Backward way);

  bool graph_ = false, finished_ = false;
  bool broken_ = false;  // an exception ended the recording of a backward pass
  std::string refused_;
  PlainState plain_;
  std::vector<int> argument_slots_, member_slots_;
  std::vector<std::unique_ptr<Backward>> ways_;
  std::unique_ptr<recording::Recorder> recorder_;  // exists until finish()
  Variables inner_args_, inner_results_;
  std::vector<Parameter> leaf_parameters_;
};

}  // namespace chainer::static_graphs
