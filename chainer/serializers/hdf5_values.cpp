// SPDX-License-Identifier: MIT
#include "chainer/serializers/hdf5_values.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "chainer/array/external.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/routines/creation.h"

namespace chainer::hdf5 {
namespace {

using serializers::HDF5Value;

std::string_view need(const File& file, const Messages& messages, MessageType type, const char* what) {
  const auto found = file.find(messages, type);
  if (!found) throw Damage{text("it has no ", what)};
  return *found;
}

// Returns the shape; nullopt for a null dataspace.
std::optional<std::vector<uint64_t>> read_space(std::string_view message) {
  Cursor c(message);
  const uint64_t version = c.number(1), rank = c.number(1);
  if (version < 1 || version > 2 || rank > 32) throw Damage{"its dataspace is of an unknown kind"};
  c.skip(1);
  if (version == 2 && c.number(1) == 2) return {};
  if (version == 1) c.skip(5);
  std::vector<uint64_t> out;
  for (uint64_t i = 0; i < rank; ++i) {
    out.push_back(c.number(8));
    if (out.back() > (uint64_t(1) << 40)) throw Damage{text("an axis of length ", out.back())};
  }
  return out;
}

struct Type {
  enum Kind { integer, real, text, long_text, boolean } kind = integer;
  std::size_t size = 0;
  bool big_endian = false, has_sign = false;
  uint64_t padding = 0;  // of strings: 0 terminated by a zero byte, 1 padded by zero bytes, 2 padded by blanks
};

// Returns true if the names and values at a cursor are those of h5py's bool.
bool is_bool(Cursor c, uint64_t version, uint64_t count, std::size_t size) {
  if (size != 1 || count != 2) return false;
  std::string names;
  for (int i = 0; i < 2; ++i) {
    uint64_t length = 1;
    for (char letter; (letter = c.take(1)[0]) != '\0'; ++length) names += letter;
    names += ' ';
    if (version < 3) c.skip((8 - length % 8) % 8);
  }
  const uint64_t first = c.number(1), second = c.number(1);
  return (names == "FALSE TRUE " && first == 0 && second == 1) || (names == "TRUE FALSE " && first == 1 && second == 0);
}

Type read_type(std::string_view message) {
  Cursor c(message);
  const uint64_t kind = c.number(1) & 15, bits = c.number(1), more = c.number(1);
  c.skip(1);
  Type t;
  t.size = c.number(4);
  t.big_endian = bits & 1;
  const auto one_of = [&](std::initializer_list<std::size_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), t.size) != sizes.end();
  };
  const auto plain = [&] { return c.number(2) == 0 && c.number(2) == 8 * t.size; };  // no padding bits
  switch (kind) {
    case 0:
      t.has_sign = bits & 8;
      if (one_of({1, 2, 4, 8}) && plain()) return t;
      break;
    case 1: {
      t.kind = Type::real;
      if (!one_of({2, 4, 8}) || !plain() || bits & 0x40) break;
      const uint64_t exponent = t.size == 2 ? 5 : t.size == 4 ? 8 : 11, mantissa = 8 * t.size - 1 - exponent;
      const bool ieee = c.number(1) == mantissa && c.number(1) == exponent && c.number(1) == 0 &&
                        c.number(1) == mantissa && c.number(4) == (uint64_t(1) << (exponent - 1)) - 1 &&
                        more == 8 * t.size - 1;
      if (ieee) return t;
      break;
    }
    case 3:
      t.kind = Type::text;
      t.padding = bits & 15;
      return t;
    case 8: {  // an enumeration: a type of integers, names and values
      const uint64_t version = static_cast<unsigned char>(message[0]) >> 4, count = bits | more << 8;
      const Type base = read_type(message.substr(c.at()));
      if (base.kind != Type::integer || base.size != t.size) break;
      c.skip(12);
      return is_bool(c, version, count, base.size) ? Type{.kind = Type::boolean, .size = 1} : base;
    }
    case 9:
      t.kind = Type::long_text;
      if ((bits & 15) == 1 && t.size == 16) return t;
      break;
    default: break;
  }
  throw Damage{text("type ", kind, " of ", t.size, " bytes")};
}

struct Filters {
  bool deflate = false;
  std::size_t shuffle = 0;  // size of the shuffled elements
};

