// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/html_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chainer/array/memory.h"
#include "chainer/autograd/computational_graph.h"
#include "chainer/autograd/config.h"
#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/run_info.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/runtime_info.h"
#include "chainer/training/extensions/keep_graph.h"
#include "chainer/viewing/report/profile.h"
#include "chainer/viewing/report/run.h"

namespace chainer::training::extensions {
namespace {

// Returns path, shape and dtype of each parameter and the number of elements, for runs without a summary.
std::string parameters_of(const Updater& updater) {
  std::string out;
  int64_t total = 0;
  for (const auto& [name, optimizer] : updater.get_all_optimizers()) {
    for (const auto& [path, p] : optimizer->target().namedparams(true)) {
      if (name != "main") out += name + ": ";
      if (!p.is_initialized()) {
        out += path + "  (uninitialized)\n";
        continue;
      }
      total += p.array().size();
      out += text(path, "  ", p.array().shape(), "  ", p.array().dtype(), "\n");
    }
  }
  return out + text(total, " parameters\n");
}

void append(json::Value& to, const std::string& key, json::Value v) {
  if (!to.find(key)) to.set(key, json::List{});
  for (auto& [k, list] : *to.object())
    if (k == key && list.list()) list.list()->push_back(std::move(v));
}

double deviation(const Array& a) {
  const Array v = a.astype(float64);
  const Array distance = v - chainer::mean(v);
  return std::sqrt(chainer::mean(distance * distance).item<double>());
}

}  // namespace

HtmlReport::HtmlReport(const HtmlReportOptions& options) : options_(options) {
  if (options_.file.empty())
    throw ValueError("HtmlReport: the file name must not be empty; an example is {.file = \"report.html\"}");
  if (options_.profiled < 0) throw ValueError("HtmlReport: profiled must be 0 or more, not ", options_.profiled);
}

void HtmlReport::initialize(Trainer& trainer) {
  out_ = trainer.out();
  json::Object run;
  run.emplace_back("command", command_line());
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  run.emplace_back("working folder", folder.string());
  if (const std::string commit = git_commit(folder); !commit.empty()) run.emplace_back("git commit", commit);
  run.emplace_back("started", utc_now());
  if (trainer.updater().iteration() > 0) run.emplace_back("resumed at iteration", trainer.updater().iteration());
  about_.set("run", std::move(run));
  json::Object arguments;
  for (const auto& [key, v] : options_.arguments) arguments.emplace_back(key, v);
  about_.set("arguments", std::move(arguments));
  about_.set("runtime", runtime_info());
  keep_ = std::make_shared<KeepGraph>();
  trainer_ = &trainer;
  here_ = 0, running_ = true, written_ = since_ = began_ = now();
  input_before_ = trainer.updater().input_seconds();
}

void HtmlReport::take_graph(Trainer& trainer) {
  for (const auto& [key, v] : trainer.observation) {
    const Variable* y = v.variable();
    if (!y || !*y || !y->creator()) continue;
    about_.set("graph", computational_graph::build_computational_graph({*y}).dump());
    break;
  }
  keep_.reset();
  KeepGraph::let_go(trainer.observation);
}

void HtmlReport::take_statistics(const Trainer& trainer) {
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers())
    for (const auto& [path, p] : optimizer->target().namedparams(false)) {
      if (p.array().size() == 0) continue;
      const std::string key = name == "main" ? path : name + path;
      json::Value entry = statistics_.find(key) ? *statistics_.find(key) : json::Value(json::Object{});
      const Array g = p.grad();
      append(entry, "iteration", trainer.updater().iteration());
      append(entry, "std", deviation(p.array()));
      append(entry, "gradient_std", g ? json::Value(deviation(g)) : json::Value());
      append(entry, "gradient_zero",
             g ? json::Value(chainer::mean((g == 0).astype(float64)).item<double>()) : json::Value());
      statistics_.set(key, std::move(entry));
    }
}

// Measures time in each of the first iterations, then memory in one more. One hook at a time, as each of them disables
// deferred evaluation by itself.
void HtmlReport::profile() {
  if (options_.profiled == 0 || here_ > options_.profiled + 2) return;
  if (here_ > 1 && here_ <= options_.profiled + 1) {
    walls_.push_back(now() - since_);
    times_.push_back(timer_->summary());
  }
  scope_.reset();
  if (here_ <= options_.profiled) {
    timer_ = std::make_shared<function_hooks::TimerHook>();
    scope_ = std::make_shared<FunctionHookScope>(*timer_);
    since_ = now();
  } else if (here_ == options_.profiled + 1) {
    timer_.reset();
    memory_ = std::make_shared<function_hooks::MemoryProfileHook>();
    scope_ = std::make_shared<FunctionHookScope>(*memory_);
  } else {
    about_.set("profile", run_report::profile(times_, walls_, memory_->summary()));
    memory_.reset();
  }
}

void HtmlReport::operator()(Trainer& trainer) {
  ++here_;
  if (here_ == 1) {
    take_graph(trainer);
    about_.set("summary", options_.summary.empty() ? parameters_of(trainer.updater()) : options_.summary);
  }
  profile();
  if (!options_.trigger(trainer)) return;
  take_statistics(trainer);
  if (now() - written_ >= 5) write();
}

void HtmlReport::write() {
  about_.set("statistics", statistics_);
  json::Value run = *about_.find("run");
  run.set("last written", utc_now());
  run.set("peak of memory in arrays", text(memory::statistics().peak / 1000000, " MB"));
  // Only for the iterations of this process; snapshots do not store these times.
  const double all = now() - began_, input = trainer_->updater().input_seconds() - input_before_;
  char seconds[80];
  std::snprintf(seconds, sizeof seconds, "%.1f s of %.1f s", input, all);
  run.set("waiting for the iterator", seconds);
  about_.set("run", std::move(run));
  about_.set("time", json::Object{{"seconds", all}, {"input_seconds", input}});
  write_file(out_ / "report.json", json::dump(about_, 1));
  write_file(out_ / options_.file, run_report::page({run_report::read_run(out_)}));
  written_ = now();
}

void HtmlReport::finalize() {
  if (!running_) return;
  running_ = false;
  scope_.reset();
  keep_.reset();
  write();
}

void HtmlReport::serialize(Serializer& s) {
  options_.trigger.serialize(*s.child("_trigger"));
  if (s.is_loading() && !s.contains("_statistics")) return;
  std::string all = json::dump(statistics_);
  s("_statistics", all);
  if (!s.is_loading()) return;
  statistics_ = json::parse(all);
  if (!statistics_.object()) throw ValueError("HtmlReport: the stored statistics are not a JSON object");
}

}  // namespace chainer::training::extensions
