// SPDX-License-Identifier: MIT
#include "members.h"

#include <algorithm>
#include <iterator>

namespace fuzz {

std::shared_ptr<const chainer::serializers::NpzFile> replaced(Members members, std::string_view bytes) {
  const Members original = members;
  while (bytes.size() >= 3) {
    const auto number = static_cast<unsigned char>(bytes[0]) % original.size();
    const std::size_t length = static_cast<unsigned char>(bytes[1]) | std::size_t(static_cast<unsigned char>(bytes[2]))
                                                                          << 8;
    bytes.remove_prefix(3);
    const std::string& name = std::next(original.begin(), static_cast<std::ptrdiff_t>(number))->first;
    if (length == 0xffff) {
      members.erase(name);
      continue;
    }
    members[name] = bytes.substr(0, length);
    bytes.remove_prefix(std::min(length, bytes.size()));
  }
  chainer::zip::Writer writer(false);
  for (const auto& [name, content] : members) writer.add(name, content);
  return std::make_shared<const chainer::serializers::NpzFile>(writer.finish(), "fuzzed");
}

std::string replacement(const Members& members, const std::string& name) {
  const auto it = members.find(name);
  const auto number = std::distance(members.begin(), it);
  std::string out{static_cast<char>(number)};
  out += static_cast<char>(it->second.size() & 0xff);
  out += static_cast<char>(it->second.size() >> 8);
  return out + it->second;
}

}  // namespace fuzz
