#include <cmath>
#include <cstdio>
#include <thread>

#include "chainer/core/clock.h"
#include "chainer/core/file.h"
#include "chainer/core/signals.h"
#include "chainer/core/type_name.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/training/extensions/live.h"
#include "chainer/training/live/commands.h"

namespace chainer::training::extensions {
namespace {

constexpr double kLookEvery = 0.02;  // seconds

bool is_null(const json::Value* v) { return !v || std::holds_alternative<std::nullptr_t>(v->data); }
std::string text_of(const json::Value* v, const char* otherwise = "") {
  return v && v->string() ? *v->string() : otherwise;
}
const json::Value& member(const json::Value& v, const char* name) {
  static const json::Value none;
  const json::Value* found = v.find(name);
  return found ? *found : none;
}
double number_of(const std::string& name, const json::Value& v) {
  if (!v.is_number() || !std::isfinite(v.number()))
    throw ValueError("adjust_hyperparams: ", name, " is to be a number, not ", json::dump(v));
  return v.number();
}

}  // namespace

void CommandsExtension::initialize(Trainer& trainer) {
  trainer_ = &trainer;
  repeats_.clear();
  const int64_t done = trainer.updater().iteration();
  std::error_code error;
  if (done == 0) std::filesystem::remove(trainer.out() / live::kCommandsFile, error);
  for (const auto& [path, value] : changed_) {
    const auto slash = path.find('/');
    trainer.updater().get_optimizer(path.substr(0, slash)).set(path.substr(slash + 1), value);
  }
  tell_hyperparameters(trainer);
  if (done == 0) return;
  json::List all;
  try {
    all = live::read_commands(trainer.out());
  } catch (const Error& e) { return warn(text("CommandsExtension: changes cannot be repeated: ", e.what())); }
  int64_t answered = 0;
  for (const json::Value& c : all) {
    const json::Value *response = c.find("response"), &request = member(c, "request");
    if (is_null(response) || answered++ < executed_) continue;
    const json::Value& at = member(*response, "iteration");
    if (text_of(c.find("name")) != "adjust_hyperparams" || text_of(response->find("status")) != "SUCCESS" ||
        !at.is_number())
      continue;
    repeats_.push_back({static_cast<int64_t>(at.number()), member(request, "body"),
                        text_of(request.find("by"), "somebody") + ", repeated"});
  }
  executed_ = answered;
  std::erase_if(repeats_, [&](const Repeat& r) {
    if (r.iteration <= done) adjust(trainer, r.body, r.by);
    return r.iteration <= done;
  });
}

void CommandsExtension::operator()(Trainer& trainer) {
  const int64_t iteration = trainer.updater().iteration();
  if (!repeats_.empty())
    std::erase_if(repeats_, [&](const Repeat& r) {
      if (r.iteration == iteration) adjust(trainer, r.body, r.by);
      return r.iteration <= iteration;
    });
  if (!waiting_ && now() < next_) return;
  next_ = now() + kLookEvery;
  look(trainer);
  if (paused_) wait(trainer);
}

bool CommandsExtension::is_due(const Trainer& trainer, const json::Value& command) const {
  const json::Value* request = command.find("request");
  if (!is_null(command.find("response")) || is_null(request)) return false;
  const json::Value* schedule = request->find("schedule");
  if (is_null(schedule)) return true;
  const json::Value& value = member(*schedule, "value");
  const std::string key = text_of(schedule->find("key"));
  if (!value.is_number() || (key != "epoch" && key != "iteration")) return false;
  const Updater& u = trainer.updater();
  return static_cast<double>(key == "epoch" ? u.epoch() : u.iteration()) == value.number();
}

// Reads the file where it has changed, or where requests wait for their time.
void CommandsExtension::look(Trainer& trainer) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(trainer.out() / live::kCommandsFile, error);
  if (error || (time == seen_ && !waiting_ && !again_)) return;
  const bool changed = time != seen_;
  again_ = changed;  // another change may have the same time
  seen_ = time;
  try {
    json::List all = live::read_commands(trainer.out());
    bool due = false;
    waiting_ = false;
    for (const json::Value& c : all) {
      due = due || is_due(trainer, c);
      waiting_ = waiting_ || (is_null(c.find("response")) && !is_null(c.find("request")) && !is_due(trainer, c));
    }
    if (!due) return;
    live::change_commands(trainer.out(), [&](json::List& commands) {
      for (json::Value& c : commands) {
        if (!is_due(trainer, c)) continue;
        const json::Value request = member(c, "request");
        const std::string by = text_of(request.find("by"), "somebody");
        json::Object response = {{"executed_at", live::time_text()},
                                 {"epoch", trainer.updater().epoch()},
                                 {"iteration", trainer.updater().iteration()},
                                 {"elapsed_time", trainer.elapsed_time()}};
        try {
          json::Value body = execute(trainer, text_of(c.find("name")), member(request, "body"), by);
          response.emplace_back("status", "SUCCESS");
          response.emplace_back("body", std::move(body));
        } catch (const std::exception& e) {
          response.emplace_back("status", "FAILUE");  // as ChainerUI spells it
          response.emplace_back("body", json::Object{{"error", std::string(e.what())}});
          std::fprintf(stderr, "iteration %lld: a command of %s failed: %s\n",
                       static_cast<long long>(trainer.updater().iteration()), by.c_str(), e.what());
        }
        c.set("response", std::move(response));
        ++executed_;
      }
    });
    seen_ = std::filesystem::last_write_time(trainer.out() / live::kCommandsFile, error);
  } catch (const Error& e) {
    if (changed) warn(text("CommandsExtension: ", e.what()));  // half-written by another program, perhaps
  }
}

