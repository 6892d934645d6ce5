// SPDX-License-Identifier: MIT
#include "chainer/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "chainer/core/clock.h"
#include "chainer/core/system/signals.h"
#include "chainer/core/timeline.h"
#include "chainer/core/system/type_name.h"
#include "chainer/training/extensions/snapshot.h"

namespace chainer::training {
namespace {

struct FunctionExtension : Extension {
  FunctionExtension(std::function<void(Trainer&)> g, MakeExtensionOptions o) : f(std::move(g)), options(std::move(o)) {}
  void operator()(Trainer& t) override { f(t); }
  void initialize(Trainer& t) override {
    trainer = &t;
    if (options.initializer) options.initializer(t);
  }
  void finalize() override {
    if (options.finalizer && trainer) options.finalizer(*trainer);
  }
  Trigger trigger() const override { return options.trigger; }
  int priority() const override { return options.priority; }
  std::string default_name() const override { return options.default_name; }
  std::function<void(Trainer&)> f;
  MakeExtensionOptions options;
  Trainer* trainer = nullptr;
};

// Returns the message of an exception of any type.
std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) { return e.what(); } catch (...) {
    return text("an exception of type ", current_exception_type(), ", which is not derived from std::exception");
  }
}

// Calls f. Appends the line place() to an Error thrown by it, after the lines that the Error already has; sets `at` to
// the line for exceptions of other types.
template <class F, class Place>
void located(std::string& at, F&& f, Place&& place) {
  try {
    f();
  } catch (Error& e) {
    const std::string_view all = e.what(), first = e.std::runtime_error::what();
    const std::string before(all.substr(std::min(first.size(), all.size())));
    e.locate(e.origin(), (before.empty() ? "" : before.substr(before.find_first_not_of("\n ")) + "\n  ") + place());
    throw;
  } catch (...) {
    at = " " + place();
    throw;
  }
}
template <class Entry, class F>
void named(std::string& at, const Entry& entry, F&& f) {
  located(at, std::forward<F>(f),
          [&] { return text("in the extension '", entry.name, "', a ", type_name(typeid(*entry.extension))); });
}

}  // namespace

std::string Extension::default_name() const { return type_name(typeid(*this)); }

std::shared_ptr<Extension> make_extension(std::function<void(Trainer&)> f, const MakeExtensionOptions& options) {
  return std::make_shared<FunctionExtension>(std::move(f), options);
}

Trainer::Trainer(Kept<Updater> updater, Trigger stop_trigger, const TrainerOptions& options)
    : updater_(std::move(updater)),
      stop_trigger_(std::move(stop_trigger)),
      out_(options.out),
      handle_signals_(options.handle_signals),
      on_nan_(options.on_nan.value_or(optimizer::OnNan::warn)) {
  for (const auto& [name, optimizer] : updater_->get_all_optimizers()) {
    if (options.on_nan) optimizer->on_nan = *options.on_nan;
    if (!optimizer->has_target()) continue;
    observe(reporter, name, optimizer->target());
  }
  updater_->connect_trainer(*this);
}

void Trainer::extend(std::shared_ptr<Extension> extension, const ExtendOptions& o) {
  std::string base = !o.name.empty() ? o.name : !extension->name.empty() ? extension->name : extension->default_name();
  if (base == "training") throw ValueError("an extension cannot be named 'training': the name is reserved");
  std::string unique = base;
  const auto taken = [&](const std::string& n) {
    return std::any_of(extensions_.begin(), extensions_.end(), [&](const Entry& e) { return e.name == n; });
  };
  for (int ordinal = 1; taken(unique); ++ordinal) unique = base + "_" + std::to_string(ordinal);
  extension->name = unique;
  extension->registered(o.trigger.given());
  Trigger trigger = o.trigger.value_or(extension->trigger());
  const int priority = o.priority.value_or(extension->priority());
  extensions_.push_back({std::move(extension), unique, std::move(trigger), priority});
}

Extension& Trainer::get_extension(const std::string& name) const {
  for (const Entry& e : extensions_)
    if (e.name == name) return *e.extension;
  throw ValueError("extension ", name, " not found");
}

double Trainer::elapsed_time() const {
  if (final_elapsed_time_) return *final_elapsed_time_;
  if (!start_time_) throw RuntimeError("training has not been started yet");
  return now() - *start_time_ + snapshot_elapsed_time_;
}

