// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include "chainer/core/clock.h"
#include "chainer/core/json_fields.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/signals.h"
#include "chainer/core/utf8.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/training/extensions/live.h"
#include "chainer/viewing/live/commands.h"

namespace chainer::training::extensions {
namespace {

constexpr double kLookEvery = 0.02;  // seconds

using json::is_null;
std::string text_of(const json::Value* v, const char* otherwise = "") {
  return v && v->string() ? *v->string() : otherwise;
}
const json::Value& member(const json::Value& v, const char* name) {
  static const json::Value none;
  const json::Value* found = v.find(name);
  return found ? *found : none;
}
// Returns the name of the sender without control characters: any program that can write the file chooses the name, and
// it is printed to a terminal.
std::string asker_of(const json::Value& request) {
  std::string by = printable(text_of(request.find("by"), "unknown"));
  std::replace(by.begin(), by.end(), '\n', ' ');
  return by;
}
double number_of(const std::string& name, const json::Value& v) {
  if (!v.is_number() || !std::isfinite(v.number()))
    throw ValueError("adjust_hyperparams: ", name, " must be a finite number, not ", json::dump(v));
  return v.number();
}

}  // namespace

void CommandsExtension::share(bool reads, std::function<std::string(const std::string&)> send) {
  reads_ = reads;
  send_ = std::move(send);
}

// Returns the list that f returns in the process that reads the file of commands.
json::List CommandsExtension::shared(const std::function<json::List()>& f) const {
  json::List list = reads_ ? f() : json::List();
  if (!send_) return list;
  json::Value sent = json::parse(send_(json::dump(json::Value(std::move(list)))));
  return sent.list() ? std::move(*sent.list()) : json::List();
}

void CommandsExtension::initialize(Trainer& trainer) {
  trainer_ = &trainer;
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers())
    if (!send_ && optimizer->processes() > 1)
      throw RuntimeError("CommandsExtension: the optimizer '", name, "' is shared by ", optimizer->processes(),
                         " processes, but only this process would execute commands. In all processes, extend the "
                         "trainer with a CommandsExtension (or a LivePage in rank 0) and call "
                         "chainermn::steer_together(extension, comm)");
  repeats_.clear();
  const int64_t done = trainer.updater().iteration();
  std::error_code error;
  if (done == 0 && reads_) std::filesystem::remove(trainer.out() / live::kCommandsFile, error);
  for (const auto& [path, value] : changed_) {
    const auto slash = path.find('/');
    trainer.updater().get_optimizer(path.substr(0, slash)).set(path.substr(slash + 1), value);
  }
  if (reads_) tell_hyperparameters(trainer);
  if (reads_) progress_.begin(trainer);
  if (done == 0) return;
  json::List all = shared([&]() -> json::List {
    try {
      return live::read_commands(trainer.out());
    } catch (const Error& e) {
      warn(text("CommandsExtension: changes after the snapshot cannot be repeated: ", e.what()));
      return {};
    }
  });
  int64_t index = -1;
  for (const json::Value& c : all) {
    const json::Value *response = c.find("response"), &request = member(c, "request");
    ++index;
    if (is_null(response) || done_.contains(index)) continue;
    const json::Value& at = member(*response, "iteration");
    if (text_of(c.find("name")) != "adjust_hyperparams" || text_of(response->find("status")) != "SUCCESS" ||
        !at.is_number())
      continue;
    const auto iteration = static_cast<int64_t>(at.number());
    if (!known_ && iteration < done) continue;
    repeats_.push_back({index, iteration, member(request, "body"), asker_of(request) + ", repeated"});
  }
  known_ = true;
  std::erase_if(repeats_, [&](const Repeat& r) {
    if (r.iteration <= done) adjust(trainer, r.body, r.by), done_.insert(r.index);
    return r.iteration <= done;
  });
}

void CommandsExtension::operator()(Trainer& trainer) {
  const int64_t iteration = trainer.updater().iteration();
  if (!repeats_.empty())
    std::erase_if(repeats_, [&](const Repeat& r) {
      if (r.iteration == iteration) adjust(trainer, r.body, r.by), done_.insert(r.index);
      return r.iteration <= iteration;
    });
  if (reads_) progress_.step(trainer);
  look(trainer);
  if (paused_) wait(trainer);
}

namespace {

enum class Time { later, now, never };

// Returns whether a request's time has come.
Time time_of(const Trainer& trainer, const json::Value& schedule) {
  const json::Value& value = member(schedule, "value");
  const std::string key = text_of(schedule.find("key"));
  if (is_null(&schedule)) return Time::now;
  if (!value.is_number() || (key != "epoch" && key != "iteration")) return Time::never;
  const Updater& u = trainer.updater();
  const auto at = static_cast<double>(key == "epoch" ? u.epoch() : u.iteration());
  return at < value.number() ? Time::later : at == value.number() ? Time::now : Time::never;
}

}  // namespace

