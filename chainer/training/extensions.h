// The trainer's extensions (manual: "Extensions").
#pragma once
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/computational_graph.h"
#include "chainer/core/json.h"
#include "chainer/serializers/serializers.h"
#include "chainer/training/plot/figure.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

// ------------------------------------------------------------------------------------------- evaluation, statistics

class Evaluator;
/// Options of Evaluator, in the manual's order.
struct EvaluatorOptions {
  Converter converter = {};
  std::optional<Device> device = {};
  std::function<void(Evaluator&)> eval_hook = {};
  std::function<void(const Variables&)> eval_func = {};  ///< the target by default
};
/// Sweeps an iterator without backprop and with train off, and reports the means (each batch has weight 1) under
/// "validation/". Priority 300, once an epoch.
class Evaluator : public Extension {
 public:
  Evaluator(NamedKept<Iterator> iterator, NamedKept<Link> target, const EvaluatorOptions& options = {});
  void operator()(Trainer& trainer) override;
  /// Without a trainer: the means by name, without prefix.
  std::map<std::string, double> run();
  virtual std::map<std::string, double> evaluate();
  Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER; }
  std::string default_name() const override { return "validation"; }
  void finalize() override;
  Iterator& get_iterator(const std::string& n) const { return iterators_.get(n); }
  Link& get_target(const std::string& n) const { return targets_.get(n); }

 private:
  std::map<std::string, double> run_as(const std::string& prefix);
  NamedKept<Iterator> iterators_;
  NamedKept<Link> targets_;
  EvaluatorOptions options_;
};

/// Reports the sum of one value divided by that of another over an interval; iterations lacking either do not count.
class MicroAverage : public Extension {
 public:
  MicroAverage(std::string numerator_key, std::string denominator_key, std::string result_key, Trigger interval = {1, "epoch"});
  void operator()(Trainer& trainer) override;
  int priority() const override { return PRIORITY_EDITOR; }
  void serialize(Serializer& s) override;

 private:
  std::string numerator_key_, denominator_key_, result_key_;
  Trigger interval_;
  double numerator_ = 0, denominator_ = 0;
};

/// RuntimeError as soon as a parameter has a NaN or an infinity.
class FailOnNonNumber : public Extension {
 public:
  void operator()(Trainer& trainer) override;
};

/// Statistics of parameters and gradients, averaged until the trigger: keys "{prefix/}{link}/{path}/{data|grad}/{name}".
class ParameterStatistics : public Extension {
 public:
  using Statistic = std::function<std::vector<double>(const Array&)>;
  struct Options {
    std::map<std::string, Statistic> statistics = default_statistics();
    bool report_params = true, report_grads = true;
    std::string prefix = {};
    Trigger trigger = {1, "epoch"};
    bool skip_nan_params = false;
  };
  ParameterStatistics(std::vector<Kept<Link>> links, const Options& options);
  explicit ParameterStatistics(Kept<Link> link) : ParameterStatistics(std::vector<Kept<Link>>{std::move(link)}, Options()) {}
  /// mean, std, min, max, zeros, percentile (at 0, 1, 2 and 3 sigma).
  static std::map<std::string, Statistic> default_statistics();
  void register_statistics(const std::string& name, Statistic f) { options_.statistics[name] = std::move(f); }
  void operator()(Trainer& trainer) override;
  int priority() const override { return PRIORITY_WRITER; }

 private:
  std::vector<Kept<Link>> links_;
  Options options_;
  DictSummary summary_;
};

/// Puts a value into the observation: once an epoch, priority 300.
std::shared_ptr<Extension> observe_value(const std::string& observation_key, std::function<double(Trainer&)> target_func);
/// The learning rate of an optimizer (Adam's is its corrected step size).
std::shared_ptr<Extension> observe_lr(const std::string& optimizer_name = "main", const std::string& observation_key = "lr");

// ------------------------------------------------------------------------------------------- schedules

/// Base of schedules: each call is one step; `value(t)` is set on the optimizer's hyperparameter.
class Shift : public Extension {
 public:
  Shift(std::string attr, Optimizer* optimizer) : attr_(std::move(attr)), optimizer_(optimizer) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 protected:
  /// The value before the first call, from what the optimizer has.
  virtual double first(double current) = 0;
  /// The value after call number t (from 1); nothing leaves it alone.
  virtual std::optional<double> value(int64_t t) = 0;
  virtual void serialize_more(Serializer& s) { (void)s; }
  Optimizer& optimizer(Trainer& trainer) const;
  int64_t t_ = 0;
  std::optional<double> last_value_;

