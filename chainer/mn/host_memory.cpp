// SPDX-License-Identifier: MIT
#include "chainer/mn/host_memory.h"

#include <atomic>
#include <random>
#include <thread>

namespace chainer::mn {

// One cache line per rank, to avoid false sharing.
struct alignas(64) HostMemory::Place {
  std::atomic<uint32_t> arrived{0};
};
struct alignas(64) HostMemory::Head {
  uint64_t token[2];
};

namespace {

constexpr std::size_t kPage = 4096;
std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// The address of the memory in the process of the host's first rank, through which the others open it.
struct Address {
  SharedMemory::Address memory;
  uint64_t token[2] = {};
};

}  // namespace

std::unique_ptr<HostMemory> HostMemory::make(Transport& intra, const RollCall& roll, std::vector<int> ranks,
                                             std::size_t bytes) {
  std::unique_ptr<HostMemory> m(new HostMemory);
  m->rank_ = intra.rank();
  m->size_ = intra.size();
  m->roll_ = &roll;
  m->ranks_ = std::move(ranks);
  const auto n = static_cast<std::size_t>(m->size_);
  m->head_bytes_ = pages(sizeof(Head) + n * sizeof(Place));
  m->stride_ = std::max(kPage, pages(bytes));
  const std::size_t all_bytes = m->head_bytes_ + n * m->stride_;

  auto address = std::make_shared<Address>();
  auto fine = std::make_shared<int32_t>(1);
  if (m->rank_ == 0) {
    m->memory_ = std::make_unique<SharedMemory>(all_bytes);
    std::random_device random;
    *address = {m->memory_->address(), {(uint64_t(random()) << 32) | random(), (uint64_t(random()) << 32) | random()}};
  }
  roll.wait(*intra.broadcast(address.get(), sizeof(Address), 0, address), "mean", m->ranks_);
  if (m->rank_ != 0) m->memory_ = std::make_unique<SharedMemory>(address->memory, all_bytes);
  m->base_ = m->memory_->data();
  *fine = m->base_ != nullptr;
  auto* head = reinterpret_cast<Head*>(m->base_);
  if (m->rank_ == 0 && m->base_) {
    head->token[0] = address->token[0], head->token[1] = address->token[1];
    for (std::size_t r = 0; r < n; ++r) new (&m->place(static_cast<int>(r))) Place;
  }
  // Called twice: all ranks have mapped the memory, and all see the token. The token may differ if the process id
  // belongs to another container.
  const auto agree = [&] {
    roll.wait(*intra.allreduce(fine.get(), 1, int32, Reduce::min, fine), "mean", m->ranks_);
    return *fine == 1;
  };
  bool all = agree();
  if (all) {
    *fine = head->token[0] == address->token[0] && head->token[1] == address->token[1];
    all = agree();
  }
  m->memory_->close();
  return all ? std::move(m) : nullptr;
}

HostMemory::~HostMemory() = default;

HostMemory::Place& HostMemory::place(int rank) const { return reinterpret_cast<Place*>(base_ + sizeof(Head))[rank]; }
char* HostMemory::section(int rank) const { return base_ + head_bytes_ + static_cast<std::size_t>(rank) * stride_; }

void HostMemory::barrier(const char* operation) {
  const uint32_t mine = place(rank_).arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_all(place(rank_).arrived);
  // Counters wrap around, so their difference is compared.
  const auto behind = [&](int r) {
    return static_cast<int32_t>(place(r).arrived.load(std::memory_order_acquire) - mine) < 0;
  };
  int next = 0;
  roll_->wait_until(
      [&] {
        while (next < size_ && !behind(next)) ++next;
        return next == size_;
      },
      operation, ranks_,
      [&](int us) {
        if (us == 0) return std::this_thread::yield();
        auto& word = place(next).arrived;
        const uint32_t seen = word.load(std::memory_order_acquire);
        if (static_cast<int32_t>(seen - mine) < 0) wait_while(word, seen, 100000);
      },
      [&] {
        std::vector<int> missing;
        for (int r = 0; r < size_; ++r)
          if (behind(r)) missing.push_back(ranks_[static_cast<std::size_t>(r)]);
        return missing;
      });
}

}  // namespace chainer::mn
