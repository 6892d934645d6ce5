// SPDX-License-Identifier: MIT
// Files of several members, whose members a fuzzer replaces: the checksums of the file are made good afterwards, so
// that what is behind the zip reader is reached.
#pragma once
#include <chainer/chainer.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace fuzz {

/// Members' bytes (.npy files) by key.
using Members = std::map<std::string, std::string>;

/// What an object saves.
template <class T>
Members members_of(T& object) {
  chainer::serializers::DictionarySerializer s;
  object.serialize(s);
  const chainer::zip::Reader reader(chainer::serializers::npz_bytes(s.target(), false), "members");
  Members out;
  for (const std::string& name : reader.names()) out[name] = reader.read(name);
  return out;
}
/// What the targets' trainer and optimizers save.
const Members& snapshot_members();
const Members& optimizer_members(std::size_t number);
/// The file with replacements: each is the member's number (one byte, in the order of the keys), the length of its new
/// content (two bytes, little-endian; 65535 removes the member) and the content.
std::shared_ptr<const chainer::serializers::NpzFile> replaced(Members members, std::string_view replacements);
/// The replacement of one member by its own content, as a first input.
std::string replacement(const Members& members, const std::string& name);

}  // namespace fuzz
