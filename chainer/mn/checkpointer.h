// Checkpoints of several processes (manual: "Trainer extensions" of ChainerMN).
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chainer/mn/communicator_base.h"
#include "chainer/training/trainer.h"

namespace chainer::mn {

/// Options of create_multi_node_checkpointer(), in the manual's order.
struct CheckpointerOptions {
  int64_t cp_interval = 5;               ///< how many of the newest checkpoints stay
  int64_t gc_interval = 5;               ///< older ones are removed after so many saves
  std::optional<std::string> path = {};  ///< the folder; the trainer's output folder by default
};

/// Saves the trainer on every rank (once an epoch, or when the trigger says), and goes on from the newest checkpoint
/// that all ranks have whole: `auto c = chainermn::create_multi_node_checkpointer("mnist", comm)`, then
/// `trainer.extend(c, {.trigger = {1000, "iteration"}})`, and behind all other extensions `c->maybe_load(trainer)`.
///
/// A checkpoint is one NPZ file a rank, NAME.RANK.ITERATION, written beside its place and then renamed. It is whole
/// when each rank's file is there and every checksum in it is right; a run that was killed at any moment therefore
/// goes on from the last iteration that all ranks saved, with the same bits as one that was not interrupted: model,
/// optimizer, iterators, extensions, random numbers. A warning names the files that are passed over.
///
/// A checkpoint of another number of ranks is taken where all its files are in one folder that every rank sees. Models,
/// optimizers and counts go on; each rank reads the file of its number (or of its number modulo the old count); the
/// interrupted epoch begins anew, as its examples are spread over the ranks in another way; further ranks draw random
/// numbers of their own.
class MultiNodeCheckpointer : public training::Extension {
 public:
  MultiNodeCheckpointer(std::string name, Communicator comm, const CheckpointerOptions& options = {});
  void operator()(Trainer& trainer) override;
  /// Collective: saves now.
  void save(Trainer& trainer, std::optional<int64_t> iteration = {});
  /// Collective; after all extensions that have a state were added. Loads the newest whole checkpoint into the trainer
  /// and returns its iteration, or nothing where there is none. The parameters need not have shapes.
  std::optional<int64_t> maybe_load(Trainer& trainer, std::optional<std::string> path = {});
  /// The same under the manual's signature; the optimizer is part of the trainer.
  std::optional<int64_t> maybe_load(Trainer& trainer, Optimizer& optimizer, std::optional<std::string> path = {});
  /// "checkpoints: 3, seconds a checkpoint: 0.01 on average, 0.009 to 0.012"
  std::string get_stats() const;
  void initialize(Trainer& trainer) override;
  /// Collective where training has come to its end: removes this run's checkpoints if it has on all ranks. After an
  /// exception on any of them, also in the last iteration, all stay (the release removes them then, too).
  void finalize() override;
  training::Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }
  std::string default_name() const override { return "MultiNodeCheckpointer"; }

 private:
  std::filesystem::path folder(const Trainer& trainer) const;
  std::filesystem::path file(const std::filesystem::path& folder, int rank, int64_t iteration) const;
  std::set<int64_t> iterations_of(const std::filesystem::path& folder, int rank) const;
  void collect(const std::filesystem::path& folder);
  std::string name_;
  Communicator comm_;
  CheckpointerOptions options_;
  int64_t saved_ = 0;
  std::vector<double> seconds_;
  Trainer* trainer_ = nullptr;
};

/// `name` must hold neither dots nor slashes (ValueError): file names are read back.
std::shared_ptr<MultiNodeCheckpointer> create_multi_node_checkpointer(const std::string& name, Communicator comm,
                                                                      const CheckpointerOptions& options = {});

}  // namespace chainer::mn
