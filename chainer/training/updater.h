// SPDX-License-Identifier: MIT
// Updaters: one step of training.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "chainer/datasets/dataset.h"
#include "chainer/iterators/iterators.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/core/other_options.h"

namespace chainer {
class Reporter;
}

namespace chainer::training {

class Trainer;

/// Base of updaters.
class Updater : public Anchored {
 public:
  virtual void connect_trainer(Trainer& trainer) { (void)trainer; }
  virtual void finalize() {}
  virtual Optimizer& get_optimizer(const std::string& name) const = 0;
  virtual std::map<std::string, Optimizer*> get_all_optimizers() const = 0;
  virtual void update() = 0;
  virtual void serialize(Serializer& s) = 0;
  virtual int64_t iteration() const = 0;
  virtual int64_t epoch() const = 0;
  virtual double epoch_detail() const = 0;
  virtual std::optional<double> previous_epoch_detail() const = 0;
  virtual bool is_new_epoch() const = 0;
  /// Seconds that updates of this process have waited for iterators.
  virtual double input_seconds() const { return 0; }
};

/// One T under the name main, or several by name. get() throws KeyError for an unknown name.
template <class T>
class NamedKept {
 public:
  template <class U>
  requires(std::is_constructible_v<Kept<T>, U> && !std::same_as<std::remove_cvref_t<U>, NamedKept>) NamedKept(U&& one) {
    all_.emplace("main", Kept<T>(std::forward<U>(one)));
  }
  NamedKept(std::map<std::string, Kept<T>> all) : all_(std::move(all)) {}
  /// {{"gen", generator_optimizer}, {"dis", discriminator_optimizer}}
  NamedKept(std::initializer_list<std::pair<const std::string, Kept<T>>> all) : all_(all) {}
  T& get(const std::string& name) const {
    const auto it = all_.find(name);
    if (it != all_.end()) return it->second.get();
    std::string names;
    for (const auto& [n, kept] : all_) names += (names.empty() ? "'" : ", '") + n + "'";
    throw KeyError("no entry named '", name, "'; available: ", names);
  }
  const std::map<std::string, Kept<T>>& all() const { return all_; }

 private:
  std::map<std::string, Kept<T>> all_;
};
// Instantiated in standard_updater.cpp, so that users' programs do not compile them again.
extern template class NamedKept<Iterator>;
extern template class NamedKept<Link>;
extern template class NamedKept<Optimizer>;

/// Adds a link, the links in it, and a link that it wraps, as observers.
void observe(Reporter& reporter, const std::string& name, const Link& link);

namespace updaters {

/// For logs and displays, while a dynamic loss scale changes.
void report_loss_scale(const Optimizer& optimizer);

/// Options of StandardUpdater, in the manual's order.
struct StandardUpdaterOptions {
  Converter converter = {};  ///< concat_examples by default
  std::optional<Device> device = {};
  std::function<Variable(const Variables&)> loss_func = {};  ///< the optimizer's target by default
  std::optional<double> loss_scale = {};
  bool auto_new_epoch = true;
  /// Gradient accumulation: the batch is computed in so many parts, one after the other, whose gradients are added up
  /// in proportion to their sizes. The update is that of the whole batch where the loss is a mean over examples, in a
  /// part of the memory; reported numbers are means over the parts. (Batch normalization sees the parts.) The batch is
  /// cut before it is converted; where it has fewer examples, there are as many parts as examples.
  int64_t microbatches = 1;
};
/// Takes the next batch, converts it, and calls optimizer.update(loss). Override update_core() for another step;
/// batches from next_batch() have their waiting time in the report and the timeline. update() throws StopIteration at
/// the end of an iterator that does not repeat.
class StandardUpdater : public Updater {
 public:
  StandardUpdater(NamedKept<Iterator> iterator, NamedKept<Optimizer> optimizer,
                  const StandardUpdaterOptions& options = {});
  CHAINER_OTHER_OPTIONS(StandardUpdater, ".converter, .device, .loss_func, .loss_scale, .auto_new_epoch, .microbatches",
                        NamedKept<Iterator>, NamedKept<Optimizer>);
  void update() override;
  virtual void update_core();
  void finalize() override;
  Iterator& get_iterator(const std::string& name) const { return iterators_.get(name); }
  /// Returns get_iterator(name).next() and adds the waiting time to input_seconds().
  Examples next_batch(const std::string& name = "main");
  Optimizer& get_optimizer(const std::string& name) const override { return optimizers_.get(name); }
  std::map<std::string, Optimizer*> get_all_optimizers() const override;
  void serialize(Serializer& s) override;
  int64_t iteration() const override { return iteration_; }
  int64_t epoch() const override { return get_iterator("main").epoch(); }
  double epoch_detail() const override { return get_iterator("main").epoch_detail(); }
  std::optional<double> previous_epoch_detail() const override { return get_iterator("main").previous_epoch_detail(); }
  bool is_new_epoch() const override { return get_iterator("main").is_new_epoch(); }
  double input_seconds() const override { return input_seconds_; }
  const std::optional<Device>& device() const { return options_.device; }
  Example convert(const Examples& batch) const;

 protected:
  /// Returns the next batch of an iterator and adds the waiting time to input_seconds().
  Examples timed_next(Iterator& iterator);

 private:
  Variable microbatch_loss(Link& target, const Example& batch) const;
  void accumulate(Optimizer& optimizer, const Examples& batch) const;
  NamedKept<Iterator> iterators_;
  NamedKept<Optimizer> optimizers_;
  StandardUpdaterOptions options_;
  int64_t iteration_ = 0;
  double input_seconds_ = 0;
};

}  // namespace updaters
using updaters::StandardUpdater;

/// Calls a link with a converted batch, dicts by name, tuples and single arrays in order, and returns the first result.
/// Throws TypeError if there is none.
Variable call_link(Link& link, const Example& batch);

}  // namespace chainer::training
