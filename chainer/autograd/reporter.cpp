// SPDX-License-Identifier: MIT
#include "chainer/autograd/reporter.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "chainer/array/recording/step.h"
#include "chainer/core/json.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {
thread_local Reporter* current = nullptr;
}

bool ReportValue::is_scalar() const {
  if (const Variable* v = variable()) return *v && v->size() == 1 && v->ndim() == 0;
  return !std::holds_alternative<std::string>(value_);
}
double ReportValue::number() const {
  if (const Variable* v = variable()) return v->item<double>();
  if (const auto* w = std::get_if<Weighted>(&value_)) return w->first;
  if (const auto* d = std::get_if<double>(&value_)) return *d;
  throw TypeError("report: expected a number, got the string '", std::get<std::string>(value_), "'");
}
double ReportValue::weight() const {
  const auto* w = std::get_if<Weighted>(&value_);
  return w ? w->second : 1;
}

void Reporter::add_observer(const std::string& name, const void* observer) { names_[observer] = {name, nullptr}; }
void Reporter::add_observer(const std::string& name, const Anchored* observer) {
  names_[observer] = {name, observer ? observer->cell() : nullptr};
}

const std::string* Reporter::name_of(const void* observer) {
  const auto is_there = [](const void* place, const Observer& o) { return !o.cell || *o.cell == place; };
  auto it = names_.find(observer);
  if (it != names_.end() && is_there(it->first, it->second)) return &it->second.name;
  // An object was moved: updates all addresses.
  std::map<const void*, Observer> now;
  for (auto& [place, o] : names_)
    if (!o.cell || *o.cell) now[o.cell ? *o.cell : place] = o;
  names_ = std::move(now);
  it = names_.find(observer);
  return it == names_.end() ? nullptr : &it->second.name;
}

void Reporter::report(const Observation& values, const void* observer) {
  if (recording::any()) [[unlikely]]
    recording::refuse("report() of a reporter is called directly");
  std::string prefix;
  if (observer) {
    const std::string* name = name_of(observer);
    if (!name) throw KeyError("report: the observer was not added to the reporter");
    prefix = *name + "/";
  }
  for (const auto& [key, v] : values) {
    ReportValue stored = v;
    if (const Variable* x = v.variable(); x && *x && !config().keep_graph_on_report) stored = ReportValue(x->array());
    current_->insert_or_assign(prefix + key, std::move(stored));
  }
}

Reporter::Scope::Scope(Reporter& r) : outer_(std::exchange(current, &r)) {}
Reporter::Scope::~Scope() { current = outer_; }
Reporter::ObservationScope::ObservationScope(Reporter& r, Observation& target)
    : reporter_(r), outer_(std::exchange(r.current_, &target)) {}
Reporter::ObservationScope::~ObservationScope() { reporter_.current_ = outer_; }

Reporter* current_reporter() { return current; }
Reporter& get_current_reporter() {
  if (!current) throw RuntimeError("report: no reporter is current");
  return *current;
}

namespace {
// Inside a static graph: each replay reports its own values.
void record_report(const Observation& values, const void* observer) {
  std::vector<std::string> keys;
  Arrays arrays;
  for (const auto& [key, v] : values) {
    const Variable* x = v.variable();
    if (!x || !*x || config().keep_graph_on_report) {
      recording::refuse("a value other than a variable is reported, or a variable with its graph");
      if (current) current->report(values, observer);
      return;
    }
    keys.push_back(key);
    arrays.push_back(x->array());
  }
  recording::record_step(
      "report", {arrays.data(), arrays.size()}, {},
      [keys, observer](std::span<const Array> in, std::span<Array>) {
        if (!current) return;
        Observation o;
        for (std::size_t i = 0; i < keys.size(); ++i) o.emplace(keys[i], ReportValue(in[i].copy()));
        current->report(o, observer);
      },
      false);
}
}  // namespace

void report(const Observation& values, const void* observer) {
  if (recording::any() && recording::here()) [[unlikely]]
    return record_report(values, observer);
  if (current) current->report(values, observer);
}
Reporter::ObservationScope report_scope(Observation& target) { return get_current_reporter().scope(target); }

void Summary::add(double v, double weight) {
  x_ += weight * v;
  x2_ += weight * v * v;
  n_ += weight;
}
void Summary::add(const Array& value, double weight) {
  if (value.device().is_host()) return add(value.item<double>(), weight);
  if (there_x_ && there_x_.device() != value.device()) fetch();
  const Array v = value.astype(float64).reshape({}), x = v * weight, x2 = x * v;
  there_x_ = there_x_ ? there_x_ + x : x;
  there_x2_ = there_x2_ ? there_x2_ + x2 : x2;
  n_ += weight;
}
void Summary::fetch() const {
  if (!there_x_) return;
  x_ += std::exchange(there_x_, {}).item<double>();
  x2_ += std::exchange(there_x2_, {}).item<double>();
}
double Summary::compute_mean() const {
  fetch();
  return x_ / n_;
}
std::pair<double, double> Summary::make_statistics() const {
  fetch();
  const double mean = x_ / n_;
  return {mean, std::sqrt(std::max(0.0, x2_ / n_ - mean * mean))};
}
void Summary::serialize(Serializer& s) {
  fetch();
  s("_x", x_);
  s("_x2", x2_);
  s("_n", n_);
}

void DictSummary::add(const Observation& values) {
  for (const auto& [key, v] : values) {
    if (!v.is_scalar()) continue;
    if (v.variable())
      summaries_[key].add(v.variable()->array(), v.weight());
    else
      summaries_[key].add(v.number(), v.weight());
  }
}
std::map<std::string, double> DictSummary::compute_mean() const {
  std::map<std::string, double> out;
  for (const auto& [key, s] : summaries_) out[key] = s.compute_mean();
  return out;
}
std::map<std::string, double> DictSummary::make_statistics() const {
  std::map<std::string, double> out;
  for (const auto& [key, s] : summaries_) std::tie(out[key], out[key + ".std"]) = s.make_statistics();
  return out;
}
void DictSummary::serialize(Serializer& s) {
  // The format of Chainer 5.4: the names as JSON text, the summaries by number.
  if (s.is_loading() && !s.contains("_names")) return;
  json::List names;
  for (const auto& [key, v] : summaries_) names.emplace_back(key);
  std::string joined = json::dump(json::Value(names));
  s("_names", joined);
  if (s.is_loading()) {
    summaries_.clear();
    const json::Value v = json::parse(joined);
    names = v.list() ? *v.list() : json::List();
  }
  const auto children = s.child("_summaries");
  std::size_t i = 0;
  for (const json::Value& n : names)
    if (n.string()) summaries_[*n.string()].serialize(*children->child(std::to_string(i++)));
}

}  // namespace chainer
