#include <istream>
#include <iterator>
#include <ostream>
#include <set>

#include "chainer/core/file.h"
#include "chainer/core/mapped_file.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/assign.h"
#include "chainer/serializers/serializers.h"

namespace chainer::serializers {
namespace {

// The first names of a list, for messages.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > most) out += chainer::text(" and ", names.size() - most, " more");
  return out.empty() ? "nothing" : out;
}

// An object array of one None, protocol 3: what numpy.array(None) saves, byte for byte.
std::string none_member() {
  static constexpr char pickle[] =
      "\x80\x03\x63numpy.core.multiarray\n_"
      "reconstruct\nq\x00\x63numpy\nndarray\nq\x01K\x00\x85q\x02\x43\x01\x62q\x03\x87"
      "q\x04Rq\x05(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\n"
      "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0b\x62\x89]q\x0cNatq\rb.";
  return make_npy_header("|O", {}) + std::string(pickle, sizeof pickle - 1);
}

// UTF-8 to a 0-d array of UCS-4 characters.
std::string text_member(const std::string& s) {
  std::string data;
  std::size_t count = 0;
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    uint32_t code = n == 1 ? c : c & (0xffu >> (n + 1));
    for (std::size_t k = 1; k < n && i + k < s.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(s[i + k]) & 0x3fu);
    for (int b = 0; b < 4; ++b) data += static_cast<char>(code >> (8 * b) & 0xff);
    ++count;
    i += n;
  }
  if (count == 0) data.assign(4, '\0'), count = 1;  // NumPy has no text of length zero
  return make_npy_header(chainer::text("<U", count), {}) + data;
}

std::string from_ucs4(std::string_view data, bool big) {
  std::string out;
  for (std::size_t i = 0; i + 4 <= data.size(); i += 4) {
    uint32_t code = 0;
    for (std::size_t b = 0; b < 4; ++b)
      code |= uint32_t(static_cast<unsigned char>(data[i + (big ? 3 - b : b)])) << (8 * b);
    if (code == 0) break;  // padding
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0 | code >> 6);
      out += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      out += static_cast<char>(0xe0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      out += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      out += static_cast<char>(0xf0 | (code >> 18 & 7));
      out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
      out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      out += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return out;
}

}  // namespace

std::unique_ptr<Serializer> DictionarySerializer::child(std::string_view key) {
  return std::make_unique<DictionarySerializer>(target_, path_ + stripped(key) + "/");
}
void DictionarySerializer::array(std::string_view key, Array& v) {
  if (v)
    (*target_)[path_ + stripped(key)] = v.copy();
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

std::string npz_bytes(const DictionarySerializer::Target& values, bool compression) {
  zip::Writer zip(compression);
  for (const auto& [key, v] : values) {
    if (const auto* a = std::get_if<Array>(&v))
      zip.add(key + ".npy", to_npy(*a));
    else
      zip.add(key + ".npy", std::get<std::string>(v));
  }
  return zip.finish();
}
void write_npz(const std::filesystem::path& file, const DictionarySerializer::Target& values, bool compression) {
  write_file(file, npz_bytes(values, compression));
}

void write_npz(std::ostream& stream, const DictionarySerializer::Target& values, bool compression) {
  const std::string bytes = npz_bytes(values, compression);
  if (!stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    throw FileError("save_npz: the stream cannot be written");
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
    if (name.size() > 4 && name.substr(name.size() - 4) == ".npy") out.push_back(name.substr(0, name.size() - 4));
  return out;
}
std::string NpzFile::member(const std::string& key) const {
  if (!contains(key)) throw KeyError(what_, ": there is no '", key, "'");
  return zip_.read(key + ".npy");
}
Array NpzFile::array(const std::string& key) const {
  const std::string bytes = member(key), name = chainer::text(what_, ", '", key, "'");
  const NpyHeader h = parse_npy_header(bytes, name);
  if (h.descr == "|O") {
    // The one pickle that is taken is a single None; it is recognised, never executed.
    const std::string_view data = std::string_view(bytes).substr(h.data_offset);
    const bool one = h.shape.product() == 1;
    if (one && data.size() < 200 && data.find("]") != data.npos && data.find("Nat") != data.npos) return {};
    throw FileError(name, ": a Python pickle, which is never executed; only a pickled None is read");
  }
  if (h.descr.size() > 1 && h.descr[1] == 'U') throw TypeError(name, " is text, an array was expected");
  return from_npy(bytes, name);
}
Array NpzFile::mapped(const std::string& key) const {
  if (!contains(key)) throw KeyError(what_, ": there is no '", key, "'");
  const std::string name = chainer::text(what_, ", '", key, "'");
  const auto bytes = zip_.stored(key + ".npy");
  if (!bytes || parse_npy_header(*bytes, name).descr.size() != 3) return array(key);  // packed, None or text
  const Array a = map_npy(*bytes, zip_.memory(), name);
  return a ? a : array(key);
}
std::string NpzFile::text(const std::string& key) const {
  const std::string bytes = member(key), name = chainer::text(what_, ", '", key, "'");
  const NpyHeader h = parse_npy_header(bytes, name);
  if (h.descr.size() < 2 || h.descr[1] != 'U' || h.shape.ndim() != 0) throw TypeError(name, " is not text");
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
    throw KeyError(npz_->what(), ": nothing in it fits. Wanted: ", listed(out.missing),
                   ". There is: ", listed(npz_->keys()));
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
// Whether the key is to be loaded; a strict serializer misses what is not there.
bool NpzDeserializer::wanted(const std::string& key) const {
  if (ignored(key)) return false;
  if (npz_->contains(key)) {
    report_->loaded.push_back(key);
    return true;
  }
  if (options_.strict) {
    const std::vector<std::string> keys = npz_->keys();
    throw KeyError(npz_->what(), ": there is no '", key, "'", did_you_mean(key, keys), "; there is: ", listed(keys));
  }
  report_->missing.push_back(key);
  return false;
}

void NpzDeserializer::array(std::string_view key, Array& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  const Array stored = npz_->array(k);
  if (!stored) return;
  assign(stored, value, text(npz_->what(), ", '", k, "'"));
}

void NpzDeserializer::integer(std::string_view key, int64_t& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  const Array a = npz_->array(k);
  if (!a) return;
  value = whole_value(a, text(npz_->what(), ", '", k, "'"));
}
void NpzDeserializer::number(std::string_view key, double& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  if (const Array a = npz_->array(k)) value = one_value(a, text(npz_->what(), ", '", k, "'")).to_double();
}
void NpzDeserializer::flag(std::string_view key, bool& value) {
  const std::string k = full(key);
  if (!wanted(k)) return;
  if (const Array a = npz_->array(k)) value = one_value(a, text(npz_->what(), ", '", k, "'")).to_bool();
}
void NpzDeserializer::string(std::string_view key, std::string& value) {
  const std::string k = full(key);
  if (wanted(k)) value = npz_->text(k);
}

}  // namespace chainer::serializers
