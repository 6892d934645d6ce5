// SPDX-License-Identifier: MIT
// Attributes of function nodes by name, for exporters of graphs.
#pragma once
#include <any>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "chainer/autograd/variable.h"
#include "chainer/core/error.h"
#include "chainer/core/system/type_name.h"

namespace chainer {

/// Names and values, set by calls: attributes("axis", axis)("eps", eps).
class NodeAttributes {
 public:
  template <class T>
  NodeAttributes& operator()(std::string_view name, T value) {
    values_.insert_or_assign(std::string(name), std::any(std::move(value)));
    return *this;
  }
  /// Returns a value of type T. Throws KeyError for an unknown name, TypeError if the value has another type.
  template <class T>
  const T& get(std::string_view name) const {
    const auto it = values_.find(name);
    if (it == values_.end()) throw KeyError("the function has no attribute '", name, "'");
    const T* const value = std::any_cast<T>(&it->second);
    if (!value) throw TypeError("attribute '", name, "' is a ", type_name(it->second.type()));
    return *value;
  }
  bool contains(std::string_view name) const { return values_.contains(name); }
  const std::map<std::string, std::any, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, std::any, std::less<>> values_;
};

/// A second base class for function nodes with attributes, that is, parameters other than the inputs:
///   struct FlipNode : FunctionNode, Described { ... void describe(NodeAttributes& a) const override { a("axis", axis);
///   } };
struct Described {
  virtual ~Described() = default;
  virtual void describe(NodeAttributes& attributes) const = 0;
};

/// Receives calls of functions that are composed of other functions, as if each were one function.
class CompositeRecorder {
 public:
  virtual ~CompositeRecorder() = default;
  virtual void record(std::string_view label, const Variables& inputs, NodeAttributes attributes,
                      const Variable& output) = 0;
  /// The recorder of this thread, or nullptr.
  inline static constinit thread_local CompositeRecorder* current = nullptr;
};

/// Returns `output`, the result of a composed function on the inputs. Reports the call to the current
/// CompositeRecorder, if there is one, with the attributes that `describe` sets.
///   return composite("HardSigmoid", {x}, y);
template <class Describe>
Variable composite(std::string_view label, std::initializer_list<const Variable*> inputs, Variable output,
                   const Describe& describe) {
  if (CompositeRecorder* const recorder = CompositeRecorder::current) [[unlikely]] {
    Variables in;
    for (const Variable* v : inputs) in.push_back(*v);
    NodeAttributes attributes;
    describe(attributes);
    recorder->record(label, in, std::move(attributes), output);
  }
  return output;
}

}  // namespace chainer
