// SPDX-License-Identifier: MIT
// Extensions: actions of a trainer other than updates.
#pragma once
#include <functional>
#include <string>

#include "chainer/core/serializer.h"
#include "chainer/training/trigger.h"
#include "chainer/core/other_options.h"

namespace chainer::training {

/// Extensions that write to the observation run first, those that edit it next, those that only read it last.
inline constexpr int PRIORITY_WRITER = 300, PRIORITY_EDITOR = 200, PRIORITY_READER = 100;
/// The priority of extensions that run after snapshots, such as those that take a snapshot on request.
inline constexpr int PRIORITY_LAST = -200;

/// Base of extensions. The virtual functions have default implementations.
class Extension {
 public:
  virtual ~Extension() = default;
  virtual void operator()(Trainer& trainer) = 0;
  /// Called before any extension is initialized; a snapshot may load the state of all extensions here.
  virtual void load(Trainer& trainer) { (void)trainer; }
  /// Called before the loop starts, also after loading a snapshot.
  virtual void initialize(Trainer& trainer) { (void)trainer; }
  /// Called after the loop, also if it ended by an exception.
  virtual void finalize() {}
  virtual void serialize(Serializer& s) { (void)s; }
  virtual Trigger trigger() const { return {1, "iteration"}; }
  virtual int priority() const { return PRIORITY_READER; }
  /// Called by Trainer::extend(); `with_trigger` is true if a trigger was given there, false if trigger() is used.
  virtual void registered(bool with_trigger) { (void)with_trigger; }
  /// The name under which the extension is registered by default: the class name.
  virtual std::string default_name() const;
  /// The name under which the extension is registered; set by the trainer.
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
/// Returns an extension that calls a function.
std::shared_ptr<Extension> make_extension(std::function<void(Trainer&)> f, const MakeExtensionOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(make_extension, ".trigger, .default_name, .priority, .finalizer, .initializer",
                         std::function<void(Trainer&)>);

}  // namespace chainer::training

namespace chainer {
using training::PRIORITY_EDITOR;
using training::PRIORITY_READER;
using training::PRIORITY_WRITER;
}  // namespace chainer
