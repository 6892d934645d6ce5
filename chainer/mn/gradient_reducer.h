// SPDX-License-Identifier: MIT
// Averages the gradients of a model over ranks.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chainer/autograd/gradient_hook.h"
#include "chainer/links/link.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/mean.h"

namespace chainer::mn {

class MeanThread;

/// Options of a GradientReducer.
struct GradientReducerOptions {
  int64_t bucket_bytes = int64_t(25) << 20;  ///< the size of buckets
  Compression compression = Compression::none;
  bool error_feedback = false;
  bool double_buffering = false;
  bool synchronizes_values = true;  ///< replaces parameters that differ by those of rank 0
};

/// Averages gradients in buckets: contiguous memory in the order in which backward() is likely to complete the
/// gradients (last parameters first), which is the same on all ranks. As a GradientHook, copies each gradient to its
/// bucket when it is complete; a thread averages full buckets while backward() continues. Afterwards the gradients of
/// the parameters are views of the buckets; the next step overwrites them.
///
/// All ranks agree on the contents of the buckets at the first step, and after a step in which a rank had a gradient
/// (or an initialized parameter) that is not in a bucket. A rank signals this in an extra element after the last
/// bucket, so steps without changes need no further communication. The constructor throws ValueError for a negative
/// bucket size.
class GradientReducer : public GradientHook {
 public:
  GradientReducer(CommunicatorBase& comm, Link& model, const GradientReducerOptions& options = {});
  ~GradientReducer() override;
  const Link* model() const { return &model_; }
  /// Returns true if `model` is the one whose buckets the ranks agreed on, with the same parameters.
  bool fits(const Link& model) const;

  /// Begins a step: all ranks agree on the buckets unless they have. Returns false if parameters differed and were
  /// replaced by those of rank 0, so that gradients computed before are invalid. Collective.
  bool prepare();
  /// Sends a complete gradient while this object is the hook of the thread.
  void gradient_ready(VariableNode& leaf) override;
  /// Sends the remaining gradients and waits for all means. Without double buffering, gradients are then the means of
  /// this step. With double buffering, they are those of the previous step; the first call returns false. Also returns
  /// false if parameters were replaced by those of rank 0. Collective.
  bool reduce();
  /// Returns true if gradients may be sent from the hook in the next step.
  bool overlaps() const { return overlap_ && !sets_.empty(); }
  /// Waits for pending means.
  void drain();
  /// Saves or loads error feedback and means that are pending for the next step.
  void serialize(Serializer& s);

 private:
  struct Slot {
    std::string path;
    Parameter param;
    std::size_t bucket;
    int64_t offset;
    Array packed;  // the gradient that was copied to the bucket in this step
    bool ready = false;
  };
  struct Bucket {
    std::unique_ptr<MeanBuffer> buffer;
    std::vector<std::size_t> slots;
    std::size_t waits_for = 0;
    int64_t flag_at = -1;  // in the last bucket: the element that signals changes
  };
  using Buckets = std::vector<Bucket>;

  bool agree();
  void lay_out(const ObjectList& order);
  void pack(std::size_t slot);
  void submit_full(bool all);
  void begin_step();
  Array view(const Bucket& b, const Slot& s) const;
  int64_t layout_hash() const;
  void restore();
  Buckets& current() { return sets_[turn_]; }

  CommunicatorBase& comm_;
  Link& model_;
  GradientReducerOptions options_;
  std::unique_ptr<MeanChannel> channel_;
  std::vector<Slot> slots_;
  std::unordered_map<const VariableNode*, std::size_t> by_node_;
  std::unordered_set<const void*> ids_;  // of the parameters of slots_, which keep them alive
  std::vector<Buckets> sets_;            // two with double buffering
  std::size_t turn_ = 0, submitted_ = 0;
  bool overlap_ = true, began_ = false, pending_ = false;
  std::map<std::string, Array> loaded_;  // loaded state, until the buckets exist
  bool loaded_pending_ = false;
  int64_t loaded_layout_ = 0;
  std::unique_ptr<MeanThread> thread_;  // the last member, so that it is destroyed first
};

}  // namespace chainer::mn
