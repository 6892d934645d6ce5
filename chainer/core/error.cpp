#include "chainer/core/error.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <set>

namespace chainer {

namespace detail {
std::string number_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char buffer[40];
  auto r = std::to_chars(buffer, buffer + sizeof buffer, v);
  return std::string(buffer, r.ptr);
}
}  // namespace detail

namespace {
std::mutex mutex;
std::set<std::string>& seen() {
  static std::set<std::string> texts;
  return texts;
}
int64_t warnings = 0;
}  // namespace

void warn(const std::string& message) {
  std::lock_guard lock(mutex);
  ++warnings;
  if (seen().insert(message).second) std::fprintf(stderr, "warning: %s\n", message.c_str());
}

int64_t warning_count() {
  std::lock_guard lock(mutex);
  return warnings;
}

}  // namespace chainer
