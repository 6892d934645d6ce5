// SPDX-License-Identifier: MIT
#include "chainer/links/link.h"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

#include "chainer/links/link_hook.h"
#include "chainer/core/living.h"
#include "chainer/core/system/type_name.h"

namespace chainer {
namespace {

// A link's direct members, sorted by name (children of lists in list order).
struct Members : MemberVisitor {
  std::vector<std::pair<std::string, Parameter*>> params;
  std::vector<std::pair<std::string, Link*>> links;
  explicit Members(Link& l) {
    if (l.is_moved_from()) throw RuntimeError("a ", l.class_name(), " is used after it was moved elsewhere");
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

void collect_params(const Link& l, const std::string& path, std::vector<std::pair<std::string, Parameter*>>& out) {
  const Members m = members(l);
  for (const auto& [name, p] : m.params) out.emplace_back(path + "/" + name, p);
  for (const auto& [name, child] : m.links) collect_params(*child, path + "/" + name, out);
}

// Calls f(path, parameter) once for each parameter, with the first of its paths.
template <class F>
void walk_params(const Link& l, F&& f) {
  std::vector<std::pair<std::string, Parameter*>> all;
  collect_params(l, "", all);
  std::vector<const void*> ids;
  for (const auto& [path, p] : all) ids.push_back(p->id());
  std::sort(ids.begin(), ids.end());
  const bool tied = std::adjacent_find(ids.begin(), ids.end()) != ids.end();
  std::set<const void*, std::less<>> met;
  for (const auto& [path, p] : all)
    if (!tied || met.insert(p->id()).second) f(path, *p);
}

}  // namespace

// Children get their names when a parent is walked; a child with several names gets the last one.
class LinkCollector {
 public:
  explicit LinkCollector(std::vector<std::pair<std::string, Link*>>& out) : out_(out) {}
  void walk(const Link& l, const std::string& path) {
    out_.emplace_back(path.empty() ? "/" : path, const_cast<Link*>(&l));
    for (const auto& [name, child] : members(l).links) {
      names_[child] = name;
      walk(*child, path + "/" + name);
    }
  }
  void children(const Link& l) {
    out_ = members(l).links;
    for (const auto& [name, child] : out_) names_[child] = name;
  }
  void give_names() const {
    for (const auto& [link, name] : names_) link->name_.set(name);
  }

