// SPDX-License-Identifier: MIT
// A report of the run as an HTML page (viewing/report/run.h).
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/function_hooks/function_hooks.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

class KeepGraph;

/// Options of HtmlReport.
struct HtmlReportOptions {
  std::string file = "report.html";                   ///< in the trainer's out()
  Trigger trigger = {1, "epoch"};                     ///< when statistics of parameters and gradients are taken
  std::map<std::string, std::string> arguments = {};  ///< arguments of the run: options, seeds
  std::string summary = {};                           ///< text such as to_string(summary(model, inputs))
  int64_t profiled = 5;                               ///< number of iterations to measure, from the second on
};

/// Writes a self-contained HTML page about the run: curves of the LogReport, best and last values, command line, git
/// commit, arguments and library, parameters, graph, time and memory by function, statistics of parameters and
/// gradients, pictures in the folder, and remarks. Data that are not in the log are written to report.json, from which
/// `chainer report` makes pages of several runs. Writes the page when the run ends, and at the trigger if the last time
/// is at least five seconds ago. Measured iterations use no lazy evaluation; other iterations have no overhead. The
/// graph is that of the observed loss of the first iteration, as in DumpGraph. Throws ValueError for an empty file name
/// or a negative number of iterations.
///
///   const extensions::HtmlReport report({.arguments = {{"seed", "0"}}});
class HtmlReport : public Extension {
 public:
  explicit HtmlReport(const HtmlReportOptions& options = {});
  CHAINER_OTHER_OPTIONS(HtmlReport, ".file, .trigger, .arguments, .summary, .profiled");
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;
  /// Runs after the other extensions, whose pictures and entries the page shows.
  int priority() const override { return 0; }

 private:
  void take_graph(Trainer& trainer);
  void take_statistics(const Trainer& trainer);
  void profile();
  void write();
  HtmlReportOptions options_;
  std::filesystem::path out_;
  json::Value about_ = json::Object{};
  json::Value statistics_ = json::Object{};
  int64_t here_ = 0;  // iterations of this process
  double since_ = 0, written_ = 0, began_ = 0, input_before_ = 0;
  const Trainer* trainer_ = nullptr;
  bool running_ = false;
  std::shared_ptr<KeepGraph> keep_;
  std::vector<double> walls_;  // of measured iterations
  std::vector<std::map<std::string, function_hooks::TimeRecord>> times_;
  std::shared_ptr<function_hooks::TimerHook> timer_;
  std::shared_ptr<function_hooks::MemoryProfileHook> memory_;
  std::shared_ptr<FunctionHookScope> scope_;
};

}  // namespace training::extensions
}  // namespace chainer
