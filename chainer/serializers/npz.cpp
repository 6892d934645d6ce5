// SPDX-License-Identifier: MIT
#include <cstring>
#include <deque>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>

#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/parallel.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/core/utf8.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/assign.h"
#include "chainer/serializers/serializers.h"

namespace chainer::serializers {
namespace {

// Returns the first names of a list, for messages.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > most) out += chainer::text(" and ", names.size() - most, " more");
  return out.empty() ? "none" : out;
}

// An object array with one None, pickled with protocol 3: the same bytes as numpy.save of numpy.array(None).
std::string none_member() {
  static constexpr char pickle[] =
      "\x80\x03\x63numpy.core.multiarray\n_"
      "reconstruct\nq\x00\x63numpy\nndarray\nq\x01K\x00\x85q\x02\x43\x01\x62q\x03\x87"
      "q\x04Rq\x05(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\n"
      "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0b\x62\x89]q\x0cNatq\rb.";
  return make_npy_header("|O", {}) + std::string(pickle, sizeof pickle - 1);
}

// Converts UTF-8 to a 0-d array of UCS-4 characters. Bytes that are not valid UTF-8 become 0xdc00 + byte, as Python's
// surrogateescape.
std::string text_member(const std::string& s) {
  std::string data;
  for (std::size_t at = 0; at < s.size();) {
    const auto byte = static_cast<unsigned char>(s[at]);
    const int32_t code = next_utf8(s, at);
    put_little_endian(data, code == kNoCharacter ? 0xdc00u + byte : static_cast<uint32_t>(code), 4);
  }
  if (data.empty()) data.assign(4, '\0');  // NumPy has no strings of length zero
  return make_npy_header(chainer::text("<U", data.size() / 4), {}) + data;
}

std::string from_ucs4(std::string_view data, bool big) {
  std::vector<uint32_t> codes;
  for (; data.size() >= 4; data.remove_prefix(4)) {
    const auto v = static_cast<uint32_t>(little_endian(data.substr(0, 4)));
    codes.push_back(big ? __builtin_bswap32(v) : v);
  }
  while (!codes.empty() && codes.back() == 0) codes.pop_back();  // padding
  std::string out;
  for (const uint32_t c : codes) {
    if (c > 0xdc7f && c < 0xdd00)
      out += static_cast<char>(c & 0xff);
    else
      put_utf8(out, c);
  }
  return out;
}

// Returns true if the elements in the file have the layout of memory on a little-endian machine.
bool is_plain(const NpyHeader& h) {
  const std::string& d = h.descr;
  if (d.size() != 3 || std::string_view("<>|=").find(d[0]) == std::string_view::npos) return false;
  if ((d[0] == '>' && d[2] != '1') || (h.fortran_order && h.shape.ndim() > 1)) return false;
  for (const char* plain : {"i1", "i2", "i4", "i8", "u1", "f2", "f4", "f8"})
    if (d.substr(1) == plain) return true;
  return false;
}

}  // namespace

DictionarySerializer::DictionarySerializer(bool copies) : target_(std::make_shared<Target>()), copies_(copies) {}
std::unique_ptr<Serializer> DictionarySerializer::child(std::string_view key) {
  return std::make_unique<DictionarySerializer>(target_, path_ + stripped(key) + "/", copies_);
}
void DictionarySerializer::array(std::string_view key, Array& v) {
  if (v)
    (*target_)[path_ + stripped(key)] = copies_ ? v.copy() : v;
  else
    (*target_)[path_ + stripped(key)] = none_member();
}
void DictionarySerializer::integer(std::string_view key, int64_t& v) {
  (*target_)[path_ + stripped(key)] = chainer::array(v);
}
void DictionarySerializer::number(std::string_view key, double& v) {
  (*target_)[path_ + stripped(key)] = chainer::array(v);
}
void DictionarySerializer::flag(std::string_view key, bool& v) {
  (*target_)[path_ + stripped(key)] = chainer::array(v);
}
void DictionarySerializer::string(std::string_view key, std::string& v) {
  (*target_)[path_ + stripped(key)] = text_member(v);
}