// Returns the requests to execute, with their positions in the file. Reads the file only if it has changed, or if the
// time of a scheduled request has come.
json::List CommandsExtension::due(const Trainer& trainer) {
  const bool comes = std::any_of(waiting_.begin(), waiting_.end(),
                                 [&](const json::Value& v) { return time_of(trainer, v) != Time::later; });
  if (!comes && now() < next_) return {};
  next_ = now() + kLookEvery;
  std::error_code error;
  const auto time = std::filesystem::last_write_time(trainer.out() / live::kCommandsFile, error);
  if (error || (time == seen_ && !comes && !again_)) return {};
  const bool changed = time != seen_;
  again_ = changed;  // a later change may have the same time stamp
  seen_ = time;
  json::List out;
  try {
    waiting_.clear();
    int64_t index = -1;
    for (const json::Value& c : live::read_commands(trainer.out())) {
      const json::Value &request = member(c, "request"), &schedule = member(request, "schedule");
      ++index;
      if (!is_null(c.find("response")) || is_null(&request) || done_.contains(index)) continue;
      const Time when = time_of(trainer, schedule);
      if (when == Time::later) {
        waiting_.push_back(schedule);
        continue;
      }
      json::Object found = {{"index", index}, {"name", text_of(c.find("name"))}, {"request", request}};
      if (when == Time::never) found.emplace_back("never", true);
      out.emplace_back(std::move(found));
    }
  } catch (const Error& e) {
    if (changed) warn(text("CommandsExtension: ", e.what()));  // another program may be writing the file
  }
  return out;
}

json::Object CommandsExtension::carry_out(Trainer& trainer, const json::Value& command) {
  const json::Value& request = member(command, "request");
  const std::string by = asker_of(request);
  json::Object response = {{"executed_at", live::time_text()},
                           {"epoch", trainer.updater().epoch()},
                           {"iteration", trainer.updater().iteration()},
                           {"elapsed_time", trainer.elapsed_time()}};
  try {
    if (command.find("never"))
      throw ValueError("the scheduled time ", json::dump(member(request, "schedule")),
                       " is invalid or in the past; the run is at epoch ", trainer.updater().epoch(), ", iteration ",
                       trainer.updater().iteration());
    json::Value body = execute(trainer, text_of(command.find("name")), member(request, "body"), by);
    response.emplace_back("status", "SUCCESS");
    response.emplace_back("body", std::move(body));
  } catch (const std::exception& e) {
    response.emplace_back("status", "FAILUE");  // as ChainerUI spells it
    response.emplace_back("body", json::Object{{"error", std::string(e.what())}});
    std::fprintf(stderr, "iteration %lld: a command from %s failed: %s\n",
                 static_cast<long long>(trainer.updater().iteration()), by.c_str(), printable(e.what()).c_str());
  }
  return response;
}

// Writes responses, keyed by the position of their request in the file. If another process holds the lock of the file,
// they are written later.
void CommandsExtension::answer(const Trainer& trainer, json::Object answers, double seconds) {
  for (auto& [index, response] : answers) unanswered_.emplace_back(index, std::move(response));
  if (unanswered_.empty()) return;
  try {
    live::change_commands(
        trainer.out(),
        [&](json::List& commands) {
          for (const auto& [place, response] : unanswered_) {
            const auto index = static_cast<std::size_t>(std::stoll(place));
            if (index < commands.size()) commands[index].set("response", response);
          }
        },
        seconds);
    unanswered_.clear();
    std::error_code error;
    seen_ = std::filesystem::last_write_time(trainer.out() / live::kCommandsFile, error);
  } catch (const Error& e) { warn(text("CommandsExtension: responses are not written yet: ", e.what())); }
}

void CommandsExtension::look(Trainer& trainer) {
  json::Object answers;
  for (const json::Value& c : shared([&] { return due(trainer); })) {
    const auto index = static_cast<int64_t>(member(c, "index").number());
    done_.insert(index);  // before it is executed, since take_snapshot stores the set
    answers.emplace_back(std::to_string(index), carry_out(trainer, c));
  }
  if (reads_) answer(trainer, std::move(answers), 0);
}

void CommandsExtension::finalize() {
  if (!trainer_) return;
  answer(*trainer_, {}, 1);
  if (reads_) progress_.end(*trainer_);
}

json::Value CommandsExtension::execute(Trainer& trainer, const std::string& name, const json::Value& body,
                                       const std::string& by) {
  const auto say = [&](const char* what) {
    std::fprintf(stderr, "iteration %lld: %s, requested by %s\n", static_cast<long long>(trainer.updater().iteration()),
                 what, by.c_str());
  };
  if (name == "adjust_hyperparams") return adjust(trainer, body, by);
  if ((name == "take_snapshot" || name == "stop") && !reads_) {
    if (name == "stop") trainer.stop();
    return {};
  }
  if (name == "take_snapshot" || name == "stop") {
    const std::string file = trainer.take_snapshot().string();
    say(name == "stop" ? "the run stops with a snapshot" : "a snapshot was taken");
    if (name == "stop") trainer.stop();
    return json::Object{{"file", file}};
  }
  if (name == "pause" || name == "resume") {
    paused_ = name == "pause";
    say(paused_ ? "the run is paused" : "the run is resumed");
    return json::Object{};
  }
  throw ValueError("no command named '", name, "'; available: take_snapshot, adjust_hyperparams, stop, pause, resume");
}

