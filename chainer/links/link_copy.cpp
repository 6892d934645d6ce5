// SPDX-License-Identifier: MIT
// Copies of links.
#include <map>

#include "chainer/core/living.h"
#include "chainer/links/link.h"

namespace chainer {
namespace {

thread_local const CopyMode* copying = nullptr;
thread_local int depth = 0;  // of nested copies

// A limit for the stack: nested links are copied by nested calls, each of one or two KiB.
constexpr int kDeepest = 2000;

// Gives a copied link its own parameters, arrays and shared links. Objects that are shared within the original are
// shared within the copy.
struct MakeOwn : MemberVisitor {
  explicit MakeOwn(CopyMode m) : mode(m) {}
  void param(const std::string&, Parameter& p) override {
    if (const auto it = parameters.find(p.id()); it != parameters.end()) {
      p = it->second;
      return;
    }
    Parameter own = mode == CopyMode::share ? p.shared() : p.copied();
    if (mode == CopyMode::init && own.is_initialized()) own.initialize(own.shape());
    parameters.emplace(p.id(), own);
    parameters.emplace(own.id(), own);
    originals.push_back(p);
    p = own;
  }
  void persistent(const std::string&, Array& v) override {
    if (v && mode != CopyMode::share) v = v.copy();
  }
  std::shared_ptr<Link> replacement(const std::shared_ptr<Link>& link) override {
    const auto [it, fresh] = links.try_emplace(link.get());
    if (fresh) {
      it->second = link->clone(mode);
      const std::shared_ptr<Link> own = it->second;
      links.emplace(own.get(), own);
    }
    return it->second;
  }
  void link(const std::string&, Link& l) override { l.visit(*this); }
  bool visits_held() const override { return true; }
  using MemberVisitor::persistent;

  CopyMode mode;
  std::map<const void*, Parameter> parameters;  // keyed by the ids of the original and of the copy
  std::vector<Parameter> originals;             // keeps the ids from being reused
  std::map<const Link*, std::shared_ptr<Link>> links;
};

}  // namespace

Link::Link(const Link& o)
    : Anchored(o),
      added_params_(o.added_params_),
      added_persistents_(o.added_persistents_),
      added_names_(o.added_names_),
      hooks_(o.hooks_) {
  if (!copying)
    throw RuntimeError("a ", o.class_name(), " must not be copied implicitly: use link.copy() or std::move(link)");
  if (o.moved_from_) throw RuntimeError("a ", o.class_name(), " is copied after it was moved elsewhere");
  for (const auto& [name, link] : o.added_links_) added_links_.emplace_back(name, link->clone(*copying));
  Living<Link>::add(this);
}

Child::Child(const Child& o) : kept_(o.kept_) {
  if (copying && o.kept_) kept_ = o.kept_->clone(*copying);
}

LinkCopier::LinkCopier(CopyMode mode) : mode_(mode), outer_(copying) {
  if (depth == kDeepest) throw RuntimeError("copy: links are nested more than ", kDeepest, " deep");
  ++depth;
  copying = &mode_;
}
LinkCopier::~LinkCopier() {
  --depth;
  copying = outer_;
}
const CopyMode* LinkCopier::current() { return copying; }

void LinkCopier::finish(Link& copy) const {
  // Only the outermost copy runs this; its members have been copied by then.
  if (outer_) return;
  MakeOwn own(mode_);
  copy.visit(own);
}

}  // namespace chainer
