// SPDX-License-Identifier: MIT
// Writes HDF5 files through libhdf5's C interface.
#include <hdf5.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "chainer/array/host.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/core/little_endian.h"
#include "chainer/serializers/hdf5.h"

namespace chainer::serializers {
namespace {

// Serializes calls of libhdf5, which has global state, and disables its error messages meanwhile.
class Turn {
 public:
  Turn() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Turn(const Turn&) = delete;
  ~Turn() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex m;
    return m;
  }
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(Id&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Id(const Id&) = delete;
  ~Id() {
    if (id_ >= 0) {
      const Turn turn;
      close_(id_);
    }
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// float16, and h5py's enumeration for bool.
Id half_type() {
  Id t(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tset_fields(t, 15, 10, 5, 0, 10);
  H5Tset_size(t, 2);
  H5Tset_ebias(t, 15);
  return t;
}
Id bool_type() {
  Id t(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  const int8_t no = 0, yes = 1;
  H5Tenum_insert(t, "FALSE", &no);
  H5Tenum_insert(t, "TRUE", &yes);
  return t;
}
Id type_of(Dtype d) {
  if (d == Dtype::bool_) return bool_type();
  if (d == float16) return half_type();
  const hid_t t = d == int8      ? H5T_STD_I8LE
                  : d == int16   ? H5T_STD_I16LE
                  : d == int32   ? H5T_STD_I32LE
                  : d == int64   ? H5T_STD_I64LE
                  : d == uint8   ? H5T_STD_U8LE
                  : d == float32 ? H5T_IEEE_F32LE
                                 : H5T_IEEE_F64LE;
  return Id(H5Tcopy(t), H5Tclose);
}

// A file in memory, which is written as a whole, since libhdf5 does not report every error of a full disk.
class File {
 public:
  explicit File(const std::filesystem::path& path) : path_(path), exceptions_(std::uncaught_exceptions()), out_(path) {
    const Turn turn;
    const Id how(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(how, 1 << 20, false);
    // The oldest format, which all versions of libhdf5 can read. The default differs between versions.
    H5Pset_libver_bounds(how, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    static int made = 0;  // libhdf5 requires different names for open files
    id_ = H5Fcreate(text("memory-", made++).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, how);
    if (id_ < 0) throw FileError("cannot write ", path.string(), ": libhdf5 cannot create a file in memory");
  }
  File(const File&) = delete;
  ~File() {
    if (changed && std::uncaught_exceptions() <= exceptions_) {
      try {
        save();
      } catch (const std::exception& e) { warn(e.what()); }
    }
    const Turn turn;
    H5Fclose(id_);
  }
  void save() {
    if (!out_.is_open()) out_ = FileWriter(path_);
    const Turn turn;
    const ssize_t size = H5Fflush(id_, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(id_, nullptr, 0);
    // The image is the memory of the driver: this format has no marks of files that are open.
    void* memory = nullptr;
    if (size <= 0 || H5Fget_vfd_handle(id_, H5P_DEFAULT, &memory) < 0 || !memory || !*static_cast<void**>(memory))
      throw FileError("cannot write ", path_.string(), ": libhdf5 does not return the bytes of the file");
    out_.write({static_cast<const char*>(*static_cast<void**>(memory)), static_cast<std::size_t>(size)});
    out_.commit();
    changed = false;
  }
  hid_t id() const { return id_; }
  std::string name() const { return path_.string(); }
  bool changed = true;  // since the last save()

 private:
  std::filesystem::path path_;
  int exceptions_;
  FileWriter out_;
  hid_t id_ = -1;
};

// Properties of a dataset without a time stamp, so that the same content gives the same bytes.
Id timeless() {
  Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(how, false);
  return how;
}

// Returns the shape of chunks of at most 1 MiB, split along the first axes.
std::vector<hsize_t> chunks_of(const Array& a) {
  std::vector<hsize_t> out(a.shape().begin(), a.shape().end());
  auto bytes = static_cast<std::size_t>(a.nbytes());
  for (hsize_t& n : out) {
    if (bytes <= (1u << 20)) break;
    const std::size_t rest = bytes / n;
    n = std::max<std::size_t>(1, (1u << 20) / std::max<std::size_t>(rest, 1));
    bytes = rest * n;
  }
  return out;
}

class Group : public HDF5Group {
 public:
  Group(std::shared_ptr<File> file, Id id, std::string name)
      : file_(std::move(file)), id_(std::move(id)), name_(std::move(name)) {}

  std::string what() const override { return name_.empty() ? file_->name() : text(file_->name(), ", '", name_, "'"); }

  std::shared_ptr<HDF5Group> group(const std::string& name, bool make) override {
    const Turn turn;
    file_->changed = file_->changed || make;
    if (name.empty()) return std::make_shared<Group>(file_, Id(H5Gopen2(id_, ".", H5P_DEFAULT), H5Gclose), name_);
    Id found(exists(name, H5I_GROUP) ? H5Gopen2(id_, name.c_str(), H5P_DEFAULT)
             : make                  ? H5Gcreate2(id_, name.c_str(), with_parents(), H5P_DEFAULT, H5P_DEFAULT)
                                     : -1,
             H5Gclose);
    if (found < 0) {
      if (make) throw FileError(what(), ": cannot create the group '", name, "'");
      return nullptr;
    }
    return std::make_shared<Group>(file_, std::move(found), name_ + "/" + name);
  }

  std::vector<std::string> names() const override { write_only(); }
  HDF5Object describe(const std::string&) const override { write_only(); }
  bool contains(const std::string& name) const override {
    const Turn turn;
    return exists(name, H5I_DATASET);
  }

  void write(const std::string& name, const Array& given, std::optional<int> compression) override {
    const Array a = to_host(given.dtype() == bfloat16 ? given.astype(float32) : given).contiguous();
    const Turn turn;
    const Id type = type_of(a.dtype());
    const std::vector<hsize_t> dims(a.shape().begin(), a.shape().end());
    const Id space(
        dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
        H5Sclose);
    const Id how = timeless();
    if (compression && a.size() > 1) {
      const auto chunks = chunks_of(a);
      H5Pset_chunk(how, static_cast<int>(chunks.size()), chunks.data());
      H5Pset_deflate(how, static_cast<unsigned>(*compression));
    }
    const Id set = make(name, type, space, how);
    if (a.size() == 0) return;
    const LittleEndianBytes in_file(a.raw(), a.nbytes(), item_size(a.dtype()));
    if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, in_file.view().data()) < 0) unwritten(name);
  }
  void write(const std::string& name, const std::string& value) override {
    const Turn turn;
    const Id type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    // Strings of variable length end at a zero byte.
    const bool variable = value.find('\0') == value.npos;
    H5Tset_size(type, variable ? H5T_VARIABLE : value.size());
    if (!variable) H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const Id set = make(name, type, space, timeless());
    const char* s = value.c_str();
    const void* const from = variable ? static_cast<const void*>(&s) : s;
    if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from) < 0) unwritten(name);
  }
  void write_none(const std::string& name) override {
    const Turn turn;
    const Id space(H5Screate(H5S_NULL), H5Sclose);
    (void)make(name, H5T_IEEE_F32LE, space, timeless());
  }

  HDF5Value read(const std::string&) const override { write_only(); }
  void flush() override { file_->save(); }

 private:
  hid_t with_parents() const {
    // Never closed: libhdf5 closes everything itself before static objects are destroyed.
    static const hid_t list = [] {
      const hid_t l = H5Pcreate(H5P_LINK_CREATE);
      H5Pset_create_intermediate_group(l, 1);
      return l;
    }();
    return list;
  }
  // H5Lexists requires that all parents of a path exist.
  bool exists(const std::string& name, H5I_type_t type) const {
    for (std::size_t at = name.find('/');; at = name.find('/', at + 1)) {
      if (H5Lexists(id_, name.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
      if (at == name.npos) break;
    }
    const Id object(H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose);
    return object >= 0 && H5Iget_type(object) == type;
  }
  Id make(const std::string& name, hid_t type, hid_t space, hid_t how) const {
    Id set(H5Dcreate2(id_, name.c_str(), type, space, with_parents(), how, H5P_DEFAULT), H5Dclose);
    file_->changed = true;
    if (set < 0) throw FileError(what(), ": cannot create the dataset '", name, "'; it may exist already");
    return set;
  }
  [[noreturn]] void unwritten(const std::string& name) const {
    throw FileError(what(), ": cannot write the dataset '", name, "'");
  }
  [[noreturn]] void write_only() const { throw RuntimeError(what(), ": the file was opened for writing"); }

  std::shared_ptr<File> file_;
  Id id_;
  std::string name_;
};

}  // namespace

std::shared_ptr<HDF5Group> HDF5Group::create(const std::filesystem::path& path) {
  const Turn turn;
  auto file = std::make_shared<File>(path);
  Id id(H5Gopen2(file->id(), "/", H5P_DEFAULT), H5Gclose);
  if (id < 0) throw FileError(path.string(), ": libhdf5 cannot open the root group");
  return std::make_shared<Group>(std::move(file), std::move(id), "");
}

}  // namespace chainer::serializers
