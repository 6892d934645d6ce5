// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/connections.h"

#include <algorithm>
#include <iterator>

#include "chainer/core/system/sockets.h"

namespace chainer::live {
namespace {

using namespace std::chrono_literals;
constexpr auto kRequest = 10s, kAnswer = 30s;
constexpr std::size_t kBytesPerSecond = std::size_t(64) << 10;

}  // namespace

Connections::Connections(std::size_t most) : most_(most), watcher_([this] { watch(); }) {}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

Connections::Place Connections::add(int socket) {
  const std::lock_guard lock(mutex_);
  if (all_.size() >= most_ / 10 * 9) {
    const auto oldest = [this](State state) {
      return std::find_if(all_.begin(), all_.end(), [state](const Connection& c) { return c.state == state; });
    };
    auto victim = oldest(State::reading);
    if (victim == all_.end()) victim = oldest(State::answering);
    if (victim != all_.end()) {
      end_connection(victim->socket);
      victim->state = State::ended;
    }
  }
  all_.push_back({socket, Clock::now() + kRequest});
  if (all_.size() == 1) changed_.notify_all();
  return std::prev(all_.end());
}

void Connections::answer(Place place, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  place->state = State::answering;
  place->limit = Clock::now() + kAnswer + std::chrono::seconds(bytes / kBytesPerSecond);
}

void Connections::stream(Place place) {
  const std::lock_guard lock(mutex_);
  place->state = State::streaming;
  place->limit = Clock::time_point::max();
}

void Connections::remove(Place place) {
  const std::lock_guard lock(mutex_);
  all_.erase(place);
}

void Connections::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    changed_.wait(lock, [this] { return ending_ || !all_.empty(); });
    changed_.wait_for(lock, 1s, [this] { return ending_; });
    for (const Connection& c : all_)
      if (c.limit < Clock::now()) end_connection(c.socket);
  }
}

}  // namespace chainer::live
