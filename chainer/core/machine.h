// What this process may use of the machine: the system's limits and those of its control groups (containers).
#pragma once
#include <cstdint>
#include <string>

namespace chainer::machine {

/// The cores that this process may run on: the system's, fewer where its affinity or the quota of a control group
/// (cpu.max, or cfs_quota_us and cfs_period_us; rounded up) says so. At least 1. Read once.
int cores();
/// Bytes of memory and swap, fewer where a control group says so. Read once.
int64_t memory_bytes();
/// Bytes of this process that are in memory now.
int64_t resident_bytes();
/// The name of this machine.
std::string host_name();

/// The cores that a quota allows, rounded up; 0 for none. `path` is the text of /proc/self/cgroup, `root` the folder
/// where control groups are mounted: of both versions, the process's group and the groups above it count.
int quota_cores(const std::string& groups, const std::string& root);
/// The bytes that a limit allows; 0 for none.
int64_t memory_limit(const std::string& groups, const std::string& root);

}  // namespace chainer::machine
