// SPDX-License-Identifier: MIT
// Saves and loads NumPy's NPZ format, with the keys of the release (manual: "Serializers").
#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/core/serializer.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/zip.h"

namespace chainer {

/// Anything with a serialize(Serializer&) method.
template <class T>
concept Serializable = requires(T& t, Serializer& s) {
  t.serialize(s);
};

/// The manual's names of the base classes: here one class serves both directions.
using AbstractSerializer = Serializer;
using Deserializer = Serializer;

namespace serializers {

/// Collects values under flat keys: "predictor/l1/W". Strings and None, which are not arrays, are stored as the bytes
/// of the .npy members that NumPy would write.
class DictionarySerializer : public Serializer {
 public:
  using Target = std::map<std::string, std::variant<Array, std::string>>;
  /// Without `copies` arrays share their memory with the object: for values that are written at once.
  explicit DictionarySerializer(bool copies = true);
  DictionarySerializer(std::shared_ptr<Target> target, std::string path, bool copies = true)
      : target_(std::move(target)), path_(std::move(path)), copies_(copies) {}
  const Target& target() const { return *target_; }
  /// Calls object.serialize(*this); the name in the manual.
  template <Serializable T>
  void save(T& object) {
    object.serialize(*this);
  }

  bool is_loading() const override { return false; }
  std::unique_ptr<Serializer> child(std::string_view key) override;
  bool contains(std::string_view) const override { return true; }
  void array(std::string_view key, Array& value) override;
  void integer(std::string_view key, int64_t& value) override;
  void number(std::string_view key, double& value) override;
  void flag(std::string_view key, bool& value) override;
  void string(std::string_view key, std::string& value) override;

 private:
  std::shared_ptr<Target> target_;
  std::string path_;
  bool copies_ = true;
};

/// Keys that are not loaded: full keys, or predicates on keys.
using IgnoreName = std::variant<std::string, std::function<bool(const std::string&)>>;
/// The result of a load, by the keys of the file: loaded keys; missing ones, requested but not in the file (only
/// without strict); and unused ones, in the file below the path but not requested.
struct LoadReport {
  std::vector<std::string> loaded, missing, unused;
};
/// Options of load_npz(), in the manual's order.
struct NpzOptions {
  std::string path = "";  ///< loads only keys below this group; a trailing / is optional
  bool strict = true;     ///< throws KeyError for a missing key; false leaves the value unchanged
  std::vector<IgnoreName> ignore_names = {};
};

/// An opened NPZ file. The file is mapped into memory: it must not shrink while this object, or an array of mapped(),
/// exists. Throws FileError for a damaged file or member, KeyError for a key that is not in the file.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  NpzFile(std::string bytes, const std::string& what) : zip_(std::move(bytes), what), what_(what) {}
  bool contains(const std::string& key) const { return zip_.contains(key + ".npy"); }
  /// Returns all keys.
  std::vector<std::string> keys() const;
  /// Returns the array of a key; none for a stored None. Throws TypeError for a string.
  Array array(const std::string& key) const;
  /// Returns the array of a key, without a copy if the member is not compressed (compression = false) and its elements
  /// are aligned, in native byte order and C order, and not bool: the elements are then the pages of the file, and
  /// writes stay in this process. Does not verify the checksum; check() does. Members of save_npz() are aligned, those
  /// of NumPy only by chance.
  Array mapped(const std::string& key) const;
  /// Returns the header of the member of a key.
  NpyHeader header(const std::string& key) const;
  /// Returns the shape of the array of a key without reading the elements; none if array() would return none or throw
  /// TypeError.
  std::optional<Shape> shape(const std::string& key) const;
  /// Calls f(elements along one axis) for consecutive elements of the array of a key, in small parts, so that an array
  /// may be larger than memory. Arrays in Fortran order or another byte order, or of a dtype that array() converts, are
  /// passed at once.
  void runs(const std::string& key, const std::function<void(const Array&)>& f) const;
  /// Returns a string in UTF-8, without trailing zero characters, which are padding in NumPy. Throws TypeError for
  /// an array.
  std::string text(const std::string& key) const;
  /// Reads a member to verify its checksum. Throws FileError if the member is damaged.
  void check(const std::string& key) const;
  const std::string& what() const { return what_; }

 private:
  std::string member(const std::string& key) const;
  bool pieces(const std::string& key, const std::function<void(std::string_view)>& f) const;
  zip::Reader zip_;
  std::string what_;
};

/// Loads from an NPZ file. Arrays are cast to the dtype of the target if it is of the same kind. Throws, naming the
/// key, TypeError for a floating value and an integer target, ValueError for another shape, FileError for a pickle.
class NpzDeserializer : public Serializer {
 public:
  explicit NpzDeserializer(std::shared_ptr<const NpzFile> npz, NpzOptions options = {});
  /// Calls object.serialize(*this); the name in the manual.
  template <Serializable T>
  void load(T& object) {
    object.serialize(*this);
  }
  bool is_loading() const override { return true; }
  std::unique_ptr<Serializer> child(std::string_view key) override;
  bool contains(std::string_view key) const override;
  void array(std::string_view key, Array& value) override;
  void integer(std::string_view key, int64_t& value) override;
  void number(std::string_view key, double& value) override;
  void flag(std::string_view key, bool& value) override;
  void string(std::string_view key, std::string& value) override;

  /// Returns what this serializer and its children have loaded so far. Throws KeyError if values were requested but
  /// none was found, which indicates a wrong path or another model.
  LoadReport report() const;

 private:
  std::string full(std::string_view key) const;
  bool ignored(const std::string& key) const;
  bool wanted(const std::string& key) const;
  Array one(const std::string& key) const;
  std::shared_ptr<const NpzFile> npz_;
  NpzOptions options_;
  std::shared_ptr<LoadReport> report_;
};

/// Write arrays by key, through a temporary file that is then renamed, or return the bytes. Throw FileError if the file
/// cannot be written.
void write_npz(const std::filesystem::path& file, const DictionarySerializer::Target& values, bool compression = true);
std::string npz_bytes(const DictionarySerializer::Target& values, bool compression = true);

/// Saves an object (a link, an optimizer, a trainer) to exactly this file name.
template <Serializable T>
void save_npz(const std::filesystem::path& file, T& object, bool compression = true) {
  DictionarySerializer s(false);
  object.serialize(s);
  write_npz(file, s.target(), compression);
}
/// Loads an object and returns the loaded, missing and unused keys. Throws KeyError for a missing key or, without
/// `strict`, if no key of the file was requested; and as NpzDeserializer.
template <Serializable T>
LoadReport load_npz(const std::filesystem::path& file, T& object, NpzOptions options = {}) {
  NpzDeserializer s(std::make_shared<const NpzFile>(file), std::move(options));
  object.serialize(s);
  return s.report();
}

/// Save to and load from a stream, from its current position to its end. Throw FileError if the stream fails.
void write_npz(std::ostream& stream, const DictionarySerializer::Target& values, bool compression = true);
std::shared_ptr<const NpzFile> read_npz(std::istream& stream);
template <Serializable T>
void save_npz(std::ostream& stream, T& object, bool compression = true) {
  DictionarySerializer s(false);
  object.serialize(s);
  write_npz(stream, s.target(), compression);
}
template <Serializable T>
LoadReport load_npz(std::istream& stream, T& object, NpzOptions options = {}) {
  NpzDeserializer s(read_npz(stream), std::move(options));
  object.serialize(s);
  return s.report();
}

}  // namespace serializers
}  // namespace chainer
