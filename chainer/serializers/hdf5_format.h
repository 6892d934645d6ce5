// The structures of HDF5 files, as a reader meets them: every address, length and count is checked against the bytes
// that are there before it is followed.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/mapped_file.h"

namespace chainer::hdf5 {

/// What is wrong with a file; whoever knows the name of what was wanted makes a FileError of it.
struct Damage {
  std::string why;
};

/// Little-endian numbers from bytes, one behind the other.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  /// An unsigned number of 1 to 8 bytes.
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
/// A message of an object's header.
struct Message {
  int type;
  std::string_view data;
  bool elsewhere;  ///< what it says stands in another object, which `data` names
};
using Messages = std::vector<Message>;

/// The address that stands for none.
inline constexpr uint64_t kNowhere = ~uint64_t(0);

/// What a name in a group leads to: an object's address, or for a soft link the path of another name.
struct Link {
  uint64_t address = kNowhere;
  std::string path = {};
};
using Links = std::map<std::string, Link>;

/// A file: its objects by address.
class File {
 public:
  /// Damage unless the file is an HDF5 file as a whole (its superblock tells where it ends). Something else may stand
  /// before it (a user block): 512 bytes, or that doubled some times.
  explicit File(const std::string& path);
  uint64_t root() const { return root_; }
  /// The bytes of a structure.
  std::string_view at(uint64_t address, uint64_t size) const;
  /// The same, which begins with four letters; a cursor behind these.
  Cursor structure(uint64_t address, uint64_t size, std::string_view signature) const;
  /// The messages of the object header at an address. Object headers of versions 1 and 2.
  Messages messages(uint64_t address) const;
  /// The first message of a type, if there is one. The type of a dataset may stand in an object of its own (a named
  /// datatype), and is found there; other messages that stand elsewhere are Damage.
  std::optional<std::string_view> find(const Messages& messages, MessageType type) const;
  /// The names in a group; none if the object is no group. Symbol tables, links in the group's header, and links in a
  /// heap of their own (many, in the new format, which HDF5 2 writes); links that lead into other files are passed over.
  std::optional<Links> links(uint64_t address) const;
  /// The address of the object of a path from a group on, or from the root where the path begins with a slash. Soft
  /// links are followed; none where nothing is there, and Damage where they go in circles.
  std::optional<uint64_t> find(uint64_t group, std::string_view path) const;
  /// An object of the global heap: texts of variable length.
  std::string_view heap_object(uint64_t address, uint64_t index) const;
  uint64_t size() const { return bytes_.size(); }

 private:
  std::optional<uint64_t> find(uint64_t group, std::string_view path, int& steps) const;
  void read_symbol_table(uint64_t tree, std::string_view names, int level, Links& to, std::size_t& visits) const;
  std::shared_ptr<const MappedFile> file_;
  std::string_view bytes_;  // behind the user block
  uint64_t root_ = 0;
};

}  // namespace chainer::hdf5
