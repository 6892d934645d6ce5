// Zip archives, as NPZ files are made of: stored and deflated members, zip64 where sizes need it.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chainer {
class MappedFile;
}

namespace chainer::zip {

/// Collects members and gives the whole archive's bytes. Members that are not packed begin at multiples of 64 bytes, so
/// that whoever maps the archive finds their arrays aligned.
class Writer {
 public:
  explicit Writer(bool compress) : compress_(compress) {}
  void add(const std::string& name, std::string_view bytes);
  std::string finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc;
    uint64_t packed, size, offset;
    uint16_t method;
  };
  bool compress_;
  std::string out_;
  std::vector<Entry> entries_;
};

/// Reads an archive that lies in memory, or is mapped into it. Throws FileError, naming `what`, for anything damaged:
/// the directory is checked at once, a member when it is read (size and checksum).
class Reader {
 public:
  Reader(std::string bytes, std::string what);
  Reader(std::shared_ptr<MappedFile> file, std::string what);
  bool contains(const std::string& name) const { return entries_.count(name) != 0; }
  std::vector<std::string> names() const;
  /// The names as the archive's directory lists them.
  const std::vector<std::string>& names_in_order() const { return order_; }
  std::string read(const std::string& name) const;
  /// The same piece by piece, f(piece), without keeping them: a small archive may hold much. Ends early, and unchecked,
  /// where f returns false.
  void read(const std::string& name, const std::function<bool(std::string_view)>& f) const;
  /// The first bytes of a member, unchecked.
  std::string head(const std::string& name, std::size_t bytes) const;
  /// How many bytes the directory promises.
  uint64_t size(const std::string& name) const { return entry(name).size; }
  /// The bytes of a member that is not packed, where they lie in the archive, and unlike read() without a look at their
  /// checksum; nothing for a packed one.
  std::optional<std::string_view> stored(const std::string& name) const;
  /// What the archive's bytes live in.
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
  /// Where a member's bytes begin.
  uint64_t begin_of(const std::string& name, const Entry& e) const;
  bool inflate(const std::string& name, std::string_view packed, const std::function<bool(std::string_view)>& f) const;
  std::shared_ptr<void> memory_;
  std::string_view bytes_;
  std::string what_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
};

}  // namespace chainer::zip