void Trainer::run(bool show_loop_exception_msg) {
  if (done_) throw RuntimeError("cannot run training loop multiple times");
  done_ = true;
  std::error_code error;
  std::filesystem::create_directories(out_, error);
  if (error || !std::filesystem::is_directory(out_))
    throw FileError("cannot make the output folder ", out_.string(), ": ",
                    error ? error.message() : "it is not a folder");

  std::vector<Entry*> order;
  for (Entry& e : extensions_) order.push_back(&e);
  // Among extensions with equal priority the snapshot of the trainer runs last, so that it contains their results.
  const auto is_snapshot = [](const Entry* e) {
    const auto* s = dynamic_cast<const extensions::Snapshot*>(e->extension.get());
    return s && s->is_of_trainer();
  };
  std::stable_sort(order.begin(), order.end(), [&](const Entry* a, const Entry* b) {
    return a->priority != b->priority ? a->priority > b->priority : is_snapshot(a) < is_snapshot(b);
  });
  if (!stop_trigger_.given())
    warn(
        "Trainer: no stop trigger is given, so the run ends only when stop() is called; an example of one is "
        "Trainer(updater, {20, \"epoch\"})");
  start_time_ = now();
  // Later than the beginning of the resumed run, even if the clock was set back since.
  begun_ = std::max(begun_, std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
  std::exception_ptr failure;
  std::optional<SignalWatch> signals(std::in_place, handle_signals_);
  int interrupted = 0;
  try {
    for (Entry* e : order) named(failed_at_, *e, [&] { e->extension->load(*this); });
    for (Entry* e : order) named(failed_at_, *e, [&] { e->extension->initialize(*this); });
    while (!stopping_.load(std::memory_order_relaxed) && !stop_trigger_(*this)) {
      iterate(order);
      if ((interrupted = signals->received())) break;
    }
    if (interrupted) save_interrupted(interrupted);
    completed_ = !interrupted && !stopping_.load(std::memory_order_relaxed);
  } catch (...) {
    failure = std::current_exception();
    failed_ = true;
    if (show_loop_exception_msg)
      std::fprintf(stderr, "Exception in main training loop%s: %s\n", failed_at_.c_str(), what_of(failure).c_str());
  }
  // All extensions are finalized even if some of them throw: each exception is printed, and run() throws the first one.
  const auto finalize = [&](const std::string& name, auto& object) {
    try {
      return object.finalize();
    } catch (...) {
      const std::exception_ptr thrown = std::current_exception();
      std::fprintf(stderr, "Exception in finalize of %s: %s\n", name.c_str(), what_of(thrown).c_str());
      if (!failure) failure = thrown;
    }
  };
  for (Entry* e : order) finalize("extension " + e->name, *e->extension);
  finalize("the updater", *updater_);
  final_elapsed_time_ = elapsed_time();
  if (!interrupted) interrupted = signals->received();  // a signal after the last iteration also ends the process
  signals.reset();
  if (failure) std::rethrow_exception(failure);
  if (interrupted) end_by(interrupted);
}

void Trainer::iterate(const std::vector<Entry*>& order) {
  observation.clear();
  const auto current = reporter.make_current();
  const auto scope = reporter.scope(observation);
  located(
      failed_at_, [&] { updater_->update(); },
      [&] { return text("in the update that follows iteration ", updater_->iteration()); });
  check_observed_loss();
  for (Entry* e : order)
    named(failed_at_, *e, [&] {
      if (!e->trigger(*this)) return;
      const timeline::Stretch stretch(e->name.c_str(), "extension");
      (*e->extension)(*this);
    });
}

// Covers updaters that compute their own step, which do not use the optimizer's check of the loss.
void Trainer::check_observed_loss() {
  if (nan_seen_ || on_nan_ == optimizer::OnNan::ignore) return;
  for (const auto& [key, value] : observation) {
    if (key.find("loss", key.rfind('/') + 1) == key.npos || !value.is_scalar()) continue;
    if (const Variable* v = value.variable(); v && !v->array().device().is_host() && on_nan_ != optimizer::OnNan::stop)
      continue;  // reading the value would wait for the device
    if (!std::isnan(value.number())) continue;
    const std::string message =
        text("Trainer: ", key, " is NaN in iteration ", updater_->iteration(), " (epoch ", updater_->epoch(),
             "). Debug mode (CHAINER_DEBUG=1, or set_debug(true)) names the ", "first function that makes a NaN");
    if (on_nan_ == optimizer::OnNan::stop) throw RuntimeError(message);
    nan_seen_ = true;
    return warn(message + "; TrainerOptions::on_nan = optimizer::OnNan::stop ends the run instead");
  }
}

std::filesystem::path Trainer::take_snapshot() {
  extensions::Snapshot otherwise{{}};
  extensions::Snapshot* snapshot = &otherwise;
  int priority = 0;
  // Snapshots under a condition (such as a best value) must keep their files, so only those with a regular interval
  // are considered; of several the one that runs last.
  for (const Entry& e : extensions_)
    if (auto* s = dynamic_cast<extensions::Snapshot*>(e.extension.get());
        s && s->is_of_trainer() && e.trigger.get_training_length() &&
        (snapshot == &otherwise || e.priority <= priority))
      snapshot = s, priority = e.priority;
  (*snapshot)(*this);
  snapshot->finalize();  // the file is complete when its path is returned
  return snapshot->file(*this);
}

void Trainer::save_interrupted(int signal) {
  std::fprintf(stderr, "%s: the run ended after iteration %lld.\n", signal_name(signal),
               static_cast<long long>(updater_->iteration()));
  const std::string file = take_snapshot().string();
  std::fprintf(stderr,
               "Its state is in %s. To resume: serializers::load_npz(\"%s\", trainer) before run() "
               "(the examples: --resume %s)\n",
               file.c_str(), file.c_str(), file.c_str());
}

std::string Trainer::format(const std::string& pattern) const {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t end = pattern[i] == '{' ? pattern.find('}', i) : pattern.npos;
    if (end == pattern.npos) {
      out += pattern[i];
      continue;
    }
    std::string field = pattern.substr(i + 1, end - i - 1), spec;
    if (const auto colon = field.find(':'); colon != field.npos) {
      spec = field.substr(colon + 1);
      field.resize(colon);
    }
    std::string value;
    if (field == ".updater.iteration")
      value = std::to_string(updater_->iteration());
    else if (field == ".updater.epoch")
      value = std::to_string(updater_->epoch());
    else if (field == ".updater.epoch_detail")
      value = text(updater_->epoch_detail());
    else
      throw ValueError("file name '", pattern, "': no field {", field,
                       "}; available: {.updater.iteration}, {.updater.epoch}, {.updater.epoch_detail}");
    const std::size_t width = static_cast<std::size_t>(std::atoi(spec.c_str()));
    if (value.size() < width) value.insert(0, width - value.size(), spec[0] == '0' ? '0' : ' ');
    out += value;
    i = end;
  }
  return out;
}

}  // namespace chainer::training
