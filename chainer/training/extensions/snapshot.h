// Snapshots (manual: "Extensions").
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "chainer/serializers/serializers.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

/// Options of snapshot() and snapshot_object().
struct SnapshotOptions {
  /// Below the output folder, see Trainer::format(). It may name folders ("at_{.updater.epoch}/trainer"), which are
  /// made.
  std::string filename = "snapshot_iter_{.updater.iteration}";
  bool compression = true;
  /// Keep only this many of the newest snapshots that this run and its predecessors wrote; all by default.
  std::optional<int64_t> n_retains = {};
  /// Load the newest snapshot in the output folder before training, as load_newest_snapshot() does.
  bool autoload = false;
};
/// Saves the trainer once an epoch, after everything else (priority -100), through a temporary file. A resumed run goes
/// on behind the snapshot: what has a lower priority yet, or the same and was added later, does not run for that
/// iteration again.
class Snapshot : public Extension {
 public:
  explicit Snapshot(const SnapshotOptions& options, std::function<void(Trainer&, Serializer&)> target = {})
      : options_(options), target_(std::move(target)) {}
  void load(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }
  std::string default_name() const override { return target_ ? "snapshot_object" : "snapshot"; }
  /// Whether it saves the whole trainer, and the file it writes now.
  bool is_of_trainer() const { return !target_; }
  std::filesystem::path file(const Trainer& trainer) const { return trainer.out() / trainer.format(options_.filename); }

 private:
  SnapshotOptions options_;
  std::function<void(Trainer&, Serializer&)> target_;
};
Snapshot snapshot(const SnapshotOptions& options = {});
/// Saves any object with serialize().
template <Serializable T>
Snapshot snapshot_object(T& target, const std::string& filename, SnapshotOptions options = {}) {
  options.filename = filename;
  return Snapshot(options, [&target](Trainer&, Serializer& s) { target.serialize(s); });
}
/// Loads the newest snapshot of the trainer in a folder that can be loaded; returns its path, or nothing if there is
/// none. Damaged files and those that do not fit are passed over with a warning; where one that does not fit has been
/// loaded in part and no older one fits either, its error is thrown. Temporary files of killed processes are removed.
std::optional<std::filesystem::path> load_newest_snapshot(Trainer& trainer, const std::filesystem::path& folder,
                                                          const std::string& filename = SnapshotOptions().filename);

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