Filters read_filters(const File& file, const Messages& messages) {
  Filters out;
  const auto message = file.find(messages, kFilters);
  if (!message) return out;
  Cursor c(*message);
  const uint64_t version = c.number(1), count = c.number(1);
  if (version == 1) c.skip(6);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t id = c.number(2), name = version == 1 || id >= 256 ? c.number(2) : 0;
    c.skip(2);
    const uint64_t values = c.number(2);
    c.skip(version == 1 ? (name + 7) / 8 * 8 : name);
    const uint64_t first = values ? c.number(4) : 0;
    if (values) c.skip(4 * (values - 1));
    if (version == 1 && values % 2) c.skip(std::min<uint64_t>(4, c.left()));
    // Only this order is supported: shuffle, then deflate.
    if (id == 1 && !out.deflate)
      out.deflate = true;
    else if (id == 2 && !out.shuffle && !out.deflate && first > 0 && first <= 8)
      out.shuffle = first;
    else
      throw Damage{text("filter ", id, " is not supported")};
  }
  return out;
}

// Returns the elements of a chunk or a dataset, with the file's order and byte order.
std::string unpacked(std::string_view stored, uint64_t bytes, const Filters& f) {
  std::string out(bytes, '\0');
  if (f.deflate) {
    uLongf size = bytes;
    const int status = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                    reinterpret_cast<const Bytef*>(stored.data()), static_cast<uLong>(stored.size()));
    if (status != Z_OK || size != bytes) throw Damage{"a compressed chunk is damaged"};
  } else {
    if (stored.size() != bytes) throw Damage{text("its shape needs ", bytes, " bytes, ", stored.size(), " are stored")};
    out = stored;
  }
  if (f.shuffle > 1 && bytes % f.shuffle == 0) {
    const std::string apart = std::exchange(out, std::string(bytes, '\0'));
    const uint64_t n = bytes / f.shuffle;
    for (uint64_t i = 0; i < n; ++i)
      for (uint64_t k = 0; k < f.shuffle; ++k) out[i * f.shuffle + k] = apart[k * n + i];
  }
  return out;
}

struct Chunk {
  std::string_view bytes;
  std::vector<uint64_t> at;  // the position of its first element
};

void read_chunks(const File& file, uint64_t node, int level, std::size_t rank, std::vector<Chunk>& to) {
  Cursor c = file.structure(node, 24, "TREE");
  const uint64_t type = c.number(1), here = c.number(1), count = c.number(2), key = 8 + 8 * (rank + 1);
  if (type != 1 || (level >= 0 && here + 1 != static_cast<uint64_t>(level)))
    throw Damage{"the tree of its chunks is invalid"};
  Cursor entries(file.at(node + 24, count * (key + 8)));
  for (uint64_t i = 0; i < count; ++i) {
    if (to.size() > file.size() / key) throw Damage{"the tree of its chunks has a cycle"};
    const uint64_t size = entries.number(4);
    if (entries.number(4) != 0) throw Damage{"a chunk skips a filter"};
    Chunk chunk;
    for (std::size_t d = 0; d < rank; ++d) chunk.at.push_back(entries.number(8));
    entries.skip(8);
    const uint64_t address = entries.number(8);
    if (here > 0) {
      read_chunks(file, address, static_cast<int>(here), rank, to);
    } else {
      chunk.bytes = file.at(address, size);
      to.push_back(std::move(chunk));
    }
  }
}

// Copies the elements of a chunk to their positions; omits those outside of the shape.
void place(const std::string& from, const Chunk& chunk, const std::vector<uint64_t>& lengths,
           const std::vector<uint64_t>& shape, std::size_t size, std::string& to) {
  const std::size_t rank = shape.size();
  for (std::size_t d = 0; d < rank; ++d)
    if (chunk.at[d] >= shape[d]) return;
  const uint64_t run = std::min(lengths[rank - 1], shape[rank - 1] - chunk.at[rank - 1]);
  std::vector<uint64_t> row(rank, 0);  // position in the chunk; the last axis is copied as a whole
  for (;;) {
    uint64_t source = 0, target = 0;
    bool inside = true;
    for (std::size_t d = 0; d < rank; ++d) {
      source = source * lengths[d] + row[d];
      target = target * shape[d] + chunk.at[d] + row[d];
      inside &= chunk.at[d] + row[d] < shape[d];
    }
    if (inside) std::memcpy(to.data() + target * size, from.data() + source * size, run * size);
    std::size_t d = rank - 1;
    while (d > 0 && ++row[d - 1] == lengths[d - 1]) row[--d] = 0;
    if (d == 0) return;
  }
}

// Returns elements with the fill value.
std::string unwritten(const File& file, const Messages& messages, double bytes, std::size_t size) {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  const auto message = file.find(messages, kFillValue);
  if (!message) return out;
  Cursor c(*message);
  const uint64_t version = c.number(1);
  if (version < 2 || version > 3) throw Damage{text("version ", version, " of the fill value is unknown")};
  bool defined = false;
  if (version == 3) {
    defined = c.number(1) & 0x20;
  } else {
    c.skip(2);
    defined = c.number(1);
  }
  const uint64_t stored = defined ? c.number(4) : 0;
  if (stored == 0) return out;
  const std::string_view value = c.take(stored);
  if (stored != size) throw Damage{text("the fill value has ", stored, " bytes, elements have ", size)};
  for (std::size_t i = 0; i + size <= out.size(); i += size) std::memcpy(out.data() + i, value.data(), size);
  return out;
}

