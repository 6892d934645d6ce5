// SPDX-License-Identifier: MIT
// Checkpoints of several processes (manual: "Trainer extensions" of ChainerMN).
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chainer/mn/communicator_base.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer::mn {

/// Options of create_multi_node_checkpointer(), in the manual's order.
struct CheckpointerOptions {
  int64_t cp_interval = 5;               ///< number of newest checkpoints to keep
  int64_t gc_interval = 5;               ///< number of saves after which older checkpoints are removed
  std::optional<std::string> path = {};  ///< the folder; the trainer's output folder by default
};

/// Saves the trainer on every rank (once per epoch, or at the trigger), and resumes from the newest checkpoint that is
/// complete on all ranks: `auto c = chainermn::create_multi_node_checkpointer("mnist", comm)`, then
/// `trainer.extend(c, {.trigger = {1000, "iteration"}})`, and after all other extensions `c->maybe_load(trainer)`.
///
/// A checkpoint is one NPZ file for each rank, NAME.RANK.ITERATION, written to a temporary file that is then renamed.
/// It is complete if the files of all ranks exist and all checksums match. A run that was killed therefore resumes from
/// the last iteration that all ranks saved, bit for bit as if it had not been interrupted: model, optimizer, iterators,
/// extensions, random numbers. A warning names files that are skipped.
///
/// A checkpoint of another number of ranks is loaded if all its files are in one folder that every rank can read.
/// Models, optimizers and counts are restored; each rank reads the file of its number (modulo the old number of ranks);
/// the interrupted epoch is restarted, because its examples are distributed differently; additional ranks draw their
/// own random numbers.
class MultiNodeCheckpointer : public training::Extension {
 public:
  MultiNodeCheckpointer(std::string name, Communicator comm, const CheckpointerOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultiNodeCheckpointer, ".cp_interval, .gc_interval, .path", std::string, Communicator);
  void operator()(Trainer& trainer) override;
  /// Saves a checkpoint now. Collective.
  void save(Trainer& trainer, std::optional<int64_t> iteration = {});
  /// Loads the newest complete checkpoint and returns its iteration, or nothing if there is none. Call this after
  /// adding all extensions that have a state; parameters may be uninitialized. Collective.
  std::optional<int64_t> maybe_load(Trainer& trainer, std::optional<std::string> path = {});
  /// maybe_load() with the manual's signature; the optimizer is part of the trainer.
  std::optional<int64_t> maybe_load(Trainer& trainer, Optimizer& optimizer, std::optional<std::string> path = {});
  /// Returns "checkpoints: 3, seconds a checkpoint: 0.01 on average, 0.009 to 0.012".
  std::string get_stats() const;
  void initialize(Trainer& trainer) override;
  /// Removes the checkpoints of this run if training is completed on all ranks; collective then. After an exception on
  /// any rank, also in the last iteration, all are kept (the release removes them).
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

/// Throws ValueError for a name that is empty or contains dots or slashes, because file names are parsed, and for
/// intervals that are not positive.
std::shared_ptr<MultiNodeCheckpointer> create_multi_node_checkpointer(const std::string& name, Communicator comm,
                                                                      const CheckpointerOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(create_multi_node_checkpointer, ".cp_interval, .gc_interval, .path", const std::string&,
                         Communicator);

}  // namespace chainer::mn
