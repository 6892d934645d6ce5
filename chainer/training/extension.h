// Extensions: what a trainer does beside updating.
#pragma once
#include <functional>
#include <string>

#include "chainer/core/serializer.h"
#include "chainer/training/trigger.h"

namespace chainer::training {

/// Extensions that write into the observation run first, those that change it next, those that only read last.
inline constexpr int PRIORITY_WRITER = 300, PRIORITY_EDITOR = 200, PRIORITY_READER = 100;
/// Behind snapshots, too: what takes one when somebody asks for it.
inline constexpr int PRIORITY_LAST = -200;

/// Base of extensions; the overridables give their defaults.
class Extension {
 public:
  virtual ~Extension() = default;
  virtual void operator()(Trainer& trainer) = 0;
  /// Before any extension is initialized: where a snapshot may load the state of all.
  virtual void load(Trainer& trainer) { (void)trainer; }
  /// Before the loop starts, also after loading a snapshot.
  virtual void initialize(Trainer& trainer) { (void)trainer; }
  /// After the loop, however it ended.
  virtual void finalize() {}
  virtual void serialize(Serializer& s) { (void)s; }
  virtual Trigger trigger() const { return {1, "iteration"}; }
  virtual int priority() const { return PRIORITY_READER; }
  /// Called by Trainer::extend(): whether a trigger was given there, or trigger() counts.
  virtual void registered(bool with_trigger) { (void)with_trigger; }
  /// The class name by default.
  virtual std::string default_name() const;
  /// Set by the trainer: the name the extension was registered under.
  std::string name;
};

/// Options of make_extension().
struct MakeExtensionOptions {
  Trigger trigger = {1, "iteration"};
  std::string default_name = "extension";
  int priority = PRIORITY_READER;
  std::function<void(Trainer&)> finalizer = {};
  std::function<void(Trainer&)> initializer = {};
};
/// An extension made from a function.
std::shared_ptr<Extension> make_extension(std::function<void(Trainer&)> f, const MakeExtensionOptions& options = {});

}  // namespace chainer::training

namespace chainer {
using training::PRIORITY_EDITOR;
using training::PRIORITY_READER;
using training::PRIORITY_WRITER;
}  // namespace chainer
