// The name that a parent gives to a link while other threads may ask for it.
#pragma once
#include <atomic>
#include <string>

namespace chainer {

/// A text that any number of threads may set and read: walks over a model, which are reading, name the links they meet.
/// A text that was current once stays where it is, so that get() may refer to it; there are as many as different names.
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