namespace {

// The bytes of the .npy member of a value.
struct NpyBytes {
  explicit NpyBytes(const std::variant<Array, std::string>& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      pieces = {*text};
      return;
    }
    elements = npy_elements(std::get<Array>(value));
    header = make_npy_header(type_code(elements.dtype()), elements.shape());
    data.emplace(elements.size() ? elements.raw() : nullptr, elements.nbytes(), item_size(elements.dtype()));
    pieces = {header, data->view()};
  }
  Array elements;
  std::string header;
  std::optional<LittleEndianBytes> data;
  std::vector<std::string_view> pieces;
};

// Members are compressed by all threads, some at a time, and written in order.
void write_archive(zip::Writer zip, const DictionarySerializer::Target& values, bool compression) {
  constexpr int64_t kTogether = int64_t(64) << 20;  // bytes
  for (auto it = values.begin(); it != values.end();) {
    std::deque<NpyBytes> some;
    std::vector<std::string> names;
    int64_t bytes = 0;
    for (; it != values.end() && (some.empty() || (compression && bytes < kTogether)); ++it) {
      names.push_back(it->first + ".npy");
      for (const std::string_view s : some.emplace_back(it->second).pieces) bytes += static_cast<int64_t>(s.size());
    }
    std::vector<std::optional<zip::Member>> members(some.size());
    cpu::parallel(static_cast<int>(some.size()), bytes, [&](int i) {
      const auto k = static_cast<std::size_t>(i);
      members[k].emplace(names[k], some[k].pieces, compression);
    });
    for (const auto& m : members) zip.add(*m);
  }
  zip.finish();
}

}  // namespace

std::string npz_bytes(const DictionarySerializer::Target& values, bool compression) {
  std::string out;
  write_archive(zip::Writer(compression, [&](std::string_view s) { out += s; }), values, compression);
  return out;
}
void write_npz(const std::filesystem::path& path, const DictionarySerializer::Target& values, bool compression) {
  FileWriter file(path);
  write_archive(zip::Writer(compression, [&](std::string_view s) { file.write(s); }), values, compression);
  file.commit();
}

void write_npz(std::ostream& stream, const DictionarySerializer::Target& values, bool compression) {
  const auto write = [&](std::string_view s) {
    if (!stream.write(s.data(), static_cast<std::streamsize>(s.size())))
      throw FileError("save_npz: the stream cannot be written");
  };
  write_archive(zip::Writer(compression, write), values, compression);
  if (!stream.flush()) throw FileError("save_npz: the stream cannot be written");
}
std::shared_ptr<const NpzFile> read_npz(std::istream& stream) {
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) throw FileError("load_npz: the stream cannot be read");
  return std::make_shared<const NpzFile>(std::move(bytes), "stream");
}

NpzFile::NpzFile(const std::filesystem::path& file)
    : zip_(std::make_shared<MappedFile>(file, MappedFile::Mode::copy_on_write), file.string()), what_(file.string()) {}

std::vector<std::string> NpzFile::keys() const {
  std::vector<std::string> out;
  for (const std::string& name : zip_.names())
    if (name.ends_with(".npy")) out.push_back(name.substr(0, name.size() - 4));
  return out;
}
std::string NpzFile::member(const std::string& key) const {
  if (!contains(key)) throw KeyError(what_, ": no entry named '", key, "'");
  return zip_.read(key + ".npy");
}
NpyHeader NpzFile::header(const std::string& key) const {
  if (!contains(key)) throw KeyError(what_, ": no entry named '", key, "'");
  const std::string file = key + ".npy", begin = zip_.head(file, 12);
  std::size_t length = 12;  // including the field with the header's length
  if (begin.size() == 12) length += little_endian(std::string_view(begin).substr(8, begin[6] == 1 ? 2 : 4));
  return parse_npy_header(zip_.head(file, length), chainer::text(what_, ", '", key, "'"));
}
std::optional<Shape> NpzFile::shape(const std::string& key) const {
  const NpyHeader h = header(key);
  if (h.descr == "|O" || (h.descr.size() > 1 && h.descr[1] == 'U')) return {};
  return h.shape;
}
void NpzFile::check(const std::string& key) const {
  if (!contains(key)) throw KeyError(what_, ": no entry named '", key, "'");
  zip_.read(key + ".npy", [](std::string_view) { return true; });
}

