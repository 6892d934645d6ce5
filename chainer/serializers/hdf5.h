// Saving and loading in HDF5, with the release's groups and datasets (manual: "Serialization in HDF5 format").
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/core/serializer.h"
#include "chainer/serializers/serializers.h"

namespace chainer::serializers {

/// A stored value: an array, a text, or None (neither).
struct HDF5Value {
  Array array = {};
  std::optional<std::string> text = {};
};

/// What a name in a group leads to.
struct HDF5Object {
  enum Kind : uint8_t { group, array, text, none, other };
  Kind kind = other;
  Dtype dtype = float32;  ///< of an array
  Shape shape = {};
  std::string why = {};  ///< other: a named datatype, or what cannot be read about it
  uint64_t place = 0;    ///< two names of one object (links) have the same
};

/// A group of an HDF5 file, which stays open while one of its groups lives. Files are written by libhdf5; without it
/// create() is a MissingPartError. They are read by a reader of our own (see hdf5_format.h), by any number of threads.
/// All errors name file and group or dataset.
class HDF5Group {
 public:
  virtual ~HDF5Group() = default;
  /// The root of a new file, which is made in memory and replaces an old one at flush(), whole (FileWriter), or when
  /// the last of its groups goes without an exception on its way. FileError where the file can never be written.
  static std::shared_ptr<HDF5Group> create(const std::filesystem::path& path);
  /// The root of a file, to read: what h5py and libhdf5 write by default, of any version of the superblock and of
  /// object headers, but no packed arrays in the newest format. Soft links are followed.
  /// FileError if it is missing, damaged or of another format.
  static std::shared_ptr<HDF5Group> open(const std::filesystem::path& path);
  /// "model.h5, '/l1'"
  virtual std::string what() const = 0;
  /// A group below this one (a name may hold slashes), made if wanted; none if it is not there.
  virtual std::shared_ptr<HDF5Group> group(const std::string& name, bool make) = 0;
  /// The names right below this group, sorted, but for links that lead nowhere or into other files.
  virtual std::vector<std::string> names() const = 0;
  /// What is known of an object without reading its elements; KeyError if there is none.
  virtual HDF5Object describe(const std::string& name) const = 0;
  /// Whether there is a dataset of this name.
  virtual bool contains(const std::string& name) const = 0;
  /// Writes an array as h5py does: bool as its enumeration, float16 in 16 bits; arrays of two elements or more in
  /// chunks packed by gzip of this level. bfloat16 is stored as float32.
  virtual void write(const std::string& name, const Array& value, std::optional<int> compression) = 0;
  /// A text of variable length, UTF-8; of fixed length where it has zero bytes, of which those at its end are lost.
  virtual void write(const std::string& name, const std::string& value) = 0;
  /// None: a dataset of float32 without a space.
  virtual void write_none(const std::string& name) = 0;
  /// The value of a dataset: integers of 16 bits or more without sign become int64.
  virtual HDF5Value read(const std::string& name) const = 0;
  /// Writes everything to the file; FileError with the reason if that fails, and the old file stays.
  virtual void flush() = 0;
};

/// Saves into a group: children are groups, values datasets.
class HDF5Serializer : public Serializer {
 public:
  /// `compression` is gzip's level, 0 to 9, or none; ValueError for another one.
  explicit HDF5Serializer(std::shared_ptr<HDF5Group> group, std::optional<int> compression = 4);
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
  std::shared_ptr<HDF5Group> group_;
  std::optional<int> compression_;
};

/// Loads from a group. A missing dataset is a KeyError, a value of a missing group a ValueError; without `strict` both
/// leave the value as it is. Arrays are cast as by NpzDeserializer.
class HDF5Deserializer : public Serializer {
 public:
  explicit HDF5Deserializer(std::shared_ptr<HDF5Group> group, bool strict = true)
      : HDF5Deserializer(std::move(group), strict, "") {}
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

 private:
  HDF5Deserializer(std::shared_ptr<HDF5Group> group, bool strict, std::string missing)
      : group_(std::move(group)), strict_(strict), missing_(std::move(missing)) {}
  /// The array of a key, and one of a single element; none where the value is to stay as it is. The shape is looked at
  /// before the elements are read: a small file may promise large arrays.
  Array value(std::string_view key, const Array& target) const;
  Array one(std::string_view key) const;
  template <class F>
  Array value_after(std::string_view key, F&& check) const;
  bool wanted(const std::string& key) const;
  std::string what(std::string_view key) const;
  std::shared_ptr<HDF5Group> group_;
  bool strict_;
  std::string missing_;  // what the group would have been called
};

/// Saves an object to exactly this file name, which is the old or the new file at any time.
template <Serializable T>
void save_hdf5(const std::filesystem::path& filename, T& object, std::optional<int> compression = 4) {
  const auto root = HDF5Group::create(filename);
  HDF5Serializer s(root, compression);
  object.serialize(s);
  root->flush();
}
/// Loads it again.
template <Serializable T>
void load_hdf5(const std::filesystem::path& filename, T& object) {
  HDF5Deserializer s(HDF5Group::open(filename));
  object.serialize(s);
}

}  // namespace chainer::serializers
