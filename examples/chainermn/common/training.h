// SPDX-License-Identifier: MIT
// Common parts of the distributed training programs: options, the extensions of rank 0, checkpoints.
#pragma once
#include <chainer/mn/mn.h>
#include <chainer/core/system/signals.h>

#include "../../common/training.h"

namespace examples {

struct DistributedOptions {
  TrainingOptions training;
  std::string communicator = "hierarchical", compression = "none";
  long checkpoint = 0;
  bool double_buffering = false;

  void add_to(Options& options) {
    training.add_to(options);
    options.add("--communicator", "naive, flat, hierarchical, two_dimensional or single_node", communicator);
    options.add("--double_buffering", "update with the gradients of the previous step", double_buffering);
    options.add("--compression", "dtype of gradients sent between hosts: none, float16 or bfloat16", compression);
    options.add("--checkpoint", "iterations between checkpoints of all ranks; 0: none", checkpoint, 0);
  }
  chainer::chainermn::MultiNodeOptimizerOptions optimizer() const {
    using namespace chainer;
    chainermn::MultiNodeOptimizerOptions o{.double_buffering = double_buffering};
    if (compression == "float16")
      o.compression = chainermn::Compression::float16;
    else if (compression == "bfloat16")
      o.compression = chainermn::Compression::bfloat16;
    else if (compression != "none")
      throw ValueError("--compression is none, float16 or bfloat16, not '", compression, "'");
    o.error_feedback = compression != "none";
    return o;
  }
};

/// Loads a dataset on rank 0 and scatters it to all ranks.
template <class F>
chainer::AnyDataset scatter(const chainer::chainermn::Communicator& comm, F&& load, bool shuffle = true) {
  return chainer::chainermn::scatter_dataset(comm->rank() == 0 ? load() : chainer::AnyDataset(), comm,
                                             {.shuffle = shuffle, .seed = 1});
}

/// After Ctrl-C or SIGTERM all ranks end after the same iteration, of which each rank has a checkpoint. (The trainers
/// are constructed with handle_signals = false, because a rank that ends alone would leave the others waiting.)
class StopTogether : public chainer::training::Extension {
 public:
  StopTogether(chainer::chainermn::Communicator comm, std::shared_ptr<Extension> checkpointer)
      : comm_(std::move(comm)), checkpointer_(std::move(checkpointer)) {}
  chainer::training::Trigger trigger() const override { return {1, "iteration"}; }
  int priority() const override { return -200; }  // after all other extensions
  void operator()(chainer::Trainer& trainer) override {
    const chainer::Array signals = comm_->allreduce(chainer::array(int64_t{watch_.received()}));
    if (!signals.item<int64_t>()) return;
    (*checkpointer_)(trainer);
    trainer.stop();
    if (comm_->rank() == 0)
      std::printf("stopped after iteration %lld: continue with --resume\n",
                  static_cast<long long>(trainer.updater().iteration()));
  }

 private:
  chainer::chainermn::Communicator comm_;
  std::shared_ptr<Extension> checkpointer_;
  chainer::SignalWatch watch_{true};
};

/// Adds checkpoints on all ranks and the log and the table on the rank that has the loss, and runs the trainer. With
/// --checkpoint or --resume the run continues from the newest checkpoint in --out; --resume may name another folder,
/// which must contain a checkpoint.
inline void run_trainer(chainer::Trainer& trainer, const chainer::chainermn::Communicator& comm,
                        const DistributedOptions& o, const std::vector<std::string>& columns, int reporting_rank = 0) {
  using namespace chainer;
  if (comm->rank() == reporting_rank) {
    trainer.extend(extensions::LogReport({.trigger = o.training.report()}));
    trainer.extend(extensions::PrintReport(columns));
  }
  const std::string& path = o.training.resume;
  if (!path.empty() && !std::filesystem::is_directory(path))
    throw FileError("--resume ", path, ": no such folder of checkpoints");
  const auto checkpointer = chainermn::create_multi_node_checkpointer("checkpoint", comm);
  if (o.checkpoint > 0) trainer.extend(checkpointer, {.trigger = {o.checkpoint, "iteration"}});
  if (o.checkpoint > 0 || o.training.resuming) {
    const auto from = checkpointer->maybe_load(trainer, path.empty() ? std::optional<std::string>() : path);
    if (!from && !path.empty()) throw FileError("--resume ", path, ": no checkpoint is complete on all ranks");
    if (comm->rank() == 0 && from)
      std::printf("resumed from iteration %lld\n", static_cast<long long>(*from));
    else if (comm->rank() == 0 && o.training.resuming)
      std::printf("no checkpoint in %s: starting from the beginning\n", o.training.out.c_str());
  }
  trainer.extend(std::make_shared<StopTogether>(comm, checkpointer));
  trainer.run(false);
}

/// Prints the first lines of all programs.
inline void introduce(const chainer::chainermn::Communicator& comm) {
  if (comm->rank() != 0) return;
  std::printf("ranks: %d on %d hosts, communicator %s\n", comm->size(), comm->inter_size(), comm->name().c_str());
  std::fflush(stdout);
}

}  // namespace examples
