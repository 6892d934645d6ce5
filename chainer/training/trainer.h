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

namespace chainer::training {

/// Options of Trainer.
struct TrainerOptions {
  std::string out = "result";  ///< the folder for everything that extensions write
  /// What happens when the loss is NaN; it is set in all optimizers of the updater. By default theirs counts, a
  /// warning.
  std::optional<optimizer::OnNan> on_nan = {};
  /// Ctrl-C and SIGTERM end the run in an orderly way, see Trainer::run().
  bool handle_signals = true;
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

  /// The loop; once a trainer. An exception is printed, everything is finalized, and the exception goes on. What an
  /// extension throws names the extension, if it is one of this library's errors.
  ///
  /// The first Ctrl-C (SIGINT) or SIGTERM ends the loop behind the current iteration: a snapshot is written into out()
  /// (by the trainer's Snapshot, or as snapshot_iter_N), a line on standard error says how to go on from it, everything
  /// is finalized, and the process ends by that signal. A second one ends it at once. Signals that the program handles
  /// or ignores itself are left alone; so are all of them without TrainerOptions::handle_signals.
  void run(bool show_loop_exception_msg = true);
  /// Ends the loop behind the current iteration; run() then returns as usual. May be called from an extension, another
  /// thread or a signal handler.
  void stop() { stopping_.store(true, std::memory_order_relaxed); }
  /// Whether stop() was called.
  bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }
  /// Writes a snapshot of now, by the trainer's own Snapshot or else as snapshot_iter_N, and returns its file. From an
  /// extension it is whole if that has a lower priority than all others with a state, as PRIORITY_LAST has.
  std::filesystem::path take_snapshot();
  /// Everything that a resumed run needs to go on with the same bits: the updater with models, optimizers and
  /// iterators, the triggers and extensions, the observation (at which the stop trigger looks before the next
  /// iteration), and the random numbers. An extension that a loaded file lacks counts from there on, if it has no state
  /// but its trigger's.
  void serialize(Serializer& s);

  Updater& updater() const { return *updater_; }
  const Trigger& stop_trigger() const { return stop_trigger_; }
  const std::filesystem::path& out() const { return out_; }
  /// Seconds of training, those before a resumed snapshot included; RuntimeError before run().
  double elapsed_time() const;
  /// Whether the loop has come to its end because the stop trigger fired: not while it runs, and not after an
  /// exception.
  bool is_completed() const { return completed_; }
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
  void iterate(const std::vector<Entry*>& order);
  void check_observed_loss();
  void save_interrupted(int signal);
  Kept<Updater> updater_;
  Trigger stop_trigger_;
  std::filesystem::path out_;
  std::vector<Entry> extensions_;
  bool done_ = false, completed_ = false, handle_signals_, nan_seen_ = false;
  optimizer::OnNan on_nan_;
  std::atomic<bool> stopping_{false};
  std::string failed_at_;  // where what was thrown came from, if it cannot say so itself
  std::optional<double> start_time_;
  double snapshot_elapsed_time_ = 0;
  std::optional<double> final_elapsed_time_;
};

}  // namespace chainer::training

namespace chainer {
using training::Trainer;
}
