// SPDX-License-Identifier: MIT
// Reads a folder of results.
#include "chainer/viewing/report/run.h"

#include <algorithm>
#include <limits>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/viewing/live/progress.h"
#include "chainer/viewing/log_file.h"

namespace chainer::run_report {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLargestText = uint64_t(1) << 26;

bool is_place(const std::string& key) { return key == "epoch" || key == "iteration" || key == "elapsed_time"; }

// Returns the entries of a log; of an incomplete log, those that are complete.
json::List entries_of(const fs::path& file, Run& run) {
  using End = viewing::LogFile::End;
  viewing::LogFile log(file);
  const End end = log.update();
  json::List out;
  if (end == End::no_list) {
    run.problems.push_back("the log is not a list of entries, as written by LogReport");
    return out;
  }
  log.each(0, [&](std::size_t i, std::string_view entry) {
    try {
      out.push_back(json::parse(entry));
    } catch (const ValueError& e) {
      run.problems.push_back(text("the log cannot be read from entry ", i, " on: ", e.what()));
    }
    return out.size() > i;
  });
  if (out.empty() && end == End::half_written)
    run.problems.push_back("the log cannot be read: it has no complete entry");
  else if (end == End::half_written)
    run.problems.push_back(text("the log ends within an entry; the ", out.size(), " entries before it are shown"));
  return out;
}

void read_curves(const json::List& entries, Run& run) {
  const auto has = [&](const char* key) {
    return std::any_of(entries.begin(), entries.end(), [&](const json::Value& e) {
      const json::Value* v = e.object() ? e.find(key) : nullptr;
      return v && v->is_number();
    });
  };
  run.x_key = has("iteration") ? "iteration" : has("epoch") ? "epoch" : "entry";
  double count = 0;
  for (const json::Value& e : entries) {
    ++count;
    if (!e.object()) continue;
    const json::Value* at = run.x_key == "entry" ? nullptr : e.find(run.x_key);
    if (run.x_key != "entry" && !(at && at->is_number())) continue;
    const double x = at ? at->number() : count;
    for (const auto& [key, v] : *e.object()) {
      if (!v.is_number() || is_place(key)) continue;
      auto it =
          std::find_if(run.curves.begin(), run.curves.end(), [&, &key = key](const auto& c) { return c.label == key; });
      if (it == run.curves.end()) {
        run.curves.push_back({.label = key, .x = {}, .y = {}, .marker = ""});
        it = run.curves.end() - 1;
      }
      it->x.push_back(x);
      it->y.push_back(v.number());
    }
  }
  if (entries.empty() && run.problems.empty()) run.problems.push_back("the log has no entries yet");
}

// Returns a file of the run's folder; "" if it is missing or cannot be read. Links are not followed, since a report may
// be passed on and must not contain files from elsewhere.
std::string text_of(const char* name, uint64_t largest, Run& run) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(run.folder / name, error))) return {};
  try {
    return read_file_below(run.folder, name, largest);
  } catch (const Error& e) {
    run.problems.push_back(chainer::text(name, " is omitted: ", e.what()));
    return {};
  }
}

json::Value read_json(const char* name, Run& run) {
  const std::string bytes = text_of(name, kLargestText, run);
  if (bytes.empty()) return {};
  try {
    return json::parse(bytes);
  } catch (const Error& e) {
    run.problems.push_back(chainer::text(name, " cannot be read: ", e.what()));
    return {};
  }
}

}  // namespace

Run read_run(const fs::path& path) {
  std::error_code error;
  Run run;
  const bool folder = fs::is_directory(path, error);
  if (!folder && !fs::exists(path, error)) throw FileError("report: no folder or log ", path.string());
  const fs::path place = fs::absolute(path, error).lexically_normal();
  run.folder = folder ? place : place.parent_path();
  run.name = (place.has_filename() ? place : place.parent_path()).filename().string();
  const fs::path log = folder ? run.folder / "log" : place;
  if (folder && fs::is_symlink(log, error))
    run.problems.push_back("the log is a symbolic link, which is not followed; `chainer report FILE` reads its target");
  else if (fs::is_regular_file(log, error))
    read_curves(entries_of(log, run), run);
  else
    run.problems.push_back("the folder has no log; extensions::LogReport writes one");
  if (!folder) return run;
  for (auto& [key, c] : live::read_curves(run.folder))
    run.each.push_back({.label = key, .x = std::move(c.x), .y = std::move(c.y), .marker = ""});
  run.about = read_json("report.json", run);
  run.arguments = read_json("args", run);
  if (const json::Value* g = run.about.object() ? run.about.find("graph") : nullptr; g && g->string())
    run.graph = *g->string();
  else
    run.graph = text_of("cg.dot", kLargestText, run);
  for (auto it = fs::recursive_directory_iterator(run.folder, fs::directory_options::skip_permission_denied, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it.depth() > 1) it.disable_recursion_pending();
    const std::string end = it->path().extension().string();
    if ((end != ".png" && end != ".jpg" && end != ".jpeg" && end != ".svg") || !it->is_regular_file(error) ||
        it->path().filename().string().starts_with("tmp-"))
      continue;
    if (it->is_symlink(error))
      run.problems.push_back(it->path().filename().string() + " is omitted: symbolic links are not followed");
    else
      run.pictures.push_back(it->path());
  }
  std::sort(run.pictures.begin(), run.pictures.end());
  return run;
}

}  // namespace chainer::run_report
