// SPDX-License-Identifier: MIT
#include "chainer/mn/evaluator.h"

namespace chainer::mn {

std::map<std::string, double> mean_of_ranks(CommunicatorBase& comm, const std::map<std::string, double>& values) {
  ObjectMap mine;
  for (const auto& [name, v] : values) mine.emplace(name, Object(v));
  const ObjectList all = comm.allgather_obj(Object(std::move(mine)));
  std::map<std::string, double> out;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const ObjectMap &first = all[0].to_map(), &map = all[r].to_map();
    for (const auto& [a, b] : {std::pair(&first, &map), std::pair(&map, &first)})
      for (const auto& [name, v] : *a)
        if (!b->count(name))
          throw ValueError("multi-node evaluator: '", name, "' is reported by rank ", a == &first ? 0 : r,
                           " but not by rank ", a == &first ? r : 0);
    for (const auto& [name, v] : map) out[name] += v.to_number();
  }
  for (auto& [name, v] : out) v /= comm.size();
  return out;
}

}  // namespace chainer::mn
