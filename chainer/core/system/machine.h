// SPDX-License-Identifier: MIT
// The resources that this process may use: limits of the system and of control groups (containers).
#pragma once
#include <cstdint>
#include <string>

namespace chainer::machine {

/// Returns the number of cores available to this process, limited by its affinity and by the quota of its control
/// groups (cpu.max, or cfs_quota_us and cfs_period_us; rounded up). At least 1. Read once.
int cores();
/// Returns the bytes of memory and swap, limited by the control groups. Read once.
int64_t memory_bytes();
/// Returns the bytes of this process that currently are in memory.
int64_t resident_bytes();
/// Returns the name of this machine.
std::string host_name();

/// Returns the number of cores that a quota allows, rounded up; 0 without a quota. `groups` is the text of
/// /proc/self/cgroup, `root` the folder where control groups (of version 1 or 2) are mounted; the process's group and
/// its ancestors count.
int quota_cores(const std::string& groups, const std::string& root);
/// Returns the number of bytes that a limit allows; 0 without a limit. Arguments as for quota_cores().
int64_t memory_limit(const std::string& groups, const std::string& root);

}  // namespace chainer::machine
