// SPDX-License-Identifier: MIT
// Serialization of links.
#include <cstring>
#include <map>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/links/left_out.h"
#include "chainer/links/link.h"

namespace chainer {
namespace {

// The first path of each parameter while a link is saved or loaded, so that a second path is known to be the same
// parameter. Shared by the outermost link and its children.
struct Paths {
  std::map<const void*, std::string> first;
  std::string here;
};
thread_local Paths* paths = nullptr;

class PathsScope {
 public:
  PathsScope() {
    if (!paths) paths = &own_, outermost_ = true;
  }
  PathsScope(const PathsScope&) = delete;
  PathsScope& operator=(const PathsScope&) = delete;
  ~PathsScope() {
    if (outermost_) paths = nullptr;
  }
  bool outermost() const { return outermost_; }

 private:
  Paths own_;
  bool outermost_ = false;
};

struct Walk : MemberVisitor {
  explicit Walk(Serializer& t) : s(t) {}
  void param(const std::string& name, Parameter& p) override {
    const auto [it, fresh] = paths->first.try_emplace(p.id(), paths->here + "/" + name);
    if (!s.is_loading()) {
      Array a = p.is_initialized() ? p.array() : Array();
      s.array(name, a);
    } else if (!fresh) {
      check_tied(name, p, it->second);
    } else if (p.is_initialized()) {
      Array a = p.array();
      s.array(name, a);
    } else {
      Array stored;
      s.array(name, stored);
      if (!stored) return;
      p.initialize(stored.shape());
      Array a = p.array();
      copy_elements(stored, a);
    }
  }
  // For a parameter that was loaded under another path: if the file has this path too, its values must agree.
  void check_tied(const std::string& name, const Parameter& p, const std::string& first) {
    if (!p.is_initialized() || !s.contains(name)) return;
    Array other = p.array().copy();
    s.array(name, other);
    const auto bytes = [](const Array& a) { return static_cast<std::size_t>(a.size()) * item_size(a.dtype()); };
    const Array mine = to_host(p.array()).contiguous(), theirs = to_host(other).contiguous();
    if (std::memcmp(mine.raw(), theirs.raw(), bytes(mine)) != 0)
      throw ValueError(first, " and ", paths->here, "/", name,
                       " are the same parameter in this link, but have different values in the file");
  }
  void persistent(const std::string& name, Array& v) override {
    // Arrays that are not initialized are not saved, as in the reference release.
    if (v || (s.is_loading() && s.contains(name))) s.array(name, v);
  }
  void persistent(const std::string& name, int64_t& v) override { s.integer(name, v); }
  void persistent(const std::string& name, double& v) override { s.number(name, v); }
  void persistent(const std::string& name, bool& v) override { s.flag(name, v); }
  void persistent(const std::string& name, std::string& v) override { s.string(name, v); }
  using MemberVisitor::persistent;
  void link(const std::string& name, Link& l) override {
    const std::size_t outer = paths->here.size();
    paths->here += "/" + name;
    l.serialize(*s.child(name));
    paths->here.resize(outer);
  }
  Serializer& s;
};

}  // namespace

void Link::serialize(Serializer& s) {
  if (moved_from_)
    throw RuntimeError("a ", class_name(), " is ", s.is_loading() ? "loaded" : "saved",
                       " after it was moved elsewhere");
  const PathsScope scope;
  if (scope.outermost() && is_debug()) check_left_out_members(*this);
  Walk walk(s);
  visit(walk);
}

}  // namespace chainer
