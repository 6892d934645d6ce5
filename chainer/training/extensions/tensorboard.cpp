// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/tensorboard.h"

#include "chainer/array/memory.h"
#include "chainer/autograd/function_node.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/training/extensions/keep_graph.h"

namespace chainer::training::extensions {
namespace {
const std::string kOfEpochs = "epoch/";
}

const std::shared_ptr<tensorboard::Writer>& TensorBoard::kept_writer() const {
  if (!writer_) throw RuntimeError("TensorBoard: writer() was called while the trainer does not run");
  return writer_;
}

void TensorBoard::initialize(Trainer& trainer) {
  const int64_t done = trainer.updater().iteration();
  tensorboard::WriterOptions options;
  if (done > 0) options.purge_step = done + 1;
  writer_ = std::make_shared<tensorboard::Writer>(trainer.out() / options_.folder, options);
  if (!options_.hparams.empty()) {
    std::vector<std::string> metrics;
    for (const std::string& key : options_.metrics) metrics.push_back(kOfEpochs + key);
    writer_->hparams(options_.hparams, metrics);
  }
  if (options_.graph && done == 0) keep_ = std::make_shared<KeepGraph>();
  last_iteration_ = done;
  last_time_ = trainer.elapsed_time();
  last_input_ = trainer.updater().input_seconds();
}

void TensorBoard::finalize() {
  keep_.reset();
  writer_.reset();
}

void TensorBoard::write_graph(Trainer& trainer) {
  Variables observed;
  for (const auto& [key, v] : trainer.observation)
    if (const Variable* y = v.variable(); y && *y && y->creator()) observed.push_back(*y);
  std::map<std::string, const Link*> links;
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers())
    if (optimizer->has_target()) links.emplace(name == "main" ? "" : name, &optimizer->target());
  if (!observed.empty()) writer().graph(observed, links);
  observed.clear();
  keep_.reset();
  KeepGraph::let_go(trainer.observation);
}

void TensorBoard::operator()(Trainer& trainer) {
  if (keep_) write_graph(trainer);
  summary_.add(trainer.observation);
  if (!options_.hparams.empty()) write_metrics(trainer);
  if (options_.scalars(trainer)) write_scalars(trainer);
  if (options_.histograms(trainer)) write_histograms(trainer);
}

// Means over an epoch, since values of the last minibatch do not compare runs.
void TensorBoard::write_metrics(const Trainer& trainer) {
  epoch_.add(trainer.observation);
  if (!trainer.updater().is_new_epoch()) return;
  const auto means = epoch_.compute_mean();
  for (const std::string& key : options_.metrics)
    if (const auto it = means.find(key); it != means.end())
      writer().scalar(kOfEpochs + key, it->second, trainer.updater().iteration());
  epoch_ = {};
}

void TensorBoard::write_scalars(Trainer& trainer) {
  const int64_t step = trainer.updater().iteration();
  for (const auto& [key, mean] : summary_.compute_mean()) writer().scalar(key, mean, step);
  summary_ = {};
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers()) {
    auto* method = dynamic_cast<GradientMethod*>(optimizer);
    if (!method) continue;
    const std::string prefix = name == "main" ? "hyperparameters/" : "hyperparameters/" + name + "/";
    for (const auto& [key, value] : method->hyperparam().get_dict()) writer().scalar(prefix + key, value, step);
  }
  const double now = trainer.elapsed_time();
  if (step > last_iteration_)
    writer().scalar("run/seconds_per_iteration", (now - last_time_) / static_cast<double>(step - last_iteration_),
                    step);
  const double input = trainer.updater().input_seconds();
  if (step > last_iteration_)
    writer().scalar("run/seconds_of_iterator_per_iteration",
                    (input - last_input_) / static_cast<double>(step - last_iteration_), step);
  last_input_ = input;
  writer().scalar("run/memory_in_use", static_cast<double>(memory::statistics().in_use), step);
  last_iteration_ = step, last_time_ = now;
}

void TensorBoard::write_histograms(const Trainer& trainer) {
  const int64_t step = trainer.updater().iteration();
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers()) {
    const std::string prefix = name == "main" ? "" : "/" + name;
    for (const auto& [path, p] : optimizer->target().namedparams(false)) {
      writer().histogram("parameters" + prefix + path, p.array(), step);
      if (const Array g = p.grad()) writer().histogram("gradients" + prefix + path, g, step);
    }
  }
}

void TensorBoard::serialize(Serializer& s) {
  options_.scalars.serialize(*s.child("_scalars"));
  options_.histograms.serialize(*s.child("_histograms"));
  if (!s.is_loading() || s.contains("_summary/_names")) summary_.serialize(*s.child("_summary"));
  if (!s.is_loading() || s.contains("_epoch/_names")) epoch_.serialize(*s.child("_epoch"));
}

}  // namespace chainer::training::extensions
