#include "model_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>

#include "chainer/array/index.h"
#include "chainer/core/file.h"
#include "chainer/core/mapped_file.h"
#include "chainer/links/caffe/net.h"
#include "chainer/onnx/model_file.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/safetensors.h"
#include "chainer/serializers/serializers.h"

namespace tool {

namespace fs = std::filesystem;
using chainer::Array;
using chainer::FileError;
using chainer::text;

namespace {

std::vector<int64_t> lengths_of(const Array& a) { return {a.shape().begin(), a.shape().end()}; }
std::string dtype_of(const Array& a) { return std::string(chainer::name(a.dtype())); }

ModelFile open_npz(const fs::path& path) {
  ModelFile out{.format = "NPZ"};
  const auto file = std::make_shared<const chainer::serializers::NpzFile>(path);
  for (const std::string& key : file->keys()) {
    try {
      const Array a = file->mapped(key);
      if (a)
        out.arrays.push_back({key, dtype_of(a), lengths_of(a), [file, key] { return file->mapped(key); }});
      else
        out.nones.push_back(key);
    } catch (const chainer::TypeError&) { out.texts[key] = file->text(key); }
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

void collect(const std::shared_ptr<chainer::serializers::HDF5Group>& group, const std::string& path, ModelFile& out,
             int depth) {
  if (depth > 64) throw FileError(group->what(), ": groups are nested more than 64 deep");
  for (const std::string& name : group->names()) {
    if (!group->contains(name)) {
      collect(group->group(name, false), path + name + "/", out, depth + 1);
      continue;
    }
    const chainer::serializers::HDF5Value v = group->read(name);
    if (v.text)
      out.texts[path + name] = *v.text;
    else if (v.array)
      out.arrays.push_back(
          {path + name, dtype_of(v.array), lengths_of(v.array), [group, name] { return group->read(name).array; }});
    else
      out.nones.push_back(path + name);
  }
}

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

// The initializers; inputs, outputs and what made the file as texts.
ModelFile open_onnx(const fs::path& path) {
  ModelFile out{.format = "ONNX"};
  const chainer::MappedFile mapped(path);
  const auto file = std::make_shared<const chainer::onnx::ModelFile>(
      chainer::onnx::read_model(mapped.bytes(), path.parent_path().empty() ? "." : path.parent_path(), path.string()));
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
    // Names with slashes are groups.
    using Write = std::function<void(chainer::Serializer&, const std::string&)>;
    static void put(chainer::Serializer& s, const std::string& name, const Write& f) {
      const std::size_t slash = name.find('/');
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
  {
    // Whatever cannot be read says why.
    const chainer::MappedFile file(path);
    head.assign(file.bytes().substr(0, 16));
  }
  if (head.starts_with("PK")) return open_npz(path);
  if (head.starts_with("\x93NUMPY")) {
    const Array a = chainer::map_npy(path);
    return {.format = "NPY", .arrays = {{path.stem().string(), dtype_of(a), lengths_of(a), [a] { return a; }}}};
  }
  if (head.starts_with("\x89HDF")) {
    ModelFile out{.format = "HDF5"};
    collect(chainer::serializers::HDF5Group::open(path), "", out, 0);
    return out;
  }
  if (path.extension() == ".caffemodel") return open_caffe(path);
  if (path.extension() == ".onnx") return open_onnx(path);
  if (path.extension() == ".safetensors" || (head.size() > 8 && head[8] == '{')) return open_safetensors(path);
  throw FileError(path.string(),
                  " is no model file of a known format (NPZ, NPY, HDF5, safetensors, .onnx, .caffemodel)");
}

void write_model_file(const fs::path& path, const std::map<std::string, Array>& arrays,
                      const std::map<std::string, std::string>& texts, const std::vector<std::string>& nones,
                      bool compression) {
  const std::string ending = path.extension().string();
  if (ending == ".npz") {
    chainer::serializers::DictionarySerializer s;
    Array none;
    for (auto [name, a] : arrays) s.array(name, a);
    for (auto [name, v] : texts) s.string(name, v);
    for (const std::string& name : nones) s.array(name, none);
    chainer::serializers::write_npz(path, s.target(), compression);
  } else if (ending == ".h5" || ending == ".hdf5") {
    write_hdf5(path, arrays, texts, nones, compression);
  } else if (ending == ".safetensors") {
    chainer::serializers::write_safetensors(path, arrays, texts);
  } else if (ending == ".npy") {
    if (arrays.size() != 1) throw FileError(path.string(), ": an .npy file holds one array, not ", arrays.size());
    chainer::save_npy(path, arrays.begin()->second);
  } else {
    throw FileError(path.string(), ": files can be written whose names end in .npz, .h5, .hdf5, .safetensors or .npy");
  }
}

void for_runs(const Array& a, const std::function<void(const double*, int64_t)>& f) {
  constexpr int64_t kRun = 1 << 20;
  const Array flat = a.contiguous().reshape({-1});
  for (int64_t at = 0; at < flat.size(); at += kRun) {
    const Array part =
        flat[chainer::Slice(at, std::min(at + kRun, flat.size()))].astype(chainer::float64, false).contiguous();
    f(part.data<double>(), part.size());
  }
}

Statistics statistics(const Array& a) {
  Statistics s;
  double total = 0, squares = 0;
  int64_t count = 0;
  for_runs(a, [&](const double* p, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if (!std::isfinite(p[i])) {
        ++s.not_finite;
        continue;
      }
      if (count == 0) s.least = s.largest = p[i];
      s.least = std::min(s.least, p[i]), s.largest = std::max(s.largest, p[i]);
      // Welford's updates: sums of squares would cancel.
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
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

}  // namespace tool
