// SPDX-License-Identifier: MIT
// Saves and loads HDF5 files, with the groups and datasets of the release (manual: "Serialization in HDF5 format").
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

/// A stored value: an array, a string, or None (neither).
struct HDF5Value {
  Array array = {};
  std::optional<std::string> text = {};
};

/// The description of an object in a group.
struct HDF5Object {
  enum Kind : uint8_t { group, array, text, none, other };
  Kind kind = other;
  Dtype dtype = float32;  ///< of an array
  Shape shape = {};
  std::string why = {};  ///< for other: a named datatype, or the reason why the object cannot be read
  uint64_t place = 0;    ///< equal for two names (links) of one object
};

/// A group of an HDF5 file, which stays open while any of its groups exists. Files are written by libhdf5; create()
/// throws MissingPartError in a build without it. Files are read by a built-in reader (see hdf5_format.h), by any
/// number of threads. All messages name file and group or dataset.
class HDF5Group {
 public:
  virtual ~HDF5Group() = default;
  /// Returns the root of a new file. The file is created in memory, and flush(), or the destructor of the last group
  /// unless it runs because of an exception, replaces an old file atomically (FileWriter). Throws FileError if the path
  /// cannot be written.
  static std::shared_ptr<HDF5Group> create(const std::filesystem::path& path);
  /// Returns the root of a file for reading: the default output of h5py and libhdf5, with any version of the superblock
  /// and of object headers, except arrays in chunks in the newest format. Follows soft links. Throws FileError if the
  /// file is missing, damaged or of another format.
  static std::shared_ptr<HDF5Group> open(const std::filesystem::path& path);
  /// Returns a description for messages: "model.h5, '/l1'".
  virtual std::string what() const = 0;
  /// Returns a group below this one (a name may contain slashes). If there is none, creates it with `make`, else
  /// returns none.
  virtual std::shared_ptr<HDF5Group> group(const std::string& name, bool make) = 0;
  /// Returns the names directly below this group, sorted, without dangling links and links into other files.
  virtual std::vector<std::string> names() const = 0;
  /// Returns the names directly below this group that names() leaves out, sorted.
  virtual std::vector<std::string> dangling() const { return {}; }
  /// Describes an object without reading its elements. Throws KeyError if there is none.
  virtual HDF5Object describe(const std::string& name) const = 0;
  /// Returns true if there is a dataset of this name.
  virtual bool contains(const std::string& name) const = 0;
  /// Writes an array as h5py does: bool as its enumeration, float16 in 16 bits; arrays of at least two elements in
  /// chunks compressed by gzip of this level. bfloat16 is stored as float32.
  virtual void write(const std::string& name, const Array& value, std::optional<int> compression) = 0;
  /// Writes a UTF-8 string of variable length; with zero bytes, of fixed length, without trailing zero bytes.
  virtual void write(const std::string& name, const std::string& value) = 0;
  /// Writes None: a dataset of float32 without a dataspace.
  virtual void write_none(const std::string& name) = 0;
  /// Returns the value of a dataset; unsigned integers of 16 bits or more become int64, enumerations other than h5py's
  /// bool the integers of their values. Throws KeyError if there is no such dataset, FileError if it is damaged, of an
  /// unsupported kind, has an element that does not fit int64, or 256 MiB or more that were never written.
  virtual HDF5Value read(const std::string& name) const = 0;
  /// The same, but an array may be part of the file in memory: it cannot be written to, and the file must not shrink
  /// while it lives.
  virtual HDF5Value view(const std::string& name) const { return read(name); }
  /// Writes everything to the file. Throws FileError if that fails; the old file is then unchanged.
  virtual void flush() = 0;
};

/// Saves to a group: children are groups, values are datasets.
class HDF5Serializer : public Serializer {
 public:
  /// `compression` is the gzip level, 0 to 9, or none. Throws ValueError for another level.
  explicit HDF5Serializer(std::shared_ptr<HDF5Group> group, std::optional<int> compression = 4);
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
  std::shared_ptr<HDF5Group> group_;
  std::optional<int> compression_;
};

/// Loads from a group. Throws KeyError for a missing dataset, ValueError for a value of a missing group; without
/// `strict` both leave the value unchanged. Arrays are cast as by NpzDeserializer.
class HDF5Deserializer : public Serializer {
 public:
  explicit HDF5Deserializer(std::shared_ptr<HDF5Group> group, bool strict = true)
      : HDF5Deserializer(std::move(group), strict, "") {}
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

 private:
  HDF5Deserializer(std::shared_ptr<HDF5Group> group, bool strict, std::string missing)
      : group_(std::move(group)), strict_(strict), missing_(std::move(missing)) {}
  /// Return the array of a key, or an array of one element; none if the value is to stay unchanged. The shape is
  /// checked before the elements are read, because a small file may declare large arrays.
  Array value(std::string_view key, const Array& target) const;
  Array one(std::string_view key) const;
  template <class F>
  Array value_after(std::string_view key, F&& check) const;
  bool wanted(const std::string& key) const;
  std::string what(std::string_view key) const;
  std::shared_ptr<HDF5Group> group_;
  bool strict_;
  std::string missing_;  // the name of the missing group
};

/// Saves an object to exactly this file name; the file is replaced atomically. Throws as HDF5Group::create() and
/// flush().
template <Serializable T>
void save_hdf5(const std::filesystem::path& filename, T& object, std::optional<int> compression = 4) {
  const auto root = HDF5Group::create(filename);
  HDF5Serializer s(root, compression);
  object.serialize(s);
  root->flush();
}
/// Loads an object from a file. Throws as HDF5Group::open() and HDF5Deserializer.
template <Serializable T>
void load_hdf5(const std::filesystem::path& filename, T& object) {
  HDF5Deserializer s(HDF5Group::open(filename));
  object.serialize(s);
}

}  // namespace chainer::serializers
