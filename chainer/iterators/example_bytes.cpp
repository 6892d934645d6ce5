// SPDX-License-Identifier: MIT
// Serialized examples: kind, number of entries, then for each entry its name, dtype, shape and elements, at multiples
// of 16 bytes.
#include <cstring>

#include "chainer/array/host.h"
#include "chainer/core/error.h"
#include "chainer/iterators/workers.h"

namespace chainer::iterators {
namespace {

// Counts all bytes that are put, and writes them while there is room.
struct Writer {
  char* to;
  std::size_t room, at = 0;
  void put(const void* data, std::size_t n) {
    if (n > 0 && at + n <= room) std::memcpy(to + at, data, n);
    at += n;
  }
  void number(int64_t v) { put(&v, sizeof v); }
  void align() { at = (at + 15) / 16 * 16; }
};
struct Reader {
  const char* from;
  std::size_t size, at = 0;
  const char* take(std::size_t n) {
    if (at > size || n > size - at) throw RuntimeError("MultiprocessIterator: a worker's answer is cut off");
    at += n;
    return from + at - n;
  }
  int64_t number() {
    int64_t v;
    std::memcpy(&v, take(sizeof v), sizeof v);
    return v;
  }
  void align() { at = (at + 15) / 16 * 16; }
};

enum Kind : int64_t { kSingle, kTuple, kDict };

}  // namespace

std::size_t write_example(const Example& e, char* to, std::size_t room) {
  Writer w{to, room};
  w.number(e.is_single() ? kSingle : e.is_dict() ? kDict : kTuple);
  w.number(static_cast<int64_t>(e.size()));
  for (std::size_t i = 0; i < e.size(); ++i) {
    const std::string name = e.is_dict() ? e.names()[i] : "";
    w.number(static_cast<int64_t>(name.size()));
    w.put(name.data(), name.size());
    if (!e[i]) {
      w.number(-1);
      continue;
    }
    const Array a = to_host(e[i]).contiguous();
    w.number(static_cast<int64_t>(a.dtype()));
    w.number(a.ndim());
    for (int64_t n : a.shape()) w.number(n);
    w.align();
    w.put(a.raw(), static_cast<std::size_t>(a.nbytes()));
  }
  return w.at;
}

Example read_example(const char* from, std::size_t size) {
  Reader r{from, size};
  const int64_t kind = r.number(), count = r.number();
  std::vector<std::pair<std::string, Array>> named;
  Arrays arrays;
  for (int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::size_t>(r.number());
    std::string name(r.take(length), length);
    Array a;
    if (const int64_t dtype = r.number(); dtype >= 0) {
      Shape shape;
      const int64_t ndim = r.number();
      for (int64_t d = 0; d < ndim; ++d) shape.push_back(r.number());
      a = Array(shape, static_cast<Dtype>(dtype));
      r.align();
      const auto n = static_cast<std::size_t>(a.nbytes());
      if (n > 0) std::memcpy(a.mutable_raw(), r.take(n), n);
    }
    arrays.push_back(a);
    named.emplace_back(std::move(name), std::move(a));
  }
  if (kind == kSingle) return Example(arrays[0]);
  return kind == kDict ? Example(std::move(named)) : Example(std::move(arrays));
}

}  // namespace chainer::iterators
