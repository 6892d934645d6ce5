// SPDX-License-Identifier: MIT
// Warnings about keys that an extension expects but that are never reported, which are most likely misspelled.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace chainer::training::extensions {

/// Warns about each name in `wanted` that is not in `reported`, and lists the reported ones.
void warn_of_missing_keys(const std::string& extension, const std::vector<std::string>& wanted,
                          const std::set<std::string>& reported);
/// Returns the keys of an observation or another map.
template <class Map>
std::set<std::string> names_of(const Map& map) {
  std::set<std::string> out;
  for (const auto& [name, value] : map) out.insert(name);
  return out;
}

}  // namespace chainer::training::extensions
