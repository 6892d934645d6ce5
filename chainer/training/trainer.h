// The training loop (manual: "Trainer").
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/reporter.h"
#include "chainer/training/extension.h"
#include "chainer/training/updater.h"

namespace chainer::training {

/// Options of Trainer.
struct TrainerOptions {
  std::string out = "result";  ///< the folder for everything that extensions write
};
/// How an extension is registered: what is not given comes from the extension.
struct ExtendOptions {
  std::string name = {};
  Trigger trigger = {};
  std::optional<int> priority = {};
};

/// Runs an updater until the stop trigger fires, and extensions when their triggers do.
class Trainer {
 public:
  Trainer(Kept<Updater> updater, Trigger stop_trigger = {}, const TrainerOptions& options = {});
  /// The same with the folder: Trainer(updater, {20, "epoch"}, "result").
  template <class Path>
  requires std::is_convertible_v<const Path&, std::string> Trainer(Kept<Updater> updater, Trigger stop_trigger,
                                                                   const Path& out)
      : Trainer(std::move(updater), std::move(stop_trigger), TrainerOptions{.out = out}) {}
  Trainer(const Trainer&) = delete;

  /// Registers an extension; a name that is taken gets a suffix: the second is name_1.
  template <std::derived_from<Extension> E>
  void extend(E extension, const ExtendOptions& options = {}) {
    extend(std::make_shared<E>(std::move(extension)), options);
  }
  void extend(std::shared_ptr<Extension> extension, const ExtendOptions& options = {});
  template <class F>
  requires(std::is_invocable_v<F&, Trainer&> &&
           !std::derived_from<F, Extension>) void extend(F f, const ExtendOptions& options = {}) {
    extend(make_extension(std::move(f)), options);
  }
  /// The same with a trigger: extend(extension, {1, "epoch"}).
  template <class E>
  void extend(E extension, Trigger trigger) {
    extend(std::move(extension), ExtendOptions{.trigger = std::move(trigger)});
  }
  Extension& get_extension(const std::string& name) const;

  /// The loop; once a trainer. An exception is printed, everything is finalized, and the exception goes on.
  void run(bool show_loop_exception_msg = true);
  void serialize(Serializer& s);

  Updater& updater() const { return *updater_; }
  const Trigger& stop_trigger() const { return stop_trigger_; }
  const std::filesystem::path& out() const { return out_; }
  /// Seconds of training, those before a resumed snapshot included; RuntimeError before run().
  double elapsed_time() const;
  bool is_before_training() const { return updater_->iteration() == 0; }
  Observation observation;
  Reporter reporter;
  /// A file name with {.updater.iteration}, {.updater.epoch}, {.updater.epoch_detail} filled in; a format as in
  /// {.updater.epoch:03} pads.
  std::string format(const std::string& pattern) const;

 private:
  struct Entry {
    std::shared_ptr<Extension> extension;
    std::string name;
    Trigger trigger;
    int priority;
  };
  Kept<Updater> updater_;
  Trigger stop_trigger_;
  std::filesystem::path out_;
  std::vector<Entry> extensions_;
  bool done_ = false;
  std::optional<double> start_time_;
  double snapshot_elapsed_time_ = 0;
  std::optional<double> final_elapsed_time_;
};

}  // namespace chainer::training

namespace chainer {
using training::Trainer;
}
