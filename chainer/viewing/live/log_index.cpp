// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/log_index.h"

#include "chainer/core/error.h"
#include "chainer/core/json.h"
#include "chainer/viewing/live/results.h"

namespace chainer::live {

LogPart LogIndex::read(std::size_t from, std::size_t most) {
  using End = viewing::LogFile::End;
  const std::lock_guard lock(mutex_);
  if (const End end = log_.update(); end != End::whole)
    throw ValueError("the log of the run is ", end == End::no_list ? "not a list of entries" : "half-written");
  LogPart out{from > log_.size() ? 0 : from, log_.size()};
  uint64_t bytes = 0;
  log_.each(out.from, [&](std::size_t i, std::string_view text) {
    bytes += text.size();
    if (i > out.from && bytes > most) return false;
    try {
      out.entries.push_back(json::dump(for_browsers(json::parse(text))));
    } catch (const ValueError&) {
      log_.forget();
      throw ValueError("the log of the run is half-written: entry ", i, " is not valid JSON");
    }
    return true;
  });
  return out;
}

}  // namespace chainer::live