json::Value CommandsExtension::execute(Trainer& trainer, const std::string& name, const json::Value& body,
                                       const std::string& by) {
  const auto say = [&](const char* what) {
    std::fprintf(stderr, "iteration %lld: %s, asked by %s\n", static_cast<long long>(trainer.updater().iteration()),
                 what, by.c_str());
  };
  if (name == "adjust_hyperparams") return adjust(trainer, body, by);
  if (name == "take_snapshot" || name == "stop") {
    const std::string file = trainer.take_snapshot().string();
    say(name == "stop" ? "the run ends with a snapshot" : "a snapshot was taken");
    if (name == "stop") trainer.stop();
    return json::Object{{"file", file}};
  }
  if (name == "pause" || name == "resume") {
    paused_ = name == "pause";
    say(paused_ ? "the run is paused" : "the run goes on");
    return json::Object{};
  }
  throw ValueError("there is no command '", name, "'");
}

json::Value CommandsExtension::adjust(Trainer& trainer, const json::Value& body, const std::string& by) {
  const json::Value *wanted = body.find("hyperparam"), *of = body.find("name");
  if (!wanted || !wanted->object() || wanted->object()->empty())
    throw ValueError("adjust_hyperparams: its body has no \"hyperparam\": ", json::dump(body));
  const auto optimizers = trainer.updater().get_all_optimizers();
  const std::string name =
      text_of(of, optimizers.contains("main") || optimizers.empty() ? "main" : optimizers.begin()->first.c_str());
  const auto it = optimizers.find(name);
  if (it == optimizers.end()) throw ValueError("adjust_hyperparams: there is no optimizer named '", name, "'");
  Optimizer& optimizer = *it->second;
  const std::string type = type_name(typeid(optimizer)), asked = text_of(body.find("optimizer"), type.c_str());
  if (asked != type) throw ValueError("adjust_hyperparams: the optimizer is ", type, ", not ", asked);
  // All are looked at before the first is changed.
  for (const auto& [key, value] : *wanted->object())
    if (!is_null(&value)) (void)optimizer.get(key), (void)number_of(key, value);
  json::Object before, after;
  for (const auto& [key, value] : *wanted->object()) {
    if (is_null(&value)) continue;
    const double old = optimizer.get(key), wants = number_of(key, value);
    optimizer.set(key, wants);
    changed_[name + "/" + key] = wants;
    before.emplace_back(key, old);
    after.emplace_back(key, wants);
    std::fprintf(stderr, "iteration %lld: %s of the optimizer '%s' is %g, was %g; asked by %s\n",
                 static_cast<long long>(trainer.updater().iteration()), key.c_str(), name.c_str(), wants, old,
                 by.c_str());
  }
  tell_hyperparameters(trainer);
  return json::Object{{"optimizer", type}, {"name", name}, {"hyperparam", after}, {"before", before}};
}

// For whoever asks, what there is to change: {"main": {"optimizer": "Adam", "hyperparam": {...}}}.
void CommandsExtension::tell_hyperparameters(const Trainer& trainer) const {
  json::Object all;
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers()) {
    auto* method = dynamic_cast<GradientMethod*>(optimizer);
    if (!method) continue;
    json::Object values;
    for (const auto& [key, value] : method->hyperparam().get_dict()) values.emplace_back(key, value);
    all.emplace_back(name, json::Object{{"optimizer", type_name(typeid(*method))}, {"hyperparam", std::move(values)}});
  }
  write_file(trainer.out() / live::kHyperparametersFile, json::dump(json::Value(std::move(all)), 4));
}

// Until somebody asks to go on or to stop, or a signal comes.
void CommandsExtension::wait(Trainer& trainer) {
  const SignalWatch signals(true);
  while (paused_ && !trainer.is_stopping() && !signals.received()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    look(trainer);
  }
  paused_ = false;
}

void CommandsExtension::serialize(Serializer& s) {
  if (s.is_loading() && !s.contains("_changed")) return;
  json::Object values;
  // What was changed once has its value of now: other extensions may have changed it since.
  for (const auto& [path, value] : changed_) {
    const auto slash = path.find('/');
    values.emplace_back(
        path, trainer_ ? trainer_->updater().get_optimizer(path.substr(0, slash)).get(path.substr(slash + 1)) : value);
  }
  std::string stored = json::dump(json::Value(std::move(values)));
  s("_changed", stored);
  s("_executed", executed_);
  if (!s.is_loading()) return;
  const json::Value loaded = json::parse(stored);
  if (!loaded.object()) throw ValueError("CommandsExtension: the stored changes are no object");
  changed_.clear();
  for (const auto& [path, value] : *loaded.object()) {
    if (path.find('/') == path.npos) throw ValueError("CommandsExtension: '", path, "' names no hyperparameter");
    changed_[path] = value.number();
  }
}

}  // namespace chainer::training::extensions
