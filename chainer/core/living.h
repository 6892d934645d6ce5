// Which objects of a type live, by address.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

#include "chainer/core/fork.h"

namespace chainer {

/// The living objects of type T that said so. One list for all threads, never destroyed: objects of static storage may
/// outlive everything else.
template <class T>
class Living {
 public:
  /// False where there was no memory: the object is not found then.
  static bool add(const T* object) noexcept {
    try {
      const std::lock_guard lock(list().mutex);
      list().objects.insert(object);
      return true;
    } catch (...) { return false; }
  }
  static void remove(const T* object) noexcept {
    const std::lock_guard lock(list().mutex);
    list().objects.erase(object);
  }
  /// The one at an address, or nullptr.
  static const T* at(std::uintptr_t address) {
    const std::lock_guard lock(list().mutex);
    const auto it = list().objects.find(reinterpret_cast<const T*>(address));
    return it == list().objects.end() ? nullptr : *it;
  }
  /// Those at an address in [begin, end).
  static std::vector<const T*> between(const void* begin, const void* end) {
    if (!std::less<>()(begin, end)) return {};
    const std::lock_guard lock(list().mutex);
    const auto& all = list().objects;
    return {all.lower_bound(static_cast<const T*>(begin)), all.lower_bound(static_cast<const T*>(end))};
  }

 private:
  struct List {
    ForkSafe<std::mutex> mutex{kForkLeaf};
    std::set<const T*, std::less<>> objects;
  };
  static List& list() {
    static auto* only = new List;
    return *only;
  }
};

}  // namespace chainer
