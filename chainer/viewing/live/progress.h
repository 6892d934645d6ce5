// SPDX-License-Identifier: MIT
// The files `progress` and `curves` in a folder of results, which a running program writes and the page reads.
//
//   progress  {state, iteration, epoch, length, unit, rate, left, elapsed_time, processor, memory, arrays, interval,
//             process}: the state "running", "paused", "finished", "failed" or "stopped"; length and unit of the stop
//             trigger; iterations per second; seconds left; busy cores; bytes of the process and of arrays; seconds
//             between writes; the tag of the process
//   curves    {key: {x: iterations, y: values}}: reported values of each iteration, thinned, while there are fewer than
//             kEpochsOfCurves epochs, whose means are too few for a curve
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "chainer/core/json.h"

namespace chainer::live {

inline constexpr const char* kProgressFile = "progress";
inline constexpr const char* kCurvesFile = "curves";
inline constexpr int64_t kEpochsOfCurves = 4;

/// The values of a key; gaps are NaN.
struct Curve {
  std::vector<double> x = {}, y = {};
};
/// Reads the curves of a folder without following links; none if the file is missing or damaged.
std::map<std::string, Curve> read_curves(const std::filesystem::path& folder);
void write_curves(const std::filesystem::path& folder, const std::map<std::string, Curve>& curves);

/// Returns the state of a run whose file `progress` is `age` seconds old and whose log is `log_age` seconds old, or ""
/// if the file is damaged or of an earlier run. A program that has ended without a word has "failed". On another
/// machine, where this is not known, a program that has been silent for five intervals is "idle".
std::string state_of(const json::Value& progress, double age, double log_age);
/// Returns the numbers of a file `progress` for browsers, without the process.
json::Value numbers_of(const json::Value& progress);

}  // namespace chainer::live
