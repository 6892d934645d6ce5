// What the training programs of several processes share: options, the extensions of rank 0, checkpoints.
#pragma once
#include <chainer/mn/mn.h>

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
    options.add("--double_buffering", "update with the gradients of the step before", double_buffering);
    options.add("--compression", "none, float16 or bfloat16: how gradients travel between hosts", compression);
    options.add("--checkpoint", "a checkpoint of all ranks every so many iterations; 0: none", checkpoint, 0);
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

/// Rank 0's dataset in parts for all ranks; `load` runs on rank 0 only.
template <class F>
chainer::AnyDataset scatter(const chainer::chainermn::Communicator& comm, F&& load, bool shuffle = true) {
  return chainer::chainermn::scatter_dataset(comm->rank() == 0 ? load() : chainer::AnyDataset(), comm,
                                             {.shuffle = shuffle, .seed = 1});
}

/// Checkpoints on all ranks, the log and the table on rank 0, and the run.
inline void run_trainer(chainer::Trainer& trainer, const chainer::chainermn::Communicator& comm,
                        const DistributedOptions& o, const std::vector<std::string>& columns) {
  using namespace chainer;
  if (comm->rank() == 0) {
    trainer.extend(extensions::LogReport({.trigger = o.training.report()}));
    trainer.extend(extensions::PrintReport(columns));
  }
  if (o.checkpoint > 0) {
    const auto checkpointer = chainermn::create_multi_node_checkpointer("checkpoint", comm);
    trainer.extend(checkpointer, {.trigger = {o.checkpoint, "iteration"}});
    const auto from = checkpointer->maybe_load(trainer);
    if (from && comm->rank() == 0) std::printf("resumed from iteration %lld\n", static_cast<long long>(*from));
  }
  trainer.run(false);
}

/// What all programs print first.
inline void introduce(const chainer::chainermn::Communicator& comm) {
  if (comm->rank() != 0) return;
  std::printf("ranks: %d on %d hosts, communicator %s\n", comm->size(), comm->inter_size(), comm->name().c_str());
  std::fflush(stdout);
}

}  // namespace examples
