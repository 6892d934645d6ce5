// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/progress_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/process.h"
#include "chainer/viewing/live/progress.h"

namespace chainer::training::extensions {
namespace {

constexpr double kInterval = 1, kCurvesInterval = 2;  // seconds
constexpr double kShare = 0.02;                       // of the time may go into writing
constexpr std::size_t kKeys = 24;

}  // namespace

void ProgressFile::begin(Trainer& trainer) {
  meter_.begin(trainer);
  progress_ = {};
  curves_.clear();
  records_ = trainer.updater().epoch() < live::kEpochsOfCurves;
  if (records_ && trainer.updater().iteration() > 0) load_curves(trainer);
  std::error_code error;
  if (curves_.empty()) std::filesystem::remove(trainer.out() / live::kCurvesFile, error);
  written_ = now();
  next_curves_ = written_ + kInterval;
  write(trainer, "running");
}

void ProgressFile::load_curves(const Trainer& trainer) {
  const auto last = static_cast<double>(trainer.updater().iteration());
  for (const auto& [key, curve] : live::read_curves(trainer.out()))
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      if (curve.x[i] <= last) curves_[key].points.add(curve.x[i], curve.y[i]);
}

void ProgressFile::step(Trainer& trainer) {
  const auto x = static_cast<double>(trainer.updater().iteration());
  if (records_)
    for (const auto& [key, v] : trainer.observation) {
      if (!v.is_scalar() || key.find('/') == key.npos) continue;
      const auto it = curves_.size() < kKeys ? curves_.try_emplace(key).first : curves_.find(key);
      // Without the graph, which a value may keep alive.
      if (it != curves_.end()) it->second.unread.emplace_back(x, v.variable() ? ReportValue(v.variable()->array()) : v);
    }
  if (now() >= next_) write(trainer, "running");
}

void ProgressFile::pause(const Trainer& trainer, bool first) {
  if (first || now() >= next_) write(trainer, "paused");
}

void ProgressFile::resume(const Trainer& trainer) {
  meter_.begin(trainer);  // the pause is no part of the speed
  write(trainer, "running");
}

void ProgressFile::end(const Trainer& trainer) {
  if (!meter_.has_begun()) return;  // the run ended before its first iteration, by an error of an extension
  next_curves_ = 0;
  write(trainer, trainer.is_completed() ? "finished" : trainer.has_failed() ? "failed" : "stopped");
}

void ProgressFile::write(const Trainer& trainer, const std::string& state) {
  const double begun = now();
  meter_.measure(trainer, progress_);
  interval_ = std::max(kInterval, begun - written_);
  written_ = begun;
  const auto length = trainer.stop_trigger().get_training_length();
  const RunProgress& p = progress_;
  json::Object out = {{"state", state},
                      {"iteration", p.iteration},
                      {"epoch", p.epoch},
                      {"length", length ? json::Value(length->first) : json::Value()},
                      {"unit", length ? json::Value(std::string(name(length->second))) : json::Value()},
                      {"rate", p.speed},
                      {"left", p.left < 0 ? json::Value() : json::Value(p.left)},
                      {"elapsed_time", p.elapsed},
                      {"processor", p.processor},
                      {"memory", p.memory},
                      {"arrays", p.arrays},
                      {"interval", interval_},
                      {"process", process_tag() + "-"}};
  try {
    if (records_ && begun >= next_curves_) write_curves(trainer);
    write_file(trainer.out() / live::kProgressFile, json::dump(json::Value(std::move(out))));
  } catch (const Error& e) {
    if (!warned_) warn(text("the progress of the run cannot be written: ", e.what()));
    warned_ = true;
  }
  const double end = now();
  next_ = end + std::max(kInterval, (end - begun) / kShare);
}

void ProgressFile::write_curves(const Trainer& trainer) {
  const std::filesystem::path file = trainer.out() / live::kCurvesFile;
  if (trainer.updater().epoch() >= live::kEpochsOfCurves) {  // the log has enough entries
    records_ = false;
    curves_.clear();
    std::error_code error;
    std::filesystem::remove(file, error);
    return;
  }
  std::map<std::string, live::Curve> out;
  for (auto& [key, curve] : curves_) {
    for (const auto& [x, v] : curve.unread) curve.points.add(x, v.number());
    curve.unread.clear();
    live::Curve& to = out[key];
    for (const auto& [x, y] : curve.points.points()) to.x.push_back(x), to.y.push_back(y);
  }
  if (!out.empty()) live::write_curves(trainer.out(), out);
  next_curves_ = now() + kCurvesInterval;
}

}  // namespace chainer::training::extensions
