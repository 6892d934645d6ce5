// SPDX-License-Identifier: MIT
#include "chainer/links/wrapped_links.h"

#include <set>

namespace chainer {
namespace {

void collect(const std::string& prefix, const Link& link, std::set<const Link*>& seen,
             std::vector<std::pair<std::string, Link*>>& out) {
  for (const auto& [path, l] : link.namedlinks()) {
    if (!seen.insert(l).second) continue;
    const std::string name = path == "/" ? prefix : prefix + path;
    out.emplace_back(name.empty() ? "/" : name, l);
    if (const Link* const w = l->wrapped()) collect(name, *w, seen, out);
  }
}

}  // namespace

std::vector<std::pair<std::string, Link*>> links_and_wrapped(const Link& model) {
  std::vector<std::pair<std::string, Link*>> out;
  std::set<const Link*> seen;
  collect("", model, seen, out);
  return out;
}

}  // namespace chainer
