// SPDX-License-Identifier: MIT
// Zip archives, the container of NPZ files: stored and deflated members, zip64 for large sizes.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/serializers/deflate.h"

namespace chainer {
class MappedFile;
}

namespace chainer::zip {

/// A member to be written: its checksum, and its bytes, compressed, or where they are, which must then stay there until
/// it is written. Members can be made by several threads.
struct Member {
  Member(std::string name, Pieces pieces, bool compress);
  std::string name, packed;
  std::vector<std::string_view> stored;  ///< empty if compressed
  uint32_t crc = 0;
  uint64_t size = 0;
};

/// Writes an archive. Uncompressed members begin at multiples of 64 bytes, so that arrays in a mapped archive are
/// aligned.
class Writer {
 public:
  using Sink = std::function<void(std::string_view)>;
  explicit Writer(bool compress, Sink sink = {}) : compress_(compress), sink_(std::move(sink)) {}
  /// Throw ValueError for a name of more than 65535 bytes.
  void add(const std::string& name, std::string_view bytes);
  void add(const Member& member);
  /// Writes the directory. Returns the bytes of the archive, unless they went to the sink.
  std::string finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc;
    uint64_t packed, size, offset;
    uint16_t method;
  };
  void write(std::string_view bytes);
  bool compress_;
  Sink sink_;
  std::string out_;
  uint64_t done_ = 0;  // bytes written
  std::vector<Entry> entries_;
};

/// Reads an archive in memory or mapped into memory. Throws FileError, naming `what`, for a damaged archive: the
/// constructor checks the directory, reading a member checks its size and checksum. Throws KeyError for a name that is
/// not in the archive.
class Reader {
 public:
  Reader(std::string bytes, std::string what);
  Reader(std::shared_ptr<MappedFile> file, std::string what);
  bool contains(const std::string& name) const { return entries_.count(name) != 0; }
  std::vector<std::string> names() const;
  /// Returns the names in the order of the directory.
  const std::vector<std::string>& names_in_order() const { return order_; }
  std::string read(const std::string& name) const;
  /// Calls f(piece) for consecutive pieces of a member, without keeping them, because a small archive may expand to a
  /// large size. Stops, without checking the member, if f returns false.
  void read(const std::string& name, const std::function<bool(std::string_view)>& f) const;
  /// Returns the first bytes of a member, unchecked.
  std::string head(const std::string& name, std::size_t bytes) const;
  /// Returns the size in the directory.
  uint64_t size(const std::string& name) const { return entry(name).size; }
  /// Returns the bytes of an uncompressed member in the archive, without verifying their checksum; nothing for a
  /// compressed one.
  std::optional<std::string_view> stored(const std::string& name) const;
  /// The owner of the bytes of the archive.
  const std::shared_ptr<void>& memory() const { return memory_; }

 private:
  struct Entry {
    uint16_t method, flags;
    uint32_t crc;
    uint64_t packed, size, offset;
  };
  [[noreturn]] void damaged(std::string_view why) const;
  uint64_t number(uint64_t at, std::size_t bytes) const;
  void read_directory();
  const Entry& entry(const std::string& name) const;
  /// Returns the position of the bytes of a member.
  uint64_t begin_of(const std::string& name, const Entry& e) const;
  /// With `whole`, a member may be decompressed at once.
  void read_pieces(const std::string& name, const std::function<bool(std::string_view)>& f, bool whole) const;
  bool inflate_whole(std::string_view packed, uint64_t size, const std::function<bool(std::string_view)>& f) const;
  void inflate(const std::string& name, std::string_view packed, const std::function<bool(std::string_view)>& f,
               std::size_t piece) const;
  std::shared_ptr<void> memory_;
  std::string_view bytes_;
  std::string what_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
};

}  // namespace chainer::zip
