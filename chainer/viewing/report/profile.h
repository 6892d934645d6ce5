// SPDX-License-Identifier: MIT
// Time by function in several iterations, some of which the system may have interrupted.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/function_hooks/function_hooks.h"

namespace chainer::run_report {

/// Totals by function name, as in TimerHook and MemoryProfileHook.
using Times = std::map<std::string, function_hooks::TimeRecord>;
using Bytes = std::map<std::string, function_hooks::MemoryProfileHook::Record>;

/// Returns {iterations, seconds, functions: [{name, calls, seconds, least_share, bytes}]}: calls of one iteration,
/// medians of seconds over the iterations, the slowest function first. least_share is the smallest share of the time of
/// all functions in any iteration. `walls` are the durations of the iterations in seconds.
json::Value profile(const std::vector<Times>& iterations, const std::vector<double>& walls, const Bytes& bytes);

}  // namespace chainer::run_report
