// Updaters that train with several copies of a model (manual: "ParallelUpdater", "MultiprocessParallelUpdater").
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/training/updater.h"
#include "chainer/training/updaters/model_threads.h"

namespace chainer::training {
namespace updaters {

/// The copies of a model, the first of which is an optimizer's target, and one step with all of them.
class ModelCopies {
 public:
  /// `names` of the copies beside the target; they copy its parameters.
  ModelCopies(Link& target, const std::vector<std::string>& names);
  /// The models given; the one named main must be the target (KeyError, ValueError).
  ModelCopies(Link& target, const std::map<std::string, std::shared_ptr<Link>>& models);
  int size() const { return static_cast<int>(copies_.size()) + 1; }
  /// The target first.
  Link& model(int i, Link& target) const { return i == 0 ? target : *copies_[static_cast<std::size_t>(i) - 1].second; }
  /// Moves each model to its device, the target's first. Devices of the host are threads; nothing moves there.
  void place(Link& target, const std::vector<Device>& devices);
  /// A model's share of a batch on its device, converted by `converter` or by concat_examples.
  Example convert(const Examples& share, int model, const Converter& converter) const;
  void add_observers(Trainer& trainer) const;
  /// Gives the copies the target's parameters, after they were loaded.
  void follow(const Link& target);
  /// Losses and gradients of all models at the same time, each from its batch (a model without a batch rests);
  /// gradients are summed in the order of the models; the optimizer updates; the copies take the new parameters.
  void step(Optimizer& optimizer, const std::vector<std::optional<Example>>& batches,
            const std::function<Variable(Link&, const Example&)>& loss, std::optional<double> loss_scale);

 private:
  std::vector<std::pair<std::string, std::shared_ptr<Link>>> copies_;
  std::vector<std::optional<Device>> devices_;  // of the models, where they were placed
  std::unique_ptr<ModelThreads> threads_;
};

/// Options of ParallelUpdater, in the manual's order.
struct ParallelUpdaterOptions {
  Converter converter = {};                                  ///< concat_examples by default
  std::map<std::string, std::shared_ptr<Link>> models = {};  ///< with one named main, the optimizer's target
  std::map<std::string, Device> devices = {};                ///< with one named main; used where models are not given
  std::function<Variable(const Variables&)> loss_func = {};  ///< each model itself by default
  std::optional<double> loss_scale = {};
  bool auto_new_epoch = true;
};
/// Splits each batch over several models (example i goes to model i modulo their number, the main one first), computes
/// their losses and gradients at the same time, and updates the main one with the sum of the gradients; a loss that is
/// a mean thus counts once for each model, as in the manual. Models and their examples go to the devices; those on the
/// host ("@cpu:0", "@cpu:1") are threads with a share of the cores. A model whose forward draws random numbers draws
/// them in the order in which the threads come.
class ParallelUpdater : public StandardUpdater {
 public:
  /// ValueError with neither models nor devices, KeyError without one named main.
  ParallelUpdater(NamedKept<Iterator> iterator, NamedKept<Optimizer> optimizer,
                  const ParallelUpdaterOptions& options = {});
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
/// As ParallelUpdater, with an iterator of its own for each model, so that reading and conversion run at the same time
/// too: the part of the manual's updater of the same name, whose processes threads stand in for here. Gradients are
/// summed; so that steps keep their size, the optimizer's eps (Adam, AdaGrad, RMSprop: times n; RMSpropGraves,
/// AdaDelta: times n^2) or learning rate (others: divided by n) is changed in the constructor, with a warning.
/// Snapshots hold all iterators.
class MultiprocessParallelUpdater : public StandardUpdater {
 public:
  /// ValueError for no iterators, other numbers of devices and iterators, or different batch sizes.
  MultiprocessParallelUpdater(std::vector<Kept<Iterator>> iterators, NamedKept<Optimizer> optimizer,
                              const MultiprocessParallelUpdaterOptions& options = {});
  /// Threads are always there.
  static bool available() { return true; }
  /// Starts the threads; the first update does, too.
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