bool NpzFile::pieces(const std::string& key, const std::function<void(std::string_view)>& f) const {
  const NpyHeader h = header(key);
  const uint64_t all = zip_.size(key + ".npy"), width = h.descr.size() == 3 ? h.descr[2] - '0' : 1;
  uint64_t elements = 1;
  for (int64_t n : h.shape)
    if (__builtin_mul_overflow(elements, static_cast<uint64_t>(n), &elements)) return false;
  if (!is_plain(h) || all < h.data_offset || (all - h.data_offset) % width != 0 ||
      (all - h.data_offset) / width != elements)
    return false;
  uint64_t skip = h.data_offset;
  zip_.read(key + ".npy", [&](std::string_view piece) {
    const uint64_t passed = std::min<uint64_t>(skip, piece.size());
    skip -= passed;
    piece.remove_prefix(passed);
    if (!piece.empty()) f(piece);
    return true;
  });
  return true;
}

void NpzFile::runs(const std::string& key, const std::function<void(const Array&)>& f) const {
  const NpyHeader h = header(key);
  if (!is_plain(h)) return f(array(key).reshape({-1}));
  const Dtype dtype = parse_dtype(h.descr);
  const auto width = static_cast<std::size_t>(item_size(dtype));
  std::string left;
  const bool whole = !pieces(key, [&](std::string_view piece) {
    left += piece;
    const std::size_t n = left.size() / width;
    Array run({static_cast<int64_t>(n)}, dtype);
    if (n) copy_little_endian(run.mutable_raw(), left.data(), n * width, width);
    left.erase(0, n * width);
    if (n) f(run);
  });
  if (whole) f(array(key).reshape({-1}));
}

Array NpzFile::array(const std::string& key) const {
  {
    const NpyHeader h = header(key);
    if (is_plain(h)) {  // unpacks directly into the array
      Array out;
      char* to = nullptr;
      const bool done = pieces(key, [&](std::string_view piece) {
        if (!to) to = static_cast<char*>((out = Array(h.shape, parse_dtype(h.descr))).mutable_raw());
        std::memcpy(to, piece.data(), piece.size());
        to += piece.size();
      });
      if (done && out && !kLittleEndian)
        swap_bytes(out.mutable_raw(), static_cast<std::size_t>(out.nbytes()),
                   static_cast<std::size_t>(out.nbytes() / out.size()));
      if (done) return out ? out : Array(h.shape, parse_dtype(h.descr));
    }
  }
  const std::string bytes = member(key), name = chainer::text(what_, ", '", key, "'");
  const NpyHeader h = parse_npy_header(bytes, name);
  if (h.descr == "|O") {
    // A pickled None is the only pickle that is read. It is recognized by its bytes; pickles are never executed.
    const std::string_view data = std::string_view(bytes).substr(h.data_offset);
    const bool one = h.shape.product() == 1;
    if (one && data.size() < 200 && data.find("]") != data.npos && data.find("Nat") != data.npos) return {};
    throw FileError(name, " is a Python pickle, which is never executed; only a pickled None is read");
  }
  if (h.descr.size() > 1 && h.descr[1] == 'U') throw TypeError(name, " is text, expected an array");
  return from_npy(bytes, name);
}
Array NpzFile::mapped(const std::string& key) const {
  if (!contains(key)) throw KeyError(what_, ": no entry named '", key, "'");
  const std::string name = chainer::text(what_, ", '", key, "'");
  const auto bytes = zip_.stored(key + ".npy");
  if (!bytes || parse_npy_header(*bytes, name).descr.size() != 3) return array(key);  // compressed, None or text
  const Array a = map_npy(*bytes, zip_.memory(), name);
  return a ? a : array(key);
}
std::string NpzFile::text(const std::string& key) const {
  const std::string bytes = member(key), name = chainer::text(what_, ", '", key, "'");
  const NpyHeader h = parse_npy_header(bytes, name);
  if (h.descr.size() < 2 || h.descr[1] != 'U' || h.shape.ndim() != 0)
    throw TypeError(name, " is an array of dtype '", h.descr, "' and shape ", h.shape, ", expected one text ('<U')");
  return from_ucs4(std::string_view(bytes).substr(h.data_offset), h.descr[0] == '>');
}

