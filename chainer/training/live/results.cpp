#include "chainer/training/live/results.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "chainer/core/error.h"
#include "chainer/core/file.h"

namespace chainer::live {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLargestLog = uint64_t(512) << 20, kLargestDocument = uint64_t(4) << 20;
constexpr std::size_t kTail = std::size_t(64) << 10, kRuns = 2000, kLogsKept = 256, kPictures = 60;
constexpr double kRunning = 120;  // seconds, where the log does not tell how often it is written

double age(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? INFINITY : std::chrono::duration<double>(fs::file_time_type::clock::now() - time).count();
}

double seconds_of(const json::Value& entry) {
  const json::Value* v = entry.find("elapsed_time");
  return v && v->is_number() ? v->number() : NAN;
}

// The newest entry, of the end of a log whose entries are flat objects, and the time of the one before it; null where
// it does not end as a log does.
json::Value last_entry(const fs::path& file, uintmax_t size, double& seconds_before) {
  std::ifstream in(file, std::ios::binary);
  const uintmax_t begin = size > kTail ? size - kTail : 0;
  in.seekg(static_cast<std::streamoff>(begin));
  std::string tail(static_cast<std::size_t>(size - begin), '\0');
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  tail.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  const auto end = tail.find_last_not_of(" \t\r\n");
  const auto from = tail.rfind('{'), to = tail.rfind('}');
  if (end == tail.npos || tail[end] != ']' || from == tail.npos || to == tail.npos || to < from) return {};
  try {
    json::Value last = json::parse(std::string_view(tail).substr(from, to - from + 1));
    const auto end_before = tail.rfind('}', from), before = tail.rfind('{', end_before);
    if (end_before != tail.npos && before != tail.npos)
      seconds_before = seconds_of(json::parse(std::string_view(tail).substr(before, end_before - before + 1)));
    return for_browsers(std::move(last));
  } catch (const Error&) { return {}; }
}

// Another text for each time at which a file was written.
std::string stamp(const fs::path& file) {
  std::error_code error;
  return std::to_string(static_cast<int64_t>(fs::last_write_time(file, error).time_since_epoch().count()));
}

bool is_picture(const fs::path& file) {
  const std::string e = file.extension().string();
  return e == ".png" || e == ".svg" || e == ".jpg" || e == ".jpeg";
}

}  // namespace

json::Value for_browsers(json::Value v) {
  if (const auto* d = std::get_if<double>(&v.data); d && !std::isfinite(*d)) return {};
  if (auto* list = v.list())
    for (json::Value& e : *list) e = for_browsers(std::move(e));
  if (auto* members = v.object())
    for (auto& [key, e] : *members) e = for_browsers(std::move(e));
  return v;
}

Results::Results(const fs::path& folder) {
  std::error_code error;
  root_ = fs::canonical(folder, error);
  if (error || !fs::is_directory(root_))
    throw FileError("cannot show the results in ", folder.string(), ": ", error ? error.message() : "it is no folder");
}

fs::path Results::inside(const std::string& name) const {
  fs::path at = root_;
  if (name.empty() || name == ".") return at;
  if (name.size() > 4096 || name.find('\0') != name.npos || fs::path(name).is_absolute())
    throw ValueError("a name is to be inside of the folder of results");
  for (const fs::path& part : fs::path(name)) {
    if (part == ".." || part == "." || part.empty())
      throw ValueError("'", name, "' leads out of the folder of results");
    at /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(at, error)))
      throw ValueError("'", name, "' is a link, which is not followed");
  }
  return at;
}

fs::path Results::run_folder(const std::string& run) const {
  const fs::path folder = inside(run);
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw ValueError("there is no run '", run, "'");
  return folder;
}

fs::path Results::file(const std::string& run, const std::string& name) const {
  if (name.empty()) throw ValueError("a file needs a name");
  (void)run_folder(run);
  const fs::path path = inside(run.empty() || run == "." ? name : run + "/" + name);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw ValueError("there is no file '", name, "' in the run '", run, "'");
  return path;
}

