// The page that tells the run (training/report/run.h).
#pragma once
#include <map>
#include <memory>
#include <string>

#include "chainer/core/json.h"
#include "chainer/function_hooks/function_hooks.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

class KeepGraph;

/// Options of HtmlReport.
struct HtmlReportOptions {
  std::string file = "report.html";                   ///< in the trainer's out()
  Trigger trigger = {1, "epoch"};                     ///< when statistics of parameters and gradients are taken
  std::map<std::string, std::string> arguments = {};  ///< of the run: options, seeds
  std::string summary = {};                           ///< to_string(summary(model, inputs)), for instance
  int64_t profiled = 5;                               ///< so many iterations, from the second on, are measured
};

/// Writes a page that tells the run and needs nothing beside it: curves of the LogReport, best and last values, command
/// line, git commit, arguments and library, parameters, graph, time and memory by function, statistics of parameters
/// and gradients, pictures of the folder, and remarks. What is not in the log goes to report.json, from which `chainer
/// report` makes pages of several runs. The page is written when the run ends, and at the trigger if five seconds have
/// passed since. While an iteration is measured nothing is deferred; the others cost nothing. The graph comes from the
/// first iteration's observed loss, as in DumpGraph.
///
///   const extensions::HtmlReport report({.arguments = {{"seed", "0"}}});
class HtmlReport : public Extension {
 public:
  explicit HtmlReport(const HtmlReportOptions& options = {});
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;
  /// Behind the other extensions, whose pictures and entries it shows.
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
  double since_ = 0, written_ = 0, began_ = 0, input_before_ = 0, profile_seconds_ = 0;
  const Trainer* trainer_ = nullptr;
  bool running_ = false;
  std::shared_ptr<KeepGraph> keep_;
  std::shared_ptr<function_hooks::TimerHook> timer_;
  std::shared_ptr<function_hooks::MemoryProfileHook> memory_;
  std::shared_ptr<FunctionHookScope> scope_;
};

}  // namespace training::extensions
}  // namespace chainer
