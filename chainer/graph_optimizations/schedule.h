// One static schedule: what a call computed, recorded, and the memory for one call at a time.
#pragma once
#include <any>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/recording/recorder.h"
#include "chainer/autograd/function_node.h"
#include "chainer/graph_optimizations/members.h"
#include "chainer/graph_optimizations/schedule_manager.h"

namespace chainer::static_graphs {

/// The forward pass of one way of calling a function, and the ways in which its gradients were wanted. A recording call
/// runs the function itself (define-by-run); its backward passes run the graph that this left, and are recorded, too.
/// Later calls replay.
class Schedule {
 public:
  /// A way of the backward pass.
  struct Backward {
    SmallVector<char, 4> given;  ///< which outputs have a gradient
    Indexes wanted;
    SmallVector<int, 4> slots;   ///< of the gradients that are given
    SmallVector<int, 4> result;  ///< for each wanted one its place among the results, or -1
    recording::Phase* phase = nullptr;
  };

  explicit Schedule(std::vector<int64_t> call) : key(std::move(call)) {}
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule();

  /// Runs and records f; its results are in the caller's graph where the recording is refused.
  Variables record(const Function& f, const Variables& args, const std::vector<Link*>& links, bool graph);
  /// Runs the recorded forward pass.
  Arrays replay(const Arrays& args, const Members& members);
  /// The gradients by `wanted` inputs: arguments, then `leaves`. Recorded where the graph of the recording call is
  /// still there.
  Variables backward(const Indexes& wanted, const Variables& gy);
  /// Drops the graph of the recording call.
  void finish();
  /// Afterwards, when that is gone: arrays that somebody still keeps are a reason to refuse.
  void check();

  const std::string& refused() const { return refused_; }
  /// Whether another call may be replayed: a schedule with a graph has seen its backward pass.
  bool complete() const { return !graph_ || !ways_.empty(); }
  bool is_recording() const { return recorder_ != nullptr; }
  /// Lines about what was recorded, with the memory that was planned once it has been replayed.
  std::string text() const;

  const std::vector<int64_t> key;
  std::vector<std::size_t> leaves;  ///< the parameters, among the links' members, that gradients go to
  std::any structure;               ///< of the results
  // Kept by the manager.
  std::atomic<uint64_t> use{0};  ///< counts calls
  bool taken = false;            ///< by a call whose backward pass may come
  uint64_t last_use = 0;
  recording::Tape tape;

 private:
  void write_back(const Variables& args, const std::vector<uint32_t>& versions);
  void find_leaves(const Variables& results, const Variables& args, const Members& members);
  Variables run_graph(const Indexes& wanted, const Variables& gy);
  Variables record_backward(const Indexes& wanted, const Variables& gy, Backward way);

  bool graph_ = false, finished_ = false;
  std::string refused_;
  std::vector<int> argument_slots_, member_slots_;
  std::vector<std::unique_ptr<Backward>> ways_;
  std::unique_ptr<recording::Recorder> recorder_;  // until the graph of the recording call goes
  Variables inner_args_, inner_results_;
  std::vector<Parameter> leaf_parameters_;
};

}  // namespace chainer::static_graphs