 private:
  std::string attr_;
  Optimizer* optimizer_;
};
/// What most schedules may be given; an optimizer is borrowed, the trainer's main one by default.
struct ShiftOptions {
  std::optional<double> init = {};    ///< the optimizer's value by default
  std::optional<double> target = {};  ///< the value stops here
  Optimizer* optimizer = nullptr;
};
/// init rate^t
class ExponentialShift : public Shift {
 public:
  ExponentialShift(std::string attr, double rate, const ShiftOptions& options = {});

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double rate_, init_ = 0;
  ShiftOptions options_;
};
/// init (1 + gamma t)^-power
class InverseShift : public Shift {
 public:
  InverseShift(std::string attr, double gamma, double power, const ShiftOptions& options = {});

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double gamma_, power_, init_ = 0;
  ShiftOptions options_;
};
/// From the first to the second value between two times.
class LinearShift : public Shift {
 public:
  LinearShift(std::string attr, std::pair<double, double> value_range, std::pair<double, double> time_range, Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), values_(value_range), times_(time_range) {}

 protected:
  double first(double) override { return values_.first; }
  std::optional<double> value(int64_t t) override;

 private:
  std::pair<double, double> values_, times_;
};
/// init gamma^k after k of the given steps, at most one a call.
class MultistepShift : public Shift {
 public:
  MultistepShift(std::string attr, double gamma, std::vector<int64_t> step_value, double init, Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), gamma_(gamma), steps_(std::move(step_value)), init_(init) {}

 protected:
  double first(double) override { return init_; }
  std::optional<double> value(int64_t t) override;
  void serialize_more(Serializer& s) override;

 private:
  double gamma_;
  std::vector<int64_t> steps_;
  double init_;
  int64_t current_step_ = 0;
};
/// init max(1 - t / max_count, 0)^rate
class PolynomialShift : public Shift {
 public:
  PolynomialShift(std::string attr, double rate, double max_count, const ShiftOptions& options = {})
      : Shift(std::move(attr), options.optimizer), rate_(rate), max_count_(max_count), options_(options) {}

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double rate_, max_count_, init_ = 0;
  ShiftOptions options_;
};
/// From warmup_start to init over warmup_iter calls, then left alone.
class WarmupShift : public Shift {
 public:
  WarmupShift(std::string attr, std::optional<double> warmup_start, int64_t warmup_iter, double init, Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), given_start_(warmup_start), n_(warmup_iter), init_(init) {}

 protected:
  double first(double current) override { return start_ = given_start_.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  std::optional<double> given_start_;
  double start_ = 0;
  int64_t n_;
  double init_;
};
/// init gamma^floor(t / step)
class StepShift : public Shift {
 public:
  StepShift(std::string attr, double gamma, int64_t step, const ShiftOptions& options = {})
      : Shift(std::move(attr), options.optimizer), gamma_(gamma), step_(step), options_(options) {}

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double gamma_;
  int64_t step_;
  double init_ = 0;
  ShiftOptions options_;
};

// ------------------------------------------------------------------------------------------- reporting

/// Options of LogReport.
struct LogReportOptions {
  std::vector<std::string> keys = {};  ///< all by default
  Trigger trigger = {1, "epoch"};      ///< when an entry is made; the extension itself runs every iteration
  std::function<void(json::Object&)> postprocess = {};
  std::optional<std::string> log_name = "log";  ///< may contain {epoch} and {iteration}; none writes no file
};
/// Averages what was observed over an interval, adds epoch, iteration and elapsed_time, and writes the list of all
/// entries as JSON.
class LogReport : public Extension {
 public:
  explicit LogReport(const LogReportOptions& options = {}) : options_(options) {}
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
  /// The entries so far.
  const json::List& log() const { return log_; }

 private:
  LogReportOptions options_;
  DictSummary summary_;
  json::List log_;
};

/// Prints new entries of a LogReport as a table. The log is the extension of that name, or one of its own.
class PrintReport : public Extension {
 public:
  explicit PrintReport(std::vector<std::string> entries, std::string log_report = "LogReport", std::FILE* out = stdout)
      : entries_(std::move(entries)), log_report_name_(std::move(log_report)), out_(out) {}
  PrintReport(std::vector<std::string> entries, LogReport log_report, std::FILE* out = stdout)
      : entries_(std::move(entries)), own_(std::make_shared<LogReport>(std::move(log_report))), out_(out) {}
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  std::vector<std::string> entries_;
  std::string log_report_name_;
  std::shared_ptr<LogReport> own_;
  std::FILE* out_;
  std::size_t printed_ = 0;
  bool header_done_ = false;
};

/// Options of ProgressBar, in the manual's order.
struct ProgressBarOptions {
  Trigger training_length = {};  ///< the trainer's stop trigger by default
  int64_t update_interval = 100;
  int bar_length = 50;
  std::FILE* out = stdout;
};
/// Progress and the time left: four lines that redraw themselves in a terminal, else a plain line now and then.
class ProgressBar : public Extension {
 public:
  explicit ProgressBar(const ProgressBarOptions& options = {}) : options_(options) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;

