// SPDX-License-Identifier: MIT
// Monitoring of a run: the options of the training programs, and their extensions.
#pragma once
#include <chainer/chainer.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "options.h"

namespace examples {

struct Watching {
  bool dashboard = false, tensorboard = false, report = false, live = false;
  std::string port;
  std::map<std::string, std::string> args = {};  ///< for the pages: Options::values() after parsing

  void add_to(Options& options) {
    options.add("--dashboard", "curves, table and keys in the terminal", dashboard);
    options.add("--report", "write a page about the run, OUT/report.html", report);
    options.add("--tensorboard", "write event files, for `tensorboard --logdir OUT`", tensorboard);
    options.add_optional(
        "--live", "serve a page of the run that can change, pause and stop it, on this port or a free one", live, port);
  }
  /// Adds the table and progress bar, or the dashboard instead, and the requested extensions. The trainer must have a
  /// LogReport.
  void extend(chainer::Trainer& trainer, const std::vector<std::string>& columns, chainer::training::Trigger printing,
              int64_t update_interval) const {
    using namespace chainer;
    if (dashboard) {
      trainer.extend(extensions::Dashboard({.columns = columns}));
    } else {
      trainer.extend(extensions::PrintReport(columns), std::move(printing));
      trainer.extend(extensions::ProgressBar({.update_interval = update_interval}));
    }
    if (!args.empty()) trainer.extend(extensions::SaveArguments(args));
    if (report) trainer.extend(extensions::HtmlReport({.arguments = args}));
    if (tensorboard) trainer.extend(extensions::TensorBoard({.hparams = hyperparameters()}));
    if (!live) return;
    const bool digits = port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
    if (!digits || std::atoi(port.c_str()) > 65535) throw ValueError("--live: '", port, "' is not a port");
    trainer.extend(extensions::LivePage({.port = std::atoi(port.c_str()), .args = args}));
  }

 private:
  // Folders and monitoring options are not hyperparameters.
  static constexpr const char* kOfTheRun[] = {"out", "resume", "dashboard", "report", "tensorboard", "live"};
  // Numbers as numbers, so that TensorBoard can put them on an axis.
  std::map<std::string, chainer::tensorboard::Value> hyperparameters() const {
    std::map<std::string, chainer::tensorboard::Value> out;
    for (const auto& [name, value] : args) {
      if (std::find(std::begin(kOfTheRun), std::end(kOfTheRun), name) != std::end(kOfTheRun)) continue;
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (!value.empty() && *end == '\0')
        out[name] = number;
      else
        out[name] = value;
    }
    return out;
  }
};

}  // namespace examples
