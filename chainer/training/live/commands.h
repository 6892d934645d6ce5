// The file `commands` in a folder of results: what people ask of a running program, and what it answered. The form is
// ChainerUI's, a JSON list of {name, request: {created_at, status, body, schedule}, response: {executed_at, epoch,
// iteration, elapsed_time, status, body}}; a request has `by` in addition, who asked.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "chainer/core/json.h"

namespace chainer::live {

/// The name of the file in a folder of results.
inline constexpr const char* kCommandsFile = "commands";
/// The hyperparameters of a running program, which it writes where it obeys: {optimizer: {optimizer, hyperparam}}.
inline constexpr const char* kHyperparametersFile = "hyperparams";
/// The time of day as ChainerUI writes it: 2026-11-23T01:02:03.000004.
std::string time_text();
/// The commands of a folder; none where the file is missing. ValueError for what is no list of objects.
json::List read_commands(const std::filesystem::path& folder);
/// Changes the file as f says, behind a lock among processes (the file commands.lock), and writes it whole.
void change_commands(const std::filesystem::path& folder, const std::function<void(json::List&)>& f);
/// Adds a request. `schedule` is {key: "epoch" or "iteration", value: whole number}, or null for at once. ValueError
/// for another schedule, and for a name that is none of take_snapshot, adjust_hyperparams, stop, pause, resume.
void request(const std::filesystem::path& folder, const std::string& name, json::Value body, json::Value schedule,
             const std::string& by);

}  // namespace chainer::live
