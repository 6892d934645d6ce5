// SPDX-License-Identifier: MIT
#include "chainer/core/system/machine.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace chainer::machine {
namespace {

std::string read(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Calls f(folder) for the group of this controller and for its ancestors. A line of `groups` is "4:memory:/a/b" in
// version 1, whose folders are below the controller's name, and "0::/a/b" in version 2.
void for_folders(const std::string& groups, const std::string& root, const std::string& controller,
                 const std::function<void(const std::string&)>& f) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = names == ",,";
    if (!unified && names.find("," + controller + ",") == names.npos) continue;
    const std::string folder = root + (unified ? "" : "/" + controller);
    std::string path = line.substr(second + 1);
    // Inside a container the path may be the host's and not exist; then only the root applies.
    for (;; path.resize(path.rfind('/'))) {
      while (!path.empty() && path.back() == '/') path.pop_back();
      f(folder + path);
      if (path.empty()) break;
    }
  }
}

double number(const std::string& text) {
  try {
    return std::stod(text);
  } catch (const std::exception&) { return 0; }  // "max", or no such file
}

}  // namespace

int quota_cores(const std::string& groups, const std::string& root) {
  double least = 0;
  for_folders(groups, root, "cpu", [&](const std::string& folder) {
    std::istringstream both(read(folder + "/cpu.max"));
    std::string quota = "", period = "";
    if (!(both >> quota >> period)) {
      quota = read(folder + "/cpu.cfs_quota_us");
      period = read(folder + "/cpu.cfs_period_us");
    }
    const double q = number(quota), p = number(period);
    if (q > 0 && p > 0 && (least == 0 || q / p < least)) least = q / p;
  });
  return static_cast<int>(std::ceil(std::min(least, 1e6)));
}

int64_t memory_limit(const std::string& groups, const std::string& root) {
  double least = 0;
  for_folders(groups, root, "memory", [&](const std::string& folder) {
    for (const char* file : {"/memory.max", "/memory.limit_in_bytes"})
      if (const double limit = number(read(folder + file)); limit > 0 && (least == 0 || limit < least)) least = limit;
  });
  return least < 0x1p62 ? static_cast<int64_t>(least) : 0;
}

int64_t resident_bytes() {
  std::istringstream pages(read("/proc/self/statm"));
  int64_t all = 0, resident = 0;
  return pages >> all >> resident ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

int cores() {
  static const int count = [] {
    int n = static_cast<int>(std::thread::hardware_concurrency());
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
    if (const int quota = quota_cores(read("/proc/self/cgroup"), "/sys/fs/cgroup")) n = std::min(n, quota);
    return std::max(n, 1);
  }();
  return count;
}

int64_t memory_bytes() {
  static const int64_t bytes = [] {
    int64_t n = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    struct sysinfo info = {};
    if (sysinfo(&info) == 0)
      n = static_cast<int64_t>(info.totalram + info.totalswap) * static_cast<int64_t>(info.mem_unit);
    if (const int64_t limit = memory_limit(read("/proc/self/cgroup"), "/sys/fs/cgroup")) n = std::min(n, limit);
    return n > 0 ? n : int64_t(1) << 46;
  }();
  return bytes;
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace chainer::machine
