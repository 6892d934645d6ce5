// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/emulation/driver_emulated.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/backend/cuda/emulation/emulation.h"
#include "chainer/backend/devices.h"
#include "chainer/core/clock.h"
#include "chainer/core/system/pages.h"
#include "chainer/core/system/poison.h"

namespace chainer::cuda::emulation {
namespace {

Queue& queue_of(Stream s) { return *reinterpret_cast<Queue*>(s); }
// A mark in a queue and, if requested, the time when the queue reached it.
struct EventPlace {
  Mark mark;
  std::shared_ptr<double> time;
  int asked = 0;  // since the record
};
constexpr int kMostAsked = 100;
EventPlace& place_of(Event e) { return *reinterpret_cast<EventPlace*>(e); }
Mark& mark_of(Event e) { return place_of(e).mark; }

}  // namespace

EmulatedDriver::Options EmulatedDriver::options_of_environment() {
  Options o;
  if (const char* n = std::getenv("CHAINER_EMULATED_DEVICES")) o.devices = std::clamp(std::atoi(n), 1, 16);
  if (const char* s = std::getenv("CHAINER_EMULATED_STREAMS")) o.eager = std::string_view(s) == "eager";
  if (const char* c = std::getenv("CHAINER_EMULATED_COMPILER")) o.compiler = c;
  return o;
}

EmulatedDriver::EmulatedDriver(Options options) : options_(options) {
  const std::size_t all = options_.memory * static_cast<std::size_t>(options_.devices);
  closed_ = static_cast<char*>(pages::reserve(2 * all));
  if (!closed_ || !pages::open(closed_ + all, all))
    throw DeviceError("@cuda-emulated: cannot reserve ", 2 * all, " bytes of addresses");
  distance_ = static_cast<std::ptrdiff_t>(all);
  for (int d = 0; d < options_.devices; ++d)
    free_.push_back({{closed_ + static_cast<std::size_t>(d) * options_.memory, options_.memory}});
}
EmulatedDriver::~EmulatedDriver() {
  unpoison(closed_ + distance_, static_cast<std::size_t>(distance_));
  pages::unmap(closed_, 2 * static_cast<std::size_t>(distance_));
}

std::string EmulatedDriver::describe(int) const {
  return text("emulated on the host, ", options_.memory >> 20, " MiB", options_.eager ? ", eager streams" : "");
}

bool EmulatedDriver::fails() { return fail_at_ > 0 && --fail_at_ == 0; }
void EmulatedDriver::expect_no_failure(const char* call) {
  if (fails()) throw DeviceError(call, ": the emulated driver was told to fail");
}

// Takes the first range that is large enough.
void* EmulatedDriver::allocate(int device, std::size_t bytes) {
  if (fails()) return nullptr;
  auto& ranges = free_[static_cast<std::size_t>(device)];
  for (auto it = ranges.begin(); it != ranges.end(); ++it) {
    const auto [at, size] = *it;
    if (size < bytes) continue;
    ranges.erase(it);
    if (size > bytes) ranges.emplace(at + bytes, size - bytes);
    poison(opened(at), bytes);
    return at;
  }
  return nullptr;
}

void EmulatedDriver::release(int device, void* memory, std::size_t bytes) noexcept {
  auto& ranges = free_[static_cast<std::size_t>(device)];
  auto it = ranges.emplace(static_cast<char*>(memory), bytes).first;
  if (const auto next = std::next(it); next != ranges.end() && it->first + it->second == next->first) {
    it->second += next->second;
    ranges.erase(next);
  }
  if (it == ranges.begin()) return;
  if (const auto before = std::prev(it); before->first + before->second == it->first) {
    before->second += it->second;
    ranges.erase(it);
  }
}

void EmulatedDriver::begin_block(int, Stream stream, void* block, std::size_t bytes, std::size_t) {
  queue_of(stream).add([at = opened(block), bytes] {
    unpoison(at, bytes);
    std::memset(at, 0xff, bytes);
  });
}
void EmulatedDriver::end_block(int, Stream stream, void* block, std::size_t whole) {
  queue_of(stream).add([at = opened(block), whole] { poison(at, whole); });
}

void* EmulatedDriver::allocate_pinned(int, std::size_t bytes) {
  if (fails()) return nullptr;
  void* p = pages::map(bytes);
  const std::lock_guard lock(shared_mutex_);
  if (p) pinned_.emplace(static_cast<char*>(p), bytes);
  return p;
}
void EmulatedDriver::release_pinned(void* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(shared_mutex_);
  pinned_.erase(static_cast<char*>(memory));
  pages::unmap(memory, bytes);
}
bool EmulatedDriver::is_pinned(const void* p) const {
  const char* at = static_cast<const char*>(p);
  const std::lock_guard lock(shared_mutex_);
  auto it = pinned_.upper_bound(at);
  return it != pinned_.begin() && at < (--it)->first + it->second;
}

Stream EmulatedDriver::make_stream(int device) {
  auto made = std::make_unique<Queue>(device, options_.eager);
  const std::lock_guard lock(shared_mutex_);
  queues_.insert(made.get());
  return reinterpret_cast<Stream>(made.release());
}
void EmulatedDriver::end_stream(Stream stream) noexcept {
  const std::unique_ptr<Queue> ended(&queue_of(stream));
  const std::lock_guard lock(shared_mutex_);
  queues_.erase(ended.get());
}
Event EmulatedDriver::make_event(int, bool times) {
  return reinterpret_cast<Event>(new EventPlace{{}, times ? std::make_shared<double>() : nullptr});
}
void EmulatedDriver::end_event(Event event) noexcept { delete &place_of(event); }
std::size_t EmulatedDriver::waiting(Stream stream) { return queue_of(stream).waiting(); }

void EmulatedDriver::record(Event event, Stream stream) {
  if (const auto time = place_of(event).time) queue_of(stream).add([time] { *time = now(); });
  mark_of(event) = queue_of(stream).mark();
  place_of(event).asked = 0;
}
// Nothing runs by itself: the work runs when somebody keeps asking.
bool EmulatedDriver::reached(Event event) {
  const Mark m = mark_of(event);
  if (!m.queue || m.queue->has_reached(m.at)) return true;
  if (++place_of(event).asked < kMostAsked) return false;
  synchronize(event);
  return true;
}
double EmulatedDriver::seconds_between(Event begin, Event end) { return *place_of(end).time - *place_of(begin).time; }
void EmulatedDriver::wait(Stream stream, Event event) { queue_of(stream).wait(mark_of(event)); }
void EmulatedDriver::synchronize(Event event) {
  expect_no_failure("synchronize");
  if (const Mark m = mark_of(event); m.queue) m.queue->run_until(m.at);
}
void EmulatedDriver::synchronize(Stream stream) {
  expect_no_failure("synchronize");
  queue_of(stream).run();
}

void EmulatedDriver::copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) {
  expect_no_failure("copy to device");
  char* at = opened(to);
  if (is_pinned(from)) return queue_of(stream).add([=] { std::memcpy(at, from, bytes); });
  const char* p = static_cast<const char*>(from);
  queue_of(stream).add(
      [at, held = std::make_shared<std::vector<char>>(p, p + bytes)] { std::memcpy(at, held->data(), held->size()); });
}
void EmulatedDriver::copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) {
  expect_no_failure("copy to host");
  queue_of(stream).add([to, at = opened(from), bytes] { std::memcpy(to, at, bytes); });
  if (!is_pinned(to)) queue_of(stream).run();
}

