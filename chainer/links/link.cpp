#include "chainer/links/link.h"

#include <algorithm>
#include <variant>

#include "chainer/array/backend.h"
#include "chainer/links/link_hook.h"
#include "chainer/core/type_name.h"

namespace chainer {
namespace {

thread_local const CopyMode* copying = nullptr;

// A link's direct members, in the order of their names (children of lists keep theirs).
struct Members : MemberVisitor {
  std::vector<std::pair<std::string, Parameter*>> params;
  std::vector<std::pair<std::string, Link*>> links;
  explicit Members(Link& l) {
    l.visit(*this);
    const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(params.begin(), params.end(), by_name);
    const bool list = !links.empty() && std::all_of(links.begin(), links.end(), [](const auto& x) {
      return x.first.find_first_not_of("0123456789") == std::string::npos;
    });
    if (!list) std::stable_sort(links.begin(), links.end(), by_name);
  }
  void param(const std::string& name, Parameter& p) override { params.emplace_back(name, &p); }
  void link(const std::string& name, Link& l) override { links.emplace_back(name, &l); }
};

Members members(const Link& l) { return Members(const_cast<Link&>(l)); }

template <class F>
void walk_params(const Link& l, const std::string& path, F&& f) {
  const Members m = members(l);
  for (const auto& [name, p] : m.params) f(path + "/" + name, *p);
  for (const auto& [name, child] : m.links) walk_params(*child, path + "/" + name, f);
}

}  // namespace

// Children learn their names when the parent is walked.
class LinkCollector {
 public:
  static void walk(const Link& l, const std::string& path, std::vector<std::pair<std::string, Link*>>& out) {
    out.emplace_back(path.empty() ? "/" : path, const_cast<Link*>(&l));
    for (const auto& [name, child] : members(l).links) {
      child->name_ = name;
      walk(*child, path + "/" + name, out);
    }
  }
};

Link::Link(const Link& o)
    : Anchored(o), added_params_(o.added_params_), added_persistents_(o.added_persistents_), hooks_(o.hooks_) {
  if (!copying) throw RuntimeError("a ", o.class_name(), " is copied by accident: write link.copy(), or std::move it");
  for (const auto& [name, link] : o.added_links_) added_links_.emplace_back(name, link->clone(*copying));
}

Child::Child(const Child& o) : kept_(o.kept_) {
  if (copying && o.kept_) kept_ = o.kept_->clone(*copying);
}

LinkCopier::LinkCopier(CopyMode mode) : mode_(mode), outer_(copying) { copying = &mode_; }
LinkCopier::~LinkCopier() { copying = outer_; }
const CopyMode* LinkCopier::current() { return copying; }

void LinkCopier::finish(Link& copy) const {
  struct Own : MemberVisitor {
    explicit Own(CopyMode m) : mode(m) {}
    void param(const std::string&, Parameter& p) override {
      p = mode == CopyMode::share ? p.shared() : p.copied();
      if (mode == CopyMode::init && p.is_initialized()) p.initialize(p.shape());
    }
    void persistent(const std::string&, Array& v) override {
      if (v && mode != CopyMode::share) v = v.copy();
    }
    void link(const std::string&, Link& l) override { l.visit(*this); }
    using MemberVisitor::persistent;
    CopyMode mode;
  } own(mode_);
  // Only the outermost copy does this: members were copied along with it.
  if (!outer_) copy.visit(own);
}

std::vector<Parameter> Link::params(bool include_uninit) const {
  std::vector<Parameter> out;
  walk_params(*this, "", [&](const std::string&, Parameter& p) {
    if (include_uninit || p.is_initialized()) out.push_back(p);
  });
  return out;
}

std::vector<std::pair<std::string, Parameter>> Link::namedparams(bool include_uninit) const {
  std::vector<std::pair<std::string, Parameter>> out;
  walk_params(*this, "", [&](const std::string& path, Parameter& p) {
    if (include_uninit || p.is_initialized()) out.emplace_back(path, p);
  });
  return out;
}

std::vector<std::pair<std::string, Link*>> Link::namedlinks(bool skipself) const {
  std::vector<std::pair<std::string, Link*>> out;
  LinkCollector::walk(*this, "", out);
  if (skipself) out.erase(out.begin());
  return out;
}

std::vector<Link*> Link::links(bool skipself) const {
  std::vector<Link*> out;
  for (const auto& [path, l] : namedlinks(skipself)) out.push_back(l);
  return out;
}

std::vector<Link*> Link::children() const {
  std::vector<Link*> out;
  for (const auto& [name, l] : members(*this).links) {
    l->name_ = name;
    out.push_back(l);
  }
  return out;
}

void Link::cleargrads() {
  walk_params(*this, "", [](const std::string&, Parameter& p) { p.cleargrad(); });
}
void Link::zerograds() {
  walk_params(*this, "", [](const std::string&, Parameter& p) { p.zerograd(); });
}

namespace {
using PersistentValue = std::variant<Array*, int64_t*, double*, bool*, std::string*>;

// The persistent values of a link and its children, by path.
std::map<std::string, PersistentValue> persistent_values(const Link& l) {
  struct Collect : MemberVisitor {
    std::map<std::string, PersistentValue> found;
    std::string path;
    void persistent(const std::string& name, Array& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, int64_t& v) override { found[path + "/" + name] = &v; }
    void persistent(const std::string& name, double& v) override { found[path + "/" + name] = &v; }
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
          if (!from)
            throw TypeError("copyparams: the persistent value ", path, " is of another type in the other link");
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

int64_t Link::count_params() const {
  int64_t n = 0;
  walk_params(*this, "", [&](const std::string& path, Parameter& p) {
    if (p.is_initialized())
      n += p.size();
    else
      warn(text("Parameter '", path,
                "' has not been initialized, so the resulting count will not include the number of parameters in it."));
  });
  return n;
}

void Link::enable_update() {
  for (const Parameter& p : params())
    if (p.update_rule()) p.update_rule()->enabled = true;
}
void Link::disable_update() {
  for (const Parameter& p : params())
    if (p.update_rule()) p.update_rule()->enabled = false;
}
bool Link::update_enabled() const {
  for (const Parameter& p : params())
    if (p.update_rule() && p.update_rule()->enabled) return true;
  return false;
}

Link& Link::to_device(const Device& device) {
  for (Parameter& p : params()) p.to_device(device);
  for (const auto& [path, value] : persistent_values(*this))
    if (Array* const* a = std::get_if<Array*>(&value); a && **a) **a = (*a)->to_device(device);
  return *this;
}

void Link::serialize(Serializer& s) {
  struct Walk : MemberVisitor {
    explicit Walk(Serializer& t) : s(t) {}
    void param(const std::string& name, Parameter& p) override {
      if (!s.is_loading() || p.is_initialized()) {
        Array a = p.is_initialized() ? p.array() : Array();
        s.array(name, a);
        return;
      }
      Array stored;
      s.array(name, stored);
      if (!stored) return;
      p.initialize(stored.shape());
      Array a = p.array();
      copy_elements(stored, a);
    }
    void persistent(const std::string& name, Array& v) override {
      // What is not there yet is not in files, the release's neither.
      if (v || (s.is_loading() && s.contains(name))) s.array(name, v);
    }
    void persistent(const std::string& name, int64_t& v) override { s.integer(name, v); }
    void persistent(const std::string& name, double& v) override { s.number(name, v); }
    void persistent(const std::string& name, bool& v) override { s.flag(name, v); }
    void persistent(const std::string& name, std::string& v) override { s.string(name, v); }
    void link(const std::string& name, Link& l) override { l.serialize(*s.child(name)); }
    Serializer& s;
  } walk(s);
  visit(walk);
}

bool Link::has_member(const std::string& wanted) {
  struct Find : MemberVisitor {
    explicit Find(const std::string& n) : name(n) {}
    void param(const std::string& n, Parameter&) override { found |= n == name; }
    void link(const std::string& n, Link&) override { found |= n == name; }
    void persistent(const std::string& n, Array&) override { found |= n == name; }
    using MemberVisitor::persistent;
    const std::string& name;
    bool found = false;
  } find(wanted);
  visit(find);
  return find.found;
}

namespace {
void check_free(bool taken, const Link& l, const std::string& name) {
  if (name.empty()) throw ValueError("a member of a link needs a name");
  if (taken) throw KeyError("cannot register '", name, "' in ", l.class_name(), ": a member of that name exists");
}
}  // namespace

Parameter Link::add_param(const std::string& name, std::optional<Shape> shape, InitializerArg initializer) {
  check_free(has_member(name), *this, name);
  Parameter p(std::move(initializer), std::move(shape), name);
  added_params_.emplace_back(name, p);
  return p;
}

void Link::add_persistent(const std::string& name, Array value) {
  check_free(has_member(name), *this, name);
  added_persistents_.emplace_back(name, std::move(value));
}

void Link::add_child(const std::string& name, Kept<Link> link) {
  check_free(has_member(name), *this, name);
  link->name_ = name;
  added_links_.emplace_back(name, std::move(link));
}

Array& Link::persistent(const std::string& name) {
  for (auto& [n, v] : added_persistents_)
    if (n == name) return v;
  throw KeyError(class_name(), " has no added persistent value '", name, "'");
}

Parameter Link::param(const std::string& name) const {
  for (const auto& [n, p] : added_params_)
    if (n == name) return p;
  throw KeyError(class_name(), " has no added parameter '", name, "'");
}

void Link::visit(MemberVisitor& v) { visit_added(v); }
void Link::visit_added(MemberVisitor& v) {
  for (auto& [name, p] : added_params_) v.param(name, p);
  for (auto& [name, a] : added_persistents_) v.persistent(name, a);
  for (auto& [name, l] : added_links_) v.link(name, *l);
}

Link& Link::add_hook(std::shared_ptr<LinkHook> hook, const std::string& given) {
  const std::string name = given.empty() ? hook->name() : given;
  for (const auto& [n, h] : hooks_)
    if (n == name) throw KeyError("hook ", name, " already exists");
  hook->added(this);
  hooks_.emplace_back(name, std::move(hook));
  return *this;
}

void Link::delete_hook(const std::string& name) {
  for (auto it = hooks_.begin(); it != hooks_.end(); ++it) {
    if (it->first != name) continue;
    it->second->deleted(this);
    hooks_.erase(it);
    return;
  }
  throw KeyError("hook ", name, " does not exist");
}

Variables Link::call(const Variables&) {
  throw NotImplementedError(class_name(), " has no forward: list its members with CHAINER_MEMBERS");
}
Variables Link::call(const NamedVariables&) {
  throw NotImplementedError(class_name(), " does not take named arguments: override call(const NamedVariables&)");
}
std::shared_ptr<Link> Link::clone(CopyMode) const {
  throw NotImplementedError(class_name(), " cannot be copied: list its members with CHAINER_MEMBERS");
}

std::string Link::class_name() const { return type_name(typeid(*this)); }

Link& Chain::operator[](const std::string& name) const {
  for (const auto& [n, l] : members(*this).links)
    if (n == name) return *l;
  throw KeyError(class_name(), " has no child '", name, "'");
}

std::string detail::next_name(std::string_view& names) {
  const std::size_t end = names.find(',');
  std::string_view n = names.substr(0, end);
  names = end == names.npos ? "" : names.substr(end + 1);
  while (!n.empty() && n.front() == ' ') n.remove_prefix(1);
  while (!n.empty() && (n.back() == ' ' || n.back() == '_')) n.remove_suffix(1);
  return std::string(n);
}

void detail::wrong_argument_count(const Link& link, std::size_t count) {
  throw TypeError("forward of ", link.class_name(), " does not take ", count, " variable(s)");
}

}  // namespace chainer
