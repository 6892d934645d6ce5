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
};
using Messages = std::vector<Message>;

/// The address that stands for none.
inline constexpr uint64_t kNowhere = ~uint64_t(0);

/// A file: its objects by address.
class File {
 public:
  /// Damage unless the file is an HDF5 file as a whole (its superblock tells where it ends).
  explicit File(const std::string& path);
  uint64_t root() const { return root_; }
  /// The bytes of a structure.
  std::string_view at(uint64_t address, uint64_t size) const;
  /// The same, which begins with four letters; a cursor behind these.
  Cursor structure(uint64_t address, uint64_t size, std::string_view signature) const;
  /// The messages of the object header at an address. Object headers of versions 1 and 2.
  Messages messages(uint64_t address) const;
  /// The first message of a type, if there is one.
  static std::optional<std::string_view> find(const Messages& messages, MessageType type);
  /// The addresses of the objects of a group, by name; none if the object is no group. Symbol tables, and links in the
  /// group's header; links that lead elsewhere are passed over.
  std::optional<std::map<std::string, uint64_t>> links(uint64_t address) const;
  /// An object of the global heap: texts of variable length.
  std::string_view heap_object(uint64_t address, uint64_t index) const;
  uint64_t size() const { return file_->bytes().size(); }

 private:
  void read_symbol_table(uint64_t tree, std::string_view names, int level, std::map<std::string, uint64_t>& to,
                         std::size_t& visits) const;
  std::shared_ptr<const MappedFile> file_;
  uint64_t root_ = 0;
};

}  // namespace chainer::hdf5
