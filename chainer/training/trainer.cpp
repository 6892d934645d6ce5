#include "chainer/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/core/type_name.h"

namespace chainer::training {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

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

// The global generator goes into snapshots under a name of our own, which the release ignores; its files lack it.
void serialize_random(Serializer& s) {
  if (s.is_loading() && !s.contains("key")) return;
  random::State state = random::state();
  Array key = array(std::vector<int64_t>(state.key.begin(), state.key.end()));
  int64_t seed = static_cast<int64_t>(state.bulk_seed), counter = static_cast<int64_t>(state.bulk_counter);
  s("key", key);
  s("position", state.position);
  s("has_gauss", state.has_gauss);
  s("gauss", state.gauss);
  s("bulk_seed", seed);
  s("bulk_counter", counter);
  if (!s.is_loading()) return;
  const std::vector<int64_t> words = key.to_vector<int64_t>();
  state.key.assign(words.begin(), words.end());
  state.bulk_seed = static_cast<uint64_t>(seed);
  state.bulk_counter = static_cast<uint64_t>(counter);
  random::set_state(state);
}

}  // namespace

std::string Extension::default_name() const { return type_name(typeid(*this)); }

std::shared_ptr<Extension> make_extension(std::function<void(Trainer&)> f, const MakeExtensionOptions& options) {
  return std::make_shared<FunctionExtension>(std::move(f), options);
}

Trainer::Trainer(Kept<Updater> updater, Trigger stop_trigger, const TrainerOptions& options)
    : updater_(std::move(updater)), stop_trigger_(std::move(stop_trigger)), out_(options.out) {
  for (const auto& [name, optimizer] : updater_->get_all_optimizers()) {
    if (!optimizer->has_target()) continue;
    Link& target = optimizer->target();
    reporter.add_observer(name, &target);
    reporter.add_observers(name, target.namedlinks(true));
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
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return a->priority > b->priority; });
  start_time_ = now();
  std::exception_ptr failure;
  try {
    for (Entry* e : order) e->extension->load(*this);
    for (Entry* e : order) e->extension->initialize(*this);
    while (!stop_trigger_(*this)) {
      observation.clear();
      const auto current = reporter.make_current();
      const auto scope = reporter.scope(observation);
      updater_->update();
      for (Entry* e : order)
        if (e->trigger(*this)) (*e->extension)(*this);
    }
  } catch (const std::exception& e) {
    if (show_loop_exception_msg) std::fprintf(stderr, "Exception in main training loop: %s\n", e.what());
    failure = std::current_exception();
  } catch (...) { failure = std::current_exception(); }
  // All are finalized, whatever the others throw: each exception is reported, the first one of all leaves run().
  const auto finalize = [&](const std::string& name, auto& object) {
    std::string what = "an exception that is no std::exception";
    try {
      return object.finalize();
    } catch (const std::exception& e) {
      what = e.what();
      if (!failure) failure = std::current_exception();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    std::fprintf(stderr, "Exception in finalize of %s: %s\n", name.c_str(), what.c_str());
  };
  for (Entry* e : order) finalize("extension " + e->name, *e->extension);
  finalize("the updater", *updater_);
  final_elapsed_time_ = elapsed_time();
  if (failure) std::rethrow_exception(failure);
}

void Trainer::serialize(Serializer& s) {
  updater_->serialize(*s.child("updater"));
  if (stop_trigger_.given()) stop_trigger_.serialize(*s.child("stop_trigger"));
  const auto extensions = s.child("extensions"), triggers = s.child("extension_triggers");
  for (const Entry& e : extensions_) {
    e.extension->serialize(*extensions->child(e.name));
    e.trigger.serialize(*triggers->child(e.name));
  }
  serialize_random(*s.child("_random_state"));
  double elapsed = s.is_loading() ? 0 : elapsed_time();
  s("_snapshot_elapsed_time", elapsed);
  if (s.is_loading()) snapshot_elapsed_time_ = elapsed;
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
      throw ValueError("file name '", pattern, "': there is no {", field,
                       "}; there are {.updater.iteration}, {.updater.epoch}, {.updater.epoch_detail}");
    const std::size_t width = static_cast<std::size_t>(std::atoi(spec.c_str()));
    if (value.size() < width) value.insert(0, width - value.size(), spec[0] == '0' ? '0' : ' ');
    out += value;
    i = end;
  }
  return out;
}

}  // namespace chainer::training
