// SPDX-License-Identifier: MIT
// The attributes of a model's links, to detect changes between calls.
#pragma once
#include <vector>

#include "python/core/bridge.h"

namespace chainer::python {

/// The attributes of links, parents before their children, except `schedule_manager`: their identities, and those of
/// the elements of containers. Keeps numbers, texts and the like alive, so that their identity is their value, but no
/// other objects.
class LinkState {
 public:
  LinkState() = default;
  explicit LinkState(const nb::list& links);
  /// Returns true if no attribute was set, removed or replaced since then, and no container changed.
  bool holds() const;

 private:
  struct Attribute {
    PyObject *name, *value;
    std::vector<PyObject*> elements;  // of a container
  };
  struct State {
    PyObject* link;  // not owned: an attribute of its parent, which is checked first
    std::vector<Attribute> attributes;
  };
  std::vector<State> links_;
  std::vector<nb::object> kept_;
};

}  // namespace chainer::python
