// SPDX-License-Identifier: MIT
// Output for TensorBoard (viewing/tensorboard/writer.h).
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/reporter.h"
#include "chainer/viewing/tensorboard/writer.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

class KeepGraph;

/// Options of TensorBoard.
struct TensorBoardOptions {
  std::string folder = "tensorboard";  ///< in the trainer's out()
  Trigger scalars = {1, "iteration"};  ///< when scalars are written: means of values observed since the last time
  Trigger histograms = {1, "epoch"};   ///< when histograms of parameters and gradients are written
  /// Hyperparameters of the run for the page HPARAMS, which compares runs by `metrics`: means over the newest complete
  /// epoch, written as the scalars epoch/main/loss, ...
  std::map<std::string, tensorboard::Value> hparams = {};
  std::vector<std::string> metrics = {"main/loss", "validation/main/loss", "validation/main/accuracy"};
  bool graph = true;  ///< writes the computational graph of the first iteration's observation, links as scopes
};

/// Writes observed values, hyperparameters of the optimizers (hyperparameters/lr), seconds per iteration and the part
/// spent waiting for the iterator, memory in use, histograms of parameters and gradients, and the graph for
/// `tensorboard --logdir RESULT`. The step is the iteration. A run resumed from a snapshot writes a new file, at whose
/// start TensorBoard drops the points after the snapshot.
///
///   const extensions::TensorBoard board({.hparams = {{"units", 1000.0}}});
class TensorBoard : public Extension {
 public:
  explicit TensorBoard(const TensorBoardOptions& options = {}) : options_(options) {}
  CHAINER_OTHER_OPTIONS(TensorBoard, ".folder, .scalars, .histograms, .hparams, .metrics, .graph");
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;
  /// Returns the writer, for custom pictures and texts. Throws RuntimeError unless the trainer runs.
  tensorboard::Writer& writer() const { return *kept_writer(); }
  /// As writer(), for callers that may outlive the run. The file is complete when the last owner is gone.
  const std::shared_ptr<tensorboard::Writer>& kept_writer() const;

 private:
  void write_graph(Trainer& trainer);
  void write_metrics(const Trainer& trainer);
  void write_scalars(Trainer& trainer);
  void write_histograms(const Trainer& trainer);
  TensorBoardOptions options_;
  std::shared_ptr<tensorboard::Writer> writer_;
  std::shared_ptr<KeepGraph> keep_;
  DictSummary summary_;  // since the last scalars
  DictSummary epoch_;    // since the beginning of the epoch
  int64_t last_iteration_ = 0;
  double last_time_ = 0, last_input_ = 0;
};

}  // namespace training::extensions
}  // namespace chainer
