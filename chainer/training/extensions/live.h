// SPDX-License-Identifier: MIT
// Watching and controlling a run while it trains.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/training/extensions/progress_file.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace live {
class Site;
}
namespace training::extensions {

/// Executes commands from the file `commands` in the trainer's folder (the format of ChainerUI, whose extension has
/// this name): after each iteration, executes requests without a response in order and writes their responses to the
/// file; prints changes and their author to standard error. Commands are take_snapshot, adjust_hyperparams
/// ({"hyperparam": {"lr": 0.1}}, with "name" for one of several optimizers), stop (with a snapshot), pause and resume.
/// A request may be scheduled for an iteration or an epoch ("schedule"); a schedule in the past is an error in the
/// response.
///
/// Also reports the run's progress, speed, load and state (running, paused, finished, failed, stopped) about once a
/// second to the file `progress`, and the values of each iteration of the first epochs to the file `curves`; pages show
/// both.
///
/// A new run removes the requests of an old one. A run that is resumed from a snapshot has the hyperparameters of the
/// snapshot, and repeats later changes at their iterations.
///
/// If several processes train one model, all must execute the commands: see share() and chainermn::steer_together().
/// initialize() throws RuntimeError if the optimizer is that of several processes and share() was not called.
///
///   const extensions::CommandsExtension commands;
class CommandsExtension : public Extension {
 public:
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;
  int priority() const override { return PRIORITY_LAST; }
  /// Connects processes that train together: all call `send` when the run begins and after each iteration, with a list
  /// of requests as JSON; `send` returns the list of the process that reads the file (`reads`). Only this process
  /// writes responses and snapshots.
  void share(bool reads, std::function<std::string(const std::string&)> send);

 protected:
  /// Called when the run is paused and when it is resumed.
  virtual void tell_paused(bool paused) { (void)paused; }
  Trainer* trainer_ = nullptr;

 private:
  struct Repeat {
    int64_t index, iteration;
    json::Value body;
    std::string by;
  };
  void look(Trainer& trainer);
  json::List shared(const std::function<json::List()>& f) const;
  json::List due(const Trainer& trainer);
  json::Object carry_out(Trainer& trainer, const json::Value& command);
  void answer(const Trainer& trainer, json::Object answers, double seconds);
  json::Value execute(Trainer& trainer, const std::string& name, const json::Value& body, const std::string& by);
  json::Value adjust(Trainer& trainer, const json::Value& body, const std::string& by);
  void tell_hyperparameters(const Trainer& trainer) const;
  void wait(Trainer& trainer);
  std::vector<Repeat> repeats_;
  std::map<std::string, double> changed_;  // "optimizer/name": the current value
  std::set<int64_t> done_;                 // positions in the file of commands that the run has executed
  json::List waiting_;                     // schedules of pending requests
  json::Object unanswered_;                // responses that could not be written
  bool known_ = true;                      // done_ was loaded from the snapshot
  bool reads_ = true, again_ = false, paused_ = false;
  std::function<std::string(const std::string&)> send_;
  double next_ = 0;
  std::filesystem::file_time_type seen_{};
  ProgressFile progress_;
};

/// Writes the arguments of the program to the file `args` in the trainer's folder when the run begins, so that
/// `chainer serve` finds runs by their arguments and `chainer report` shows them.
///
///   const extensions::SaveArguments arguments({{"lr", "0.01"}});
class SaveArguments : public Extension {
 public:
  explicit SaveArguments(std::map<std::string, std::string> arguments) : arguments_(std::move(arguments)) {}
  SaveArguments(std::initializer_list<std::pair<const std::string, std::string>> arguments) : arguments_(arguments) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer&) override {}

 private:
  std::map<std::string, std::string> arguments_;
};

/// Options of LivePage.
struct LivePageOptions {
  std::string host = "127.0.0.1";                ///< the address to listen on; by default only this machine
  int port = 0;                                  ///< 0 chooses a free port
  std::map<std::string, std::string> args = {};  ///< arguments of the program; written to the file `args`
  std::vector<std::string> names = {};           ///< host names under which a proxy serves the page
};
/// Serves the page of `chainer serve` for the trainer's folder from within the program while it trains, and executes
/// its commands as CommandsExtension. Prints the address and the token for changes to standard error. initialize()
/// throws RuntimeError in a build without libmicrohttpd.
///
///   const extensions::LivePageOptions options{.port = 8080};
class LivePage : public CommandsExtension {
 public:
  explicit LivePage(const LivePageOptions& options = {}) : options_(options) {}
  CHAINER_OTHER_OPTIONS(LivePage, ".host, .port, .args, .names");
  void initialize(Trainer& trainer) override;
  void finalize() override;
  /// Returns true if this build has libmicrohttpd.
  static bool available();
  /// Return the address, as "http://127.0.0.1:8080/", and the token for changes. Throw RuntimeError unless the trainer
  /// runs.
  std::string address() const;
  std::string token() const;

 protected:
  void tell_paused(bool paused) override;

 private:
  LivePageOptions options_;
  std::shared_ptr<live::Site> site_;
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
