// SPDX-License-Identifier: MIT
#include "chainer/mn/object.h"

#include <bit>
#include <cstring>

#include "chainer/array/host.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::mn {
namespace {

constexpr std::string_view kMagic = "CMO1";
constexpr int kDeepest = 64;
enum Kind : uint8_t { kNone, kBool, kInt, kNumber, kText, kArray, kList, kMap, kNoArray };
static_assert(std::endian::native == std::endian::little, "elements are sent as they lie in memory");

struct Encoder {
  std::string out{kMagic};
  int depth = 0;

  void word(int64_t v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }
  void text(std::string_view s) {
    word(static_cast<int64_t>(s.size()));
    out += s;
  }
  void kind(Kind k) { out += static_cast<char>(k); }

  void operator()(std::monostate) { kind(kNone); }
  void operator()(bool v) {
    kind(kBool);
    out += static_cast<char>(v);
  }
  void operator()(int64_t v) {
    kind(kInt);
    word(v);
  }
  void operator()(double v) {
    kind(kNumber);
    word(std::bit_cast<int64_t>(v));
  }
  void operator()(const std::string& v) {
    kind(kText);
    text(v);
  }
  void operator()(const Array& v) {
    if (!v) return kind(kNoArray);
    kind(kArray);
    text(name(v.dtype()));
    word(v.ndim());
    for (int64_t n : v.shape()) word(n);
    const Array a = to_host(v).contiguous();
    if (a.size()) out.append(static_cast<const char*>(a.raw()), static_cast<std::size_t>(a.nbytes()));
  }
  void operator()(const ObjectList& v) {
    kind(kList);
    word(static_cast<int64_t>(v.size()));
    for (const Object& o : v) value(o);
  }
  void operator()(const ObjectMap& v) {
    kind(kMap);
    word(static_cast<int64_t>(v.size()));
    for (const auto& [key, o] : v) text(key), value(o);
  }
  void value(const Object& o) {
    if (++depth > kDeepest) throw ValueError("encode: values are nested deeper than ", kDeepest);
    std::visit(*this, o.variant());
    --depth;
  }
};

struct Decoder {
  std::string_view in;
  std::size_t at = 0;
  int depth = 0;

