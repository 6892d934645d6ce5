// SPDX-License-Identifier: MIT
#include "chainer/graph_optimizations/members.h"

#include <algorithm>
#include <functional>

namespace chainer::static_graphs {
namespace {

struct Walk : MemberVisitor {
  Walk(Members& m, bool places) : found(m), with_places(places) {}
  void param(const std::string&, Parameter& p) override {
    place(p);
    if (std::any_of(found.parameters.begin(), found.parameters.end(), [&](const auto& o) { return o.is(p); })) return;
    if (!p.is_initialized()) {
      found.complete = false;
      return;
    }
    found.parameters.push_back(p);
  }
  void link(const std::string&, Link& l) override {
    found.links.push_back(&l);
    l.visit(*this);
  }
  void persistent(const std::string&, Array& a) override {
    place(a);
    if (a)
      found.arrays.push_back(&a);
    else
      found.complete = false;
  }
  void persistent(const std::string&, int64_t& v) override { number(v); }
  void persistent(const std::string&, double& v) override { number(v); }
  void persistent(const std::string&, bool& v) override { number(v); }
  void persistent(const std::string&, std::string& v) override {
    place(v);
    found.numbers.push_back(static_cast<double>(std::hash<std::string>()(v) >> 12));
  }
  void persistent(const std::string&, int& v) override { number(v); }
  void persistent(const std::string&, float& v) override { number(v); }

 private:
  template <class T>
  void number(const T& v) {
    place(v);
    found.numbers.push_back(static_cast<double>(v));
  }
  template <class T>
  void place(const T& v) {
    if (with_places) found.places.emplace_back(&v, sizeof v);
  }
  Members& found;
  const bool with_places;
};

}  // namespace

Members Members::of(const std::vector<Link*>& links, bool with_places) {
  constexpr std::size_t kOften = 16;
  Members m;
  m.parameters.reserve(kOften);  // moving handles on growth costs more than the reserve
  m.links.reserve(kOften);
  Walk walk(m, with_places);
  for (Link* l : links) walk.link({}, *l);
  return m;
}

Arrays Members::all() const {
  Arrays out;
  for (const Parameter& p : parameters) out.push_back(p.array());
  for (const Array* a : arrays) out.push_back(*a);
  return out;
}

bool have_hooks(const Members& members) {
  return std::any_of(members.links.begin(), members.links.end(),
                     [](const Link* l) { return !l->local_link_hooks().empty(); });
}

}  // namespace chainer::static_graphs
