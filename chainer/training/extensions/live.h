// A run that is watched and steered while it goes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace live {
class Site;
}
namespace training::extensions {

/// Obeys the file `commands` in the trainer's folder (the form of ChainerUI, whose extension has this name): requests
/// without answer are carried out behind the iteration, in their order, and answered in the file; a line on standard
/// error tells who changed what. Commands are take_snapshot, adjust_hyperparams ({"hyperparam": {"lr": 0.1}}, with
/// "name" for one of several optimizers), stop (with a snapshot), pause and resume. A request may wait for an iteration
/// or an epoch ("schedule").
///
/// A new run removes what an old one left in the file. A run that goes on from a snapshot has the hyperparameters of
/// the snapshot, and repeats changes that came behind it at their iterations.
///
///   const extensions::CommandsExtension commands;
class CommandsExtension : public Extension {
 public:
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
  int priority() const override { return PRIORITY_LAST; }

 private:
  struct Repeat {
    int64_t iteration;
    json::Value body;
    std::string by;
  };
  void look(Trainer& trainer);
  json::Value execute(Trainer& trainer, const std::string& name, const json::Value& body, const std::string& by);
  json::Value adjust(Trainer& trainer, const json::Value& body, const std::string& by);
  void tell_hyperparameters(const Trainer& trainer) const;
  void wait(Trainer& trainer);
  bool is_due(const Trainer& trainer, const json::Value& command) const;
  std::vector<Repeat> repeats_;
  std::map<std::string, double> changed_;  // "optimizer/name": its value now
  Trainer* trainer_ = nullptr;
  int64_t executed_ = 0;  // commands of the file, answered
  bool waiting_ = false, again_ = false, paused_ = false;
  double next_ = 0;
  std::filesystem::file_time_type seen_{};
};

/// Options of LivePage.
struct LivePageOptions {
  std::string host = "127.0.0.1";                ///< the address to listen at: this machine only
  int port = 0;                                  ///< 0 takes one that is free
  std::map<std::string, std::string> args = {};  ///< of the program, for the page; written to the file `args`
  std::vector<std::string> names = {};           ///< under which a proxy is asked for the page
};
/// Serves the page of `chainer serve` for the trainer's folder from inside the program while it runs, and obeys it as
/// CommandsExtension. The address and the token for changes are printed on standard error. RuntimeError in a build
/// without cpp-httplib.
///
///   const extensions::LivePageOptions options{.port = 8080};
class LivePage : public CommandsExtension {
 public:
  explicit LivePage(const LivePageOptions& options = {}) : options_(options) {}
  void initialize(Trainer& trainer) override;
  void finalize() override;
  /// Whether this build can serve.
  static bool available();
  /// While the trainer runs: "http://127.0.0.1:8080/", and what changes need.
  std::string address() const;
  std::string token() const;

 private:
  LivePageOptions options_;
  std::shared_ptr<live::Site> site_;
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