 private:
  ProgressBarOptions options_;
  std::deque<std::pair<double, double>> recent_;  // (iteration, seconds)
  bool terminal_ = false;
  double last_line_ = 0;
};

/// Options of PlotReport.
struct PlotReportOptions {
  std::string x_key = "iteration";
  Trigger trigger = {1, "epoch"};
  std::function<void(plot::Figure&)> postprocess = {};
  std::string file_name = "plot.png";
  std::string marker = "x";
  bool grid = true;
};
/// Plots interval means of reported values into out/file_name (PNG or SVG). Does nothing, but for a warning, in a
/// build without a drawing library.
class PlotReport : public Extension {
 public:
  explicit PlotReport(std::vector<std::string> y_keys, const PlotReportOptions& options = {})
      : y_keys_(std::move(y_keys)), options_(options) {}
  static bool available() { return plot::available(); }
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  std::vector<std::string> y_keys_;
  PlotReportOptions options_;
  DictSummary summary_;
  std::map<std::string, std::vector<std::pair<double, double>>> data_;
};

/// Options of VariableStatisticsPlot, in the manual's order.
struct VariableStatisticsPlotOptions {
  int64_t max_sample_size = 1000;
  bool report_data = true, report_grad = true, plot_mean = true, plot_std = true;
  std::vector<double> percentile_sigmas = {0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100};
  Trigger trigger = {1, "epoch"};
  std::string file_name = "statistics.png";
  std::string marker = "";
  bool grid = true;
};
/// Mean, deviation and percentile bands of parameters over the iterations, sampled at random. Targets are one link or
/// several parameters.
class VariableStatisticsPlot : public Extension {
 public:
  explicit VariableStatisticsPlot(std::vector<chainer::Parameter> targets, const VariableStatisticsPlotOptions& options = {});
  explicit VariableStatisticsPlot(Link& link, const VariableStatisticsPlotOptions& options = {})
      : VariableStatisticsPlot(link.params(), options) {}
  static bool available() { return plot::available(); }
  void operator()(Trainer& trainer) override;
  void save_plot(const std::filesystem::path& file) const;

 private:
  struct Row {  // one iteration
    std::vector<double> percentiles;
    double mean, std;
  };
  std::vector<chainer::Parameter> targets_;
  VariableStatisticsPlotOptions options_;
  std::vector<int64_t> iterations_;
  std::vector<Row> rows_[2];  // data, gradient
  int64_t seen_ = 0;
};

/// Writes the graph behind an observed variable once, as Graphviz text. The observation must hold the variable with its
/// graph: keep_graph_on_report is turned on until the graph is written.
class DumpGraph : public Extension {
 public:
  DumpGraph(std::string root_name, std::string out_name, const computational_graph::GraphOptions& options)
      : root_name_(std::move(root_name)), out_name_(std::move(out_name)), options_(options) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;

 private:
  std::string root_name_, out_name_;
  computational_graph::GraphOptions options_;
  std::optional<bool> original_flag_;
  bool called_ = false;
};
DumpGraph dump_graph(const std::string& root_name, const std::string& out_name = "cg.dot",
                     const computational_graph::GraphOptions& options = {});

// ------------------------------------------------------------------------------------------- snapshots

/// Options of snapshot() and snapshot_object().
struct SnapshotOptions {
  std::string filename = "snapshot_iter_{.updater.iteration}";
  bool compression = true;
  /// Keep only this many of the newest snapshots that this run and its predecessors wrote; all by default.
  std::optional<int64_t> n_retains = {};
  /// Load the newest whole snapshot in the output folder before training; damaged ones are passed over with a warning.
  bool autoload = false;
};
/// Saves the trainer once an epoch, after everything else (priority -100), through a temporary file.
class Snapshot : public Extension {
 public:
  explicit Snapshot(const SnapshotOptions& options, std::function<void(Trainer&, Serializer&)> target = {})
      : options_(options), target_(std::move(target)) {}
  void load(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }
  std::string default_name() const override { return target_ ? "snapshot_object" : "snapshot"; }

 private:
  SnapshotOptions options_;
  std::function<void(Trainer&, Serializer&)> target_;
};
Snapshot snapshot(const SnapshotOptions& options = {});
/// Saves any object with serialize().
template <Serializable T>
Snapshot snapshot_object(T& target, const std::string& filename, SnapshotOptions options = {}) {
  options.filename = filename;
  return Snapshot(options, [&target](Trainer&, Serializer& s) { target.serialize(s); });
}
/// Loads the newest whole snapshot of the trainer in a folder; returns its path, or nothing if there is none.
std::optional<std::filesystem::path> load_newest_snapshot(Trainer& trainer, const std::filesystem::path& folder,
                                                          const std::string& filename = SnapshotOptions().filename);

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
