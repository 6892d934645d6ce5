// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/trace.h"

#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"

namespace chainer::training::extensions {

Trace::Trace(TraceOptions options) : options_(std::move(options)) {
  if (options_.first < 1 || options_.last < options_.first)
    throw ValueError("Trace: 1 <= first <= last is required; first is ", options_.first, ", last ", options_.last);
}

double Trace::origin() { return now(); }

void Trace::begin() {
  origin_ = origin();
  hook_ = std::make_unique<function_hooks::TraceHook>(options_.hook);
  scope_ = std::make_unique<function_hooks::TraceScope>(*hook_);
  since_ = now();
}

void Trace::initialize(Trainer& trainer) {
  path_ = trainer.out() / options_.file;
  trainer_ = &trainer;
  const int64_t done = trainer.updater().iteration();
  if (done + 1 >= options_.first && done < options_.last) begin();
}

void Trace::operator()(Trainer& trainer) {
  const int64_t iteration = trainer.updater().iteration();
  if (hook_) {
    const double end = now();
    hook_->span(text("iteration ", iteration), "training", since_, end);
    since_ = end;
    if (iteration >= options_.last) finish(true);
  } else if (iteration + 1 == options_.first) {
    begin();
  }
}

void Trace::finish(bool all_there) {
  scope_.reset();
  const std::unique_ptr<function_hooks::TraceHook> done = std::move(hook_);
  write(done->event_count() ? done->events(origin_) : std::string(), done->left_out(), all_there);
}

void Trace::finalize() {
  if (hook_) finish(trainer_->is_completed());
}

void Trace::write(const std::string& events, int64_t left_out, bool) {
  if (!events.empty()) write_file(path_, function_hooks::TraceHook::join({events}, left_out));
}

}  // namespace chainer::training::extensions
