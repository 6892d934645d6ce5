// SPDX-License-Identifier: MIT
// The positions of a program's leaves in its list.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "chainer/array/body.h"

namespace chainer::deferred {

// A map from leaves to their positions: a list of the first ones, then open addressing. Entries are removed in reverse
// order of insertion. The positions cannot be stored in the arrays, because other threads' evaluations may read the
// same arrays.
class Positions {
 public:
  int32_t find(const ArrayBody& b) const {
    for (std::size_t i = 0; i < std::min(count_, kFew); ++i)
      if (few_[i] == &b) return static_cast<int32_t>(i);
    if (count_ <= kFew) return -1;
    for (std::size_t i = start(b);; i = (i + 1) & (table_.size() - 1)) {
      if (table_[i].body == &b) return table_[i].position;
      if (!table_[i].body) return -1;
    }
  }
  // `position` is the number of entries.
  void add(const ArrayBody& b, int32_t position) {
    if (count_ < kFew) {
      few_[count_++] = &b;
      return;
    }
    if (2 * (count_ + 1 - kFew) > table_.size()) {
      std::vector<Entry> all(count_ - kFew);  // in order of insertion, on which removal relies
      for (const Entry& e : table_)
        if (e.body) all[static_cast<std::size_t>(e.position) - kFew] = e;
      table_.assign(std::max<std::size_t>(16, 2 * table_.size()), {});
      for (const Entry& e : all) put(e);
    }
    put({&b, position});
    ++count_;
  }
  void remove(const ArrayBody& b) {
    if (count_-- <= kFew) return;
    std::size_t i = start(b);
    while (table_[i].body != &b) i = (i + 1) & (table_.size() - 1);
    table_[i].body = nullptr;
  }

 private:
  struct Entry {
    const ArrayBody* body = nullptr;
    int32_t position = 0;
  };
  std::size_t start(const ArrayBody& b) const {
    return (reinterpret_cast<uintptr_t>(&b) / 64 * 0x9E3779B97F4A7C15u >> 20) & (table_.size() - 1);
  }
  void put(const Entry& e) {
    std::size_t i = start(*e.body);
    while (table_[i].body) i = (i + 1) & (table_.size() - 1);
    table_[i] = e;
  }
  static constexpr std::size_t kFew = 8;
  std::array<const ArrayBody*, kFew> few_;
  std::vector<Entry> table_;
  std::size_t count_ = 0;
};

}  // namespace chainer::deferred
