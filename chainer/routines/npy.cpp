// SPDX-License-Identifier: MIT
#include "chainer/routines/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/external.h"
#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/system/mapped_file.h"

namespace chainer {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// The header is a Python dictionary with three keys; the values are a string, True or False, and a tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view what) : text_(text), what_(what) {}
  void read(NpyHeader& h) {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !descr) {
        space();
        if (at_ < text_.size() && text_[at_] == '[') throw FileError(what_, ": structured dtypes are not supported");
        h.descr = quoted();
        descr = true;
      } else if (key == "fortran_order" && !order) {
        h.fortran_order = truth();
        order = true;
      } else if (key == "shape" && !shape) {
        tuple(h.shape);
        shape = true;
      } else {
        fail(text("the key '", key, "' is unknown or occurs twice"));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    space();
    if (at_ != text_.size()) fail("unexpected text after the dictionary");
    if (!descr) fail("'descr' is missing");
    if (!order) fail("'fortran_order' is missing");
    if (!shape) fail("'shape' is missing");
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw FileError(what_, ": the npy header is damaged at character ", at_, ": ", why);
  }
  void space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(text("expected '", c, "'"));
  }
  std::string quoted() {
    space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("expected a string in quotes");
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) fail("a string is not closed");
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }
  bool truth() {
    space();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    fail("expected True or False");
  }
  void tuple(Shape& shape) {
    expect('(');
    for (bool comma = true; !take(')');) {
      if (!comma) fail("the shape is not a tuple of integers");
      const char* begin = text_.data() + at_;
      int64_t n = -1;
      const auto r = std::from_chars(begin, text_.data() + text_.size(), n);
      if (r.ec != std::errc() || n < 0 || (*begin == '0' && r.ptr != begin + 1))
        fail("the shape is not a tuple of integers of 0 or more");
      at_ += static_cast<std::size_t>(r.ptr - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // suffix of Python 2's long integers
      if (shape.ndim() == kMaxNdim) fail(text("the shape has more than ", kMaxNdim, " axes"));
      shape.push_back(n);
      comma = take(',');
      if (!comma && shape.ndim() == 1) fail("the shape is not a tuple");
    }
  }
  std::string_view text_, what_;
  std::size_t at_ = 0;
};

// Returns the number of elements. As in NumPy, throws FileError if the product of the nonzero lengths exceeds any
// memory.
int64_t element_count(const Shape& shape, std::string_view what) {
  int64_t nonzero = 1;
  bool empty = false;
  for (int64_t n : shape) {
    empty = empty || n == 0;
    if (n > 0 && __builtin_mul_overflow(nonzero, n, &nonzero)) nonzero = INT64_MAX;
    if (nonzero > (int64_t(1) << 46)) throw FileError(what, ": an array of shape ", shape, " is too large");
  }
  return empty ? 0 : nonzero;
}

template <class U>
Array widen(const std::string& bytes, const Shape& shape, std::string_view what) {
  Array out(shape, int64);
  int64_t* o = out.mutable_data<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i) {
    U v;
    std::memcpy(&v, bytes.data() + static_cast<std::size_t>(i) * sizeof(U), sizeof(U));
    if (std::is_same_v<U, uint64_t> && v > static_cast<U>(INT64_MAX))
      throw FileError(what, ": element ", i, " is ", v, ", which does not fit int64");
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
  put_little_endian(out, s.size(), 2);
  return out + s;
}

Array npy_elements(const Array& a) { return to_host(a.dtype() == bfloat16 ? a.astype(float32) : a).contiguous(); }

std::string to_npy(const Array& a) {
  const Array dense = npy_elements(a);
  std::string out = make_npy_header(type_code(dense.dtype()), dense.shape());
  if (dense.size()) out += LittleEndianBytes(dense.raw(), dense.nbytes(), item_size(dense.dtype())).view();
  return out;
}

