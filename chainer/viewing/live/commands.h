// SPDX-License-Identifier: MIT
// The file `commands` in a folder of results: requests to a running program, and its responses. The format is that of
// ChainerUI, a JSON list of {name, request: {created_at, status, body, schedule}, response: {executed_at, epoch,
// iteration, elapsed_time, status, body}}, with an additional member `by` of a request, the name of the sender.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "chainer/core/json.h"

namespace chainer::live {

/// The name of the file in a folder of results.
inline constexpr const char* kCommandsFile = "commands";
/// The file with the hyperparameters of a program that executes commands: {optimizer: {optimizer, hyperparam}}.
inline constexpr const char* kHyperparametersFile = "hyperparams";
/// Returns the current time in the format of ChainerUI: 2026-11-23T01:02:03.000004.
std::string time_text();
/// Reads the commands of a folder; none if there is no file. Throws ValueError unless the file is a list of objects.
json::List read_commands(const std::filesystem::path& folder);
/// Lets f change the list under a lock between processes (the file commands.lock), and replaces the file. Throws
/// FileError if another process holds the lock for longer than `seconds`.
void change_commands(const std::filesystem::path& folder, const std::function<void(json::List&)>& f,
                     double seconds = 10);
/// Adds a request. `schedule` is {key: "epoch" or "iteration", value: integer}, or null for immediately. Throws
/// ValueError for another schedule, and unless the name is take_snapshot, adjust_hyperparams, stop, pause or resume.
void request(const std::filesystem::path& folder, const std::string& name, json::Value body, json::Value schedule,
             const std::string& by);

}  // namespace chainer::live
