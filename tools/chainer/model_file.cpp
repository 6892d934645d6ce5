// SPDX-License-Identifier: MIT
#include "model_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>

#include "chainer/array/index.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/links/caffe/net.h"
#include "chainer/onnx/model_file.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/safetensors.h"
#include "chainer/serializers/serializers.h"

namespace tool {

namespace fs = std::filesystem;
using chainer::Array;
using chainer::Dtype;
using chainer::FileError;
using chainer::text;

namespace {

std::vector<int64_t> lengths_of(const Array& a) { return {a.shape().begin(), a.shape().end()}; }
std::string dtype_of(const Array& a) { return std::string(chainer::name(a.dtype())); }

NamedArray unreadable(const std::string& name, const std::string& why) { return {.name = name, .error = why}; }

// An error in one member does not affect the others.
ModelFile open_npz(const fs::path& path) {
  ModelFile out{.format = "NPZ"};
  const auto file = std::make_shared<const chainer::serializers::NpzFile>(path);
  for (const std::string& key : file->keys()) {
    try {
      const chainer::NpyHeader h = file->header(key);
      const char kind = h.descr.size() > 1 ? h.descr[1] : '?';
      if (kind == 'U') {
        out.texts[key] = file->text(key);
      } else if (kind == 'O') {
        if (!file->array(key)) out.nones.push_back(key);
      } else {
        (void)element_count({h.shape.begin(), h.shape.end()});
        const Dtype dtype = kind == 'u' && h.descr != "|u1" ? chainer::int64 : chainer::parse_dtype(h.descr);
        out.arrays.push_back({key,
                              std::string(chainer::name(dtype)),
                              {h.shape.begin(), h.shape.end()},
                              [file, key] { return file->array(key); },
                              [file, key](const auto& f) { file->runs(key, f); }});
      }
    } catch (const chainer::Error& e) { out.arrays.push_back(unreadable(key, e.what())); }
  }
  return out;
}

ModelFile open_safetensors(const fs::path& path) {
  ModelFile out{.format = "safetensors"};
  const auto file = std::make_shared<const chainer::serializers::SafetensorsFile>(path);
  bool slashes = false;
  for (const auto& [name, entry] : file->entries()) {
    slashes = slashes || name.find('/') != std::string::npos;
    std::string dtype = entry.dtype;
    for (const auto& [theirs, ours] : std::map<std::string, std::string>{{"BOOL", "bool"},
                                                                         {"U8", "uint8"},
                                                                         {"I8", "int8"},
                                                                         {"I16", "int16"},
                                                                         {"I32", "int32"},
                                                                         {"I64", "int64"},
                                                                         {"F16", "float16"},
                                                                         {"BF16", "bfloat16"},
                                                                         {"F32", "float32"},
                                                                         {"F64", "float64"}})
      if (dtype == theirs) dtype = ours;
    out.arrays.push_back({name, dtype, entry.shape, [file, name = name] { return file->array(name); }});
  }
  if (!slashes) out.separator = '.';
  out.texts = file->metadata();
  return out;
}

// Lists each object of a file once; other names of the same object (hard and soft links) are listed as links. Otherwise
// groups that contain each other would have unboundedly many names.
class HDF5Tree {
 public:
  explicit HDF5Tree(const fs::path& path) {
    const auto root = chainer::serializers::HDF5Group::open(path);
    met_[root->describe("/").place] = "/";
    collect(root, "", 0);
  }
  ModelFile out{.format = "HDF5"};

 private:
  using Group = std::shared_ptr<chainer::serializers::HDF5Group>;
  using Object = chainer::serializers::HDF5Object;

