// SPDX-License-Identifier: MIT
// Models of Python as links of the library, for exporters and schedules.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/links/link.h"
#include "python/core/bridge.h"

namespace chainer::python {

/// During its lifetime, from_numpy() returns the same array for this ndarray, so that the library recognizes persistent
/// values of links.
class Pinned {
 public:
  explicit Pinned(nb::object ndarray);
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();
  const nb::object& ndarray() const { return ndarray_; }
  /// Returns the array; another one after the ndarray got another shape in place.
  Array& array();

 private:
  nb::object ndarray_;
  Array array_;
};

/// A link whose parameters and persistent arrays are those of a Python object with namedparams() and namedlinks(), and
/// whose call is a call of the object. Objects without these methods (functions) have no parameters. Persistent numbers
/// are not members: calls of Python code that depend on them are not seen.
class PythonLink : public Link {
 public:
  explicit PythonLink(nb::object model);
  ~PythonLink() override;
  /// Calls the object with Variables. The result is a Variable, or a tuple, list or dict of Variables.
  Variables call(const Variables& x) override;
  using Link::call;
  /// Returns a link of object.copy('share'), whose attributes change independently. Throws TypeError for an object
  /// without this method.
  std::shared_ptr<Link> clone(CopyMode mode) const override;
  void visit(MemberVisitor& v) override;
  /// Returns true if the parameters and persistent arrays are still those of the object; takes over arrays that
  /// parameters were given since then.
  bool refresh();

 protected:
  /// Replaces the object by one that has its place, or by None between calls, and refreshes.
  void attach(nb::object model) {
    model_ = std::move(model);
    if (!model_.is_none()) (void)refresh();
  }

 private:
  struct Parameters {
    std::string name;
    nb::object object;
    chainer::Parameter parameter;
  };
  struct Persistent {
    std::string name;
    std::unique_ptr<Pinned> value;
  };
  void collect(std::vector<std::pair<std::string, nb::object>>& parameters,
               std::vector<std::pair<std::string, nb::object>>& persistents) const;
  nb::object model_;
  std::vector<Parameters> parameters_;
  std::vector<Persistent> persistents_;
};

/// Returns the Variables of a result of Python code: a Variable, or a tuple, list or dict of results. Throws TypeError,
/// which names `what`, for anything else.
Variables flat(nb::handle result, const char* what);

}  // namespace chainer::python