json::Value CommandsExtension::adjust(Trainer& trainer, const json::Value& body, const std::string& by) {
  const json::Value *wanted = body.find("hyperparam"), *of = body.find("name");
  if (!wanted || !wanted->object() || wanted->object()->empty())
    throw ValueError("adjust_hyperparams: the body needs a non-empty object \"hyperparam\": ", json::dump(body));
  const auto optimizers = trainer.updater().get_all_optimizers();
  const std::string name =
      text_of(of, optimizers.contains("main") || optimizers.empty() ? "main" : optimizers.begin()->first.c_str());
  const auto it = optimizers.find(name);
  if (it == optimizers.end()) throw ValueError("adjust_hyperparams: no optimizer named '", name, "'");
  Optimizer& optimizer = *it->second;
  const std::string type = optimizer.class_name(), asked = text_of(body.find("optimizer"), type.c_str());
  if (asked != type) throw ValueError("adjust_hyperparams: the optimizer is ", type, ", not ", asked);
  // All values are changed, or none.
  struct Change {
    std::string key;
    double old, wanted;
  };
  std::vector<Change> changes;
  for (const auto& [key, value] : *wanted->object())
    if (!is_null(&value)) changes.push_back({key, optimizer.get(key), number_of(key, value)});
  try {
    for (const Change& c : changes) optimizer.set(c.key, c.wanted);
  } catch (...) {
    for (auto c = changes.rbegin(); c != changes.rend(); ++c) optimizer.set(c->key, c->old);
    throw;
  }
  json::Object before, after;
  for (const auto& [key, old, wants] : changes) {
    changed_[name + "/" + key] = wants;
    before.emplace_back(key, old);
    after.emplace_back(key, wants);
    std::fprintf(stderr, "iteration %lld: %s of the optimizer '%s' changed from %g to %g, requested by %s\n",
                 static_cast<long long>(trainer.updater().iteration()), key.c_str(), name.c_str(), old, wants,
                 by.c_str());
  }
  if (reads_) tell_hyperparameters(trainer);
  return json::Object{{"optimizer", type}, {"name", name}, {"hyperparam", after}, {"before", before}};
}

// Writes the hyperparameters that can be changed: {"main": {"optimizer": "Adam", "hyperparam": {...}}}.
void CommandsExtension::tell_hyperparameters(const Trainer& trainer) const {
  json::Object all;
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers()) {
    auto* method = dynamic_cast<GradientMethod*>(optimizer);
    if (!method) continue;
    json::Object values;
    for (const auto& [key, value] : method->hyperparam().get_dict()) values.emplace_back(key, value);
    all.emplace_back(name, json::Object{{"optimizer", method->class_name()}, {"hyperparam", std::move(values)}});
  }
  write_file(trainer.out() / live::kHyperparametersFile, json::dump(json::Value(std::move(all)), 4));
}

// Waits until a command resumes or stops the run, or a signal arrives.
void CommandsExtension::wait(Trainer& trainer) {
  const SignalWatch signals(trainer.handles_signals());
  tell_paused(true);
  for (bool first = true; paused_ && !trainer.is_stopping() && !signals.received(); first = false) {
    if (reads_) progress_.pause(trainer, first);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    look(trainer);
  }
  paused_ = false;
  tell_paused(false);
  if (reads_) progress_.resume(trainer);
}

void CommandsExtension::serialize(Serializer& s) {
  if (s.is_loading() && !s.contains("_changed")) return;
  json::Object values;
  // Stores current values, since other extensions may have changed them after the command.
  for (const auto& [path, value] : changed_) {
    const auto slash = path.find('/');
    values.emplace_back(
        path, trainer_ ? trainer_->updater().get_optimizer(path.substr(0, slash)).get(path.substr(slash + 1)) : value);
  }
  std::string stored = json::dump(json::Value(std::move(values)));
  json::List places;
  for (const int64_t index : done_) places.emplace_back(index);
  std::string done = json::dump(json::Value(std::move(places)));
  s("_changed", stored);
  known_ = !s.is_loading() || s.contains("_done");
  if (known_) s("_done", done);
  if (!s.is_loading()) return;
  done_.clear();
  const json::Value loaded_done = json::parse(done);
  if (known_ && !loaded_done.list()) throw ValueError("CommandsExtension: the stored positions are not a JSON list");
  if (known_)
    for (const json::Value& index : *loaded_done.list()) done_.insert(static_cast<int64_t>(index.number()));
  const json::Value loaded = json::parse(stored);
  if (!loaded.object()) throw ValueError("CommandsExtension: the stored changes are not a JSON object");
  changed_.clear();
  for (const auto& [path, value] : *loaded.object()) {
    if (path.find('/') == path.npos)
      throw ValueError("CommandsExtension: the stored name '", path, "' is not of the form optimizer/hyperparameter");
    changed_[path] = value.number();
  }
}

}  // namespace chainer::training::extensions
