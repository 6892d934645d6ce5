// Logs, tables, progress, plots and graphs (manual: "Extensions").
#pragma once
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "chainer/autograd/computational_graph.h"
#include "chainer/core/json.h"
#include "chainer/training/plot/figure.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

class KeepGraph;

/// Options of LogReport.
struct LogReportOptions {
  std::vector<std::string> keys = {};  ///< all by default
  Trigger trigger = {1, "epoch"};      ///< when an entry is made; the extension itself runs every iteration
  std::function<void(json::Object&)> postprocess = {};
  std::optional<std::string> log_name = "log";  ///< may contain {epoch} and {iteration}; none writes no file
};
/// Averages what was observed over an interval, adds epoch, iteration and elapsed_time, and writes the list of all
/// entries as JSON. A key that was not reported by the end of an epoch is a warning; so it is in the next three.
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
  bool warned_ = false;
};

/// Prints new entries of a LogReport as a table. The log is the extension of that name, or one of its own.
class PrintReport : public Extension {
 public:
  explicit PrintReport(std::vector<std::string> entries, std::string log_report = "LogReport", std::FILE* out = stdout);
  PrintReport(std::vector<std::string> entries, LogReport log_report, std::FILE* out = stdout);
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  std::vector<std::string> entries_;
  std::string log_report_name_;
  std::shared_ptr<LogReport> own_;
  std::FILE* out_;
  void warn_of_missing(const json::List& log);
  std::size_t printed_ = 0;
  bool header_done_ = false, warned_ = false;
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
  /// An update_interval below 1 or a negative bar_length is a ValueError.
  explicit ProgressBar(const ProgressBarOptions& options = {});
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
/// Plots interval means of reported values into out/file_name (PNG or SVG). A build without a drawing library writes
/// SVG only, and a warning for other names.
class PlotReport : public Extension {
 public:
  explicit PlotReport(std::vector<std::string> y_keys, const PlotReportOptions& options = {})
      : y_keys_(std::move(y_keys)), options_(options) {}
  /// Whether this build can draw PNG; SVG it always can.
  static bool available() { return plot::available(); }
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  std::vector<std::string> y_keys_;
  std::set<std::string> reported_;
  bool warned_ = false;
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
  explicit VariableStatisticsPlot(std::vector<chainer::Parameter> targets,
                                  const VariableStatisticsPlotOptions& options = {});
  explicit VariableStatisticsPlot(Link& link, const VariableStatisticsPlotOptions& options = {})
      : VariableStatisticsPlot(link.params(), options) {}
  /// Whether this build can draw PNG; SVG it always can.
  static bool available() { return plot::available(); }
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
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
  std::shared_ptr<KeepGraph> keep_;
  bool called_ = false;
};
DumpGraph dump_graph(const std::string& root_name, const std::string& out_name = "cg.dot",
                     const computational_graph::GraphOptions& options = {});

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
