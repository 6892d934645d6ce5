// SPDX-License-Identifier: MIT
// The name that a parent sets on a link while other threads may read it.
#pragma once
#include <atomic>
#include <string>

namespace chainer {

/// A string that any number of threads may set and read: walks over a model, which are otherwise read-only, name the
/// links they visit. Every string that was ever current is kept, so references from get() stay valid; there is one for
/// each distinct name.
class SharedName {
 public:
  SharedName() = default;
  SharedName(SharedName&& o) noexcept : all_(o.all_.exchange(nullptr)), current_(o.current_.exchange(nullptr)) {}
  SharedName& operator=(SharedName&& o) noexcept;
  ~SharedName();
  const std::string& get() const;
  void set(const std::string& name);

 private:
  struct Text {
    const std::string text;
    Text* older;
  };
  std::atomic<Text*> all_{nullptr};  // the newest
  std::atomic<const Text*> current_{nullptr};
};

}  // namespace chainer
