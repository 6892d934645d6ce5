// SPDX-License-Identifier: MIT
// Reads the structures of HDF5 files. Every address, length and count is checked against the size of the file before it
// is used.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/system/mapped_file.h"

namespace chainer::hdf5 {

/// Thrown for a damaged or unsupported file; callers that know the name of the object convert it to FileError.
struct Damage {
  std::string why;
};

/// Reads consecutive little-endian numbers. Throws Damage at the end of the bytes.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  /// Reads an unsigned number of 1 to 8 bytes.
  uint64_t number(std::size_t size);
  std::string_view take(uint64_t size);
  void skip(uint64_t size) { (void)take(size); }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

enum MessageType : int {
  kDataspace = 0x1,
  kLinkInfo = 0x2,
  kDatatype = 0x3,
  kFillValue = 0x5,
  kLink = 0x6,
  kLayout = 0x8,
  kFilters = 0xb,
  kContinuation = 0x10,
  kSymbolTable = 0x11
};
/// A message in the header of an object.
struct Message {
  int type;
  std::string_view data;
  bool elsewhere;  ///< shared: the content is in another object, which `data` names
};
using Messages = std::vector<Message>;

/// The undefined address.
inline constexpr uint64_t kNowhere = ~uint64_t(0);

/// The target of a name in a group: the address of an object, or for a soft link the path of another name.
struct Link {
  uint64_t address = kNowhere;
  std::string path = {};
  bool outside = false;  ///< a link into another file, which is not followed
};
using Links = std::map<std::string, Link>;

/// A file: its objects by address. All functions throw Damage for damaged or unsupported content.
class File {
 public:
  /// Throws Damage unless the file is a complete HDF5 file (the superblock holds its end). A user block of 512 bytes,
  /// or a power of two times that, may precede the superblock.
  explicit File(const std::string& path);
  uint64_t root() const { return root_; }
  /// Returns the bytes of a structure.
  std::string_view at(uint64_t address, uint64_t size) const;
  /// Returns a cursor after the signature, four letters, of a structure.
  Cursor structure(uint64_t address, uint64_t size, std::string_view signature) const;
  /// Returns the messages of the object header at an address (versions 1 and 2).
  Messages messages(uint64_t address) const;
  /// Returns the first message of a type, if there is one. The type of a dataset may be shared (a named datatype) and
  /// is resolved; other shared messages throw Damage.
  std::optional<std::string_view> find(const Messages& messages, MessageType type) const;
  /// Returns the names in a group; none if the object is no group. Reads symbol tables, links in the header of the
  /// group, and links in a fractal heap (for many links in the new format, which HDF5 2 writes).
  std::optional<Links> links(uint64_t address) const;
  /// Returns the address of the object at a path from a group, or from the root if the path begins with a slash; none
  /// if there is no such object in this file. Follows soft links; throws Damage for cycles.
  std::optional<uint64_t> find(uint64_t group, std::string_view path) const;
  /// Returns an object of the global heap, which holds strings of variable length.
  std::string_view heap_object(uint64_t address, uint64_t index) const;
  uint64_t size() const { return bytes_.size(); }
  const std::shared_ptr<const MappedFile>& memory() const { return file_; }

 private:
  std::optional<uint64_t> find(uint64_t group, std::string_view path, int& steps) const;
  void read_symbol_table(uint64_t tree, std::string_view names, int level, Links& to, std::size_t& visits) const;
  std::shared_ptr<const MappedFile> file_;
  std::string_view bytes_;  // the bytes after the user block
  uint64_t root_ = 0;
};

}  // namespace chainer::hdf5