NpyHeader parse_npy_header(std::string_view bytes, std::string_view what) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic) throw FileError(what, ": not an npy file");
  const std::size_t version = static_cast<unsigned char>(bytes[6]), field = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) throw FileError(what, ": npy version ", static_cast<int>(version), " is unknown");
  if (bytes.size() < 8 + field) throw FileError(what, ": truncated npy header");
  const std::size_t length = little_endian(bytes.substr(8, field));
  NpyHeader h;
  h.data_offset = 8 + field + length;
  if (bytes.size() < h.data_offset) throw FileError(what, ": truncated npy header");
  HeaderParser(bytes.substr(8 + field, length), what).read(h);
  return h;
}

namespace {
// Returns the data after a header with a known dtype: exactly as many bytes as the shape needs.
std::string_view checked_data(const NpyHeader& h, std::string_view bytes, std::string_view what) {
  const std::string& d = h.descr;
  constexpr std::string_view known[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"};
  if (d.size() != 3 || std::string_view("<>|=").find(d[0]) == std::string_view::npos ||
      std::find(std::begin(known), std::end(known), std::string_view(d).substr(1)) == std::end(known))
    throw FileError(what, ": arrays of dtype '", d, "' cannot be read",
                    d == "|O" ? " (it is a Python pickle, which is never executed)" : "");
  const int width = d[2] - '0';
  const std::string_view data = bytes.substr(h.data_offset);
  const auto count = static_cast<std::size_t>(element_count(h.shape, what));
  if (count > data.size() / static_cast<std::size_t>(width))
    throw FileError(what, ": truncated: shape ", h.shape, " of '", d, "' needs ",
                    count * static_cast<std::size_t>(width), " bytes, ", data.size(), " are there");
  return data.substr(0, count * static_cast<std::size_t>(width));
}
}  // namespace

Array from_npy(std::string_view bytes, std::string_view what) {
  const NpyHeader h = parse_npy_header(bytes, what);
  const std::string_view data = checked_data(h, bytes, what);
  const std::string& d = h.descr;
  const int width = d[2] - '0';
  Shape shape = h.shape;
  if (h.fortran_order) std::reverse(shape.begin(), shape.end());
  std::string raw(data);
  if ((d[0] == '>') == kLittleEndian) swap_bytes(raw.data(), raw.size(), static_cast<std::size_t>(width));
  Array out;
  if (d[1] == 'u' && width > 1) {
    out = width == 2   ? widen<uint16_t>(raw, shape, what)
          : width == 4 ? widen<uint32_t>(raw, shape, what)
                       : widen<uint64_t>(raw, shape, what);
  } else {
    if (d[1] == 'b')  // kernels rely on bytes that are 0 or 1
      for (char& c : raw) c = c != 0;
    out = Array(shape, parse_dtype(d));
    if (!raw.empty()) std::memcpy(out.mutable_raw(), raw.data(), raw.size());
  }
  return h.fortran_order ? out.T().contiguous() : out;
}

Array map_npy(std::string_view bytes, std::shared_ptr<void> memory, std::string_view what) {
  const NpyHeader h = parse_npy_header(bytes, what);
  const std::string_view data = checked_data(h, bytes, what);
  const std::string& d = h.descr;
  const auto width = static_cast<std::uintptr_t>(d[2] - '0');
  const bool converted = ((d[0] == '>') == kLittleEndian && width > 1) || d[1] == 'b' || (d[1] == 'u' && width > 1);
  const bool aligned = reinterpret_cast<std::uintptr_t>(data.data()) % width == 0;
  if (converted || !aligned || data.empty() || (h.fortran_order && h.shape.ndim() > 1)) return {};
  return external_array(const_cast<char*>(data.data()), h.shape, parse_dtype(d), [keep = std::move(memory)] {});
}

void save_npy(const std::filesystem::path& path, const Array& a) { write_file(path, to_npy(a)); }
Array load_npy(const std::filesystem::path& path) { return from_npy(read_file(path), path.string()); }
Array map_npy(const std::filesystem::path& path) {
  const auto file = std::make_shared<MappedFile>(path, MappedFile::Mode::copy_on_write);
  if (const Array a = map_npy(file->bytes(), file, path.string())) return a;
  return from_npy(file->bytes(), path.string());
}

}  // namespace chainer
