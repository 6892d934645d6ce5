// SPDX-License-Identifier: MIT
#include "chainer/serializers/hdf5_format.h"

#include <algorithm>

#include "chainer/core/error.h"
#include "chainer/core/little_endian.h"
#include "chainer/serializers/hdf5_heap.h"

namespace chainer::hdf5 {
namespace {

constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);

using Block = std::pair<uint64_t, uint64_t>;  // address and length

// Adds a message to `to`; continuation messages are added to `more` as blocks.
void add(Messages& to, std::vector<Block>& more, int type, uint64_t flags, std::string_view data) {
  if (type == kContinuation) {
    Cursor c(data);
    const uint64_t address = c.number(8);
    more.emplace_back(address, c.number(8));
    return;
  }
  to.push_back({type, data, (flags & 2) != 0});
}

void read_old_block(std::string_view bytes, Messages& to, std::vector<Block>& more) {
  for (Cursor c(bytes); c.left() >= 8;) {
    const int type = static_cast<int>(c.number(2));
    const uint64_t size = c.number(2), flags = c.number(1);
    c.skip(3);
    add(to, more, type, flags, c.take(size));
  }
}

void read_new_block(std::string_view bytes, bool ordered, Messages& to, std::vector<Block>& more) {
  const std::size_t head = ordered ? 6 : 4;
  for (Cursor c(bytes); c.left() >= head;) {
    const int type = static_cast<int>(c.number(1));
    const uint64_t size = c.number(2), flags = c.number(1);
    if (ordered) c.skip(2);
    add(to, more, type, flags, c.take(size));
  }
}

// Returns the text from `begin` up to a zero byte.
std::string_view terminated(std::string_view bytes, uint64_t begin) {
  const std::size_t end = begin < bytes.size() ? bytes.find('\0', begin) : bytes.npos;
  if (end == bytes.npos) throw Damage{"a name is not terminated"};
  return bytes.substr(begin, end - begin);
}

void add_link(Links& to, std::string_view name, Link link) {
  if (name.empty() || name.find('/') != name.npos) throw Damage{"a name is empty or contains a slash"};
  to.emplace(name, std::move(link));
}

void add_link_message(Links& to, std::string_view message) {
  Cursor c(message);
  if (c.number(1) != 1) throw Damage{"the version of a link is unknown"};
  const uint64_t flags = c.number(1), kind = flags & 8 ? c.number(1) : 0;
  if (flags & 4) c.skip(8);     // creation order
  if (flags & 0x10) c.skip(1);  // character set
  const std::string_view name = c.take(c.number(std::size_t(1) << (flags & 3)));
  if (kind == 0) add_link(to, name, {.address = c.number(8)});
  if (kind == 1) add_link(to, name, {.path = std::string(c.take(c.number(2)))});
  if (kind > 1) add_link(to, name, {.outside = true});
}

// Returns the address of the object that contains a shared message.
uint64_t elsewhere(std::string_view message) {
  Cursor c(message);
  const uint64_t version = c.number(1), kind = c.number(1);
  if (version < 1 || version > 3 || (version == 3 && kind != 2))
    throw Damage{"it uses shared messages of an unknown kind"};
  if (version == 1) c.skip(6);
  return c.number(8);
}

}  // namespace

uint64_t Cursor::number(std::size_t size) { return little_endian(take(size)); }
std::string_view Cursor::take(uint64_t size) {
  if (size > left()) throw Damage{"it is truncated"};
  const std::string_view out = bytes_.substr(at_, size);
  at_ += size;
  return out;
}

File::File(const std::string& path) : file_(std::make_shared<const MappedFile>(path)), bytes_(file_->bytes()) {
  std::size_t begin = 0;
  while (begin < bytes_.size() && !bytes_.substr(begin).starts_with(kSignature)) begin = begin ? 2 * begin : 512;
  if (begin >= bytes_.size()) throw Damage{"the signature is missing"};
  bytes_.remove_prefix(begin);
  Cursor c(bytes_);
  c.skip(kSignature.size());
  const uint64_t version = c.number(1);
  if (version > 3) throw Damage{text("version ", version, " of the superblock is unknown")};
  if (version < 2) c.skip(4);
  if (c.number(1) != 8 || c.number(1) != 8) throw Damage{"addresses and lengths must have 8 bytes"};
  c.skip(version == 0 ? 9 : version == 1 ? 13 : 1);
  const uint64_t base = c.number(8);
  c.skip(8);
  uint64_t end = c.number(8);   // includes the bytes before the signature, as in libhdf5
  if (version < 2) c.skip(16);  // driver information, name of the root
  root_ = c.number(8);
  if (base > end) throw Damage{"its end is before its beginning"};
  end -= base;
  if (end > bytes_.size()) throw Damage{text("it is truncated: it has ", bytes_.size(), " of ", end, " bytes")};
}

std::string_view File::at(uint64_t address, uint64_t size) const {
  if (address > bytes_.size() || size > bytes_.size() - address) throw Damage{"an address is outside of the file"};
  return bytes_.substr(address, size);
}
Cursor File::structure(uint64_t address, uint64_t size, std::string_view signature) const {
  Cursor c(at(address, size));
  if (c.take(4) != signature) throw Damage{text("the signature '", signature, "' is missing")};
  return c;
}

