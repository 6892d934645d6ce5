// SPDX-License-Identifier: MIT
#include "chainer/links/left_out.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "chainer/core/living.h"
#include "chainer/core/system/type_name.h"
#include "chainer/links/link.h"

namespace chainer {

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
    const char* end = begin + link->object_size();
    // Links inside the object that are not listed. Only the outermost ones are reported.
    std::vector<const Link*> inside;
    for (const Link* l : Living<Link>::between(begin + 1, end))
      if (!listed.count(l)) inside.push_back(l);
    const auto within = [&](const void* at) {
      for (const Link* l : inside) {
        const char* first = reinterpret_cast<const char*>(l);
        if (at > first && at < first + l->object_size()) return true;
      }
      return false;
    };
    for (const Link* l : inside)
      if (!within(l)) complain("a " + l->class_name(), path, *link);
    // The library's links list all members; a quantized one hides W, which integers replace.
    if (is_declared_in(typeid(*link), "chainer")) continue;
    for (const Parameter* p : Living<Parameter>::between(begin, end))
      if (!within(p) && p->id() && parameters.insert(p->id()).second) complain("a Parameter", path, *link);
  }
  return out;
}

std::vector<std::string> links_behind_pointers(const Link& root) {
  const auto tree = root.namedlinks();
  std::set<const Link*, std::less<>> known;
  for (const auto& [path, link] : tree) known.insert(link);
  std::vector<std::string> out;
  for (const auto& [path, link] : tree) {
    if (is_declared_in(typeid(*link), "chainer")) continue;  // the library's links list all members
    const char* begin = reinterpret_cast<const char*>(link);
    const auto look = [&](const char* first, const char* last) {
      for (; first + sizeof(void*) <= last; first += sizeof(void*)) {
        // Any word of the object may be read; only values that are the address of a living link count.
        std::uintptr_t word = 0;
        std::memcpy(&word, first, sizeof word);
        if (word - reinterpret_cast<std::uintptr_t>(begin) < link->object_size()) continue;
        if (const Link* l = Living<Link>::at(word); l && known.insert(l).second)
          out.push_back(
              text("a ", l->class_name(), " that ", path, ", a ", link->class_name(),
                   ", points to is not in its CHAINER_MEMBERS: it is neither trained nor saved. List the "
                   "unique_ptr, shared_ptr or vector that owns it; links that are not owned need not be listed"));
      }
    };
    // Members that are links themselves are looked at on their own. They come in the order of their addresses.
    const char* at = begin + sizeof(void*);
    for (const Link* member : Living<Link>::between(begin + 1, begin + link->object_size())) {
      const char* first = reinterpret_cast<const char*>(member);
      look(at, first);
      at = std::max(at, first + member->object_size());
    }
    look(at, begin + link->object_size());
  }
  return out;
}

void check_left_out_members(const Link& root) {
  for (const std::string& line : left_out_members(root)) {
    if (is_debug()) throw RuntimeError(line);
    warn(line);
  }
  for (const std::string& line : links_behind_pointers(root)) warn(line);
}

}  // namespace chainer
