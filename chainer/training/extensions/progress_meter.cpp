// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/progress_meter.h"

#include <algorithm>
#include <ctime>

#include "chainer/array/memory.h"
#include "chainer/core/clock.h"
#include "chainer/core/system/machine.h"

namespace chainer::training::extensions {
namespace {

constexpr std::size_t kMeasurements = 40;
constexpr double kShortest = 1e-3;  // seconds; the processor's clock does not resolve less

}  // namespace

void BoundedCurve::add(double x, double y) {
  sum_ += y;
  if (++count_ < stride_) return;
  points_.emplace_back(x, sum_ / static_cast<double>(count_));
  sum_ = 0, count_ = 0;
  if (points_.size() < kMost) return;
  for (std::size_t i = 0; i < kMost / 2; ++i)
    points_[i] = {points_[2 * i + 1].first, (points_[2 * i].second + points_[2 * i + 1].second) / 2};
  points_.resize(kMost / 2);
  stride_ *= 2;
}

void ProgressMeter::begin(const Trainer& trainer) {
  recent_.assign(1, {static_cast<double>(trainer.updater().iteration()), now()});
  cpu_ = static_cast<double>(std::clock());
}

void ProgressMeter::measure(const Trainer& trainer, RunProgress& p) {
  const Updater& u = trainer.updater();
  const double time = now(), cpu = static_cast<double>(std::clock());
  p.iteration = static_cast<double>(u.iteration());
  p.epoch = u.epoch_detail();
  p.elapsed = trainer.elapsed_time();
  if (const double passed = time - recent_.back().second; passed > kShortest) {
    p.processor = (cpu - cpu_) / CLOCKS_PER_SEC / passed;
    cpu_ = cpu;
    recent_.emplace_back(p.iteration, time);
  }
  if (recent_.size() > kMeasurements) recent_.pop_front();
  p.speed = (p.iteration - recent_.front().first) / std::max(1e-9, time - recent_.front().second);
  const auto length = trainer.stop_trigger().get_training_length();
  const double at = length && length->second == Unit::iteration ? p.iteration : p.epoch;
  p.done = length && length->first > 0 ? std::min(1.0, at / length->first) : 0;
  p.left = p.done > 0 && p.speed > 0 ? p.iteration * (1 - p.done) / p.done / p.speed : -1;
  p.memory = static_cast<double>(machine::resident_bytes());
  p.arrays = static_cast<double>(memory::statistics().in_use);
}

}  // namespace chainer::training::extensions
