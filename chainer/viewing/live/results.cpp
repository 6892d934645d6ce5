// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/results.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/input_file.h"
#include "chainer/core/utf8.h"
#include "chainer/viewing/live/progress.h"
#include "chainer/viewing/plot/figure.h"

namespace chainer::live {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLargestDocument = uint64_t(4) << 20;
constexpr std::size_t kRuns = 2000, kLogsKept = 256, kPictures = 60;
constexpr double kRunning = 120;  // seconds, if the log does not tell how often it is written

double age(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? INFINITY : std::chrono::duration<double>(fs::file_time_type::clock::now() - time).count();
}

// Returns a text that changes whenever a file is written.
std::string stamp(const fs::path& file) {
  std::error_code error;
  return std::to_string(static_cast<int64_t>(fs::last_write_time(file, error).time_since_epoch().count()));
}

// A number for each time at which a file was written, which browsers take exactly; null if there is no file.
json::Value stamp_number(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error))) return {};
  return static_cast<int64_t>(fs::last_write_time(file, error).time_since_epoch().count() >> 10);
}

bool is_run(const fs::path& folder) {
  std::error_code none;
  return fs::exists(fs::symlink_status(folder / "log", none)) ||
         fs::is_regular_file(fs::symlink_status(folder / kProgressFile, none));
}

bool is_picture(const fs::path& file) {
  const std::string e = file.extension().string();
  return e == ".png" || e == ".svg" || e == ".jpg" || e == ".jpeg";
}

std::string below(const std::string& run, const std::string& name) {
  return run.empty() || run == "." ? name : run + "/" + name;
}

// Returns a name as browsers get it: each byte that is no UTF-8 as \xff. Results::real() is the inverse.
std::string shown(const std::string& name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t begin = at;
    if (next_utf8(name, at) != kNoCharacter)
      out += name.substr(begin, at - begin);
    else
      out += printable(name.substr(begin, 1));
  }
  return out;
}

}  // namespace

json::Value for_browsers(json::Value v) {
  if (const std::string* s = v.string(); s && !is_utf8(*s)) return shown(*s);
  if (const auto* d = std::get_if<double>(&v.data); d && !std::isfinite(*d)) return {};
  if (auto* list = v.list())
    for (json::Value& e : *list) e = for_browsers(std::move(e));
  if (auto* members = v.object())
    for (auto& [key, e] : *members) key = shown(key), e = for_browsers(std::move(e));
  return v;
}

std::string Results::real(const std::string& name) const {
  std::error_code error;
  if (name.find("\\x") == name.npos || fs::exists(fs::symlink_status(root_ / name, error))) return name;
  std::string out;
  for (std::size_t at = 0; at < name.size(); ++at) {
    unsigned char byte = 0;
    const char* const digits = name.data() + at + 2;
    if (name.compare(at, 2, "\\x") == 0 && name.size() - at >= 4 &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2 && byte >= 0x80) {
      out += static_cast<char>(byte);
      at += 3;
    } else {
      out += name[at];
    }
  }
  return out;
}

Results::Results(const fs::path& folder) {
  std::error_code error;
  root_ = fs::canonical(folder, error);
  if (error || !fs::is_directory(root_))
    throw FileError("cannot show the results in ", folder.string(), ": ",
                    error ? error.message() : "it is not a folder");
}

fs::path Results::inside(const std::string& name) const {
  fs::path at = root_;
  if (name.empty() || name == ".") return at;
  if (name.size() > 4096 || name.find('\0') != name.npos || fs::path(name).is_absolute())
    throw ValueError("a path must be relative to the folder of results, with at most 4096 characters");
  for (const fs::path& part : fs::path(name)) {
    if (part == ".." || part == "." || part.empty())
      throw ValueError("'", name, "' is outside of the folder of results");
    at /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(at, error)))
      throw ValueError("'", name, "' is a symbolic link, which is not followed");
  }
  return at;
}

fs::path Results::run_folder(const std::string& run) const {
  const fs::path folder = inside(real(run));
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw ValueError("no run named '", run, "'");
  return folder;
}

std::string Results::read(const std::string& run, const std::string& name, uint64_t largest) const {
  (void)file(run, name);
  return read_file_below(root_, real(below(run, name)), largest);
}

fs::path Results::file(const std::string& run, const std::string& name) const {
  if (name.empty()) throw ValueError("the name of the file must not be empty");
  (void)run_folder(run);
  const fs::path path = inside(real(below(run, name)));
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw ValueError("no file named '", name, "' in the run '", run, "'");
  return path;
}

