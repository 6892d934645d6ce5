// SPDX-License-Identifier: MIT
// The training loop (manual: "Trainer").
#pragma once
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/reporter.h"
#include "chainer/training/extension.h"
#include "chainer/training/updater.h"
#include "chainer/core/other_options.h"

namespace chainer::training {

/// Options of Trainer.
struct TrainerOptions {
  std::string out = "result";  ///< the folder for all output of extensions
  /// The reaction to a loss that is NaN, set in all optimizers of the updater. By default that of the optimizers, which
  /// is a warning.
  std::optional<optimizer::OnNan> on_nan = {};
  /// True: Ctrl-C, SIGTERM and SIGHUP end the run with a snapshot, see Trainer::run().
  bool handle_signals = true;
};
/// How an extension is registered. Values that are not given are those of the extension.
struct ExtendOptions {
  std::string name = {};
  Trigger trigger = {};
  std::optional<int> priority = {};
};

/// Runs an updater until the stop trigger fires, and extensions when their triggers fire. The virtual functions are for
/// training loops of other languages, which run the extensions of this library: the state of such a loop is elsewhere.
class Trainer {
 public:
  Trainer(Kept<Updater> updater, Trigger stop_trigger = {}, const TrainerOptions& options = {});
  CHAINER_OTHER_OPTIONS(Trainer, ".out, .on_nan, .handle_signals", Kept<Updater>, Trigger);
  /// Trainer with the output folder as an argument: Trainer(updater, {20, "epoch"}, "result").
  template <class Path>
  requires std::is_convertible_v<const Path&, std::string> Trainer(Kept<Updater> updater, Trigger stop_trigger,
                                                                   const Path& out)
      : Trainer(std::move(updater), std::move(stop_trigger), TrainerOptions{.out = out}) {}
  Trainer(const Trainer&) = delete;
  virtual ~Trainer() = default;

  /// Registers an extension. If the name is taken, a suffix is added: the second is name_1. Throws ValueError for the
  /// reserved name "training".
  template <std::derived_from<Extension> E>
  void extend(E extension, const ExtendOptions& options = {}) {
    extend(std::make_shared<E>(std::move(extension)), options);
  }
  void extend(std::shared_ptr<Extension> extension, const ExtendOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(extend, ".name, .trigger, .priority", std::shared_ptr<Extension>);
  CHAINER_OTHER_OPTIONS_METHOD(extend, ".name, .trigger, .priority", ::chainer::detail::AnyValue);
  template <class F>
  requires(std::is_invocable_v<F&, Trainer&> &&
           !std::derived_from<F, Extension>) void extend(F f, const ExtendOptions& options = {}) {
    extend(make_extension(std::move(f)), options);
  }
  /// Registers an extension with a trigger: extend(extension, {1, "epoch"}).
  template <class E>
  void extend(E extension, Trigger trigger) {
    extend(std::move(extension), ExtendOptions{.trigger = std::move(trigger)});
  }
  /// Returns a registered extension. Throws ValueError if there is none of this name.
  virtual Extension& get_extension(const std::string& name) const;

  /// Runs the training loop, once for each trainer (RuntimeError otherwise). Throws FileError if the output folder
  /// cannot be created. If an update or extension throws, prints the exception, finalizes everything, and rethrows; the
  /// message of a library error from an extension names the extension.
  ///
  /// The first Ctrl-C (SIGINT), SIGTERM or SIGHUP ends the loop after the current iteration: writes a snapshot to out()
  /// (by the trainer's Snapshot, or as snapshot_iter_N), prints to standard error how to resume, finalizes everything,
  /// and ends the process by that signal. A second SIGINT or SIGTERM ends the process at once. Signals that the program
  /// handles or ignores itself are not handled, and none without TrainerOptions::handle_signals.
  void run(bool show_loop_exception_msg = true);
  /// Ends the loop after the current iteration; run() then returns normally. May be called from an extension, another
  /// thread or a signal handler.
  virtual void stop() { stopping_.store(true, std::memory_order_relaxed); }
  /// Returns true if run() handles signals, see TrainerOptions::handle_signals.
  bool handles_signals() const { return handle_signals_; }
  /// Returns true if stop() was called.
  virtual bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }
  /// Writes a snapshot of the current state, by the trainer's Snapshot or else as snapshot_iter_N, and returns its
  /// path. A snapshot from an extension is complete only if this has a lower priority than all extensions with a state,
  /// such as PRIORITY_LAST. Throws FileError if the file cannot be written.
  virtual std::filesystem::path take_snapshot();
  /// Saves or loads everything that a resumed run needs to continue bit for bit: the updater with models, optimizers
  /// and iterators, the triggers and extensions, the observation (which the stop trigger reads before the next
  /// iteration), and the random number generators. An extension that a loaded file does not contain starts from there,
  /// if it has no state other than that of its trigger.
  void serialize(Serializer& s);

  Updater& updater() const { return *updater_; }
  const Trigger& stop_trigger() const { return stop_trigger_; }
  const std::filesystem::path& out() const { return out_; }
  /// Returns the seconds of training, including those before a resumed snapshot. Throws RuntimeError before run().
  virtual double elapsed_time() const;
  /// Returns true if the loop has ended because the stop trigger fired, false while it runs and after an exception.
  virtual bool is_completed() const { return completed_; }
  /// Returns true if an exception has ended the loop.
  virtual bool has_failed() const { return failed_; }
  bool is_before_training() const { return updater_->iteration() == 0; }
  Observation observation;
  Reporter reporter;
  /// Returns a file name with {.updater.iteration}, {.updater.epoch}, {.updater.epoch_detail} replaced by their values;
  /// a format as in {.updater.epoch:03} pads. Throws ValueError for another field.
  std::string format(const std::string& pattern) const;

 private:
  struct Entry {
    std::shared_ptr<Extension> extension;
    std::string name;
    Trigger trigger;
    int priority;
  };
  void iterate(const std::vector<Entry*>& order);
  void check_observed_loss();
  void save_interrupted(int signal);
  Kept<Updater> updater_;
  Trigger stop_trigger_;
  std::filesystem::path out_;
  std::vector<Entry> extensions_;
  bool done_ = false, completed_ = false, failed_ = false, handle_signals_, nan_seen_ = false;
  optimizer::OnNan on_nan_;
  std::atomic<bool> stopping_{false};
  std::string failed_at_;  // the origin of an exception, if its message does not name it
  std::optional<double> start_time_;
  double begun_ = 0;  // when run() was called, in seconds of the system clock; distinguishes runs in snapshots
  double snapshot_elapsed_time_ = 0;
  std::optional<double> final_elapsed_time_;
};

}  // namespace chainer::training

namespace chainer {
using training::Trainer;
}
