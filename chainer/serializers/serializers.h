// Saving and loading in NumPy's NPZ format, with the release's keys (manual: "Serializers").
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

/// The manual's names of the three base classes: one class stands for both directions here.
using AbstractSerializer = Serializer;
using Deserializer = Serializer;

namespace serializers {

/// Collects values under flat keys: "predictor/l1/W". Text and None have no array of their own; they are held as the
/// bytes of the .npy members that NumPy would write.
class DictionarySerializer : public Serializer {
 public:
  using Target = std::map<std::string, std::variant<Array, std::string>>;
  DictionarySerializer();
  DictionarySerializer(std::shared_ptr<Target> target, std::string path)
      : target_(std::move(target)), path_(std::move(path)) {}
  const Target& target() const { return *target_; }
  /// object.serialize(*this), under the manual's name.
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
};

/// Keys that are not loaded: full keys, or predicates on them.
using IgnoreName = std::variant<std::string, std::function<bool(const std::string&)>>;
/// What a load did, by the file's keys: loaded; missing, wanted but not in the file (possible where strict is off); and
/// unused, in the file below the path but not wanted.
struct LoadReport {
  std::vector<std::string> loaded, missing, unused;
};
/// Options of load_npz(), in the manual's order.
struct NpzOptions {
  std::string path = "";  ///< only what lies below this group; the / at its end may be left out
  bool strict = true;     ///< a missing key is a KeyError; else the value stays as it is
  std::vector<IgnoreName> ignore_names = {};
};

/// An opened NPZ file. A file is mapped into memory: it must not shrink while this object, or an array of mapped(),
/// lives.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  NpzFile(std::string bytes, const std::string& what) : zip_(std::move(bytes), what), what_(what) {}
  bool contains(const std::string& key) const { return zip_.contains(key + ".npy"); }
  /// All keys.
  std::vector<std::string> keys() const;
  /// The array of a key; none for a stored None, TypeError for text.
  Array array(const std::string& key) const;
  /// As array(), but without a copy where the member is not packed (compression = false), its elements are aligned, in
  /// this machine's byte order and C order, and no truth values: the array's elements are the file's pages, and a write
  /// to them stays in this process. Their checksum is not looked at, which check() does. Members of save_npz() are
  /// aligned, those of NumPy by chance.
  Array mapped(const std::string& key) const;
  /// What a key's member says of itself before its elements.
  NpyHeader header(const std::string& key) const;
  /// The shape of a key's array, without reading the elements; none where array() would give none or throw TypeError.
  std::optional<Shape> shape(const std::string& key) const;
  /// The elements of a key's array one after the other, f(elements along one axis), few at a time where the file allows
  /// it: not in Fortran order, another byte order, or a dtype that array() changes. An array of a small file may be
  /// larger than the memory is.
  void runs(const std::string& key, const std::function<void(const Array&)>& f) const;
  /// UTF-8. Zero characters at its end are padding to NumPy, and left out.
  std::string text(const std::string& key) const;
  /// Reads a member for its checksum's sake; throws FileError if it is damaged.
  void check(const std::string& key) const;
  const std::string& what() const { return what_; }

 private:
  std::string member(const std::string& key) const;
  bool pieces(const std::string& key, const std::function<void(std::string_view)>& f) const;
  zip::Reader zip_;
  std::string what_;
};

/// Loads from an NPZ file. Arrays are cast to the target's dtype by same-kind rules; a floating value for an integer
/// target, another shape, or a pickle are errors that name the key.
class NpzDeserializer : public Serializer {
 public:
  explicit NpzDeserializer(std::shared_ptr<const NpzFile> npz, NpzOptions options = {});
  /// object.serialize(*this), under the manual's name.
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

  /// What was loaded so far, by this serializer and its children. KeyError if nothing was although something was
  /// wanted: a path or a model of another kind.
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

/// Arrays by key, written through a temporary file that is then renamed.
void write_npz(const std::filesystem::path& file, const DictionarySerializer::Target& values, bool compression = true);
std::string npz_bytes(const DictionarySerializer::Target& values, bool compression = true);

/// Saves an object (a link, an optimizer, a trainer) to exactly this file name.
template <Serializable T>
void save_npz(const std::filesystem::path& file, T& object, bool compression = true) {
  DictionarySerializer s;
  object.serialize(s);
  write_npz(file, s.target(), compression);
}
/// Loads it again, and says what was loaded, missing and unused. Without `strict`, a file of which nothing fits is a
/// KeyError.
template <Serializable T>
LoadReport load_npz(const std::filesystem::path& file, T& object, NpzOptions options = {}) {
  NpzDeserializer s(std::make_shared<const NpzFile>(file), std::move(options));
  object.serialize(s);
  return s.report();
}

/// The same to and from a stream, from where it stands to its end. FileError if the stream fails.
void write_npz(std::ostream& stream, const DictionarySerializer::Target& values, bool compression = true);
std::shared_ptr<const NpzFile> read_npz(std::istream& stream);
template <Serializable T>
void save_npz(std::ostream& stream, T& object, bool compression = true) {
  DictionarySerializer s;
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
