// The gradients of a model, averaged over ranks.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "chainer/autograd/gradient_hook.h"
#include "chainer/links/link.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/mean.h"

namespace chainer::mn {

class MeanThread;

/// Options of a GradientReducer.
struct GradientReducerOptions {
  int64_t bucket_bytes = int64_t(25) << 20;  ///< gradients are averaged in pieces of this size
  Compression compression = Compression::none;
  bool error_feedback = false;
  bool double_buffering = false;
};

/// Averages gradients in buckets: contiguous memory in the order in which backward() is likely to finish them (last
/// parameters first), which is the same on all ranks. As a GradientHook it copies each gradient into its bucket when it
/// is final, and a bucket that is full is averaged by a thread of its own while backward() goes on. Afterwards the
/// parameters' gradients are views of the buckets; the next step overwrites them.
///
/// What the buckets hold is agreed on by all ranks: at the first step, and after a step in which some rank had a
/// gradient (or an initialized parameter) that was not in them. A rank tells so in an element behind the last bucket,
/// so that steps in which nothing changes cost nothing more.
class GradientReducer : public GradientHook {
 public:
  GradientReducer(CommunicatorBase& comm, Link& model, const GradientReducerOptions& options = {});
  ~GradientReducer() override;
  const Link* model() const { return &model_; }

  /// Collective, at the begin of each step: all ranks agree if they have not yet. Returns false if parameters differed
  /// and were made those of rank 0, so that gradients computed before mean nothing.
  bool prepare();
  /// While it is the hook of a thread, gradients go as soon as they are final.
  void gradient_ready(VariableNode& leaf) override;
  /// Collective: the gradients that have not gone yet, and all means. Without double buffering, gradients are their
  /// means afterwards. With it, they are those of the step before; the first call has none and returns false. False,
  /// too, where parameters had to be made those of rank 0.
  bool reduce();
  /// Whether gradients may go from the hook in the next step.
  bool overlaps() const { return overlap_ && !sets_.empty(); }
  /// Waits for what is under way.
  void drain();
  /// Error feedback and means that wait for the next step.
  void serialize(Serializer& s);

 private:
  struct Slot {
    std::string path;
    Parameter param;
    std::size_t bucket;
    int64_t offset;
    Array packed;  // what was copied into the bucket in this step
    bool ready = false;
  };
  struct Bucket {
    std::unique_ptr<MeanBuffer> buffer;
    std::vector<std::size_t> slots;
    std::size_t waits_for = 0;
    int64_t flag_at = -1;  // of the last bucket: the element that tells of changes
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
  std::vector<Buckets> sets_;  // two with double buffering
  std::size_t turn_ = 0, submitted_ = 0;
  bool overlap_ = true, began_ = false, pending_ = false;
  std::map<std::string, Array> loaded_;  // state that waits for the buckets
  bool loaded_pending_ = false;
  int64_t loaded_layout_ = 0;
  std::unique_ptr<MeanThread> thread_;  // last: it ends first
};

}  // namespace chainer::mn