NpzDeserializer::NpzDeserializer(std::shared_ptr<const NpzFile> npz, NpzOptions options)
    : npz_(std::move(npz)), options_(std::move(options)), report_(std::make_shared<LoadReport>()) {
  if (!options_.path.empty() && options_.path.back() != '/') options_.path += '/';
}

LoadReport NpzDeserializer::report() const {
  LoadReport out = *report_;
  const std::set<std::string> loaded(out.loaded.begin(), out.loaded.end());
  for (const std::string& key : npz_->keys())
    if (key.starts_with(options_.path) && !loaded.count(key) && !ignored(key)) out.unused.push_back(key);
  if (out.loaded.empty() && !out.missing.empty())
    throw KeyError(npz_->what(), ": no entry matches; expected: ", listed(out.missing),
                   "; available: ", listed(npz_->keys()));
  return out;
}

std::unique_ptr<Serializer> NpzDeserializer::child(std::string_view key) {
  NpzOptions o = options_;
  o.path = full(key) + "/";
  auto c = std::make_unique<NpzDeserializer>(npz_, std::move(o));
  c->report_ = report_;
  return c;
}
std::string NpzDeserializer::full(std::string_view key) const { return options_.path + stripped(key); }

bool NpzDeserializer::ignored(const std::string& key) const {
  for (const IgnoreName& n : options_.ignore_names) {
    if (const auto* s = std::get_if<std::string>(&n); s && *s == key) return true;
    if (const auto* f = std::get_if<1>(&n); f && (*f)(key)) return true;
  }
  return false;
}
bool NpzDeserializer::contains(std::string_view key) const {
  const std::string k = full(key);
  return npz_->contains(k) && !ignored(k);
}
// Returns true if the key is to be loaded; throws KeyError for missing keys if strict.
bool NpzDeserializer::wanted(const std::string& key) const {
  if (ignored(key)) return false;
  if (npz_->contains(key)) {
    report_->loaded.push_back(key);
    return true;
  }
  if (options_.strict) {
    const std::vector<std::string> keys = npz_->keys();
    throw KeyError(npz_->what(), ": no entry named '", key, "'", did_you_mean(key, keys),
                   "; available: ", listed(keys));
  }
  report_->missing.push_back(key);
  return false;
}

void NpzDeserializer::array(std::string_view key, Array& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  const std::string what = text(npz_->what(), ", '", k, "'");
  if (const auto shape = npz_->shape(k)) check_shape(*shape, value, what);
  if (const Array stored = npz_->array(k)) assign(stored, value, what);
}

// Returns an array of one element; none for a stored None.
Array NpzDeserializer::one(const std::string& key) const {
  if (const auto shape = npz_->shape(key)) check_one_value(*shape, text(npz_->what(), ", '", key, "'"));
  return npz_->array(key);
}

void NpzDeserializer::integer(std::string_view key, int64_t& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  if (const Array a = one(k)) value = whole_value(a, text(npz_->what(), ", '", k, "'"));
}
void NpzDeserializer::number(std::string_view key, double& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  if (const Array a = one(k)) value = one_value(a, text(npz_->what(), ", '", k, "'")).to_double();
}
void NpzDeserializer::flag(std::string_view key, bool& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  if (const Array a = one(k)) value = one_value(a, text(npz_->what(), ", '", k, "'")).to_bool();
}
void NpzDeserializer::string(std::string_view key, std::string& value) {
  const std::string k = full(key);
  if (wanted(k)) value = npz_->text(k);
}

}  // namespace chainer::serializers
