// SPDX-License-Identifier: MIT
#include "chainer/serializers/safetensors.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "chainer/array/external.h"
#include "chainer/array/host.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/core/json.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/routines/manipulation.h"

namespace chainer::serializers {
namespace {

constexpr uint64_t kLongestHeader = 100'000'000;  // the limit of the safetensors package

// The dtypes of the format, their sizes in bytes, and the corresponding Dtype.
struct Kind {
  std::string_view name;
  uint64_t width;
  std::optional<Dtype> dtype;
};
constexpr Kind kKinds[] = {
    {"BOOL", 1, Dtype::bool_},    {"U8", 1, Dtype::uint8},  {"I8", 1, Dtype::int8},
    {"F8_E5M2", 1, {}},           {"F8_E4M3", 1, {}},       {"F8_E8M0", 1, {}},
    {"I16", 2, Dtype::int16},     {"U16", 2, {}},           {"F16", 2, Dtype::float16},
    {"BF16", 2, Dtype::bfloat16}, {"I32", 4, Dtype::int32}, {"U32", 4, {}},
    {"F32", 4, Dtype::float32},   {"C64", 8, {}},           {"F64", 8, Dtype::float64},
    {"I64", 8, Dtype::int64},     {"U64", 8, {}},
};
const Kind* find_kind(std::string_view name) {
  const auto* k = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& x) { return x.name == name; });
  return k == std::end(kKinds) ? nullptr : k;
}
std::string_view spelling(Dtype d) {
  return std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.dtype == d; })->name;
}

// Returns the text of the JSON value that begins at `at`, and moves `at` to its end. The value is not parsed, so that
// the memory for a header is bounded by the entries of its arrays.
std::string_view value_text(std::string_view json, std::size_t& at) {
  const std::size_t begin = at;
  int depth = 0;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at)
        if (json[at] == '\\') ++at;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) break;
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
    if (c == '"' && depth == 0) {
      ++at;
      break;
    }
  }
  at = std::min(at, json.size());
  return json.substr(begin, at - begin);
}

template <class U>
Array widened(std::string_view bytes, const Shape& shape, const std::string& what) {
  Array out(shape, int64);
  auto* to = out.mutable_data<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto v = static_cast<U>(little_endian(bytes.substr(static_cast<std::size_t>(i) * sizeof(U), sizeof(U))));
    if (sizeof(U) == 8 && v > static_cast<U>(INT64_MAX))
      throw FileError(what, ": element ", i, " is ", v, ", which does not fit int64");
    to[i] = static_cast<int64_t>(v);
  }
  return out;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : file_(std::make_shared<MappedFile>(path, MappedFile::Mode::copy_on_write)),
      bytes_(file_->bytes()),
      what_(path.string()) {
  parse();
}
SafetensorsFile::SafetensorsFile(std::string bytes, const std::string& what)
    : text_(std::make_shared<const std::string>(std::move(bytes))), bytes_(*text_), what_(what) {
  parse();
}

void SafetensorsFile::damaged(std::string_view why) const {
  throw FileError(what_, " is damaged or not a safetensors file: ", why);
}

