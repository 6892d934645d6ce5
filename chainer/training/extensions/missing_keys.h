// Keys that an extension waits for and nobody reports: they are misspelled, most likely.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace chainer::training::extensions {

/// Warns of each of `wanted` that is not in `reported`, naming those that are.
void warn_of_missing_keys(const std::string& extension, const std::vector<std::string>& wanted,
                          const std::set<std::string>& reported);
/// The names in an observation or another map.
template <class Map>
std::set<std::string> names_of(const Map& map) {
  std::set<std::string> out;
  for (const auto& [name, value] : map) out.insert(name);
  return out;
}

}  // namespace chainer::training::extensions