json::Object Results::about(const fs::path& folder) const {
  const fs::path log = folder / "log";
  std::error_code error;
  const std::string path = fs::relative(folder, root_, error).string();
  json::Object out = {{"path", path}};
  const auto status = fs::symlink_status(log, error);
  const uintmax_t size = fs::is_regular_file(status) ? fs::file_size(log, error) : 0;
  const double seconds = age(log);
  double before = NAN;
  json::Value last = size > 0 && !error ? last_entry(log, size, before) : json::Value();
  const double interval = seconds_of(last) - before;
  const double running = std::isfinite(interval) ? std::clamp(5 * interval, 10.0, 86400.0) : kRunning;
  const bool none = std::holds_alternative<std::nullptr_t>(last.data);
  out.emplace_back("state", fs::is_symlink(status) ? "a link"
                            : size <= 2            ? "empty"
                            : none                 ? "half-written"
                            : seconds < running    ? "running"
                                                   : "idle");
  out.emplace_back("foreign", is_of_another_user(log));
  out.emplace_back("modified", std::isfinite(seconds) ? json::Value(std::floor(seconds)) : json::Value());
  out.emplace_back("size", static_cast<int64_t>(size));
  out.emplace_back(
      "args", fs::is_regular_file(fs::symlink_status(folder / "args", error)) ? document(path, "args") : json::Value());
  out.emplace_back("last", std::move(last));
  out.emplace_back("before", std::isfinite(before) ? json::Value(before) : json::Value());
  return out;
}

json::List Results::runs() const {
  json::List out;
  std::error_code error;
  const auto is_run = [&](const fs::path& folder) {
    std::error_code none;
    return fs::exists(fs::symlink_status(folder / "log", none));
  };
  if (is_run(root_)) out.emplace_back(about(root_));
  for (fs::recursive_directory_iterator it(root_, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end && out.size() < kRuns; it.increment(error)) {
    std::error_code none;
    if (!it->is_directory(none) || it->is_symlink(none)) continue;
    if (it.depth() >= 3 || it->path().filename().string().starts_with(".")) it.disable_recursion_pending();
    if (is_run(it->path())) out.emplace_back(about(it->path()));
  }
  std::sort(out.begin(), out.end(), [](const json::Value& a, const json::Value& b) {
    return *a.find("path")->string() < *b.find("path")->string();
  });
  return out;
}

std::shared_ptr<const std::vector<std::string>> Results::entries(const std::string& run) {
  const fs::path log = file(run, "log");
  const auto time = fs::last_write_time(log);
  const uintmax_t size = fs::file_size(log);
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = logs_.find(run); it != logs_.end() && it->second.time == time && it->second.size == size)
      return it->second.entries;
  }
  json::Value all;
  try {
    all = json::parse(read_file(log, kLargestLog));
  } catch (const ValueError&) { throw ValueError("the log of the run '", run, "' is half-written"); }
  if (!all.list()) throw ValueError("the log of the run '", run, "' is no list");
  const auto out = std::make_shared<std::vector<std::string>>();
  for (json::Value& entry : *all.list())
    if (entry.object()) out->push_back(json::dump(for_browsers(std::move(entry))));
  const std::lock_guard lock(mutex_);
  if (logs_.size() >= kLogsKept) logs_.erase(logs_.begin());
  logs_[run] = {time, size, out};
  return out;
}

json::Value Results::document(const std::string& run, const std::string& name) const {
  try {
    return for_browsers(json::parse(read_file(file(run, name), kLargestDocument)));
  } catch (const Error&) { return {}; }
}

json::List Results::pictures(const std::string& run) const {
  const fs::path folder = run_folder(run);
  std::vector<std::pair<double, std::string>> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code none;
    if (it->is_symlink(none)) continue;
    if (it->is_directory(none) && (it.depth() >= 1 || fs::exists(it->path() / "log", none)))
      it.disable_recursion_pending();
    if (it->is_regular_file(none) && is_picture(it->path()) && !it->path().filename().string().starts_with("tmp-"))
      found.emplace_back(age(it->path()), fs::relative(it->path(), folder, none).string());
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kPictures) found.resize(kPictures);
  json::List out;
  for (const auto& [seconds, name] : found)
    out.emplace_back(json::Object{{"name", name}, {"stamp", stamp(folder / name)}});
  return out;
}

}  // namespace chainer::live
