// Reads a folder of results.
#include "chainer/training/report/run.h"

#include <algorithm>
#include <limits>

#include "chainer/core/error.h"
#include "chainer/core/file.h"

namespace chainer::run_report {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLargestLog = uint64_t(1) << 30, kLargestText = uint64_t(1) << 26;

bool is_place(const std::string& key) { return key == "epoch" || key == "iteration" || key == "elapsed_time"; }

// The entries of a log. One whose end is missing gives those that are whole.
json::List entries_of(const std::string& text, Run& run) {
  try {
    json::Value v = json::parse(text);
    if (v.list()) return std::move(*v.list());
    run.problems.push_back("the log is no list of entries, as LogReport writes it");
    return {};
  } catch (const ValueError& e) {
    for (std::size_t end = text.rfind('}'), tries = 0; end != text.npos && end > 0 && tries < 4;
         end = text.rfind('}', end - 1), ++tries) {
      try {
        json::Value v = json::parse(text.substr(0, end + 1) + "]");
        if (!v.list()) break;
        run.problems.push_back(chainer::text("the log ends in the midst of an entry; the ", v.list()->size(),
                                             " entries before it are shown"));
        return std::move(*v.list());
      } catch (const ValueError&) {}
    }
    run.problems.push_back(chainer::text("the log cannot be read: ", e.what()));
    return {};
  }
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

json::Value read_json(const fs::path& file, Run& run) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  try {
    return json::parse(read_file(file, kLargestText));
  } catch (const Error& e) {
    run.problems.push_back(chainer::text(file.filename().string(), " cannot be read: ", e.what()));
    return {};
  }
}

}  // namespace

Run read_run(const fs::path& path) {
  std::error_code error;
  Run run;
  const bool folder = fs::is_directory(path, error);
  if (!folder && !fs::exists(path, error)) throw FileError("report: there is no folder or log ", path.string());
  const fs::path place = fs::absolute(path, error).lexically_normal();
  run.folder = folder ? place : place.parent_path();
  run.name = (place.has_filename() ? place : place.parent_path()).filename().string();
  const fs::path log = folder ? run.folder / "log" : place;
  if (fs::is_regular_file(log, error))
    read_curves(entries_of(read_file(log, kLargestLog), run), run);
  else
    run.problems.push_back("there is no log: extensions::LogReport writes one");
  if (!folder) return run;
  run.about = read_json(run.folder / "report.json", run);
  run.arguments = read_json(run.folder / "args", run);
  if (const json::Value* g = run.about.object() ? run.about.find("graph") : nullptr; g && g->string())
    run.graph = *g->string();
  else if (fs::is_regular_file(run.folder / "cg.dot", error))
    run.graph = read_file(run.folder / "cg.dot", kLargestText);
  for (auto it = fs::recursive_directory_iterator(run.folder, fs::directory_options::skip_permission_denied, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it.depth() > 1) it.disable_recursion_pending();
    const std::string end = it->path().extension().string();
    if ((end == ".png" || end == ".jpg" || end == ".jpeg" || end == ".svg") && it->is_regular_file(error) &&
        !it->path().filename().string().starts_with("tmp-"))
      run.pictures.push_back(it->path());
  }
  std::sort(run.pictures.begin(), run.pictures.end());
  return run;
}

}  // namespace chainer::run_report
