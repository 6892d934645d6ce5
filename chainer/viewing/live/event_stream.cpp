// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/event_stream.h"

#include <algorithm>
#include <utility>

namespace chainer::live {
namespace {
constexpr std::size_t kLargestBacklog = std::size_t(1) << 20;
}

EventStream::Reader::Reader(EventStream& stream, std::string_view greeting, std::function<void()> sleep,
                            std::function<void()> wake)
    : stream_(stream), sleep_(std::move(sleep)), wake_(std::move(wake)), waiting_(greeting) {
  const std::lock_guard lock(stream_.mutex_);
  place_ = stream_.readers_.insert(stream_.readers_.end(), this);
}

EventStream::Reader::~Reader() {
  const std::lock_guard lock(stream_.mutex_);
  stream_.readers_.erase(place_);
}

std::ptrdiff_t EventStream::Reader::take(char* to, std::size_t size) {
  const std::lock_guard lock(stream_.mutex_);
  const std::size_t n = std::min(size, waiting_.size() - taken_);
  if (behind_ || (n == 0 && stream_.ended_)) return -1;
  if (n == 0) {
    asleep_ = true;
    sleep_();
    return 0;
  }
  std::copy_n(waiting_.data() + taken_, n, to);
  taken_ += n;
  if (taken_ == waiting_.size()) waiting_.clear(), taken_ = 0;
  return static_cast<std::ptrdiff_t>(n);
}

std::unique_ptr<EventStream::Reader> EventStream::join(std::string_view greeting, std::function<void()> sleep,
                                                       std::function<void()> wake) {
  return std::unique_ptr<Reader>(new Reader(*this, greeting, std::move(sleep), std::move(wake)));
}

void EventStream::wake(Reader& reader) {
  if (std::exchange(reader.asleep_, false)) reader.wake_();
}

void EventStream::send(std::string_view text) {
  const std::lock_guard lock(mutex_);
  for (Reader* reader : readers_) {
    if (reader->behind_) continue;
    reader->behind_ = reader->waiting_.size() - reader->taken_ + text.size() > kLargestBacklog;
    if (reader->behind_)
      reader->waiting_ = {}, reader->taken_ = 0;
    else
      reader->waiting_ += text;
    wake(*reader);
  }
}

void EventStream::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Reader* reader : readers_) wake(*reader);
}

std::size_t EventStream::readers() const {
  const std::lock_guard lock(mutex_);
  return readers_.size();
}

}  // namespace chainer::live