// Returns all elements, with the byte order of the file.
std::string read_elements(const File& file, const Messages& messages, const std::vector<uint64_t>& shape,
                          std::size_t size) {
  // Deflate compresses by a factor of at most 1032, so larger claims are rejected before memory is allocated.
  double bytes = static_cast<double>(size);
  for (uint64_t n : shape) bytes *= static_cast<double>(n);
  if (std::find(shape.begin(), shape.end(), uint64_t(0)) != shape.end()) bytes = 0;
  constexpr double kUnwritten = 1 << 28;  // of arrays of which parts were never written
  const auto believe = [&](uint64_t stored, double others = 65536) {
    if (bytes > static_cast<double>(stored) * 1100 + others)
      throw Damage{text("it claims ", bytes, " bytes, more than the ", stored, " stored ones can contain")};
  };
  Cursor c(need(file, messages, kLayout, "layout"));
  const uint64_t version = c.number(1), kind = c.number(1);
  if (version < 3 || version > 4 || kind > 2 || (version == 4 && kind == 2))
    throw Damage{text("layout ", kind, " of version ", version)};
  if (kind == 0) {
    const std::string_view stored = c.take(c.number(2));
    believe(stored.size());
    return unpacked(stored, static_cast<uint64_t>(bytes), {});
  }
  if (kind == 1) {
    const uint64_t address = c.number(8), stored = c.number(8);
    address == kNowhere ? believe(0, kUnwritten) : believe(file.at(address, stored).size());
    if (address == kNowhere || bytes == 0) return unwritten(file, messages, bytes, size);
    return unpacked(file.at(address, stored), static_cast<uint64_t>(bytes), {});
  }
  const std::size_t rank = shape.size();
  if (c.number(1) != rank + 1 || rank == 0) throw Damage{"its chunks have a wrong number of axes"};
  const uint64_t tree = c.number(8);
  std::vector<uint64_t> lengths;
  double part = static_cast<double>(size);
  for (std::size_t d = 0; d < rank; ++d) {
    lengths.push_back(c.number(4));
    part *= static_cast<double>(lengths.back());
  }
  if (c.number(4) != size || part <= 0) throw Damage{"its chunks have a wrong size of elements"};
  const Filters filters = read_filters(file, messages);
  std::vector<Chunk> chunks;
  if (tree != kNowhere) read_chunks(file, tree, -1, rank, chunks);
  uint64_t stored = 0;
  for (const Chunk& chunk : chunks) {
    stored += chunk.bytes.size();
    if (part > static_cast<double>(chunk.bytes.size()) * 1100 + 65536)
      throw Damage{"a chunk claims more elements than its bytes can contain"};
  }
  believe(stored, kUnwritten);
  double room = 1;
  for (std::size_t d = 0; d < rank; ++d) room *= static_cast<double>((shape[d] + lengths[d] - 1) / lengths[d]);
  if (static_cast<double>(chunks.size()) > room) throw Damage{"it has more chunks than its shape"};
  std::string out = unwritten(file, messages, bytes, size);
  for (const Chunk& chunk : chunks)
    place(unpacked(chunk.bytes, static_cast<uint64_t>(part), filters), chunk, lengths, shape, size, out);
  return out;
}

Dtype dtype_of(const Type& t) {
  if (t.kind == Type::boolean) return Dtype::bool_;
  if (t.kind == Type::real) return t.size == 2 ? float16 : t.size == 4 ? float32 : float64;
  if (t.size == 1) return t.has_sign ? int8 : uint8;
  return t.has_sign && t.size == 2 ? int16 : t.has_sign && t.size == 4 ? int32 : int64;
}

