// SPDX-License-Identifier: MIT
#include "chainer/links/shared_name.h"

#include <utility>

namespace chainer {

SharedName& SharedName::operator=(SharedName&& o) noexcept {
  if (this == &o) return *this;
  // References to this object's texts must stay valid, so they are appended to the other's.
  Text* const theirs = o.all_.exchange(nullptr);
  if (Text* last = theirs) {
    while (last->older) last = last->older;
    last->older = all_.load();
    all_.store(theirs);
  }
  current_.store(o.current_.exchange(nullptr));
  return *this;
}

SharedName::~SharedName() {
  for (Text* t = all_.load(); t;) delete std::exchange(t, t->older);
}

const std::string& SharedName::get() const {
  static const std::string none;
  const Text* const t = current_.load(std::memory_order_acquire);
  return t ? t->text : none;
}

void SharedName::set(const std::string& name) {
  if (get() == name) return;
  for (const Text* t = all_.load(std::memory_order_acquire); t; t = t->older)
    if (t->text == name) return current_.store(t, std::memory_order_release);
  // Two threads may add the same text; then one of them is never used again.
  auto* const t = new Text{name, all_.load(std::memory_order_relaxed)};
  while (!all_.compare_exchange_weak(t->older, t, std::memory_order_acq_rel, std::memory_order_acquire)) {}
  current_.store(t, std::memory_order_release);
}

}  // namespace chainer
