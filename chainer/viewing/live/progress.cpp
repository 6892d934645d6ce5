// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/progress.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/process.h"

namespace chainer::live {
namespace {

constexpr uint64_t kLargestCurves = uint64_t(4) << 20;
constexpr double kLater = 5;  // seconds between the progress of a run and the log of a later run

std::string text_member(const json::Value& v, const char* name) {
  const json::Value* found = v.object() ? v.find(name) : nullptr;
  return found && found->string() ? *found->string() : "";
}
json::List list_of(const std::vector<double>& values) {
  json::List out;
  for (const double v : values) out.emplace_back(std::isfinite(v) ? json::Value(v) : json::Value());
  return out;
}

}  // namespace

std::map<std::string, Curve> read_curves(const std::filesystem::path& folder) {
  std::map<std::string, Curve> out;
  json::Value all;
  try {
    all = json::parse(read_file_below(folder, kCurvesFile, kLargestCurves));
  } catch (const Error&) { return out; }
  if (!all.object()) return out;
  for (const auto& [key, v] : *all.object()) {
    const json::Value *x = v.object() ? v.find("x") : nullptr, *y = v.object() ? v.find("y") : nullptr;
    if (!x || !y || !x->list() || !y->list() || x->list()->size() != y->list()->size()) continue;
    Curve& c = out[key];
    for (std::size_t i = 0; i < x->list()->size(); ++i) {
      const json::Value &at = (*x->list())[i], &value = (*y->list())[i];
      if (!at.is_number()) continue;
      c.x.push_back(at.number());
      c.y.push_back(value.is_number() ? value.number() : NAN);
    }
  }
  return out;
}

void write_curves(const std::filesystem::path& folder, const std::map<std::string, Curve>& curves) {
  json::Object out;
  for (const auto& [key, c] : curves) out.emplace_back(key, json::Object{{"x", list_of(c.x)}, {"y", list_of(c.y)}});
  write_file(folder / kCurvesFile, json::dump(json::Value(std::move(out))));
}

std::string state_of(const json::Value& progress, double age, double log_age) {
  const std::string state = text_member(progress, "state"), process = text_member(progress, "process");
  const char* const ended[] = {"finished", "failed", "stopped"};
  const bool of_later_run = log_age + kLater < age;
  if (std::find(std::begin(ended), std::end(ended), state) != std::end(ended)) return of_later_run ? "" : state;
  if (state != "running" && state != "paused") return "";
  if (begins_with_tag_of_ended_process(process)) return of_later_run ? "" : "failed";
  if (begins_with_tag_of_this_place(process)) return state;
  const json::Value* interval = progress.find("interval");
  const double silent = interval && interval->is_number() ? std::clamp(5 * interval->number(), 10.0, 86400.0) : 10;
  return age < silent ? state : of_later_run ? "" : "idle";
}

json::Value numbers_of(const json::Value& progress) {
  json::Object out;
  if (!progress.object()) return {};
  for (const char* name :
       {"iteration", "epoch", "length", "rate", "left", "elapsed_time", "processor", "memory", "arrays"}) {
    const json::Value* v = progress.find(name);
    out.emplace_back(name, v && v->is_number() && std::isfinite(v->number()) ? *v : json::Value());
  }
  const std::string unit = text_member(progress, "unit");
  out.emplace_back("unit", unit == "epoch" || unit == "iteration" ? json::Value(unit) : json::Value());
  return out;
}

}  // namespace chainer::live