Array to_array(std::string bytes, const Type& t, const std::vector<uint64_t>& lengths) {
  if (t.big_endian && t.kind != Type::boolean) swap_bytes(bytes.data(), bytes.size() / t.size * t.size, t.size);
  Array out(Shape(std::vector<int64_t>(lengths.begin(), lengths.end())), dtype_of(t));
  auto* to = static_cast<char*>(out.mutable_raw());
  if (t.kind == Type::boolean) {
    std::transform(bytes.begin(), bytes.end(), to, [](char c) { return char(c != 0); });
  } else if (out.dtype() == int64 && !t.has_sign) {  // widened to int64
    for (int64_t i = 0; i < out.size(); ++i) {
      const uint64_t v = little_endian(std::string_view(bytes).substr(static_cast<std::size_t>(i) * t.size, t.size));
      if (v > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        throw Damage{text("element ", i, " is ", v, ", which does not fit int64")};
      const auto kept = static_cast<int64_t>(v);
      std::memcpy(to + i * 8, &kept, 8);
    }
  } else {
    copy_little_endian(to, bytes.data(), bytes.size(), t.size);
  }
  return out;
}

bool one_element(const std::vector<uint64_t>& lengths) {
  return std::all_of(lengths.begin(), lengths.end(), [](uint64_t n) { return n == 1; });
}
// Removes the padding of a string of fixed length.
std::string unpadded(std::string s, uint64_t padding) {
  if (padding == 0) return s.substr(0, s.find('\0'));
  return s.substr(0, s.find_last_not_of(padding == 2 ? ' ' : '\0') + 1);
}

}  // namespace

bool is_dataset(const File& file, const Messages& messages) {
  return file.find(messages, kLayout) && file.find(messages, kDataspace) && file.find(messages, kDatatype);
}

void describe(const File& file, const Messages& messages, serializers::HDF5Object& out) {
  using serializers::HDF5Object;
  out.kind = HDF5Object::none;
  const auto lengths = read_space(need(file, messages, kDataspace, "shape"));
  if (!lengths) return;
  const Type t = read_type(need(file, messages, kDatatype, "type"));
  out.kind = t.kind == Type::text || t.kind == Type::long_text ? HDF5Object::text : HDF5Object::array;
  if (out.kind == HDF5Object::text) {
    if (!one_element(*lengths)) throw Damage{"an array of strings"};
    return;
  }
  double bytes = static_cast<double>(t.size);
  for (uint64_t n : *lengths) bytes *= static_cast<double>(std::max<uint64_t>(n, 1));
  if (lengths->size() > kMaxNdim || bytes > 0x1p62)
    throw Damage{text("an array of ", lengths->size(), " axes and ", bytes, " bytes")};
  out.dtype = dtype_of(t);
  out.shape = Shape(std::vector<int64_t>(lengths->begin(), lengths->end()));
}

namespace {

// Returns an array on the file's memory, if the elements are there as an array has them; else nothing.
Array array_in_file(const File& file, const Messages& messages, const Type& t, const std::vector<uint64_t>& lengths) {
  const bool is_number = t.kind == Type::integer || t.kind == Type::real;
  const bool is_wide = t.kind == Type::integer && !t.has_sign && t.size > 1;  // becomes int64
  if (!is_number || is_wide || ((t.big_endian || !kLittleEndian) && t.size > 1)) return {};
  Cursor c(need(file, messages, kLayout, "layout"));
  const uint64_t version = c.number(1), kind = c.number(1);
  if (version < 3 || version > 4 || kind != 1) return {};
  const uint64_t address = c.number(8), stored = c.number(8);
  uint64_t bytes = t.size;
  for (const uint64_t n : lengths)
    if (__builtin_mul_overflow(bytes, n, &bytes)) return {};
  if (address == kNowhere || bytes == 0 || stored != bytes) return {};
  const char* const at = file.at(address, stored).data();
  if (reinterpret_cast<std::uintptr_t>(at) % t.size != 0) return {};
  return external_array(const_cast<char*>(at), Shape(std::vector<int64_t>(lengths.begin(), lengths.end())), dtype_of(t),
                        [memory = file.memory()] {}, {.writable = false});
}

}  // namespace

HDF5Value view_value(const File& file, const Messages& messages) {
  const auto lengths = read_space(need(file, messages, kDataspace, "shape"));
  if (!lengths) return {};
  const Type t = read_type(need(file, messages, kDatatype, "type"));
  if (t.kind != Type::text && t.kind != Type::long_text) {
    if (lengths->size() <= kMaxNdim)
      if (Array a = array_in_file(file, messages, t, *lengths)) return {.array = std::move(a)};
    return {.array = to_array(read_elements(file, messages, *lengths, t.size), t, *lengths)};
  }
  if (!one_element(*lengths)) throw Damage{"an array of strings"};
  if (t.size > file.size()) throw Damage{"a string is longer than the file"};
  const std::string stored = read_elements(file, messages, *lengths, t.size);
  if (t.kind == Type::text) return {.text = unpadded(stored, t.padding)};
  Cursor c(stored);
  const uint64_t length = c.number(4), heap = c.number(8), index = c.number(4);
  if (length == 0 || heap == 0 || heap == kNowhere) return {.text = ""};
  const std::string_view object = file.heap_object(heap, index);
  if (length > object.size()) throw Damage{"a string is longer than its heap object"};
  const std::string_view value = object.substr(0, length);
  return {.text = std::string(value.substr(0, value.find('\0')))};
}

}  // namespace chainer::hdf5
