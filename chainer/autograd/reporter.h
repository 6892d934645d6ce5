// SPDX-License-Identifier: MIT
// Reporters: values reported by name during a computation.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/core/kept.h"
#include "chainer/core/serializer.h"

namespace chainer {

/// A reported value: a number, a variable or array, a (value, weight) pair, or a text.
class ReportValue {
 public:
  using Weighted = std::pair<double, double>;
  template <class T>
  requires std::is_arithmetic_v<T> ReportValue(T v) : value_(static_cast<double>(v)) {}
  ReportValue(Variable v) : value_(std::move(v)) {}
  ReportValue(const Array& v) : value_(Variable(v)) {}
  ReportValue(double value, double weight) : value_(Weighted(value, weight)) {}
  ReportValue(std::string s) : value_(std::move(s)) {}
  ReportValue(const char* s) : value_(std::string(s)) {}

  /// Returns true if the value is a single number, with or without weight. number() returns this number; it throws
  /// TypeError for a text.
  bool is_scalar() const;
  double number() const;
  double weight() const;
  const Variable* variable() const { return std::get_if<Variable>(&value_); }

 private:
  friend class Reporter;
  std::variant<double, Variable, Weighted, std::string> value_;
};
using Observation = std::map<std::string, ReportValue>;

/// Collects the values reported by observed objects in the current observation, under "name/key". Objects are
/// identified by address; a link keeps its name when it is moved. A Scope makes a reporter current for the thread.
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  void add_observer(const std::string& name, const void* observer);
  /// As above, for a link (or another Anchored object), which keeps its name when it is moved.
  void add_observer(const std::string& name, const Anchored* observer);
  /// Adds pairs of (suffix, observer); the suffixes are appended to the prefix.
  template <class Pairs>
  void add_observers(const std::string& prefix, const Pairs& observers) {
    for (const auto& [name, observer] : observers) add_observer(prefix + name, observer);
  }
  /// Adds values to the observation. Variables are stored without their graph, unless config().keep_graph_on_report is
  /// set. Throws KeyError if the observer was not added.
  void report(const Observation& values, const void* observer = nullptr);
  /// Returns the observation that receives reports.
  Observation& observation() { return *current_; }

  /// Makes a reporter current for this thread during its lifetime.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(Reporter& r);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Reporter* outer_;
  };
  [[nodiscard]] Scope make_current() { return Scope(*this); }
  /// Redirects reports to `target` during its lifetime.
  class [[nodiscard]] ObservationScope {
   public:
    ObservationScope(Reporter& r, Observation& target);
    ObservationScope(const ObservationScope&) = delete;
    ObservationScope& operator=(const ObservationScope&) = delete;
    ~ObservationScope();

   private:
    Reporter& reporter_;
    Observation* outer_;
  };
  [[nodiscard]] ObservationScope scope(Observation& target) { return {*this, target}; }

 private:
  struct Observer {
    std::string name;
    std::shared_ptr<Anchored*> cell;  // follows the object; null for objects that are not Anchored
  };
  const std::string* name_of(const void* observer);
  std::map<const void*, Observer> names_;
  Observation own_;
  Observation* current_ = &own_;
};

/// Returns this thread's current reporter, or nullptr.
Reporter* current_reporter();
/// Returns this thread's current reporter. Throws RuntimeError if there is none.
Reporter& get_current_reporter();
/// Reports to the current reporter; does nothing if there is none.
void report(const Observation& values, const void* observer = nullptr);
/// As above, for a link: report({{"loss", loss}}, *this).
inline void report(const Observation& values, const Anchored& observer) { report(values, &observer); }
/// Redirects the reports of the current reporter to `target`. Throws RuntimeError if there is no current reporter.
[[nodiscard]] Reporter::ObservationScope report_scope(Observation& target);

/// Running mean and standard deviation of a value. Values on a device are accumulated there until they are read.
class Summary {
 public:
  void add(double value, double weight = 1);
  /// Adds an array of one element.
  void add(const Array& value, double weight = 1);
  double compute_mean() const;
  /// Returns (mean, standard deviation).
  std::pair<double, double> make_statistics() const;
  void serialize(Serializer& s);

 private:
  void fetch() const;

  mutable double x_ = 0, x2_ = 0;
  mutable Array there_x_, there_x2_;  // sums that are still on a device
  double n_ = 0;
};

/// A Summary for each name. Values that are not single numbers are ignored.
class DictSummary {
 public:
  void add(const Observation& values);
  std::map<std::string, double> compute_mean() const;
  /// Returns the mean as "name" and the standard deviation as "name.std".
  std::map<std::string, double> make_statistics() const;
  bool empty() const { return summaries_.empty(); }
  void serialize(Serializer& s);

 private:
  std::map<std::string, Summary> summaries_;
};

}  // namespace chainer
