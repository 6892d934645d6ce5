// SPDX-License-Identifier: MIT
#include "chainer/mn/parameter_state.h"

#include <cstring>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/version.h"

namespace chainer::mn {
namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}
uint64_t hash_bytes(uint64_t h, const char* p, std::size_t n) {
  uint64_t word;
  for (; n >= 8; n -= 8, p += 8) {
    std::memcpy(&word, p, 8);
    h = mix(h, word);
  }
  word = n;
  std::memcpy(&word, p, n);
  return mix(h, word);
}

struct Description {
  Object entries;  // a list of [path, dtype, shape...], or [path] for an uninitialized parameter
  int64_t shape_hash = 0, value_hash = 0;
};
Description describe(const Link& model, bool with_values = true) {
  Description d;
  ObjectList entries;
  uint64_t values = 1;
  for (const auto& [path, p] : model.namedparams()) {
    ObjectList entry{Object(path)};
    if (p.is_initialized()) {
      entry.emplace_back(std::string(name(p.dtype())));
      for (int64_t n : p.shape()) entry.emplace_back(n);
      const Array a = with_values ? to_host(p.array()).contiguous() : Array();
      if (a && a.size())
        values = hash_bytes(values, static_cast<const char*>(a.raw()), static_cast<std::size_t>(a.nbytes()));
    }
    entries.emplace_back(std::move(entry));
  }
  d.entries = Object(std::move(entries));
  const std::string bytes = encode(d.entries);
  d.shape_hash = static_cast<int64_t>(hash_bytes(1, bytes.data(), bytes.size()));
  d.value_hash = static_cast<int64_t>(values);
  return d;
}

std::string text_of(const ObjectList& entry) {
  std::string out = entry[0].to_text();
  if (entry.size() == 1) return out + " (uninitialized)";
  Shape shape;
  for (std::size_t i = 2; i < entry.size(); ++i) shape.push_back(entry[i].to_int());
  return text(out, " of ", entry[1].to_text(), " ", shape);
}

// Sets each parameter to its value on the first rank where it is initialized; on all ranks, or on those without a
// value.
void spread(CommunicatorBase& comm, Link& model, const ObjectList& of_ranks, bool replace = true) {
  const ObjectList& first = of_ranks[0].to_list();
  for (std::size_t r = 1; r < of_ranks.size(); ++r) {
    const ObjectList& other = of_ranks[r].to_list();
    for (std::size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
      const std::string a = i < first.size() ? first[i].to_list()[0].to_text() : "none";
      const std::string b = i < other.size() ? other[i].to_list()[0].to_text() : "none";
      if (a != b)
        throw ValueError("the ranks have different models: parameter ", i, " is ", a, " on rank 0 and ", b, " on rank ",
                         r, "; ranks with different models need communicators of their own (split())");
    }
  }
  auto params = model.namedparams();
  for (std::size_t i = 0; i < params.size(); ++i) {
    int source = -1;
    bool missing = false;
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      const ObjectList& entry = of_ranks[r].to_list()[i].to_list();
      if (entry.size() == 1) {
        missing = true;
        continue;
      }
      if (source < 0) source = static_cast<int>(r);
      const ObjectList& there = of_ranks[static_cast<std::size_t>(source)].to_list()[i].to_list();
      if (!(Object(entry) == Object(there)))
        throw ValueError("the ranks have different models: ", text_of(there), " on rank ", source, ", ", text_of(entry),
                         " on rank ", r);
    }
    if (source < 0 || !(missing || replace)) continue;
    Parameter& p = params[i].second;
    const Array data = comm.bcast(source == comm.rank() ? p.array() : Array(), {}, source);
    if (source == comm.rank() || (p.is_initialized() && !replace)) continue;
    if (!p.is_initialized()) {
      p.initialize(data.shape());
      p.cleargrad();
    }
    Array to = p.array();
    const UpdateOf one_update(to);  // other graphs may retain the array, such as that of another optimizer's loss
    copy_elements(data, to);
  }
}

}  // namespace

bool synchronize_parameters(CommunicatorBase& comm, Link& model) {
  const Description mine = describe(model);
  bool same_shapes = true, same = true;
  for (const Object& o : comm.allgather_obj(Object(ObjectList{Object(mine.shape_hash), Object(mine.value_hash)}))) {
    same_shapes &= o.to_list()[0] == Object(mine.shape_hash);
    same &= o.to_list()[1] == Object(mine.value_hash);
  }
  if (same && same_shapes) return true;
  spread(
      comm, model,
      same_shapes ? ObjectList(static_cast<std::size_t>(comm.size()), mine.entries) : comm.allgather_obj(mine.entries));
  return false;
}

void initialize_parameters(CommunicatorBase& comm, Link& model) {
  spread(comm, model, comm.allgather_obj(describe(model, false).entries), false);
}

void broadcast_parameters(CommunicatorBase& comm, Link& model) {
  spread(comm, model, comm.allgather_obj(describe(model, false).entries));
}

}  // namespace chainer::mn
