// SPDX-License-Identifier: MIT
// Timelines: their events and their iterations.
#include "chainer/training/extensions/trace.h"

#include <thread>

#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/core/json.h"
#include "chainer/core/timeline.h"
#include "small_run.h"
#include "test.h"

namespace {

json::List trace_events(const std::string& trace) { return *json::parse(trace).find("traceEvents")->list(); }
int64_t traced(const json::List& events, const std::string& key, const std::string& value) {
  int64_t n = 0;
  for (const json::Value& e : events) {
    const json::Value* v = e.find(key);
    n += v && v->string() && *v->string() == value;
  }
  return n;
}

// Returns the trace of a run of seven iterations; none if no file was written.
std::string run_with(const std::string& name, const extensions::TraceOptions& options) {
  random::seed(1);
  L::Classifier model(MLP(8, 10));
  optimizers::SGD optimizer(0.1);
  optimizer.setup(model);
  auto iterator = std::make_shared<iterators::SerialIterator>(teacher_data(70), 10);
  Trainer trainer(std::make_shared<updaters::StandardUpdater>(iterator, optimizer), {7, "iteration"}, out(name));
  trainer.extend(extensions::Trace(options));
  trainer.extend([](Trainer&) {}, {.name = "watcher"});
  trainer.run();
  const fs::path file = fs::path(out(name)) / options.file;
  EXPECT(get_function_hooks().empty());
  return fs::exists(file) ? read_file(file) : "";
}

}  // namespace

TEST(a_trace_has_functions_of_all_threads) {
  function_hooks::TraceHook trace({.process = 3});
  const auto work = [&] {
    const FunctionHookScope scope(trace);
    Variable x(array({1.f, 2.f}));
    F::sum(F::exp(x)).backward();
  };
  work();
  std::thread(work).join();
  trace.span("a \"word\"", "mine", now() - 1, now());
  const json::List events = trace_events(trace.dump());
  EXPECT(traced(events, "cat", "forward") >= 4);  // including functions that compute gradients
  EXPECT(traced(events, "cat", "backward") >= 4);
  EXPECT_EQ(traced(events, "name", "thread_name"), 2);
  EXPECT_EQ(traced(events, "name", "a \"word\""), 1);
  EXPECT_EQ(traced(events, "ph", "C") + 1, traced(events, "ph", "X"));
  double least = 1;
  for (const json::Value& e : events) {
    EXPECT_EQ(e.find("pid")->number(), 3.0);
    if (const json::Value* begin = e.find("ts")) least = std::min(least, begin->number());
    if (const json::Value* length = e.find("dur")) EXPECT(length->number() >= 0);
  }
  EXPECT_EQ(least, 0.0);
}

TEST(a_trace_has_what_all_threads_tell) {
  function_hooks::TraceHook trace;
  {
    const function_hooks::TraceScope scope(trace);
    EXPECT(timeline::on());
    const Array x = ones({4096}, float32);
    (void)(x * 2 + 1).to_vector<float>();  // one program of two operations
    std::thread([] { const timeline::Stretch stretch("beside", "mine"); }).join();
  }
  EXPECT(!timeline::on());
  { const timeline::Stretch stretch("later", "mine"); }
  (void)(ones({4096}, float32) * 2 + 1).to_vector<float>();
  const json::List events = trace_events(trace.dump());
  EXPECT_EQ(traced(events, "cat", "program"), 1);
  EXPECT_EQ(traced(events, "cat", "mine"), 1);
  for (const json::Value& e : events)
    if (const json::Value* cat = e.find("cat"); cat && *cat->string() == "program")
      EXPECT(e.find("name")->string()->find("(4096 elements)") != std::string::npos);
}

TEST(traces_of_processes_are_one_file) {
  std::vector<std::string> parts;
  for (int64_t rank = 0; rank < 3; ++rank) {
    function_hooks::TraceHook trace({.process = rank, .process_name = text("rank ", rank)});
    if (rank < 2) trace.span("work", "mine", 10 + static_cast<double>(rank), 12);
    parts.push_back(trace.events(10));
  }
  const json::List events = trace_events(function_hooks::TraceHook::join(parts));
  EXPECT_EQ(traced(events, "name", "process_name"), 3);
  EXPECT_EQ(traced(events, "name", "work"), 2);
  for (const json::Value& e : events)
    if (const json::Value* ts = e.find("ts")) EXPECT_EQ(ts->number(), 1e6 * e.find("pid")->number());
}

TEST(a_trace_forgets_what_fails_and_what_is_too_much) {
  function_hooks::TraceHook trace({.most_events = 2});
  const FunctionHookScope scope(trace);
  // A failed type check comes before the hook; a failing forward is recorded as aborted.
  struct Failing : FunctionNode {
    Arrays forward(const Arrays&) override { throw RuntimeError("no"); }
  };
  EXPECT_THROW(RuntimeError, "no", apply(Failing(), {Variable(array({1.f}))}));
  EXPECT_EQ(trace.event_count(), 0u);
  for (int i = 0; i < 5; ++i) (void)F::exp(array({1.f}));
  EXPECT_EQ(trace.event_count(), 2u);
  EXPECT_EQ(trace.left_out(), 3);
}

TEST(a_run_is_traced_from_the_first_to_the_last_iteration) {
  const json::List events = trace_events(run_with("trace_some", {.first = 3, .last = 5}));
  EXPECT_EQ(traced(events, "cat", "training"), 3);
  EXPECT_EQ(traced(events, "name", "iteration 3") + traced(events, "name", "iteration 5"), 2);
  EXPECT_EQ(traced(events, "name", "LinearFunction"), 3 * (3 + 3));
  EXPECT_EQ(traced(events, "name", "iterator"), 3);
  EXPECT_EQ(traced(events, "name", "optimizer"), 3);
  EXPECT_EQ(traced(events, "name", "watcher"), 3);
  EXPECT_EQ(traced(trace_events(run_with("trace_begin", {.first = 1, .last = 1})), "cat", "training"), 1);
  EXPECT_EQ(traced(trace_events(run_with("trace_end", {.first = 6, .last = 100})), "cat", "training"), 2);
  EXPECT_EQ(run_with("trace_none", {.first = 9, .last = 9}), std::string());
  EXPECT_THROW(ValueError, "first is 5, last 4", extensions::Trace({.first = 5, .last = 4}));
}