 private:
  std::vector<std::pair<std::string, Link*>>& out_;
  std::unordered_map<Link*, std::string> names_;
};

Link::Link() { Living<Link>::add(this); }
Link::Link(Link&& o) noexcept
    : Anchored(std::move(o)),
      name_(std::move(o.name_)),
      moved_from_(std::exchange(o.moved_from_, true)),
      added_params_(std::move(o.added_params_)),
      added_persistents_(std::move(o.added_persistents_)),
      added_links_(std::move(o.added_links_)),
      added_names_(std::move(o.added_names_)),
      hooks_(std::move(o.hooks_)) {
  Living<Link>::add(this);
}
Link& Link::operator=(Link&& o) noexcept {
  if (this == &o) return *this;
  Anchored::operator=(std::move(o));
  name_ = std::move(o.name_);
  moved_from_ = std::exchange(o.moved_from_, true);
  added_params_ = std::move(o.added_params_);
  added_persistents_ = std::move(o.added_persistents_);
  added_links_ = std::move(o.added_links_);
  added_names_ = std::move(o.added_names_);
  hooks_ = std::move(o.hooks_);
  return *this;
}
Link::~Link() { Living<Link>::remove(this); }

void MemberVisitor::persistent(const std::string& name, int& v) {
  int64_t wide = v;
  persistent(name, wide);
  if (!std::in_range<int>(wide)) throw ValueError("the value ", wide, " does not fit in member ", name, ", an int");
  if (wide != v) v = static_cast<int>(wide);  // most calls only read, maybe in several threads
}
void MemberVisitor::persistent(const std::string& name, float& v) {
  double wide = v;
  persistent(name, wide);
  const auto narrow = static_cast<float>(wide);
  if (std::bit_cast<uint32_t>(narrow) != std::bit_cast<uint32_t>(v)) v = narrow;
}

std::vector<Parameter> Link::params(bool include_uninit) const {
  std::vector<Parameter> out;
  walk_params(*this, [&](const std::string&, Parameter& p) {
    if (include_uninit || p.is_initialized()) out.push_back(p);
  });
  return out;
}

std::vector<std::pair<std::string, Parameter>> Link::namedparams(bool include_uninit) const {
  std::vector<std::pair<std::string, Parameter>> out;
  walk_params(*this, [&](const std::string& path, Parameter& p) {
    if (include_uninit || p.is_initialized()) out.emplace_back(path, p);
  });
  return out;
}

std::vector<std::pair<std::string, Link*>> Link::namedlinks(bool skipself) const {
  std::vector<std::pair<std::string, Link*>> out;
  LinkCollector collector(out);
  collector.walk(*this, "");
  collector.give_names();
  if (skipself) out.erase(out.begin());
  return out;
}

std::vector<Link*> Link::links(bool skipself) const {
  std::vector<Link*> out;
  for (const auto& [path, l] : namedlinks(skipself)) out.push_back(l);
  return out;
}

std::vector<Link*> Link::children() const {
  std::vector<std::pair<std::string, Link*>> named;
  LinkCollector collector(named);
  collector.children(*this);
  collector.give_names();
  std::vector<Link*> out;
  for (const auto& [name, l] : named) out.push_back(l);
  return out;
}

void Link::cleargrads() {
  walk_params(*this, [](const std::string&, Parameter& p) { p.cleargrad(); });
}
void Link::zerograds() {
  walk_params(*this, [](const std::string&, Parameter& p) { p.zerograd(); });
}

int64_t Link::count_params() const {
  int64_t n = 0;
  walk_params(*this, [&](const std::string& path, Parameter& p) {
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

namespace {
// True while a link looks for a name among its listed members: visits then skip members that were added by name.
thread_local bool listed_only = false;
}  // namespace

// Throws KeyError if a member of that name exists.
void Link::expect_free(const std::string& wanted) {
  struct Find : MemberVisitor {
    explicit Find(const std::string& n) : name(n) { listed_only = true; }
    ~Find() override { listed_only = false; }
    void param(const std::string& n, Parameter&) override { found |= n == name; }
    void link(const std::string& n, Link&) override { found |= n == name; }
    void persistent(const std::string& n, Array&) override { found |= n == name; }
    void persistent(const std::string& n, int64_t&) override { found |= n == name; }
    void persistent(const std::string& n, double&) override { found |= n == name; }
    void persistent(const std::string& n, bool&) override { found |= n == name; }
    void persistent(const std::string& n, std::string&) override { found |= n == name; }
    using MemberVisitor::persistent;
    const std::string& name;
    bool found = false;
  };
  if (wanted.empty()) throw ValueError("a member's name must not be empty");
  bool taken = added_names_.count(wanted) > 0;
  if (!taken) {
    Find find(wanted);
    visit(find);
    taken = find.found;
  }
  if (taken) throw KeyError("cannot register '", wanted, "' in ", class_name(), ": a member of that name exists");
}

Parameter Link::add_param(const std::string& name, std::optional<Shape> shape, InitializerArg initializer) {
  expect_free(name);
  Parameter p(std::move(initializer), std::move(shape), name);
  added_params_.emplace_back(name, p);
  added_names_.insert(name);
  return p;
}

void Link::add_persistent(const std::string& name, Array value) {
  expect_free(name);
  added_persistents_.emplace_back(name, std::move(value));
  added_names_.insert(name);
}

void Link::add_child(const std::string& name, Kept<Link> link) {
  expect_free(name);
  link->name_.set(name);
  added_links_.emplace_back(name, std::move(link));
  added_names_.insert(name);
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
  if (listed_only) return;
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
  throw NotImplementedError(class_name(), " cannot be called: its class has no CHAINER_MEMBERS(", class_name(),
                            ", members...), which connects its forward() and lists what is trained and saved");
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

void detail::wrong_argument_count(const Link& link, std::size_t count, std::initializer_list<int> accepted) {
  std::string counts;
  int last = 0;
  for (int n : accepted)
    if (n) counts += (counts.empty() ? "" : " or ") + std::to_string(last = n);
  throw TypeError("forward of ", link.class_name(), " takes ",
                  counts.empty() ? "arguments of other types" : counts + (last == 1 ? " variable" : " variables"),
                  ", not ", count);
}

void detail::locate_error(const Link& link, Error& e) {
  // The caller of a child's forward() has only its address; the error may have passed several links since.
  std::string place;
  try {
    if (e.origin())
      for (const auto& [path, l] : link.namedlinks(true))
        if (l == e.origin()) place = text("in ", path, " of ", link.class_name());
  } catch (const Error&) {  // a link that cannot be walked has no paths
  }
  e.locate(e.origin() ? e.origin() : &link, place);
}

}  // namespace chainer