  template <class... A>
  [[noreturn]] void bad(const A&... what) const {
    throw ValueError("decode: byte ", at, " of ", in.size(), ": ", what...);
  }
  std::string_view take(int64_t n, const char* what) {
    if (n < 0 || static_cast<uint64_t>(n) > in.size() - at)
      bad(what, " of ", n, " bytes, but ", in.size() - at, " are left");
    at += static_cast<std::size_t>(n);
    return in.substr(at - static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  }
  int64_t word(const char* what) {
    int64_t v;
    std::memcpy(&v, take(sizeof v, what).data(), sizeof v);
    return v;
  }
  // Returns the number of values that follow. Each has at least `least` bytes, so numbers that cannot fit are rejected
  // before memory is allocated.
  int64_t count(const char* what, std::size_t least) {
    const int64_t n = word(what);
    if (n < 0 || static_cast<uint64_t>(n) > (in.size() - at) / least)
      bad(what, " ", n, ", but ", in.size() - at, " bytes are left");
    return n;
  }
  std::string text(const char* what) { return std::string(take(word("a length"), what)); }

  Array array() {
    const std::string dtype_name = text("the name of a dtype");
    Dtype dtype;
    try {
      dtype = parse_dtype(dtype_name);
    } catch (const TypeError&) { bad("no dtype named '", dtype_name, "'"); }
    if (name(dtype) != dtype_name) bad("'", dtype_name, "' is not the name of a dtype");
    const int64_t ndim = count("a number of axes", sizeof(int64_t));
    if (ndim > 64) bad("an array of ", ndim, " axes, more than 64");
    Shape shape;
    int64_t bytes = item_size(dtype);
    bool empty = false;
    for (int64_t i = 0; i < ndim; ++i) {
      const int64_t n = word("the length of an axis");
      if (n < 0) bad("an axis of length ", n);
      shape.push_back(n);
      empty |= n == 0;
      if (n > 0 && __builtin_mul_overflow(bytes, n, &bytes)) bad("an array of shape ", shape, " is too large");
    }
    if (!empty && static_cast<uint64_t>(bytes) > in.size() - at)
      bad("an array of shape ", shape, " and ", dtype, ", but ", in.size() - at, " bytes are left");
    Array a(shape, dtype, {}, "decode");
    if (a.size()) {
      const std::string_view elements = take(a.nbytes(), "elements");
      std::memcpy(a.mutable_raw(), elements.data(), elements.size());
      if (dtype == bool_)
        for (const char c : elements)
          if (c != 0 && c != 1) bad("a boolean of ", static_cast<int>(c));
    }
    return a;
  }
  Object value() {
    if (++depth > kDeepest) bad("values are nested deeper than ", kDeepest);
    const auto kind = static_cast<uint8_t>(take(1, "a kind")[0]);
    Object out;
    switch (kind) {
      case kNone: break;
      case kBool: {
        const char c = take(1, "a boolean")[0];
        if (c != 0 && c != 1) bad("a boolean of ", static_cast<int>(c));
        out = Object(c == 1);
        break;
      }
      case kInt: out = Object(word("an integer")); break;
      case kNumber: out = Object(std::bit_cast<double>(word("a number"))); break;
      case kText: out = Object(text("a string")); break;
      case kArray: out = Object(array()); break;
      case kNoArray: out = Object(Array()); break;
      case kList: {
        ObjectList list;
        const int64_t n = count("a list of", 1);
        list.reserve(static_cast<std::size_t>(n));
        for (int64_t i = 0; i < n; ++i) list.push_back(value());
        out = Object(std::move(list));
        break;
      }
      case kMap: {
        ObjectMap map;
        const int64_t n = count("a map of", sizeof(int64_t) + 1);
        for (int64_t i = 0; i < n; ++i) {
          std::string key = text("a key");
          if (!map.empty() && key <= map.rbegin()->first) bad("key '", key, "' does not follow the one before it");
          map.emplace_hint(map.end(), std::move(key), value());
        }
        out = Object(std::move(map));
        break;
      }
      default: bad("unknown kind ", static_cast<int>(kind));
    }
    --depth;
    return out;
  }
};

}  // namespace

double Object::to_number() const {
  if (const auto* i = std::get_if<int64_t>(&value_)) return static_cast<double>(*i);
  return get<double>("a number");
}

const Object& Object::operator[](const std::string& key) const {
  const ObjectMap& map = to_map();
  const auto it = map.find(key);
  if (it == map.end()) throw KeyError("Object: no key '", key, "' in ", kind());
  return it->second;
}

std::string Object::kind() const {
  static constexpr const char* names[] = {"none", "a boolean", "an integer", "a number", "a string"};
  if (value_.index() < 5) return names[value_.index()];
  if (const auto* a = std::get_if<Array>(&value_))
    return *a ? text("an array of ", a->dtype(), " ", a->shape()) : "an array that is none";
  if (const auto* l = std::get_if<ObjectList>(&value_)) return text("a list of ", l->size());
  return text("a map of ", to_map().size());
}

void Object::wrong_kind(const char* wanted) const { throw TypeError("Object: expected ", wanted, ", got ", kind()); }

bool Object::operator==(const Object& o) const {
  const auto* a = std::get_if<Array>(&value_);
  const auto* b = std::get_if<Array>(&o.value_);
  if (!a || !b) {
    if (a || b || value_.index() != o.value_.index()) return false;
    return std::visit(
        [&]<class T>(const T& v) {
          if constexpr (std::same_as<T, Array>)
            return false;
          else
            return v == std::get<T>(o.value_);
        },
        value_);
  }
  if (!*a || !*b) return !*a && !*b;
  if (a->dtype() != b->dtype() || a->shape() != b->shape()) return false;
  const Array x = to_host(*a).contiguous(), y = to_host(*b).contiguous();
  return !x.size() || std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0;
}

Object add(const Object& a, const Object& b) {
  const auto* i = std::get_if<int64_t>(&a.variant());
  const auto* j = std::get_if<int64_t>(&b.variant());
  if (i && j) return Object(static_cast<int64_t>(static_cast<uint64_t>(*i) + static_cast<uint64_t>(*j)));
  const auto number = [](const Object& o) {
    return std::holds_alternative<int64_t>(o.variant()) || std::holds_alternative<double>(o.variant());
  };
  if (number(a) && number(b)) return Object(a.to_number() + b.to_number());
  if (a.variant().index() == b.variant().index()) {
    if (const auto* t = std::get_if<std::string>(&a.variant())) return Object(*t + b.to_text());
    if (const auto* x = std::get_if<Array>(&a.variant()); x && *x && b.to_array()) return Object(*x + b.to_array());
    if (const auto* l = std::get_if<ObjectList>(&a.variant())) {
      ObjectList both = *l;
      both.insert(both.end(), b.to_list().begin(), b.to_list().end());
      return Object(std::move(both));
    }
  }
  throw TypeError("Object: cannot add ", a.kind(), " and ", b.kind());
}

std::string encode(const Object& value) {
  Encoder e;
  e.value(value);
  return std::move(e.out);
}

Object decode(std::string_view bytes) {
  Decoder d{bytes};
  if (d.take(static_cast<int64_t>(kMagic.size()), "the first bytes") != kMagic)
    d.bad("the bytes are not an encoded value");
  Object out = d.value();
  if (d.at != bytes.size()) d.bad("bytes follow the end of the value");
  return out;
}

Object to_object(const Example& e) {
  if (e.is_single()) return Object(e[0]);
  if (!e.is_dict()) {
    ObjectList list;
    for (const Array& a : e.arrays()) list.emplace_back(a);
    return Object(std::move(list));
  }
  // A list, since a map would not keep the order of names.
  ObjectList names, arrays;
  for (std::size_t i = 0; i < e.size(); ++i) names.emplace_back(e.names()[i]), arrays.emplace_back(e[i]);
  return Object(ObjectMap{{"arrays", Object(std::move(arrays))}, {"names", Object(std::move(names))}});
}

Example to_example(const Object& o) {
  if (const auto* a = std::get_if<Array>(&o.variant())) return Example(*a);
  if (const auto* l = std::get_if<ObjectList>(&o.variant())) {
    Arrays arrays;
    for (const Object& x : *l) arrays.push_back(x.to_array());
    return Example(std::move(arrays));
  }
  const ObjectList &names = o["names"].to_list(), &arrays = o["arrays"].to_list();
  if (names.size() != arrays.size())
    throw ValueError("example: ", names.size(), " names for ", arrays.size(), " arrays");
  std::vector<std::pair<std::string, Array>> named;
  for (std::size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i].to_text(), arrays[i].to_array());
  return Example(std::move(named));
}

}  // namespace chainer::mn
