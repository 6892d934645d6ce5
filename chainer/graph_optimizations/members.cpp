#include "chainer/graph_optimizations/members.h"

#include <algorithm>
#include <functional>

namespace chainer::static_graphs {
namespace {

struct Walk : MemberVisitor {
  explicit Walk(Members& m) : found(m) {}
  void param(const std::string&, Parameter& p) override {
    if (std::any_of(found.parameters.begin(), found.parameters.end(), [&](const auto& o) { return o.is(p); })) return;
    if (!p.is_initialized()) {
      found.complete = false;
      return;
    }
    found.parameters.push_back(p);
  }
  void link(const std::string&, Link& l) override { l.visit(*this); }
  void persistent(const std::string&, Array& a) override {
    if (a)
      found.arrays.push_back(&a);
    else
      found.complete = false;
  }
  void persistent(const std::string&, int64_t& v) override { found.numbers.push_back(static_cast<double>(v)); }
  void persistent(const std::string&, double& v) override { found.numbers.push_back(v); }
  void persistent(const std::string&, bool& v) override { found.numbers.push_back(v); }
  void persistent(const std::string&, std::string& v) override {
    found.numbers.push_back(static_cast<double>(std::hash<std::string>()(v) >> 12));
  }
  void persistent(const std::string&, int& v) override { found.numbers.push_back(v); }
  void persistent(const std::string&, float& v) override { found.numbers.push_back(static_cast<double>(v)); }
  Members& found;
};

}  // namespace

Members Members::of(const std::vector<Link*>& links) {
  Members m;
  Walk walk(m);
  for (Link* l : links) l->visit(walk);
  return m;
}

Arrays Members::all() const {
  Arrays out;
  for (const Parameter& p : parameters) out.push_back(p.array());
  for (const Array* a : arrays) out.push_back(*a);
  return out;
}

bool have_hooks(const std::vector<Link*>& links) {
  for (const Link* l : links)
    for (const Link* inside : l->links())
      if (!inside->local_link_hooks().empty()) return true;
  return false;
}

}  // namespace chainer::static_graphs
