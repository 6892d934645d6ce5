#include "chainer/links/left_out.h"

#include <cstring>
#include <mutex>
#include <set>

#include "chainer/links/link.h"

namespace chainer {
namespace {

// Never destroyed: links of static storage may outlive everything else.
struct LivingLinks {
  std::mutex mutex;
  std::set<const Link*, std::less<>> links;
};
LivingLinks& living() {
  static auto* all = new LivingLinks;
  return *all;
}

// The words of an object, as addresses. Padding is read along with the members, so nothing follows from a word alone.
std::vector<const void*> words(const Link& l) {
  std::vector<const void*> out(l.object_size() / sizeof(void*));
  if (!out.empty()) std::memcpy(out.data(), static_cast<const void*>(&l), out.size() * sizeof(void*));
  return out;
}

}  // namespace

void detail::add_living_link(const Link* link) {
  LivingLinks& all = living();
  const std::lock_guard lock(all.mutex);
  all.links.insert(link);
}
void detail::remove_living_link(const Link* link) noexcept {
  LivingLinks& all = living();
  const std::lock_guard lock(all.mutex);
  all.links.erase(link);
}

std::vector<std::string> left_out_members(const Link& root) {
  const auto tree = root.namedlinks();
  std::set<const Link*, std::less<>> listed;
  for (const auto& [path, link] : tree) listed.insert(link);
  std::set<const void*, std::less<>> parameters;
  for (const Parameter& p : root.params()) parameters.insert(p.id());

  std::vector<std::string> out;
  const auto complain = [&](const std::string& what, const std::string& path, const Link& owner) {
    out.push_back(text(what, " inside ", path, ", a ", owner.class_name(),
                       ", is not in its CHAINER_MEMBERS: it is neither trained nor saved"));
  };
  for (const auto& [path, link] : tree) {
    const char* begin = reinterpret_cast<const char*>(link);
    // Links inside the object that are not listed; what lies inside of those is not reported again.
    std::vector<const Link*> inside;
    {
      LivingLinks& all = living();
      const std::lock_guard lock(all.mutex);
      auto it = all.links.upper_bound(link);
      for (; it != all.links.end() && reinterpret_cast<const char*>(*it) < begin + link->object_size(); ++it)
        if (!listed.count(*it)) inside.push_back(*it);
    }
    const auto within = [&](const void* at) {
      for (const Link* l : inside) {
        const char* first = reinterpret_cast<const char*>(l);
        if (at > first && at < first + l->object_size()) return true;
      }
      return false;
    };
    for (const Link* l : inside)
      if (!within(l)) complain("a " + l->class_name(), path, *link);
    const std::vector<const void*> all = words(*link);
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i] && !parameters.count(all[i]) && !within(begin + i * sizeof(void*)) &&
          Parameter::looks_like({all[i], all[i + 1]})) {
        complain("a Parameter", path, *link);
        parameters.insert(all[i]);  // once is enough
      }
  }
  return out;
}

void check_left_out_members(const Link& root) {
  for (const std::string& line : left_out_members(root)) {
    if (is_debug()) throw RuntimeError(line);
    warn(line);
  }
}

}  // namespace chainer