Messages File::messages(uint64_t address) const {
  Messages out;
  std::vector<Block> more;
  uint64_t total = 0;  // all blocks together must fit in the file, which also bounds cycles
  const auto block = [&](const Block& b) {
    if ((total += b.second) > size()) throw Damage{"an object header is longer than the file"};
    return at(b.first, b.second);
  };
  if (at(address, 4) != "OHDR") {
    Cursor c(at(address, 16));
    if (c.number(1) != 1) throw Damage{"an object header is missing"};
    c.skip(7);
    read_old_block(block({address + 16, c.number(4)}), out, more);
    for (std::size_t i = 0; i < more.size(); ++i) read_old_block(block(more[i]), out, more);
    return out;
  }
  Cursor c = structure(address, std::min<uint64_t>(size() - address, 64), "OHDR");
  if (c.number(1) != 2) throw Damage{"the version of an object header is unknown"};
  const uint64_t flags = c.number(1);
  if (flags & 0x20) c.skip(16);  // times
  if (flags & 0x10) c.skip(4);   // limits of attribute storage
  const uint64_t length = c.number(std::size_t(1) << (flags & 3));
  const bool ordered = flags & 4;
  read_new_block(block({address + c.at(), length}), ordered, out, more);
  for (std::size_t i = 0; i < more.size(); ++i) {
    const std::string_view b = block(more[i]);
    if (b.size() < 8 || !b.starts_with("OCHK")) throw Damage{"the signature 'OCHK' is missing"};
    read_new_block(b.substr(4, b.size() - 8), ordered, out, more);
  }
  return out;
}

std::optional<std::string_view> File::find(const Messages& messages, MessageType type) const {
  for (const Message& m : messages) {
    if (m.type != type) continue;
    if (!m.elsewhere) return m.data;
    const uint64_t address = chainer::hdf5::elsewhere(m.data);
    for (const Message& there : this->messages(address))
      if (there.type == type && !there.elsewhere) return there.data;
    throw Damage{"a shared message is missing"};
  }
  return {};
}

void File::read_symbol_table(uint64_t tree, std::string_view names, int level, Links& to, std::size_t& visits) const {
  // Nodes and entries have at least 8 bytes, so a larger number of visits means a cycle.
  const auto visit = [&](uint64_t count) {
    if ((visits += count) > size() / 8) throw Damage{"the tree of its names has a cycle"};
  };
  visit(1);
  if (at(tree, 4) == "SNOD" && level <= 0) {
    Cursor c = structure(tree, 8, "SNOD");
    c.skip(2);
    const uint64_t count = c.number(2);
    Cursor entries(at(tree + 8, count * 40));
    visit(count);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t name = entries.number(8), address = entries.number(8), kind = entries.number(4);
      entries.skip(4);
      const uint64_t path = entries.number(4);  // of a soft link
      entries.skip(12);
      add_link(to, terminated(names, name),
               kind == 2 ? Link{.path = std::string(terminated(names, path))} : Link{.address = address});
    }
    return;
  }
  Cursor c = structure(tree, 24, "TREE");
  const uint64_t type = c.number(1), here = c.number(1), count = c.number(2);
  if (type != 0 || (level >= 0 && here + 1 != static_cast<uint64_t>(level)))
    throw Damage{"the tree of its names is invalid"};
  Cursor entries(at(tree + 24, 8 + count * 16));
  for (uint64_t i = 0; i < count; ++i) {
    entries.skip(8);
    read_symbol_table(entries.number(8), names, static_cast<int>(here), to, visits);
  }
}

std::optional<Links> File::links(uint64_t address) const {
  const Messages all = messages(address);
  Links out;
  if (const auto table = find(all, kSymbolTable)) {
    Cursor c(*table);
    const uint64_t tree = c.number(8), heap = c.number(8);
    Cursor h = structure(heap, 32, "HEAP");
    h.skip(4);
    const uint64_t size = h.number(8);
    h.skip(8);
    std::size_t visits = 0;
    read_symbol_table(tree, at(h.number(8), size), -1, out, visits);
    return out;
  }
  const auto info = find(all, kLinkInfo);
  if (!info) return {};
  Cursor c(*info);
  c.skip(1);
  if (c.number(1) & 1) c.skip(8);
  const uint64_t heap = c.number(8);
  if (heap != kNowhere)
    for (std::string_view link : dense_links(*this, heap, c.number(8))) add_link_message(out, link);
  for (const Message& m : all)
    if (m.type == kLink) add_link_message(out, m.data);
  return out;
}

std::optional<uint64_t> File::find(uint64_t group, std::string_view path) const {
  int steps = 0;
  return find(group, path, steps);
}
std::optional<uint64_t> File::find(uint64_t group, std::string_view path, int& steps) const {
  if (path.starts_with('/')) group = root_;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (++steps > 256) throw Damage{"its links form a cycle"};
    const auto names = links(group);
    const auto at = names ? names->find(std::string(part)) : Links::const_iterator();
    if (!names || at == names->end() || at->second.outside) return {};
    if (at->second.path.empty()) {
      group = at->second.address;
      continue;
    }
    steps += 16;
    const auto there = find(group, at->second.path, steps);
    if (!there) return {};
    group = *there;
  }
  return group;
}

std::string_view File::heap_object(uint64_t address, uint64_t index) const {
  Cursor head = structure(address, 16, "GCOL");
  head.skip(4);
  const uint64_t size = head.number(8);
  if (size < 16) throw Damage{"a heap is too small"};
  for (Cursor c(at(address + 16, size - 16)); c.left() >= 16;) {
    const uint64_t number = c.number(2);
    c.skip(6);
    const uint64_t length = c.number(8);
    if (number == 0) break;  // free space
    const std::string_view object = c.take(length);
    if (number == index) return object;
    c.skip(std::min<uint64_t>(c.left(), (8 - length % 8) % 8));
  }
  throw Damage{"a string is missing in its heap"};
}

}  // namespace chainer::hdf5
