// Values that a computation reports, collected by name.
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

/// A reported value: a number, a variable or array, a (value, weight) pair, or text.
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

  /// Whether it is one number (with or without weight), and that number.
  bool is_scalar() const;
  double number() const;
  double weight() const;
  const Variable* variable() const { return std::get_if<Variable>(&value_); }

 private:
  friend class Reporter;
  std::variant<double, Variable, Weighted, std::string> value_;
};
using Observation = std::map<std::string, ReportValue>;

/// Collects what observed objects report into the current observation, under "name/key". Objects are known by
/// identity; links stay known when they are moved. A scope makes a reporter the thread's current one.
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  void add_observer(const std::string& name, const void* observer);
  /// The same for a link (or anything anchored), which keeps its name when it is moved.
  void add_observer(const std::string& name, const Anchored* observer);
  /// Pairs of (suffix, observer); suffixes are appended to the prefix.
  template <class Pairs>
  void add_observers(const std::string& prefix, const Pairs& observers) {
    for (const auto& [name, observer] : observers) add_observer(prefix + name, observer);
  }
  /// Variables are stored without their graph, unless config().keep_graph_on_report. An observer that was not added is
  /// a KeyError.
  void report(const Observation& values, const void* observer = nullptr);
  /// Where reports go now.
  Observation& observation() { return *current_; }

  /// The thread's current reporter while this lives.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(Reporter& r);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Reporter* outer_;
  };
  Scope make_current() { return Scope(*this); }
  /// Reports go to `target` while this lives.
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
  ObservationScope scope(Observation& target) { return {*this, target}; }

 private:
  struct Observer {
    std::string name;
    std::shared_ptr<Anchored*> cell;  // follows the object; none for objects that are not anchored
  };
  const std::string* name_of(const void* observer);
  std::map<const void*, Observer> names_;
  Observation own_;
  Observation* current_ = &own_;
};

/// This thread's reporter, or nullptr.
Reporter* current_reporter();
/// The same, or RuntimeError.
Reporter& get_current_reporter();
/// Reports to the current reporter; does nothing without one.
void report(const Observation& values, const void* observer = nullptr);
/// The same for a link: report({{"loss", loss}}, *this).
inline void report(const Observation& values, const Anchored& observer) { report(values, &observer); }
/// A scope of the current reporter's observation.
Reporter::ObservationScope report_scope(Observation& target);

/// Running mean and deviation of one value. Values on a device are added up there until somebody asks.
class Summary {
 public:
  void add(double value, double weight = 1);
  /// An array of one element.
  void add(const Array& value, double weight = 1);
  double compute_mean() const;
  /// (mean, standard deviation)
  std::pair<double, double> make_statistics() const;
  void serialize(Serializer& s);

 private:
  void fetch() const;

  mutable double x_ = 0, x2_ = 0;
  mutable Array there_x_, there_x2_;  // what is on a device yet
  double n_ = 0;
};

/// A Summary for each name. Values that are not one number are skipped.
class DictSummary {
 public:
  void add(const Observation& values);
  std::map<std::string, double> compute_mean() const;
  /// name and name.std
  std::map<std::string, double> make_statistics() const;
  bool empty() const { return summaries_.empty(); }
  void serialize(Serializer& s);

 private:
  std::map<std::string, Summary> summaries_;
};

}  // namespace chainer
