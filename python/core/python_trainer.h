// SPDX-License-Identifier: MIT
// Trainers of Python, as the extensions of the library see them.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "chainer/training/extensions/reporting.h"
#include "chainer/training/trainer.h"
#include "python/core/python_link.h"

namespace chainer::python {

/// Saves to or loads from a serializer of Python. May be used without the interpreter's lock.
class PythonSerializer : public Serializer {
 public:
  PythonSerializer(nb::object serializer, bool loading) : serializer_(std::move(serializer)), loading_(loading) {}
  bool is_loading() const override { return loading_; }
  std::unique_ptr<Serializer> child(std::string_view key) override;
  bool contains(std::string_view key) const override;
  void array(std::string_view key, Array& value) override;
  void integer(std::string_view key, int64_t& value) override;
  void number(std::string_view key, double& value) override;
  void flag(std::string_view key, bool& value) override;
  void string(std::string_view key, std::string& value) override;
  const nb::object& object() const { return serializer_; }

 private:
  nb::object call(std::string_view key, nb::object value) const;
  nb::object serializer_;
  bool loading_;
};

/// A trigger of Python: an object that is called with the trainer.
class PythonTrigger : public training::TriggerBase {
 public:
  explicit PythonTrigger(nb::object trigger) : trigger_(std::move(trigger)) {}
  bool operator()(training::Trainer& trainer) override;
  void serialize(Serializer& s) override;
  std::optional<std::pair<double, training::Unit>> get_training_length() const override;

 private:
  nb::object trigger_;
};

/// An optimizer of Python: its target, and its hyperparameters that are numbers. It makes no updates.
class PythonOptimizer : public GradientMethod {
 public:
  explicit PythonOptimizer(nb::object optimizer);
  /// Takes over the hyperparameters.
  void refresh();
  std::string class_name() const override;
  /// Returns a link of the target as it is now, which the next call replaces.
  Link& target() const override;
  void set(const std::string& name, double value) override;
  int processes() const override;
  std::shared_ptr<UpdateRule> create_update_rule() override;

 private:
  nb::object optimizer_;
  mutable std::shared_ptr<PythonLink> link_;
};

/// The updater of a trainer of Python, which is not kept alive.
class PythonUpdater : public training::Updater {
 public:
  explicit PythonUpdater(nb::handle trainer);
  /// Returns the trainer. Throws RuntimeError if it was destroyed.
  nb::object trainer() const;
  void refresh();
  Optimizer& get_optimizer(const std::string& name) const override;
  std::map<std::string, Optimizer*> get_all_optimizers() const override;
  void update() override;
  void serialize(Serializer& s) override;
  int64_t iteration() const override;
  int64_t epoch() const override;
  double epoch_detail() const override;
  std::optional<double> previous_epoch_detail() const override;
  bool is_new_epoch() const override;
  double input_seconds() const override;

 private:
  nb::object attribute(const char* name) const;
  nb::object weak_;
  std::map<std::string, std::shared_ptr<PythonOptimizer>> optimizers_;
};

/// A trainer of Python. Its loop is in Python; extensions of the library read and steer it through this class, without
/// the interpreter's lock.
class PythonTrainer : public training::Trainer {
 public:
  explicit PythonTrainer(nb::handle trainer);
  nb::object object() const { return updater_->trainer(); }
  /// Takes over the observation and the hyperparameters.
  void refresh();
  training::Extension& get_extension(const std::string& name) const override;
  void stop() override;
  bool is_stopping() const override;
  std::filesystem::path take_snapshot() override;
  double elapsed_time() const override;
  bool is_completed() const override;
  bool has_failed() const override;

 private:
  // The log of the Python extension of the same name.
  struct Log : training::extensions::LogReport {
    const json::List& log() const override { return entries; }
    json::List entries;
  };
  explicit PythonTrainer(std::shared_ptr<PythonUpdater> updater);
  std::shared_ptr<PythonUpdater> updater_;
  mutable Log log_;
};

}  // namespace chainer::python
