// SPDX-License-Identifier: MIT
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
#include "chainer/viewing/plot/figure.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

class KeepGraph;

/// Options of LogReport.
struct LogReportOptions {
  std::vector<std::string> keys = {};  ///< all by default
  Trigger trigger = {1, "epoch"};      ///< when an entry is made; the extension itself runs in every iteration
  std::function<void(json::Object&)> postprocess = {};
  std::optional<std::string> log_name = "log";  ///< may contain {epoch}, {iteration} and other keys; none: no file
};
/// Averages observed values over an interval, adds epoch, iteration and elapsed_time, and writes the list of all
/// entries as JSON. The file is replaced atomically, at most once a second: later entries are written in the first
/// iteration after that second and at the end of the run, so that an entry per iteration does not wait for the disk.
/// Warns about `keys` that were not reported by the end of an epoch, as PrintReport and PlotReport do.
class LogReport : public Extension {
 public:
  explicit LogReport(const LogReportOptions& options = {}) : options_(options) {}
  CHAINER_OTHER_OPTIONS(LogReport, ".keys, .trigger, .postprocess, .log_name");
  void operator()(Trainer& trainer) override;
  void finalize() override { write(); }
  void serialize(Serializer& s) override;
  /// Returns the entries so far.
  virtual const json::List& log() const { return log_; }

 private:
  void write();
  LogReportOptions options_;
  std::filesystem::path unwritten_, written_;  // the file that lacks entries; the last one that was written
  double written_at_ = 0;
  DictSummary summary_;
  json::List log_;
  bool warned_ = false;
};

/// Prints new entries of a LogReport as a table: that of the extension `log_report`, or a LogReport of its own. Throws
/// ValueError if there is no extension of this name, TypeError if it is no LogReport.
class PrintReport : public Extension {
 public:
  explicit PrintReport(std::vector<std::string> entries, std::string log_report = "LogReport", std::FILE* out = stdout);
  PrintReport(std::vector<std::string> entries, LogReport log_report, std::FILE* out = stdout);
  void operator()(Trainer& trainer) override;
  void finalize() override;
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
/// Prints progress and the time left: four lines that are redrawn in a terminal, otherwise occasional plain lines.
class ProgressBar : public Extension {
 public:
  /// Throws ValueError for an update_interval below 1 or a negative bar_length.
  explicit ProgressBar(const ProgressBarOptions& options = {});
  CHAINER_OTHER_OPTIONS(ProgressBar, ".training_length, .update_interval, .bar_length, .out");
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
/// Plots means of reported values over intervals to out/file_name (PNG or SVG). A build without a drawing library
/// writes SVG only and warns about other names. Throws KeyError if x_key was not reported.
class PlotReport : public Extension {
 public:
  explicit PlotReport(std::vector<std::string> y_keys, const PlotReportOptions& options = {})
      : y_keys_(std::move(y_keys)), options_(options) {}
  CHAINER_OTHER_OPTIONS(PlotReport, ".x_key, .trigger, .postprocess, .file_name, .marker, .grid",
                        std::vector<std::string>);
  /// Returns true if this build can draw PNG; SVG is always available.
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
/// Plots mean, standard deviation and percentile bands of parameters over randomly sampled iterations. Targets are a
/// link or several parameters. The constructor throws ValueError if there is nothing to plot.
class VariableStatisticsPlot : public Extension {
 public:
  explicit VariableStatisticsPlot(std::vector<chainer::Parameter> targets,
                                  const VariableStatisticsPlotOptions& options = {});
  CHAINER_OTHER_OPTIONS(VariableStatisticsPlot,
                        ".max_sample_size, .report_data, .report_grad, .plot_mean, .plot_std, .percentile_sigmas, "
                        ".trigger, .file_name, .marker, .grid",
                        std::vector<chainer::Parameter>);
  explicit VariableStatisticsPlot(Link& link, const VariableStatisticsPlotOptions& options = {})
      : VariableStatisticsPlot(link.params(), options) {}
  CHAINER_OTHER_OPTIONS(VariableStatisticsPlot,
                        ".max_sample_size, .report_data, .report_grad, .plot_mean, .plot_std, .percentile_sigmas, "
                        ".trigger, .file_name, .marker, .grid",
                        Link&);
  /// Returns true if this build can draw PNG; SVG is always available.
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

/// Writes the graph of an observed variable once, in Graphviz format. The observation must hold the variable with its
/// graph, so keep_graph_on_report is set until the graph is written. Throws TypeError if `root_name` was not reported
/// as a variable.
class DumpGraph : public Extension {
 public:
  DumpGraph(std::string root_name, std::string out_name, const computational_graph::GraphOptions& options)
      : root_name_(std::move(root_name)), out_name_(std::move(out_name)), options_(options) {}
  CHAINER_OTHER_OPTIONS(DumpGraph, ".variable_style, .function_style, .rankdir, .remove_variable, .show_name",
                        std::string, std::string);
  std::string default_name() const override { return "dump_graph"; }
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
CHAINER_OTHER_OPTIONS_OF(dump_graph, ".variable_style, .function_style, .rankdir, .remove_variable, .show_name",
                         const std::string&, const std::string&);

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
