// SPDX-License-Identifier: MIT
// The list of pending computations that read an array's memory, stored at the memory's owner. Code that writes, or that
// looks for computations with common operands, thus need not search all pending computations.
#include <algorithm>
#include <thread>
#include <utility>

#include "chainer/array/deferred/evaluation.h"

namespace chainer::deferred {
namespace {

// Acquired only under the lock of a registry, so that no other thread holds it at a fork().
class Locked {
 public:
  explicit Locked(Readers& r) : readers_(r) {
    while (r.locked.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~Locked() { readers_.locked.store(false, std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Readers& readers_;
};

int64_t bytes(const ArrayBody& owner) { return owner.size * item_size(owner.dtype); }

// Only existing memory is kept alive.
void hold(Registry& r, ArrayBody& owner) {
  if (owner.readers.holder || !owner.data) return;
  owner.readers.holder = &r;
  r.held_bytes += bytes(owner);
}

}  // namespace

void add_readers(Registry& r, Pending& p) {
  for (std::size_t i = 0; i < p.count; ++i) {
    ArrayBody& owner = p.in[i]->owner();
    Reader& reader = p.reads[i];
    const Locked lock(owner.readers);
    Reader* const first = owner.readers.first.load(std::memory_order_relaxed);
    reader = {&p, first, nullptr};
    if (first) first->previous = &reader;
    owner.readers.first.store(&reader, std::memory_order_relaxed);
    hold(r, owner);
  }
}

void remove_readers(Pending& p) {
  for (std::size_t i = 0; i < p.count; ++i) {
    ArrayBody& owner = p.in[i]->owner();
    const Reader& reader = p.reads[i];
    const Locked lock(owner.readers);
    if (reader.next) reader.next->previous = reader.previous;
    if (reader.previous)
      reader.previous->next = reader.next;
    else
      owner.readers.first.store(reader.next, std::memory_order_release);  // a writer may continue
    if (owner.readers.any() || !owner.readers.holder) continue;
    std::exchange(owner.readers.holder, nullptr)->held_bytes -= bytes(owner);
  }
}

void hold_if_read(Registry& r, ArrayBody& owner) {
  if (!owner.readers.any()) return;
  const Locked lock(owner.readers);
  if (owner.readers.any()) hold(r, owner);
}

void readers_in(const Registry& r, ArrayBody& owner, std::size_t most, Computations& found) {
  found.clear();
  {
    const Locked lock(owner.readers);
    std::size_t looked = 0;
    for (const Reader* reader = owner.readers.first; reader && looked < most; reader = reader->next, ++looked)
      if (reader->computation->body->registry == &r) found.push_back(reader->computation);
  }
  std::reverse(found.begin(), found.end());  // the list begins with the latest
}

}  // namespace chainer::deferred
