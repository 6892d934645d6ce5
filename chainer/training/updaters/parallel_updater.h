// SPDX-License-Identifier: MIT
// Updaters that train with several copies of a model (manual: "ParallelUpdater", "MultiprocessParallelUpdater").
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/training/updater.h"
#include "chainer/training/updaters/model_threads.h"
#include "chainer/core/other_options.h"

namespace chainer::training {
namespace updaters {

/// A model, the target of an optimizer, and its copies, which are trained together.
class ModelCopies {
 public:
  /// Creates a copy of the target for each name.
  ModelCopies(Link& target, const std::vector<std::string>& names);
  /// Uses the given models. Throws KeyError if none is named main, ValueError if this one is not the target or a model
  /// is none.
  ModelCopies(Link& target, const std::map<std::string, std::shared_ptr<Link>>& models);
  int size() const { return static_cast<int>(copies_.size()) + 1; }
  /// Returns model i; model 0 is the target.
  Link& model(int i, Link& target) const { return i == 0 ? target : *copies_[static_cast<std::size_t>(i) - 1].second; }
  /// Moves each model to its device; that of the target is the first. Devices of the host stand for threads, so models
  /// on the host do not move.
  void place(Link& target, const std::vector<Device>& devices);
  /// Converts the share of a batch for a model by `converter` or concat_examples(), to the device of the model.
  Example convert(const Examples& share, int model, const Converter& converter) const;
  void add_observers(Trainer& trainer) const;
  /// Copies the parameters and persistent values of the target to the copies, after loading.
  void follow(const Link& target, bool copy_persistent = true);
  /// Computes losses and gradients of all models in parallel, each from its batch (a model may have none), sums the
  /// gradients in the order of the models, updates the target, and copies its parameters and persistent values to the
  /// copies.
  void step(Optimizer& optimizer, const std::vector<std::optional<Example>>& batches,
            const std::function<Variable(Link&, const Example&)>& loss, std::optional<double> loss_scale);

 private:
  std::vector<std::pair<std::string, std::shared_ptr<Link>>> copies_;
  std::vector<std::optional<Device>> devices_;  // of each model; none if it was not placed
  std::unique_ptr<ModelThreads> threads_;
};

/// Options of ParallelUpdater, in the manual's order.
struct ParallelUpdaterOptions {
  Converter converter = {};                                  ///< concat_examples by default
  std::map<std::string, std::shared_ptr<Link>> models = {};  ///< one named main is the optimizer's target
  std::map<std::string, Device> devices = {};                ///< one named main; used if models are not given
  std::function<Variable(const Variables&)> loss_func = {};  ///< by default each model
  std::optional<double> loss_scale = {};
  bool auto_new_epoch = true;
};
/// Splits each batch over several models (example i goes to model i modulo their number, the main one first), computes
/// their losses and gradients in parallel, and updates the main model with the sum of the gradients; a loss that is a
/// mean counts once for each model, as in the manual. Each update copies the parameters and persistent values of the
/// main model to the others. Models and their examples are moved to the devices; those on the host ("@cpu:0", "@cpu:1")
/// are threads with a share of the cores. The order of random numbers drawn by different models is not deterministic.
class ParallelUpdater : public StandardUpdater {
 public:
  /// Throws ValueError if neither models nor devices are given, KeyError if none is named main.
  ParallelUpdater(NamedKept<Iterator> iterator, NamedKept<Optimizer> optimizer,
                  const ParallelUpdaterOptions& options = {});
  CHAINER_OTHER_OPTIONS(ParallelUpdater, ".converter, .models, .devices, .loss_func, .loss_scale, .auto_new_epoch",
                        NamedKept<Iterator>, NamedKept<Optimizer>);
  void connect_trainer(Trainer& trainer) override { copies_.add_observers(trainer); }
  void update_core() override;
  void serialize(Serializer& s) override;

 private:
  ParallelUpdaterOptions options_;
  ModelCopies copies_;
};

/// Options of MultiprocessParallelUpdater, in the manual's order.
struct MultiprocessParallelUpdaterOptions {
  Converter converter = {};
  std::vector<Device> devices = {};  ///< one for each iterator; the host by default
  bool auto_new_epoch = true;
};
/// ParallelUpdater with an iterator for each model, so that reading and conversion also run in parallel. The manual's
/// updater of this name uses processes; this one uses threads. Gradients are summed; to keep the size of steps, the
/// constructor changes the optimizer's eps (Adam, AdaGrad, RMSprop: times n; RMSpropGraves, AdaDelta: times n^2) or
/// learning rate (others: divided by n), with a warning. Snapshots contain all iterators.
class MultiprocessParallelUpdater : public StandardUpdater {
 public:
  /// Throws ValueError if there is no iterator, if the numbers of devices and iterators differ, or the batch sizes.
  MultiprocessParallelUpdater(std::vector<Kept<Iterator>> iterators, NamedKept<Optimizer> optimizer,
                              const MultiprocessParallelUpdaterOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultiprocessParallelUpdater, ".converter, .devices, .auto_new_epoch",
                        std::vector<Kept<Iterator>>, NamedKept<Optimizer>);
  /// Returns true: threads are always available.
  static bool available() { return true; }
  /// Starts the threads, as does the first update.
  void setup_workers();
  void connect_trainer(Trainer& trainer) override;
  void update_core() override;
  void finalize() override;
  void serialize(Serializer& s) override;

 private:
  std::vector<Kept<Iterator>> iterators_;
  MultiprocessParallelUpdaterOptions options_;
  std::unique_ptr<ModelCopies> copies_;
};

}  // namespace updaters
using updaters::MultiprocessParallelUpdater;
using updaters::ParallelUpdater;

}  // namespace chainer::training