// The source's work runs now, since another thread may use its stream when the target's runs.
void EmulatedDriver::copy_between(Stream to_stream, void* to, Stream from_stream, const void* from, std::size_t bytes) {
  expect_no_failure("copy between devices");
  queue_of(from_stream).run();
  const char* const p = opened(from);
  queue_of(to_stream).add([at = opened(to), held = std::make_shared<std::vector<char>>(p, p + bytes)] {
    std::memcpy(at, held->data(), held->size());
  });
}

void EmulatedDriver::copy_within(Stream stream, void* to, const void* from, std::size_t bytes) {
  expect_no_failure("copy within a device");
  queue_of(stream).add([at = opened(to), p = opened(from), bytes] { std::memcpy(at, p, bytes); });
}

// Handles are addresses of queues. There are no default streams: what they would wait for runs at once.
std::uintptr_t EmulatedDriver::handle(Stream stream) { return reinterpret_cast<std::uintptr_t>(stream); }
Queue* EmulatedDriver::queue_at(std::uintptr_t handle) const {
  if (handle == 1 || handle == 2) return nullptr;
  auto* const queue = reinterpret_cast<Queue*>(handle);
  const std::lock_guard lock(shared_mutex_);
  if (queues_.count(queue) == 0) throw DeviceError("@cuda-emulated: there is no stream with the handle ", handle);
  return queue;
}
void EmulatedDriver::wait_for_other(Stream stream, std::uintptr_t other) {
  expect_no_failure("wait for another stream");
  if (Queue* const q = queue_at(other)) queue_of(stream).wait(q->mark());
}
void EmulatedDriver::let_other_wait(std::uintptr_t other, Stream stream) {
  expect_no_failure("wait of another stream");
  if (Queue* const q = queue_at(other))
    q->wait(queue_of(stream).mark());
  else
    queue_of(stream).run();
}

void EmulatedDriver::launch(Stream stream, const Launch& l, const void* args) {
  expect_no_failure("launch");
  check(l);
  const char* p = static_cast<const char*>(args);
  struct Call {
    std::string kernel;
    std::vector<char> args;
  };
  auto held = std::make_shared<Call>(Call{std::string(l.kernel), {p, p + l.args_bytes}});
  queue_of(stream).add([l = Launch(l), held]() mutable {
    l.kernel = held->kernel;
    run(l, held->args.data());
  });
}

// A graph is the list of the captured work, which pending launches share.
namespace {
using Works = std::vector<std::function<void()>>;
std::shared_ptr<const Works>& works_of(Graph g) { return *reinterpret_cast<std::shared_ptr<const Works>*>(g); }
}  // namespace

void EmulatedDriver::begin_capture(Stream stream) {
  if (fail_captures_) throw DeviceError("begin of a capture: the emulated driver was told to fail");
  expect_no_failure("begin of a capture");
  queue_of(stream).begin_capture();
}
Graph EmulatedDriver::end_capture(Stream stream) {
  expect_no_failure("end of a capture");
  return reinterpret_cast<Graph>(
      new std::shared_ptr<const Works>(std::make_shared<const Works>(queue_of(stream).end_capture())));
}
void EmulatedDriver::drop_capture(Stream stream) noexcept { queue_of(stream).end_capture(); }
void EmulatedDriver::launch_graph(Stream stream, Graph graph) {
  expect_no_failure("launch of a graph");
  queue_of(stream).add([works = works_of(graph)] {
    for (const auto& work : *works) work();
  });
}
void EmulatedDriver::end_graph(int, Graph graph) noexcept { delete &works_of(graph); }

}  // namespace chainer::cuda::emulation