void SafetensorsFile::parse() {
  if (bytes_.size() < 8) damaged("it has fewer than 8 bytes");
  const uint64_t length = little_endian(bytes_.substr(0, 8));
  if (length > kLongestHeader) damaged(text("its header claims ", length, " bytes, more than ", kLongestHeader));
  if (length > bytes_.size() - 8)
    damaged(text("its header claims ", length, " bytes, but the file has ", bytes_.size() - 8, " after the length"));
  const std::string_view json = bytes_.substr(8, length);
  data_ = bytes_.substr(8 + length);
  std::size_t at = 0;
  const auto next = [&] {
    while (at < json.size() && std::string_view(" \t\r\n").find(json[at]) != std::string_view::npos) ++at;
    return at < json.size() ? json[at] : '\0';
  };
  if (json.empty() || json[0] != '{') damaged("its header is not a JSON object");
  ++at;
  bool metadata = false, more = next() != '}';
  if (!more) ++at;
  for (; more; more = json[at++] == ',') {
    if (next() != '"') damaged(text("expected a name at byte ", at, " of the header"));
    std::string name;
    std::string_view value;
    try {
      name = *json::parse(value_text(json, at)).string();
    } catch (const ValueError& e) { damaged(e.what()); }
    if (next() != ':') damaged(text("expected ':' after '", name, "'"));
    ++at, next();
    value = value_text(json, at);
    if (next() != ',' && next() != '}') damaged(text("expected ',' or '}' after the value of '", name, "'"));
    if (name != "__metadata__") {
      read_entry(name, value);
      continue;
    }
    if (std::exchange(metadata, true)) damaged("its metadata occurs twice");
    try {
      const json::Value texts = json::parse(value);
      if (!texts.object()) damaged("its metadata is not a JSON object");
      for (const auto& [key, v] : *texts.object()) {
        if (!v.string()) damaged(text("metadata '", key, "' is not a string"));
        if (!metadata_.emplace(key, *v.string()).second) damaged(text("metadata '", key, "' occurs twice"));
      }
    } catch (const ValueError& e) { damaged(text("its metadata: ", e.what())); }
  }
  if (next() != '\0' || at != json.size()) damaged("bytes follow the JSON object of the header");

  std::vector<std::pair<uint64_t, const std::string*>> order;
  for (const auto& [name, e] : entries_) order.emplace_back(e.begin, &name);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.first, entries_.at(*a.second).end) < std::pair(b.first, entries_.at(*b.second).end);
  });
  uint64_t end = 0;
  for (const auto& [begin, name] : order) {
    if (begin != end) damaged(text("the data of '", *name, "' begin at ", begin, ", but the data before end at ", end));
    end = entries_.at(*name).end;
  }
  if (end != data_.size()) damaged(text("its arrays have ", end, " bytes, but the file has ", data_.size()));
}

void SafetensorsFile::read_entry(const std::string& name, std::string_view value) {
  const std::string of = text("'", name, "': ");
  if (value.size() > 4096) damaged(of + "its entry is too long");
  Entry e;
  json::Value v;
  try {
    v = json::parse(value);
  } catch (const ValueError& error) { damaged(of + error.what()); }
  const auto whole = [&](const json::Value& n, std::string_view which) {
    const auto* i = std::get_if<int64_t>(&n.data);
    if (!i || *i < 0) damaged(text(of, which, " must be integers of 0 or more"));
    return *i;
  };
  const json::Value *dtype = v.find("dtype"), *shape = v.find("shape"), *offsets = v.find("data_offsets");
  if (!v.object() || v.object()->size() != 3 || !dtype || !shape || !offsets || !dtype->string() || !shape->list() ||
      !offsets->list() || offsets->list()->size() != 2)
    damaged(of + "its entry is not of the form {\"dtype\": ..., \"shape\": [...], \"data_offsets\": [begin, end]}");
  e.dtype = *dtype->string();
  const Kind* kind = find_kind(e.dtype);
  if (!kind) damaged(text(of, "dtype '", e.dtype, "' is unknown"));
  uint64_t bytes = kind->width;
  for (const json::Value& n : *shape->list()) {
    e.shape.push_back(whole(n, "lengths of axes"));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(e.shape.back()), &bytes))
      damaged(of + "the size of its shape overflows 64 bits");
  }
  e.begin = static_cast<uint64_t>(whole((*offsets->list())[0], "offsets"));
  e.end = static_cast<uint64_t>(whole((*offsets->list())[1], "offsets"));
  if (e.begin > e.end || e.end > data_.size())
    damaged(text(of, "data_offsets ", e.begin, " and ", e.end, " are out of range for ", data_.size(), " bytes"));
  if (e.end - e.begin != bytes) damaged(text(of, "its shape needs ", bytes, " bytes, its data have ", e.end - e.begin));
  if (!entries_.emplace(name, std::move(e)).second) damaged(of + "it occurs twice");
}

