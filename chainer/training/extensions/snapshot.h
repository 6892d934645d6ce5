// SPDX-License-Identifier: MIT
// Snapshots (manual: "Extensions").
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "chainer/serializers/serializers.h"
#include "chainer/training/extensions/background_work.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

/// Options of snapshot() and snapshot_object().
struct SnapshotOptions {
  /// The path below the output folder, see Trainer::format(). Folders in the path ("at_{.updater.epoch}/trainer") are
  /// created.
  std::string filename = "snapshot_iter_{.updater.iteration}";
  bool compression = true;
  /// Keeps only this many of the newest snapshots of this run and the runs it resumes; all by default.
  std::optional<int64_t> n_retains = {};
  /// Loads the newest snapshot in the output folder before training, as load_newest_snapshot() does.
  bool autoload = false;
  /// Writes the file in a thread of its own, so that training stops only while the values are copied in memory. A
  /// snapshot waits for the one before. Errors of writing are thrown by the next snapshot or at the end of the run.
  bool background = false;
};
/// Saves the trainer once per epoch, after all other extensions (priority -100; last among extensions of this
/// priority), through a temporary file. A resumed run continues after the snapshot: extensions with a lower priority do
/// not run for that iteration again. Throws FileError if the file cannot be written.
class Snapshot : public Extension {
 public:
  explicit Snapshot(const SnapshotOptions& options, std::function<void(Trainer&, Serializer&)> target = {})
      : options_(options),
        target_(std::move(target)),
        work_(options.background ? std::make_shared<BackgroundWork>() : nullptr) {}
  void load(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  /// Waits until the last file is written.
  void finalize() override;
  Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }
  std::string default_name() const override { return target_ ? "snapshot_object" : "snapshot"; }
  /// Returns true if the whole trainer is saved; file() returns the path for the current iteration.
  bool is_of_trainer() const { return !target_; }
  std::filesystem::path file(const Trainer& trainer) const { return trainer.out() / trainer.format(options_.filename); }

 private:
  SnapshotOptions options_;
  std::function<void(Trainer&, Serializer&)> target_;
  std::shared_ptr<BackgroundWork> work_;  // empty unless .background
};
Snapshot snapshot(const SnapshotOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(snapshot, ".filename, .compression, .n_retains, .autoload, .background");
/// Returns an extension that saves any object with serialize().
template <Serializable T>
Snapshot snapshot_object(T& target, const std::string& filename, SnapshotOptions options = {}) {
  options.filename = filename;
  return Snapshot(options, [&target](Trainer&, Serializer& s) { target.serialize(s); });
}
/// Loads the newest loadable snapshot of the trainer in a folder: the last one of the run that began last, whatever the
/// numbers of an older run's files. Returns its path, or nothing if there is none. Skips damaged and incompatible files
/// with a warning; if an incompatible file was loaded in part and no older one can be loaded, throws its error. Throws
/// FileAccessError or MemoryError, without trying an older file, if a file cannot be read or memory is missing. Removes
/// temporary files of killed processes.
std::optional<std::filesystem::path> load_newest_snapshot(Trainer& trainer, const std::filesystem::path& folder,
                                                          const std::string& filename = SnapshotOptions().filename);

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
