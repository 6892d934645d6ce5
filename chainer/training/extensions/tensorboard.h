// The run in TensorBoard (training/tensorboard/writer.h).
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/reporter.h"
#include "chainer/training/tensorboard/writer.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

class KeepGraph;

/// Options of TensorBoard.
struct TensorBoardOptions {
  std::string folder = "tensorboard";  ///< in the trainer's out()
  Trigger scalars = {1, "iteration"};  ///< when points are written: means of what was observed since the last ones
  Trigger histograms = {1, "epoch"};   ///< of parameters and gradients
  /// Of the run, for the page HPARAMS, which compares runs by these metrics.
  std::map<std::string, tensorboard::Value> hparams = {};
  std::vector<std::string> metrics = {"main/loss", "validation/main/loss", "validation/main/accuracy"};
  bool graph = true;  ///< the computational graph of what the first iteration observes, links as scopes
};

/// Writes what is observed, hyperparameters of the optimizers (hyperparameters/lr), seconds an iteration and those of
/// them that went into waiting for the iterator, memory in use, histograms of parameters and gradients, and the graph
/// for `tensorboard --logdir RESULT`. The step is the iteration. A run that goes on from a snapshot writes a file of
/// its own, at whose start TensorBoard drops the points behind the snapshot.
///
///   const extensions::TensorBoard board({.hparams = {{"units", 1000.0}}});
class TensorBoard : public Extension {
 public:
  explicit TensorBoard(const TensorBoardOptions& options = {}) : options_(options) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;
  /// For pictures and texts of one's own, while the trainer runs; RuntimeError otherwise.
  tensorboard::Writer& writer() const;

 private:
  void write_graph(Trainer& trainer);
  void write_scalars(Trainer& trainer);
  void write_histograms(const Trainer& trainer);
  TensorBoardOptions options_;
  std::shared_ptr<tensorboard::Writer> writer_;
  std::shared_ptr<KeepGraph> keep_;
  DictSummary summary_;
  int64_t last_iteration_ = 0;
  double last_time_ = 0, last_input_ = 0;
};

}  // namespace training::extensions
}  // namespace chainer
