// Zip archives, as NPZ files are made of: stored and deflated members, zip64 where sizes need it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chainer::zip {

/// Collects members and gives the whole archive's bytes.
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

/// Reads an archive that lies in memory. Throws FileError, naming `what`, for anything damaged: the directory is
/// checked at once, a member when it is read (size and checksum).
class Reader {
 public:
  Reader(std::string bytes, std::string what);
  bool contains(const std::string& name) const { return entries_.count(name) != 0; }
  std::vector<std::string> names() const;
  /// The names as the archive's directory lists them.
  const std::vector<std::string>& names_in_order() const { return order_; }
  std::string read(const std::string& name) const;

 private:
  struct Entry {
    uint16_t method, flags;
    uint32_t crc;
    uint64_t packed, size, offset;
  };
  [[noreturn]] void damaged(std::string_view why) const;
  uint64_t number(uint64_t at, int bytes) const;
  std::string bytes_, what_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
};

}  // namespace chainer::zip
