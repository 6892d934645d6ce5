#include "chainer/training/live/broadcast.h"

#include <chrono>

namespace chainer::live {

void Broadcast::listen(std::string_view greeting, const Send& to) {
  std::unique_lock lock(mutex_);
  if (ended_ || !to(greeting)) return;
  const auto me = readers_.emplace(readers_.end(), to);
  me->woken.wait(lock, [&] { return ended_ || me->gone; });
  readers_.erase(me);
}

void Broadcast::send(std::string_view text) {
  constexpr auto kPatience = std::chrono::milliseconds(100);
  const std::lock_guard lock(mutex_);
  for (Reader& reader : readers_) {
    if (reader.gone) continue;
    const auto begin = std::chrono::steady_clock::now();
    reader.gone = !reader.send(text) || std::chrono::steady_clock::now() - begin > kPatience;
    if (reader.gone) reader.woken.notify_one();
  }
}

void Broadcast::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Reader& reader : readers_) reader.woken.notify_one();
}

}  // namespace chainer::live
