// SPDX-License-Identifier: MIT
// Operations on the values of members: copying between links and between devices.
#include <map>
#include <variant>

#include "chainer/array/backend.h"
#include "chainer/links/link.h"

namespace chainer {
namespace {
using PersistentValue = std::variant<Array*, int64_t*, int*, double*, float*, bool*, std::string*>;

// The persistent values of a link and its children by path.
std::map<std::string, PersistentValue> persistent_values(const Link& l) {
  struct Collect : MemberVisitor {
    std::map<std::string, PersistentValue> found;
    std::string path;
    void persistent(const std::string& name, Array& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, int64_t& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, int& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, double& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, float& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, bool& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, std::string& v) override { found[path + "/" + name] = &v; }
    void link(const std::string& name, Link& child) override {
      const std::string outer = path;
      path += "/" + name;
      child.visit(*this);
      path = outer;
    }
  } collect;
  const_cast<Link&>(l).visit(collect);
  return std::move(collect.found);
}

void copy_value(const Array& from, Array& to) {
  if (from && to && to.shape() == from.shape())
    copy_elements(from, to);
  else
    to = from ? from.copy() : Array();
}
template <class T>
void copy_value(const T& from, T& to) {
  to = from;
}
}  // namespace

void Link::copyparams(const Link& other, bool copy_persistent) {
  std::map<std::string, Parameter> theirs;
  for (const auto& [path, p] : other.namedparams()) theirs.emplace(path, p);
  for (auto& [path, p] : namedparams()) {
    const auto it = theirs.find(path);
    if (it == theirs.end()) throw KeyError("copyparams: the other link has no parameter ", path);
    p.copydata(it->second);
  }
  if (!copy_persistent) return;
  const auto values = persistent_values(other);
  for (const auto& [path, value] : persistent_values(*this)) {
    const auto it = values.find(path);
    if (it == values.end()) throw KeyError("copyparams: the other link has no persistent value ", path);
    std::visit(
        [&, &path = path](auto* to) {
          const auto* from = std::get_if<decltype(to)>(&it->second);
          if (!from) throw TypeError("copyparams: the persistent value ", path, " has another type in the other link");
          copy_value(**from, *to);
        },
        value);
  }
}

void Link::addgrads(const Link& other) {
  std::map<std::string, Parameter> mine;
  for (const auto& [path, p] : namedparams()) mine.emplace(path, p);
  for (const auto& [path, p] : other.namedparams()) {
    const auto it = mine.find(path);
    if (it == mine.end()) throw KeyError("addgrads: this link has no parameter ", path);
    it->second.addgrad(p);
  }
}

namespace {

struct Mover : MemberVisitor {
  explicit Mover(const Device& d) : device(d) {}
  void param(const std::string&, Parameter& p) override { p.to_device(device); }
  void persistent(const std::string&, Array& v) override {
    if (v) v = v.to_device(device);
  }
  void link(const std::string&, Link& l) override {
    if (l.is_moved_from()) throw RuntimeError("a ", l.class_name(), " is used after it was moved elsewhere");
    l.visit(*this);
  }
  bool visits_held() const override { return true; }
  using MemberVisitor::persistent;
  const Device& device;
};

}  // namespace

Link& Link::to_device(const Device& device) {
  Mover(device).link("", *this);
  return *this;
}

}  // namespace chainer
