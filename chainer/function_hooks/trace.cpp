// SPDX-License-Identifier: MIT
#include "chainer/function_hooks/trace.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "chainer/array/memory.h"
#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/core/json.h"

namespace chainer::function_hooks {
namespace {

// Returns seconds as microseconds with three digits after the point, independent of the locale.
std::string microseconds(double seconds) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, std::end(buffer), seconds * 1e6, std::chars_format::fixed, 3).ptr};
}

}  // namespace

TraceHook::Track& TraceHook::track() {
  const auto [it, fresh] = tracks_.try_emplace(std::this_thread::get_id());
  if (fresh) it->second.number = tracks_.size();
  return it->second;
}

void TraceHook::add(Event e) {
  if (static_cast<int64_t>(events_.size()) < options_.most_events)
    events_.push_back(std::move(e));
  else
    ++left_out_;
}

void TraceHook::start() {
  const std::lock_guard lock(mutex_);
  Track& t = track();
  if (options_.eager && t.running.empty()) t.eager.emplace();
  t.running.push_back(now());
}

void TraceHook::stop(const FunctionNode& f, const char* category) {
  const double end = now();
  const int64_t in_use = memory::statistics().in_use;
  const std::lock_guard lock(mutex_);
  Track& t = track();
  if (t.running.empty()) return;  // the hook was added during this call
  const double begin = t.running.back();
  t.running.pop_back();
  if (t.running.empty()) t.eager.reset();
  add({f.label(), category, begin, end, t.number, in_use});
}

void TraceHook::aborted(FunctionNode&) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = tracks_.find(std::this_thread::get_id());
  if (it == tracks_.end() || it->second.running.empty()) return;
  it->second.running.pop_back();
  if (it->second.running.empty()) it->second.eager.reset();
}

void TraceHook::forward_preprocess(FunctionNode&, const Arrays&) { start(); }
void TraceHook::forward_postprocess(FunctionNode& f, const Arrays&) { stop(f, "forward"); }
void TraceHook::backward_preprocess(FunctionNode&, const Arrays&, const Arrays&) { start(); }
void TraceHook::backward_postprocess(FunctionNode& f, const Arrays&, const Arrays&) { stop(f, "backward"); }

void TraceHook::span(const std::string& what, const std::string& category, double begin, double end) {
  const std::lock_guard lock(mutex_);
  add({what, category, begin, end, track().number, -1});
}

std::size_t TraceHook::event_count() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}
int64_t TraceHook::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

std::string TraceHook::dump() const {
  double first = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const Event& e : events_) first = &e == events_.data() ? e.begin : std::min(first, e.begin);
  }
  return join({events(first)}, left_out());
}

std::string TraceHook::join(const std::vector<std::string>& events, int64_t left_out) {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (const std::string& part : events) out += (&part == events.data() ? "" : ",\n") + part;
  return out + text("\n],\"otherData\":{\"left_out\":", left_out, "}}\n");
}

std::string TraceHook::events(double origin) const {
  const std::lock_guard lock(mutex_);
  const auto quoted = [](const std::string& s) { return json::dump(json::Value(s)); };
  const std::string process = text("\"pid\":", options_.process);
  const auto named = [&](const char* what, std::size_t thread, const std::string& name) {
    return text("{\"ph\":\"M\",\"name\":\"", what, "\",", process, ",\"tid\":", thread,
                ",\"args\":{\"name\":", quoted(name), "}}");
  };
  std::string out = named("process_name", 0, options_.process_name);
  for (const auto& [id, t] : tracks_) out += ",\n" + named("thread_name", t.number, text("thread ", t.number));
  for (const Event& e : events_) {
    out += text(",\n{\"ph\":\"X\",\"name\":", quoted(e.name), ",\"cat\":", quoted(e.category), ",", process,
                ",\"tid\":", e.thread, ",\"ts\":", microseconds(e.begin - origin),
                ",\"dur\":", microseconds(e.end - e.begin), "}");
    if (e.memory < 0) continue;
    out += text(",\n{\"ph\":\"C\",\"name\":\"memory\",", process, ",\"ts\":", microseconds(e.end - origin),
                ",\"args\":{\"bytes in use\":", e.memory, "}}");
  }
  return out;
}

void TraceHook::write(const std::filesystem::path& path) const { write_file(path, dump()); }

TraceScope::TraceScope(TraceHook& hook) : functions_(hook), rest_(hook) {
  deferred::set_observer([](const std::string& operations, double seconds, int64_t elements) {
    const double end = now();
    timeline::tell(text(operations, " (", elements, " elements)"), "program", end - seconds, end);
  });
}
TraceScope::~TraceScope() { deferred::set_observer({}); }

}  // namespace chainer::function_hooks
