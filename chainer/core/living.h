// SPDX-License-Identifier: MIT
// A registry of the live objects of a type, by address.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "chainer/core/system/fork.h"

namespace chainer {

/// The registered live objects of type T. One list for all threads, never destroyed, because objects of static storage
/// may outlive any other. In a child of fork() the list holds only the objects of the forking thread: the memory of the
/// others may have been on stacks that new threads reuse.
template <class T>
class Living {
 public:
  /// Registers an object. Returns false if there is no memory; then the object is not found.
  static bool add(const T* object) noexcept {
    try {
      const std::lock_guard lock(list().mutex);
      list().objects[object] = std::this_thread::get_id();
      return true;
    } catch (...) { return false; }
  }
  static void remove(const T* object) noexcept {
    const std::lock_guard lock(list().mutex);
    list().objects.erase(object);
  }
  /// Returns the object at an address, or nullptr.
  static const T* at(std::uintptr_t address) {
    const std::lock_guard lock(list().mutex);
    const auto it = list().objects.find(reinterpret_cast<const T*>(address));
    return it == list().objects.end() ? nullptr : it->first;
  }
  /// Returns the objects at addresses in [begin, end).
  static std::vector<const T*> between(const void* begin, const void* end) {
    if (!std::less<>()(begin, end)) return {};
    const std::lock_guard lock(list().mutex);
    const auto& all = list().objects;
    std::vector<const T*> out;
    const auto last = all.lower_bound(static_cast<const T*>(end));
    for (auto it = all.lower_bound(static_cast<const T*>(begin)); it != last; ++it) out.push_back(it->first);
    return out;
  }

 private:
  struct List {
    List() {
      at_fork({kForkLeaf, [this] { mutex.lock(); }, [this] { mutex.unlock(); },
               [this] {
                 new (&mutex) std::mutex;
                 std::erase_if(objects, [](const auto& o) { return o.second != std::this_thread::get_id(); });
               }});
    }
    std::mutex mutex;
    std::map<const T*, std::thread::id, std::less<>> objects;  // with the thread that created each
  };
  static List& list() {
    static auto* only = new List;
    return *only;
  }
};

}  // namespace chainer
