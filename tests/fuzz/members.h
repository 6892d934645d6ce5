// SPDX-License-Identifier: MIT
// Files with several members that a fuzzer replaces. Checksums are recomputed afterwards, so that the code after the
// zip reader is reached.
#pragma once
#include <chainer/chainer.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace fuzz {

/// Members' bytes (.npy files) by key.
using Members = std::map<std::string, std::string>;

/// Returns the members that an object saves.
template <class T>
Members members_of(T& object) {
  chainer::serializers::DictionarySerializer s;
  object.serialize(s);
  const chainer::zip::Reader reader(chainer::serializers::npz_bytes(s.target(), false), "members");
  Members out;
  for (const std::string& name : reader.names()) out[name] = reader.read(name);
  return out;
}
/// Return the members that the trainer, or an optimizer, of the targets saves.
const Members& snapshot_members();
const Members& optimizer_members(std::size_t number);
/// Returns the file with replacements. Each is the number of a member (one byte, in the order of the keys), the length
/// of its new content (two bytes, little-endian; 65535 removes the member) and the content.
std::shared_ptr<const chainer::serializers::NpzFile> replaced(Members members, std::string_view replacements);
/// Returns the replacement of a member by its own content, as an initial input.
std::string replacement(const Members& members, const std::string& name);

}  // namespace fuzz
