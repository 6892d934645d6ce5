#include "chainer/routines/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "chainer/array/backend.h"
#include "chainer/core/file.h"

namespace chainer {
namespace {

static_assert(std::endian::native == std::endian::little, "npy writing assumes a little-endian machine");
constexpr std::string_view kMagic("\x93NUMPY", 6);

// The value of a key in the header's Python dictionary, up to the comma that ends it.
std::string_view value_of(std::string_view header, std::string_view key, std::string_view what) {
  std::size_t at = header.find(text("'", key, "'"));
  if (at == header.npos) throw FileError(what, ": the npy header has no '", key, "'");
  at = header.find(':', at);
  if (at == header.npos) throw FileError(what, ": the npy header is damaged");
  at = header.find_first_not_of(" ", at + 1);
  if (at == header.npos) throw FileError(what, ": the npy header is damaged");
  const bool tuple = header[at] == '(', quoted = header[at] == '\'';
  std::size_t end = tuple ? header.find(')', at) : quoted ? header.find('\'', at + 1) : header.find_first_of(",}", at);
  if (end == header.npos) throw FileError(what, ": the npy header is damaged");
  return header.substr(at, end - at + (tuple || quoted ? 1 : 0));
}

void swap_bytes(char* p, std::size_t count, std::size_t width) {
  for (std::size_t i = 0; i < count; ++i) std::reverse(p + i * width, p + (i + 1) * width);
}

template <class U>
Array widen(const std::string& bytes, const Shape& shape) {
  Array out(shape, int64);
  int64_t* o = out.mutable_data<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i) {
    U v;
    std::memcpy(&v, bytes.data() + static_cast<std::size_t>(i) * sizeof(U), sizeof(U));
    o[i] = static_cast<int64_t>(v);
  }
  return out;
}

}  // namespace

std::string make_npy_header(std::string_view descr, const Dims& shape) {
  std::string s = text("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }");
  const std::size_t total = (10 + s.size() + 1 + 63) / 64 * 64;
  s.append(total - 10 - s.size() - 1, ' ');
  s += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(s.size() & 0xff);
  out += static_cast<char>(s.size() >> 8);
  return out + s;
}

std::string to_npy(const Array& a) {
  const Array dense = (a.dtype() == bfloat16 ? a.astype(float32) : a).contiguous();
  std::string out = make_npy_header(type_code(dense.dtype()), dense.shape());
  if (dense.size()) out.append(static_cast<const char*>(dense.raw()), static_cast<std::size_t>(dense.nbytes()));
  return out;
}

NpyHeader parse_npy_header(std::string_view bytes, std::string_view what) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic) throw FileError(what, ": not in npy format");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6), field = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) throw FileError(what, ": npy version ", static_cast<int>(version), " is not known");
  if (bytes.size() < 8 + field) throw FileError(what, ": truncated npy header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < field; ++i) length |= byte(8 + i) << (8 * i);
  NpyHeader h;
  h.data_offset = 8 + field + length;
  if (bytes.size() < h.data_offset) throw FileError(what, ": truncated npy header");
  const std::string_view header = bytes.substr(8 + field, length);
  const std::string_view descr = value_of(header, "descr", what);
  if (descr.size() < 2 || descr.front() != '\'') throw FileError(what, ": structured dtypes are not supported");
  h.descr = descr.substr(1, descr.size() - 2);
  h.fortran_order = value_of(header, "fortran_order", what).substr(0, 4) == "True";
  std::string_view shape = value_of(header, "shape", what);
  if (shape.empty() || shape.front() != '(') throw FileError(what, ": the npy header has no shape");
  for (std::size_t i = 1; i < shape.size();) {
    const std::size_t begin = shape.find_first_of("0123456789-", i);
    if (begin == shape.npos) break;
    int64_t n = -1;
    const auto r = std::from_chars(shape.data() + begin, shape.data() + shape.size(), n);
    if (r.ec != std::errc() || n < 0 || n > (int64_t(1) << 46))
      throw FileError(what, ": bad shape ", shape, " in the npy header");
    h.shape.push_back(n);
    i = static_cast<std::size_t>(r.ptr - shape.data());
  }
  return h;
}

Array from_npy(std::string_view bytes, std::string_view what) {
  const NpyHeader h = parse_npy_header(bytes, what);
  const std::string& d = h.descr;
  int width = 0;
  const bool sized = d.size() == 3 && std::from_chars(d.data() + 2, d.data() + d.size(), width).ec == std::errc();
  if (!sized || std::string_view("<>|=").find(d[0]) == std::string_view::npos ||
      std::string_view("biuf").find(d[1]) == std::string_view::npos)
    throw FileError(what, ": arrays of dtype '", d, "' cannot be read",
                    d == "|O" ? " (it is a Python pickle, which is never executed)" : "");
  double elements = 1;
  for (int64_t n : h.shape) elements *= static_cast<double>(n);
  const std::string_view data = bytes.substr(h.data_offset);
  if (elements * width != static_cast<double>(data.size()) && elements * width > static_cast<double>(data.size()))
    throw FileError(what, ": truncated: shape ", h.shape, " of '", d, "' needs ", elements * width, " bytes, ",
                    data.size(), " are there");
  const auto count = static_cast<std::size_t>(elements);
  Shape shape = h.shape;
  if (h.fortran_order) std::reverse(shape.begin(), shape.end());
  std::string raw(data.substr(0, count * static_cast<std::size_t>(width)));
  if (d[0] == '>' && width > 1) swap_bytes(raw.data(), count, static_cast<std::size_t>(width));
  Array out;
  if (d[1] == 'u' && width > 1) {
    out = width == 2   ? widen<uint16_t>(raw, shape)
          : width == 4 ? widen<uint32_t>(raw, shape)
                       : widen<uint64_t>(raw, shape);
  } else {
    Dtype type;
    try {
      type = parse_dtype(d);
    } catch (const TypeError&) { throw FileError(what, ": arrays of dtype '", d, "' cannot be read"); }
    out = Array(shape, type);
    if (!raw.empty()) std::memcpy(out.mutable_raw(), raw.data(), raw.size());
  }
  return h.fortran_order ? out.T().contiguous() : out;
}

void save_npy(const std::filesystem::path& path, const Array& a) { write_file(path, to_npy(a)); }
Array load_npy(const std::filesystem::path& path) { return from_npy(read_file(path), path.string()); }

}  // namespace chainer