  void collect(const Group& group, const std::string& path, int depth) {
    if (depth > 64) throw FileError(group->what(), ": groups are nested more than 64 deep");
    for (const std::string& name : group->names()) {
      const std::string full = path + name;
      try {
        add(group, name, full, depth);
      } catch (const chainer::Error& e) { out.arrays.push_back(unreadable(full, e.what())); }
    }
    for (const std::string& name : group->dangling())
      out.arrays.push_back(unreadable(path + name, "a link to an object that this file does not contain"));
  }
  void add(const Group& group, const std::string& name, const std::string& full, int depth) {
    const Object o = group->describe(name);
    const auto [first, is_new] = met_.emplace(o.place, full);
    switch (o.kind) {
      case Object::group:
        if (is_new)
          collect(group->group(name, false), full + "/", depth + 1);
        else
          out.links[full] = first->second;
        break;
      case Object::array:
        out.arrays.push_back(
            {full, std::string(chainer::name(o.dtype)), {o.shape.begin(), o.shape.end()}, [group, name] {
               return group->read(name).array;
             }});
        if (!is_new) out.arrays.back().same_as = first->second;
        break;
      case Object::text: out.texts[full] = group->read(name).text.value(); break;
      case Object::none: out.nones.push_back(full); break;
      case Object::other:
        out.arrays.push_back(unreadable(full, o.why));
        out.arrays.back().is_data = o.why != "a named datatype";
        break;
    }
  }
  std::map<uint64_t, std::string> met_;  // the first name of each object, by address
};

ModelFile open_caffe(const fs::path& path) {
  ModelFile out{.format = "Caffe model"};
  const chainer::caffe::Net net = chainer::caffe::read_net(path);
  for (const chainer::caffe::Layer& l : net.layers)
    for (std::size_t i = 0; i < l.blobs.size(); ++i) {
      const Array a = l.blobs[i];
      out.arrays.push_back({text(l.name, "/", i), dtype_of(a), lengths_of(a), [a] { return a; }});
    }
  if (!net.name.empty()) out.texts["name"] = net.name;
  return out;
}

// Initializers and values of Constant nodes as arrays; inputs, outputs and producer as strings.
ModelFile open_onnx(const fs::path& path) {
  ModelFile out{.format = "ONNX"};
  const chainer::MappedFile mapped(path);
  const auto file = std::make_shared<chainer::onnx::ModelFile>(
      chainer::onnx::read_model(mapped.bytes(), path.parent_path().empty() ? "." : path.parent_path(), path.string()));
  chainer::onnx::make_initializers(*file);
  for (const auto& [name, value] : file->initializers)
    out.arrays.push_back({name, dtype_of(value), lengths_of(value), [value = value] { return value; }});
  const auto names = [](const std::vector<chainer::onnx::ValueInfo>& values) {
    std::string all;
    for (const auto& v : values) all += (all.empty() ? "" : ", ") + v.name;
    return all;
  };
  out.texts = {{"inputs", names(file->inputs)}, {"outputs", names(file->outputs)}};
  if (!file->producer_name.empty()) out.texts["producer"] = file->producer_name;
  if (const auto opset = file->opsets.find(""); opset != file->opsets.end())
    out.texts["opset"] = std::to_string(opset->second);
  for (const auto& [key, value] : file->metadata) out.texts["metadata/" + key] = value;
  return out;
}

void write_hdf5(const fs::path& path, const std::map<std::string, Array>& arrays,
                const std::map<std::string, std::string>& texts, const std::vector<std::string>& nones,
                bool compression) {
  struct Everything {
    const std::map<std::string, Array>& arrays;
    const std::map<std::string, std::string>& texts;
    const std::vector<std::string>& nones;
    // Names with slashes are paths of groups.
    using Write = std::function<void(chainer::Serializer&, const std::string&)>;
    static void put(chainer::Serializer& s, const std::string& name, const Write& f) {
      const std::size_t slash = name.find('/');
      if (const std::string part = name.substr(0, slash); part.empty() || part == ".")
        throw FileError("a name has the part '", part, "' between slashes, which an HDF5 file cannot represent");
      if (slash == std::string::npos) return f(s, name);
      put(*s.child(name.substr(0, slash)), name.substr(slash + 1), f);
    }
    void serialize(chainer::Serializer& s) {
      for (const auto& entry : arrays)
        put(s, entry.first,
            [a = entry.second](chainer::Serializer& t, const std::string& n) mutable { t.array(n, a); });
      for (const auto& entry : texts)
        put(s, entry.first,
            [v = entry.second](chainer::Serializer& t, const std::string& n) mutable { t.string(n, v); });
      Array none;
      for (const std::string& name : nones)
        put(s, name, [&](chainer::Serializer& t, const std::string& n) { t.array(n, none); });
    }
  } everything{arrays, texts, nones};
  chainer::serializers::save_hdf5(path, everything, compression ? std::optional<int>(4) : std::nullopt);
}

}  // namespace

ModelFile open_model_file(const fs::path& path) {
  std::string head(16, '\0');
  bool is_hdf5 = false;
  {
    // Throws an error with the reason if the file cannot be read.
    const chainer::MappedFile file(path);
    head.assign(file.bytes().substr(0, 16));
    // Other data may precede the signature of an HDF5 file.
    for (std::size_t at = 0; at < file.bytes().size() && !is_hdf5; at = at ? 2 * at : 512)
      is_hdf5 = file.bytes().substr(at).starts_with("\x89HDF\r\n\x1a\n");
  }
  if (head.starts_with("PK")) return open_npz(path);
  if (head.starts_with("\x93NUMPY")) {
    const Array a = chainer::map_npy(path);
    return {.format = "NPY", .arrays = {{path.stem().string(), dtype_of(a), lengths_of(a), [a] { return a; }}}};
  }
  if (is_hdf5) { return std::move(HDF5Tree(path).out); }
  if (path.extension() == ".caffemodel") return open_caffe(path);
  if (path.extension() == ".onnx") return open_onnx(path);
  if (path.extension() == ".safetensors" || (head.size() > 8 && head[8] == '{')) return open_safetensors(path);
  throw FileError(path.string(),
                  " is not a model file of a known format (NPZ, NPY, HDF5, safetensors, .onnx, .caffemodel)");
}

void write_model_file(const fs::path& path, const std::map<std::string, Array>& arrays,
                      const std::map<std::string, std::string>& texts, const std::vector<std::string>& nones,
                      bool compression) {
  const std::string ending = path.extension().string();
  if (ending == ".npz") {
    chainer::serializers::DictionarySerializer s;
    Array none;
    // Writes names unchanged (a serializer would strip leading and trailing slashes) and makes no copies.
    chainer::serializers::DictionarySerializer::Target members(arrays.begin(), arrays.end());
    for (auto [name, v] : texts) {
      s.string("text", v);
      members[name] = s.target().at("text");
    }
    s.array("none", none);
    for (const std::string& name : nones) members[name] = s.target().at("none");
    chainer::serializers::write_npz(path, members, compression);
  } else if (ending == ".h5" || ending == ".hdf5") {
    write_hdf5(path, arrays, texts, nones, compression);
  } else if (ending == ".safetensors") {
    chainer::serializers::write_safetensors(path, arrays, texts);
  } else if (ending == ".npy") {
    if (arrays.size() != 1)
      throw FileError(path.string(), ": an .npy file contains exactly one array, not ", arrays.size());
    chainer::save_npy(path, arrays.begin()->second);
  } else {
    throw FileError(path.string(), ": unknown extension; expected .npz, .h5, .hdf5, .safetensors or .npy");
  }
}

void for_runs(const NamedArray& a, const std::function<void(const Array&)>& f) {
  constexpr int64_t kRun = 1 << 20;
  const auto cut = [&](const Array& flat) {
    for (int64_t at = 0; at < flat.size(); at += kRun)
      f(flat[chainer::Slice(at, std::min(at + kRun, flat.size()))].contiguous());
  };
  if (a.runs)
    a.runs(cut);
  else
    cut(a.load().contiguous().reshape({-1}));
}

Statistics statistics(const NamedArray& a) {
  Statistics s;
  double total = 0, squares = 0;
  int64_t count = 0;
  for_runs(a, [&](const Array& run) {
    const Array values = run.astype(chainer::float64, false);
    const double* p = values.data<double>();
    for (int64_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(p[i])) {
        ++s.not_finite;
        continue;
      }
      if (count == 0) s.least = s.largest = p[i];
      s.least = std::min(s.least, p[i]), s.largest = std::max(s.largest, p[i]);
      // Welford's algorithm avoids cancellation.
      const double difference = p[i] - total;
      total += difference / static_cast<double>(++count);
      squares += difference * (p[i] - total);
    }
  });
  s.mean = total;
  s.deviation = count ? std::sqrt(squares / static_cast<double>(count)) : 0;
  return s;
}

chainer::json::List lengths(const std::vector<int64_t>& shape) {
  chainer::json::List out;
  for (int64_t n : shape) out.emplace_back(n);
  return out;
}
std::string shape_text(const std::vector<int64_t>& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += text(i ? ", " : "", shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}
std::string size_text(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  char out[32];
  std::snprintf(out, sizeof out, unit ? "%.3g %s" : "%.0f %s", bytes, units[unit]);
  return out;
}
int64_t element_count(const std::vector<int64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), int64_t(0)) != shape.end()) return 0;
  int64_t n = 1;
  for (int64_t d : shape)
    if (__builtin_mul_overflow(n, d, &n)) throw FileError("an array of shape ", shape_text(shape), " is too large");
  return n;
}

}  // namespace tool
