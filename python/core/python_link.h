// SPDX-License-Identifier: MIT
// Models of Python as links of the library, for exporters and schedules.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/links/link.h"
#include "chainer/serializers/weight_names.h"
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

/// A part of a model: a Python link, which is not called through this class.
class PythonPart : public Link, public serializers::ForeignLayer {
 public:
  explicit PythonPart(nb::handle link);
  void visit(MemberVisitor& v) override;
  serializers::WeightLayer weight_layer() const override;
  /// Returns the name of the link's class, of the user or of the library.
  const std::string& type() const { return type_; }
  /// Returns the part at a path ("/", "/l1"), which is added if it does not exist.
  PythonPart& at(const std::string& path, nb::handle link);

 protected:
  friend class PythonLink;
  std::string type_, class_;  // the class, and the class of the library that it is or is derived from
  int64_t layers_ = 1;
  std::vector<std::pair<std::string, chainer::Parameter*>> parameters_;
  std::vector<std::pair<std::string, Pinned*>> persistents_;
  std::vector<std::pair<std::string, std::unique_ptr<PythonPart>>> children_;
};

/// A link whose parameters and persistent arrays are those of a Python object with namedparams() and namedlinks(), and
/// whose call is a call of the object. Objects without these methods (functions) have no parameters. Persistent numbers
/// are not members: calls of Python code that depend on them are not seen.
class PythonLink : public PythonPart {
 public:
  explicit PythonLink(nb::object model);
  ~PythonLink() override;
  /// Calls the object with Variables. The result is a Variable, or a tuple, list or dict of Variables.
  Variables call(const Variables& x) override;
  using Link::call;
  /// Returns a link of object.copy('share'), whose attributes change independently. Throws TypeError for an object
  /// without this method.
  std::shared_ptr<Link> clone(CopyMode mode) const override;
  /// Gives the Python parameters that had no array those of this link.
  void initialize_objects();
  /// Takes over arrays that the parameters were given.
  void refresh_arrays();
  /// Drops the reference to the object. call() and clone() must not be called afterwards.
  void detach() { model_ = nb::object(); }

 private:
  struct Object {
    std::string path;
    nb::object object;
    chainer::Parameter parameter;
  };
  using Named = std::vector<std::pair<std::string, nb::object>>;
  void collect(Named& links, Named& parameters, Named& persistents) const;
  nb::object model_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<std::unique_ptr<Pinned>> pinned_;
};

/// Returns the Variables of a result of Python code: a Variable, or a tuple, list or dict of results. Throws TypeError,
/// which names `what`, for anything else.
Variables flat(nb::handle result, const char* what);

}  // namespace chainer::python