void Results::set_own_state(const std::string& state) {
  const std::lock_guard lock(mutex_);
  own_state_ = state;
}

json::Object Results::about(const fs::path& folder) const {
  const fs::path log = folder / "log";
  std::error_code error;
  const std::string path = fs::relative(folder, root_, error).string();
  json::Object out = {{"path", shown(path)}};
  const auto status = fs::symlink_status(log, error);
  const uintmax_t size = fs::is_regular_file(status) ? fs::file_size(log, error) : 0;
  std::error_code none_told;
  const bool tells = fs::is_regular_file(fs::symlink_status(folder / kProgressFile, none_told));
  const json::Value progress = tells ? document(path, kProgressFile) : json::Value();
  const double written = age(folder / kProgressFile), seconds = age(log);
  const std::string told = state_of(progress, written, seconds);
  viewing::NewestEntry newest{{}, NAN};
  if (size > 0 && !error) try {
      InputFile in(root_, below(path, "log"));
      newest = viewing::newest_entry(in);
    } catch (const FileError&) {}  // removed, or replaced by a link
  json::Value last = for_browsers(std::move(newest.entry));
  const double before = newest.seconds_before, interval = viewing::seconds_of(last) - before;
  const double running = std::isfinite(interval) ? std::clamp(5 * interval, 10.0, 86400.0) : kRunning;
  const bool none = std::holds_alternative<std::nullptr_t>(last.data);
  const std::string own = [&] {
    const std::lock_guard lock(mutex_);
    return path == "." ? own_state_ : "";
  }();
  out.emplace_back("state", !own.empty()             ? own
                            : fs::is_symlink(status) ? "a link"
                            : !told.empty()          ? told
                            : size <= 2              ? "empty"
                            : none                   ? "half-written"
                            : seconds < running      ? "running"
                                                     : "idle");
  out.emplace_back("told", !told.empty());
  out.emplace_back("foreign", is_of_another_user(fs::exists(status) ? log : folder / kProgressFile));
  const double modified = told.empty() ? seconds : std::min(seconds, written);
  out.emplace_back("modified", std::isfinite(modified) ? json::Value(std::floor(modified)) : json::Value());
  out.emplace_back("size", static_cast<int64_t>(size));
  out.emplace_back(
      "args", fs::is_regular_file(fs::symlink_status(folder / "args", error)) ? document(path, "args") : json::Value());
  out.emplace_back("last", std::move(last));
  out.emplace_back("before", std::isfinite(before) ? json::Value(before) : json::Value());
  out.emplace_back("progress", told.empty() ? json::Value() : numbers_of(progress));
  out.emplace_back("curves", told.empty() ? json::Value() : stamp_number(folder / kCurvesFile));
  return out;
}

json::List Results::runs() const {
  json::List out;
  std::error_code error;
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
  std::vector<fs::path> folders;
  for (const json::Value& run : out) folders.push_back((root_ / real(*run.find("path")->string())).lexically_normal());
  const std::vector<std::size_t> colors = plot::run_colors(folders);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].set("color", static_cast<int64_t>(colors[i]));
  return out;
}

json::Value Results::curves(const std::string& run) const {
  const json::Value all = document(run, kCurvesFile);
  return all.object() ? all : json::Value();
}

LogPart Results::log(const std::string& run, std::size_t from, std::size_t most) {
  std::error_code error;
  const fs::path folder = run_folder(run);
  if (!fs::exists(fs::symlink_status(folder / "log", error)) && is_run(folder)) return {};  // no entry yet
  (void)file(run, "log");
  std::shared_ptr<LogIndex> index;
  {
    const std::lock_guard lock(mutex_);
    if (logs_.size() >= kLogsKept && !logs_.contains(run)) logs_.erase(logs_.begin());
    std::shared_ptr<LogIndex>& kept = logs_[run];
    if (!kept) kept = std::make_shared<LogIndex>(root_, real(below(run, "log")));
    index = kept;
  }
  return index->read(from, most);
}

json::Value Results::document(const std::string& run, const std::string& name) const {
  try {
    return for_browsers(json::parse(read(run, name, kLargestDocument)));
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
    out.emplace_back(json::Object{{"name", shown(name)}, {"stamp", stamp(folder / name)}});
  return out;
}

}  // namespace chainer::live
