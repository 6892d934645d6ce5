// SPDX-License-Identifier: MIT
#include "chainer/core/system/process.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

#include "chainer/core/error.h"

namespace chainer {
namespace {

// Files below /proc report no size, so they are read to the end.
std::string read_proc(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string place() {
  const std::string boot = read_proc("/proc/sys/kernel/random/boot_id");
  char space[64];
  const ssize_t n = ::readlink("/proc/self/ns/pid", space, sizeof space);
  if (boot.empty() || n <= 0) return "00000000";
  uint32_t hash = 2166136261u;
  for (const char c : boot + std::string(space, static_cast<std::size_t>(n)))
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", hash == 0 ? 1 : hash);
  return digits;
}

// Returns the start time of a process, in ticks since the boot; nothing if it cannot be read.
std::optional<uint64_t> start_of(int process) {
  const std::string stat = read_proc(text("/proc/", process, "/stat"));
  // The second field is the program's name in parentheses and may contain any character. The start time is the 22nd.
  auto at = stat.rfind(')');
  for (int field = 2; at != stat.npos && field < 22; ++field) at = stat.find(' ', at + 1);
  uint64_t ticks = 0;
  if (at == stat.npos || std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), ticks).ec != std::errc())
    return {};
  return ticks;
}

}  // namespace

std::string process_tag() { return text(place(), "-", ::getpid(), "-", start_of(::getpid()).value_or(0)); }

bool begins_with_tag_of_this_place(std::string_view tag) {
  const std::string here = place();
  return here != "00000000" && tag.substr(0, 8) == here && tag.substr(8, 1) == "-";
}

bool begins_with_tag_of_ended_process(std::string_view tag) {
  if (!begins_with_tag_of_this_place(tag)) return false;
  const char *at = tag.data() + 9, *end = tag.data() + tag.size();
  int process = 0;
  uint64_t start = 0;
  auto r = std::from_chars(at, end, process);
  if (r.ec != std::errc() || process <= 0 || r.ptr == end || *r.ptr != '-') return false;
  r = std::from_chars(r.ptr + 1, end, start);
  if (r.ec != std::errc() || r.ptr == end || *r.ptr != '-' || start == 0) return false;
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const auto now = start_of(process);
  return now && *now != start;  // the number was reused by another process
}

}  // namespace chainer
