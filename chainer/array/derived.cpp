// SPDX-License-Identifier: MIT
#include "chainer/array/derived.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "chainer/core/system/fork.h"

namespace chainer {
namespace {

constexpr std::size_t kMostForms = 4, kLeastBytes = 4096;

struct Entry {
  const char* first;  // first element of the array, which may be a view
  uint64_t kind;
  std::shared_ptr<const DerivedForm> form;  // null after the first request
};
struct Table {
  ForkSafe<std::mutex> mutex{kForkForms};
  std::unordered_map<const ArrayBody*, std::vector<Entry>> of;
};
Table& table() {
  static Table* t = new Table;  // never destroyed: arrays may outlive main()
  return *t;
}
[[maybe_unused]] const Table& table_made_early = table();  // before threads, see core/pool.cpp

Entry* find(std::vector<Entry>& entries, const char* first, uint64_t kind) {
  const auto it =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.first == first && e.kind == kind; });
  return it == entries.end() ? nullptr : &*it;
}

}  // namespace

std::shared_ptr<const DerivedForm> derived_form(const Array& a, uint64_t kind, std::size_t bytes,
                                                const std::function<void(void*)>& make, bool at_once) {
  const auto* first = static_cast<const char*>(a.raw());
  ArrayBody& owner = a.body().owner();
  bool keep = false;
  Table& t = table();
  if (bytes >= kLeastBytes) {
    const std::lock_guard lock(t.mutex);
    if (!owner.marked(ArrayBody::kShared)) {  // share_memory() marks first, then drops forms under this lock
      std::vector<Entry>& entries = t.of[&owner];
      owner.mark(ArrayBody::kForms);
      if (const Entry* e = find(entries, first, kind)) {
        if (e->form) return e->form;
        keep = true;
      } else {
        keep = at_once;
        if (entries.size() == kMostForms) entries.erase(entries.begin());
        entries.push_back({first, kind, nullptr});
      }
    }
  }
  auto form = std::make_shared<const DerivedForm>(bytes);
  make(form->block.data);
  if (keep) {
    const std::lock_guard lock(t.mutex);
    const auto it = t.of.find(&owner);
    if (Entry* e = it == t.of.end() ? nullptr : find(it->second, first, kind)) e->form = form;
  }
  return form;
}

int64_t derived_forms() {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  int64_t count = 0;
  for (const auto& [owner, entries] : t.of)
    count += std::count_if(entries.begin(), entries.end(), [](const Entry& e) { return e.form != nullptr; });
  return count;
}

void derived::drop(ArrayBody& owner) noexcept {
  Table& t = table();
  std::vector<Entry> gone;  // freed after the lock is released
  const std::lock_guard lock(t.mutex);
  owner.unmark(ArrayBody::kForms);
  const auto it = t.of.find(&owner);
  if (it == t.of.end()) return;
  gone.swap(it->second);
  t.of.erase(it);
}

}  // namespace chainer
