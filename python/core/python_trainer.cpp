// SPDX-License-Identifier: MIT
#include "python/core/python_trainer.h"

#include <nanobind/stl/string_view.h>

#include "python/core/casters.h"

namespace chainer::python {
namespace {

using training::Trigger;
using training::Unit;

// Returns an attribute that objects of users may lack.
template <class T>
T value_of(nb::handle object, const char* name, T otherwise) {
  const nb::object found = nb::getattr(object, name, nb::none());
  return found.is_none() ? otherwise : nb::cast<T>(nb::borrow<nb::object>(found));
}

double number_of(nb::handle v) { return nb::cast<double>(nb::float_(nb::borrow<nb::object>(v))); }

std::optional<std::pair<double, Unit>> length_of(nb::handle trigger) {
  if (!nb::hasattr(trigger, "get_training_length")) return {};
  const nb::object length = trigger.attr("get_training_length")();
  if (!PyTuple_Check(length.ptr()) || nb::len(length) != 2) return {};
  return std::pair(number_of(length[0]), training::parse_unit(nb::cast<std::string>(length[1])));
}

// Returns a reported value, or nothing for an object that is no number, array or text.
std::optional<ReportValue> report_value(nb::handle v) {
  if (PyUnicode_Check(v.ptr())) return ReportValue(nb::cast<std::string>(v));
  if (PyTuple_Check(v.ptr()) && nb::len(v) == 2) {
    Scalar value = 0., weight = 1.;
    if (!load_scalar(nb::object(v[0]).ptr(), value) || !load_scalar(nb::object(v[1]).ptr(), weight)) return {};
    return ReportValue(value.to<double>(), weight.to<double>());
  }
  Scalar number = 0.;
  if (load_scalar(v.ptr(), number)) return ReportValue(number.to<double>());
  In in;
  if (!load(v.ptr(), in) || !in.get()) return {};
  return ReportValue(in.get());
}

}  // namespace

nb::object PythonSerializer::call(std::string_view key, nb::object value) const {
  return serializer_(nb::cast(key), std::move(value));
}

std::unique_ptr<Serializer> PythonSerializer::child(std::string_view key) {
  const nb::gil_scoped_acquire lock;
  return std::make_unique<PythonSerializer>(nb::object(serializer_[nb::cast(key)]), loading_);
}

bool PythonSerializer::contains(std::string_view key) const {
  if (!loading_) return true;
  const nb::gil_scoped_acquire lock;
  try {
    return !call(key, nb::none()).is_none();
  } catch (const nb::python_error& e) {
    if (e.matches(PyExc_KeyError)) return false;
    throw;
  }
}

void PythonSerializer::array(std::string_view key, Array& value) {
  const nb::gil_scoped_acquire lock;
  const nb::object found = call(key, loading_ || !value ? nb::none() : nb::steal(to_numpy(value)));
  if (!loading_ || found.is_none()) return;
  const nb::object ndarray = nb::module_::import_("numpy").attr("array")(found);
  value = from_numpy(ndarray.ptr());
}
void PythonSerializer::integer(std::string_view key, int64_t& value) {
  const nb::gil_scoped_acquire lock;
  const nb::object found = call(key, nb::int_(value));
  if (loading_ && !found.is_none()) value = nb::cast<int64_t>(nb::int_(found));
}
void PythonSerializer::number(std::string_view key, double& value) {
  const nb::gil_scoped_acquire lock;
  const nb::object found = call(key, nb::float_(value));
  if (loading_ && !found.is_none()) value = number_of(found);
}
void PythonSerializer::flag(std::string_view key, bool& value) {
  const nb::gil_scoped_acquire lock;
  const nb::object found = call(key, nb::bool_(value));
  if (loading_ && !found.is_none()) value = nb::cast<bool>(nb::bool_(found));
}
void PythonSerializer::string(std::string_view key, std::string& value) {
  const nb::gil_scoped_acquire lock;
  const nb::object found = call(key, nb::cast(value));
  if (loading_ && !found.is_none()) value = nb::cast<std::string>(nb::str(found));
}

bool PythonTrigger::operator()(training::Trainer& trainer) {
  const nb::gil_scoped_acquire lock;
  return nb::cast<bool>(nb::bool_(trigger_(dynamic_cast<PythonTrainer&>(trainer).object())));
}
void PythonTrigger::serialize(Serializer& s) {
  const nb::gil_scoped_acquire lock;
  if (nb::hasattr(trigger_, "serialize")) trigger_.attr("serialize")(dynamic_cast<PythonSerializer&>(s).object());
}
std::optional<std::pair<double, Unit>> PythonTrigger::get_training_length() const {
  const nb::gil_scoped_acquire lock;
  return length_of(trigger_);
}

PythonOptimizer::PythonOptimizer(nb::object optimizer) : optimizer_(std::move(optimizer)) {
  if (!value_of<nb::object>(optimizer_, "target", nb::none()).is_none())
    target_ = Kept<Link>(link_ = std::make_shared<PythonLink>(optimizer_.attr("target")));
  refresh();
}

void PythonOptimizer::refresh() {
  const nb::object values = nb::getattr(optimizer_, "hyperparam", nb::none());
  if (values.is_none()) return;
  for (const auto& [name, value] : nb::borrow<nb::dict>(values.attr("get_dict")())) {
    Scalar number = 0.;
    if (!load_scalar(value.ptr(), number)) continue;
    try {
      hyperparam().set(nb::cast<std::string>(name), number.to<double>());
    } catch (const ValueError&) {
      // Python's optimizers accept values that the library refuses, as a negative lr; they cannot be shown.
    }
  }
}

std::string PythonOptimizer::class_name() const {
  const nb::gil_scoped_acquire lock;
  return nb::cast<std::string>(optimizer_.type().attr("__name__"));
}

Link& PythonOptimizer::target() const {
  const nb::gil_scoped_acquire lock;
  link_ = std::make_shared<PythonLink>(optimizer_.attr("target"));
  return *link_;
}

void PythonOptimizer::set(const std::string& name, double value) {
  GradientMethod::set(name, value);  // throws for values that are not allowed
  const nb::gil_scoped_acquire lock;
  optimizer_.attr("hyperparam").attr(name.c_str()) = value;
}

int PythonOptimizer::processes() const {
  const nb::gil_scoped_acquire lock;
  const nb::object communicator = value_of<nb::object>(optimizer_, "communicator", nb::none());
  return communicator.is_none() ? 1 : value_of<int>(communicator, "size", 1);
}

std::shared_ptr<UpdateRule> PythonOptimizer::create_update_rule() {
  throw RuntimeError("an optimizer of Python makes the updates");
}

PythonUpdater::PythonUpdater(nb::handle trainer) : weak_(nb::steal(PyWeakref_NewRef(trainer.ptr(), nullptr))) {
  if (!weak_.is_valid()) throw nb::python_error();
  const nb::dict all = nb::borrow<nb::dict>(attribute("get_all_optimizers")());
  for (const auto& [name, optimizer] : all)
    optimizers_.emplace(nb::cast<std::string>(name),
                        std::make_shared<PythonOptimizer>(nb::borrow<nb::object>(optimizer)));
}

nb::object PythonUpdater::trainer() const {
  nb::object found = weak_();
  if (found.is_none()) throw RuntimeError("the trainer of this extension was destroyed");
  return found;
}

nb::object PythonUpdater::attribute(const char* name) const { return trainer().attr("updater").attr(name); }

void PythonUpdater::refresh() {
  for (const auto& [name, optimizer] : optimizers_) optimizer->refresh();
}

Optimizer& PythonUpdater::get_optimizer(const std::string& name) const {
  const auto it = optimizers_.find(name);
  if (it == optimizers_.end()) throw KeyError("no optimizer named '", name, "'");
  return *it->second;
}
std::map<std::string, Optimizer*> PythonUpdater::get_all_optimizers() const {
  std::map<std::string, Optimizer*> out;
  for (const auto& [name, optimizer] : optimizers_) out.emplace(name, optimizer.get());
  return out;
}
void PythonUpdater::update() { throw RuntimeError("an updater of Python makes the updates"); }
void PythonUpdater::serialize(Serializer&) { throw RuntimeError("an updater of Python saves itself"); }

int64_t PythonUpdater::iteration() const {
  const nb::gil_scoped_acquire lock;
  return nb::cast<int64_t>(nb::int_(attribute("iteration")));
}
int64_t PythonUpdater::epoch() const {
  const nb::gil_scoped_acquire lock;
  return nb::cast<int64_t>(nb::int_(attribute("epoch")));
}
double PythonUpdater::epoch_detail() const {
  const nb::gil_scoped_acquire lock;
  return number_of(attribute("epoch_detail"));
}
std::optional<double> PythonUpdater::previous_epoch_detail() const {
  const nb::gil_scoped_acquire lock;
  const nb::object found = value_of<nb::object>(trainer().attr("updater"), "previous_epoch_detail", nb::none());
  return found.is_none() ? std::nullopt : std::optional(number_of(found));
}
bool PythonUpdater::is_new_epoch() const {
  const nb::gil_scoped_acquire lock;
  return nb::cast<bool>(nb::bool_(attribute("is_new_epoch")));
}
double PythonUpdater::input_seconds() const {
  const nb::gil_scoped_acquire lock;
  return value_of<double>(trainer().attr("updater"), "input_seconds", 0.);
}

PythonTrainer::PythonTrainer(nb::handle trainer) : PythonTrainer(std::make_shared<PythonUpdater>(trainer)) {}
PythonTrainer::PythonTrainer(std::shared_ptr<PythonUpdater> updater)
    : Trainer(Kept<training::Updater>(updater),
              Trigger(std::make_shared<PythonTrigger>(updater->trainer().attr("stop_trigger"))),
              training::TrainerOptions{.out = nb::cast<std::string>(nb::str(updater->trainer().attr("out"))),
                                       .handle_signals = false}),
      updater_(std::move(updater)) {}

void PythonTrainer::refresh() {
  observation.clear();
  for (const auto& [key, value] : nb::borrow<nb::dict>(object().attr("observation")))
    if (std::optional<ReportValue> v = report_value(value))
      observation.insert_or_assign(nb::cast<std::string>(key), *std::move(v));
  updater_->refresh();
}

training::Extension& PythonTrainer::get_extension(const std::string& name) const {
  const nb::gil_scoped_acquire lock;
  const nb::object found = object().attr("get_extension")(name);
  if (!nb::hasattr(found, "log")) throw ValueError("extension ", name, " is not one of the library");
  const nb::object entries = found.attr("log");
  if (nb::len(entries) != log_.entries.size()) {
    json::Value all = json::parse(nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(entries)));
    log_.entries = all.list() ? std::move(*all.list()) : json::List();
  }
  return log_;
}

void PythonTrainer::stop() {
  const nb::gil_scoped_acquire lock;
  object().attr("stop")();
}
// Called again and again while a run is paused, so that Ctrl-C ends the pause.
bool PythonTrainer::is_stopping() const {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return value_of(object(), "is_stopping", false);
}
std::filesystem::path PythonTrainer::take_snapshot() {
  const nb::gil_scoped_acquire lock;
  return nb::cast<std::string>(nb::str(object().attr("take_snapshot")()));
}
double PythonTrainer::elapsed_time() const {
  const nb::gil_scoped_acquire lock;
  return number_of(object().attr("elapsed_time"));
}
bool PythonTrainer::is_completed() const {
  const nb::gil_scoped_acquire lock;
  return value_of(object(), "is_completed", false);
}
bool PythonTrainer::has_failed() const {
  const nb::gil_scoped_acquire lock;
  return value_of(object(), "has_failed", false);
}

}  // namespace chainer::python