Array SafetensorsFile::array(const std::string& name) const {
  const auto it = entries_.find(name);
  if (it == entries_.end()) throw KeyError(what_, ": no entry named '", name, "'");
  const Entry& e = it->second;
  const std::string of = text(what_, ", '", name, "'");
  if (e.shape.size() > kMaxNdim) throw FileError(of, ": it has ", e.shape.size(), " axes, more than ", kMaxNdim);
  const Shape shape(e.shape);
  const std::string_view bytes = data_.substr(e.begin, e.end - e.begin);
  const Kind& kind = *find_kind(e.dtype);
  if (!kind.dtype) {
    if (e.dtype == "U16") return widened<uint16_t>(bytes, shape, of);
    if (e.dtype == "U32") return widened<uint32_t>(bytes, shape, of);
    if (e.dtype == "U64") return widened<uint64_t>(bytes, shape, of);
    throw FileError(of, ": arrays of dtype '", e.dtype, "' cannot be read");
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % kind.width == 0;
  if (file_ && aligned && !bytes.empty() && (kLittleEndian || kind.width == 1) && kind.dtype != Dtype::bool_)
    return external_array(const_cast<char*>(bytes.data()), shape, *kind.dtype, [keep = file_] {});
  Array out(shape, *kind.dtype);
  if (bytes.empty()) return out;
  copy_little_endian(out.mutable_raw(), bytes.data(), bytes.size(), kind.width);
  if (kind.dtype == Dtype::bool_)  // kernels require booleans to be 0 or 1
    for (auto *p = static_cast<unsigned char*>(out.mutable_raw()), *end = p + bytes.size(); p != end; ++p) *p = *p != 0;
  return out;
}

namespace {

// Passes the bytes of the file to `write`, in order.
void write_parts(const std::map<std::string, Array>& arrays, const std::map<std::string, std::string>& metadata,
                 const std::function<void(std::string_view)>& write) {
  std::vector<std::pair<std::string, Array>> order(arrays.begin(), arrays.end());
  for (auto& [name, a] : order) {
    if (name == "__metadata__") throw ValueError("write_safetensors: an array cannot be named '__metadata__'");
    if (!a) throw ValueError("write_safetensors: '", name, "' is None, which the format cannot represent");
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return item_size(a.second.dtype()) > item_size(b.second.dtype());
  });
  json::Object header;
  if (!metadata.empty()) {
    json::Object texts;
    for (const auto& [key, value] : metadata) texts.emplace_back(key, value);
    header.emplace_back("__metadata__", std::move(texts));
  }
  int64_t end = 0;
  for (const auto& [name, a] : order) {
    json::List shape;
    for (int64_t n : a.shape()) shape.emplace_back(n);
    header.emplace_back(name, json::Object{{"dtype", std::string(spelling(a.dtype()))},
                                           {"shape", std::move(shape)},
                                           {"data_offsets", json::List{end, end + a.nbytes()}}});
    end += a.nbytes();
  }
  std::string json = json::dump(json::Value(std::move(header)));
  json.resize((json.size() + 7) / 8 * 8, ' ');
  if (json.size() > kLongestHeader) throw ValueError("write_safetensors: the header has more than 100 MB");
  std::string length;
  put_little_endian(length, json.size(), 8);
  write(length + json);
  for (const auto& [name, a] : order)
    if (const Array here = to_host(a).contiguous(); a.size())
      write(LittleEndianBytes(here.raw(), here.nbytes(), item_size(here.dtype())).view());
}

}  // namespace

std::string safetensors_bytes(const std::map<std::string, Array>& arrays,
                              const std::map<std::string, std::string>& metadata) {
  std::string out;
  write_parts(arrays, metadata, [&](std::string_view s) { out += s; });
  return out;
}

void write_safetensors(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
                       const std::map<std::string, std::string>& metadata) {
  FileWriter file(path);
  write_parts(arrays, metadata, [&](std::string_view s) { file.write(s); });
  file.commit();
}

void save_safetensors(const std::filesystem::path& path, const DictionarySerializer& object,
                      const std::map<std::string, std::string>& metadata) {
  std::map<std::string, Array> arrays;
  std::map<std::string, std::string> texts = metadata;
  for (const auto& [key, value] : object.target()) {
    if (const auto* a = std::get_if<Array>(&value)) {
      arrays[key] = *a;
      continue;
    }
    // Values other than arrays are members of an NPZ file: text, or None.
    NpzFile member(npz_bytes({{key, value}}), path.string());
    try {
      texts[key] = member.text(key);
    } catch (const TypeError&) {
      throw ValueError("save_safetensors: '", key,
                       "' is None, which the format cannot represent; uninitialized parameters get a shape when their ",
                       "link is called");
    }
  }
  write_safetensors(path, arrays, texts);
}

}  // namespace chainer::serializers
