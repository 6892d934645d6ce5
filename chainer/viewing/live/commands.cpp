// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/commands.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iterator>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/file_lock.h"

namespace chainer::live {
namespace {

constexpr uint64_t kLargest = uint64_t(16) << 20, kForResponses = uint64_t(1) << 20;

json::Value checked_schedule(json::Value schedule) {
  if (std::holds_alternative<std::nullptr_t>(schedule.data)) return schedule;
  const json::Value *key = schedule.find("key"), *value = schedule.find("value");
  if (!key || !key->string() || (*key->string() != "epoch" && *key->string() != "iteration") || !value ||
      !std::holds_alternative<int64_t>(value->data))
    throw ValueError("commands: a schedule must be {\"key\": \"epoch\" or \"iteration\", \"value\": integer}, not ",
                     json::dump(schedule));
  return schedule;
}

}  // namespace

std::string time_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1000000;
  std::tm parts{};
  if (const std::tm* p = std::localtime(&seconds)) parts = *p;
  char day[40], all[64];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(all, sizeof all, "%s.%06lld", day, static_cast<long long>(micro));
  return all;
}

json::List read_commands(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kCommandsFile;
  if (!std::filesystem::is_regular_file(file)) return {};
  json::Value all = json::parse(read_file_below(folder, kCommandsFile, kLargest));
  const auto is_object = [](const json::Value& v) { return v.object() != nullptr; };
  if (!all.list() || !std::all_of(all.list()->begin(), all.list()->end(), is_object))
    throw ValueError("commands: ", file.string(), " is not a list of commands");
  return std::move(*all.list());
}

void change_commands(const std::filesystem::path& folder, const std::function<void(json::List&)>& f, double seconds) {
  const FileLock lock(folder / "commands.lock", "the commands of " + folder.string(), seconds);
  json::List all = read_commands(folder);
  f(all);
  write_file(folder / kCommandsFile, json::dump(json::Value(std::move(all)), 4));
}

void request(const std::filesystem::path& folder, const std::string& name, json::Value body, json::Value schedule,
             const std::string& by) {
  const char* const known[] = {"take_snapshot", "adjust_hyperparams", "stop", "pause", "resume"};
  if (std::find(std::begin(known), std::end(known), name) == std::end(known))
    throw ValueError("commands: no command named '", name,
                     "'; available: take_snapshot, adjust_hyperparams, stop, pause, resume");
  json::Object asked = {{"created_at", time_text()}, {"status", "OPEN"}};
  asked.emplace_back("body", std::move(body));
  asked.emplace_back("schedule", checked_schedule(std::move(schedule)));
  asked.emplace_back("by", by);
  json::Value command = json::Object{{"name", name}, {"request", std::move(asked)}, {"response", json::Value()}};
  // What could not be read back would make the file unreadable, with all commands in it.
  (void)json::parse(json::dump(json::List{command}));
  change_commands(folder, [&](json::List& all) {
    all.push_back(std::move(command));
    const std::size_t size = json::dump(json::Value(all), 4).size();
    if (size > kLargest - kForResponses)
      throw ValueError("commands: the commands of ", folder.string(), " would have ", size, " bytes, more than ",
                       kLargest - kForResponses);
  });
}

}  // namespace chainer::live
