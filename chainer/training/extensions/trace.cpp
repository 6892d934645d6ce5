#include "chainer/training/extensions/trace.h"

#include "chainer/core/clock.h"

namespace chainer::training::extensions {

Trace::Trace(TraceOptions options) : options_(std::move(options)) {
  if (options_.first < 1 || options_.last < options_.first)
    throw ValueError("Trace: iterations 1 <= first <= last are expected, not first ", options_.first, " and last ",
                     options_.last);
}

void Trace::begin() {
  hook_ = std::make_unique<function_hooks::TraceHook>(options_.hook);
  scope_ = std::make_unique<FunctionHookScope>(*hook_);
  since_ = now();
}

void Trace::initialize(Trainer& trainer) {
  path_ = trainer.out() / options_.file;
  const int64_t done = trainer.updater().iteration();
  if (done + 1 >= options_.first && done < options_.last) begin();
}

void Trace::operator()(Trainer& trainer) {
  const int64_t iteration = trainer.updater().iteration();
  if (hook_) {
    const double end = now();
    hook_->span(text("iteration ", iteration), "training", since_, end);
    since_ = end;
    if (iteration >= options_.last) finalize();
  } else if (iteration + 1 == options_.first) {
    begin();
  }
}

void Trace::finalize() {
  if (!hook_) return;
  scope_.reset();
  const std::unique_ptr<function_hooks::TraceHook> done = std::move(hook_);
  if (done->event_count()) done->write(path_);
}

}  // namespace chainer::training::extensions
