// Writing HDF5 files through libhdf5's C interface.
#include <hdf5.h>

#include <algorithm>
#include <mutex>

#include "chainer/serializers/hdf5.h"

namespace chainer::serializers {
namespace {

// The library keeps global state: one call at a time, its own messages off meanwhile.
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

// IEEE's half, and h5py's enumeration for bool.
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

// Chunks of at most a mebibyte, cut along the first axes.
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
  Group(std::shared_ptr<const Id> file, Id id, std::string path, std::string name)
      : file_(std::move(file)), id_(std::move(id)), path_(std::move(path)), name_(std::move(name)) {}

  std::string what() const override { return name_.empty() ? path_ : text(path_, ", '", name_, "'"); }

  std::shared_ptr<HDF5Group> group(const std::string& name, bool make) override {
    const Turn turn;
    if (name.empty())
      return std::make_shared<Group>(file_, Id(H5Gopen2(id_, ".", H5P_DEFAULT), H5Gclose), path_, name_);
    Id found(exists(name, H5O_TYPE_GROUP) ? H5Gopen2(id_, name.c_str(), H5P_DEFAULT)
             : make                       ? H5Gcreate2(id_, name.c_str(), with_parents(), H5P_DEFAULT, H5P_DEFAULT)
                                          : -1,
             H5Gclose);
    if (found < 0) {
      if (make) throw FileError(what(), ": the group '", name, "' cannot be made");
      return nullptr;
    }
    return std::make_shared<Group>(file_, std::move(found), path_, name_ + "/" + name);
  }

  std::vector<std::string> names() const override { write_only(); }
  bool contains(const std::string& name) const override {
    const Turn turn;
    return exists(name, H5O_TYPE_DATASET);
  }

  void write(const std::string& name, const Array& given, std::optional<int> compression) override {
    const Array a = (given.dtype() == bfloat16 ? given.astype(float32) : given).contiguous();
    const Turn turn;
    const Id type = type_of(a.dtype());
    const std::vector<hsize_t> dims(a.shape().begin(), a.shape().end());
    const Id space(
        dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
        H5Sclose);
    const Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (compression && a.size() > 1) {
      const auto chunks = chunks_of(a);
      H5Pset_chunk(how, static_cast<int>(chunks.size()), chunks.data());
      H5Pset_deflate(how, static_cast<unsigned>(*compression));
    }
    const Id set = make(name, type, space, how);
    if (a.size() > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.raw()) < 0) unwritten(name);
  }
  void write(const std::string& name, const std::string& value) override {
    const Turn turn;
    const Id type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const Id set = make(name, type, space, H5P_DEFAULT);
    const char* s = value.c_str();
    if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &s) < 0) unwritten(name);
  }
  void write_none(const std::string& name) override {
    const Turn turn;
    const Id space(H5Screate(H5S_NULL), H5Sclose);
    (void)make(name, H5T_IEEE_F32LE, space, H5P_DEFAULT);
  }

  HDF5Value read(const std::string&) const override { write_only(); }
  void flush() override {
    const Turn turn;
    if (H5Fflush(id_, H5F_SCOPE_GLOBAL) < 0) throw FileError("cannot write ", path_);
  }

 private:
  hid_t with_parents() const {
    // Never closed: the library has closed everything before a static object's end.
    static const hid_t list = [] {
      const hid_t l = H5Pcreate(H5P_LINK_CREATE);
      H5Pset_create_intermediate_group(l, 1);
      return l;
    }();
    return list;
  }
  // Every part of a path must be there before the last one may be asked for.
  bool exists(const std::string& name, H5O_type_t type) const {
    for (std::size_t at = name.find('/');; at = name.find('/', at + 1)) {
      if (H5Lexists(id_, name.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
      if (at == name.npos) break;
    }
    H5O_info_t info;
    return H5Oget_info_by_name2(id_, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 && info.type == type;
  }
  Id make(const std::string& name, hid_t type, hid_t space, hid_t how) const {
    Id set(H5Dcreate2(id_, name.c_str(), type, space, with_parents(), how, H5P_DEFAULT), H5Dclose);
    if (set < 0) throw FileError(what(), ": the dataset '", name, "' cannot be made; it may be there already");
    return set;
  }
  [[noreturn]] void unwritten(const std::string& name) const {
    throw FileError(what(), ": the dataset '", name, "' cannot be written");
  }
  [[noreturn]] void write_only() const { throw RuntimeError(what(), ": this file is being written"); }

  std::shared_ptr<const Id> file_;
  Id id_;
  std::string path_, name_;
};

std::shared_ptr<HDF5Group> root(Id file, const std::filesystem::path& path) {
  auto shared = std::make_shared<const Id>(std::move(file));
  Id id(H5Gopen2(*shared, "/", H5P_DEFAULT), H5Gclose);
  if (id < 0) throw FileError(path.string(), ": its root group is damaged");
  return std::make_shared<Group>(std::move(shared), std::move(id), path.string(), "");
}

}  // namespace

std::shared_ptr<HDF5Group> HDF5Group::create(const std::filesystem::path& path) {
  const Turn turn;
  Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (file < 0) throw FileError("cannot write ", path.string());
  return root(std::move(file), path);
}

}  // namespace chainer::serializers
