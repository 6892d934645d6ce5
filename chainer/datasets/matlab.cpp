// SPDX-License-Identifier: MIT
#include "chainer/datasets/matlab.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"
#include "chainer/routines/manipulation.h"

namespace chainer::dataset {
namespace {

enum Type : uint32_t { kInt8 = 1, kInt32 = 5, kUint32 = 6, kMatrix = 14, kCompressed = 15 };

// Calls f with a value of the C++ type of a numeric element type of the format; returns false for other types.
template <class F>
bool with_type(uint32_t type, F&& f) {
  switch (type) {
    case 1: f(int8_t()); return true;
    case 2: f(uint8_t()); return true;
    case 3: f(int16_t()); return true;
    case 4: f(uint16_t()); return true;
    case 5: f(int32_t()); return true;
    case 6: f(uint32_t()); return true;
    case 7: f(float()); return true;
    case 9: f(double()); return true;
    case 12: f(int64_t()); return true;
    case 13: f(uint64_t()); return true;
    default: return false;
  }
}

// The dtype of an array class; empty for classes that are not supported.
std::optional<Dtype> dtype_of_class(uint32_t c) {
  constexpr Dtype numeric[] = {float64, float32, int8, uint8, int16, int64, int32, int64, int64, int64};
  if (c < 6 || c > 15) return {};
  return numeric[c - 6];
}

struct Element {
  uint32_t type;
  std::string_view data;
};

class Parser {
 public:
  Parser(std::string_view bytes, bool swap, const std::string& what) : bytes_(bytes), swap_(swap), what_(what) {}
  bool at_end() const { return bytes_.empty(); }

  Element next() {
    const uint32_t first = number<uint32_t>(bytes_.substr(0, 4)), second = number<uint32_t>(bytes_.substr(4, 4));
    if (first >> 16 != 0) {  // up to four bytes are stored inside the tag
      const uint32_t size = first >> 16;
      if (size > 4) damaged("a short element is too long");
      const Element e{first & 0xffff, bytes_.substr(4, size)};
      bytes_.remove_prefix(8);
      return e;
    }
    if (second > bytes_.size() - 8) damaged("it ends early");
    const Element e{first, bytes_.substr(8, second)};
    // Elements, except compressed ones, begin at multiples of eight bytes.
    const std::size_t step = first == kCompressed ? second : (std::size_t(second) + 7) / 8 * 8;
    bytes_.remove_prefix(8);
    bytes_.remove_prefix(std::min(step, bytes_.size()));
    return e;
  }
  template <class T>
  T number(std::string_view s) const {
    if (s.size() < sizeof(T)) damaged("it ends early");
    char b[sizeof(T)];
    std::memcpy(b, s.data(), sizeof(T));
    if (swap_) std::reverse(b, b + sizeof(T));
    T v;
    std::memcpy(&v, b, sizeof(T));
    return v;
  }
  [[noreturn]] void damaged(std::string_view why) const { throw FileError(what_, ": not a valid MAT file: ", why); }

  // Reads one array; skips arrays of kinds that are not supported.
  void matrix(std::map<std::string, Array>& out);

 private:
  std::string_view bytes_;
  bool swap_;
  const std::string& what_;
};

void Parser::matrix(std::map<std::string, Array>& out) {
  const Element flags = next();
  if (flags.type != kUint32 || flags.data.size() != 8) damaged("an array has no flags");
  const uint32_t word = number<uint32_t>(flags.data);
  const auto dtype = dtype_of_class(word & 0xff);
  const bool is_complex = word & 0x800;
  const Element dims = next(), name = next();
  if (dims.type != kInt32 || dims.data.size() % 4 != 0 || dims.data.size() > 4 * 32) damaged("an array has no shape");
  if (name.type != kInt8) damaged("an array has no name");
  const std::string key(name.data);
  if (!dtype || is_complex) return;
  // Elements are in Fortran order: the array is made with reversed axes and transposed.
  Shape reversed;
  int64_t count = 1;
  for (std::size_t i = dims.data.size(); i > 0; i -= 4) {
    const int32_t n = number<int32_t>(dims.data.substr(i - 4));
    if (n < 0 || (n > 0 && count > (int64_t(1) << 40) / n)) damaged(text("array '", key, "' has an impossible shape"));
    reversed.push_back(n);
    count *= n;
  }
  const Element real = next();
  // The stored type may be narrower than the class of the array.
  const bool known = with_type(real.type, [&](auto stored) {
    using T = decltype(stored);
    if (real.data.size() != static_cast<std::size_t>(count) * sizeof(T))
      damaged(text("array '", key, "' has ", real.data.size(), " bytes for ", count, " elements"));
    using Held = std::conditional_t<std::is_integral_v<T> && std::is_unsigned_v<T> && (sizeof(T) > 1), int64_t, T>;
    Array a(reversed, dtype_of<Held>());
    auto* to = a.mutable_data<Held>();
    if constexpr (sizeof(T) == 1) {
      std::memcpy(to, real.data.data(), real.data.size());
    } else {
      for (int64_t i = 0; i < count; ++i)
        to[i] = static_cast<Held>(number<T>(real.data.substr(static_cast<std::size_t>(i) * sizeof(T), sizeof(T))));
    }
    out[key] = a.transpose().astype(*dtype);
  });
  if (!known) damaged(text("array '", key, "' has elements of the unknown type ", real.type));
}

std::string inflated(std::string_view packed, const Parser& p) {
  z_stream z{};
  if (inflateInit(&z) != Z_OK) throw FileError("zlib could not start");
  std::string out, buffer(1 << 18, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  int status = Z_OK;
  while (status == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(buffer.data());
    z.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&z, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - z.avail_out);
    if (status == Z_OK && z.avail_in == 0 && z.avail_out > 0) break;  // truncated input
  }
  inflateEnd(&z);
  if (status != Z_STREAM_END) p.damaged("a compressed array is damaged");
  return out;
}

}  // namespace

std::map<std::string, Array> parse_matlab(std::string_view bytes, const std::string& what) {
  const std::string_view order = bytes.size() >= 128 ? bytes.substr(126, 2) : std::string_view();
  if (order != "IM" && order != "MI") throw FileError(what, ": not a MAT file of level 5");
  const bool swap = (order == "MI") == kLittleEndian;
  std::map<std::string, Array> out;
  Parser p(bytes.substr(128), swap, what);
  while (!p.at_end()) {
    const Element e = p.next();
    if (e.type == kMatrix) {
      Parser(e.data, swap, what).matrix(out);
    } else if (e.type == kCompressed) {
      const std::string plain = inflated(e.data, p);
      const Element inner = Parser(plain, swap, what).next();
      if (inner.type == kMatrix) Parser(inner.data, swap, what).matrix(out);
    }
  }
  return out;
}

std::map<std::string, Array> load_matlab(const std::filesystem::path& path) {
  return parse_matlab(read_file(path), path.string());
}

}  // namespace chainer::dataset
