// SPDX-License-Identifier: MIT
#include "chainer/mn/mean.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "chainer/mn/mean_channels.h"
#include "chainer/mn/roll_call.h"
#include "chainer/routines/creation.h"

namespace chainer::mn {
namespace {

void expect_floating(Dtype dtype) {
  if (!is_floating(dtype)) throw DtypeError("mean: gradients must have a floating dtype, not ", dtype);
}

// Sums the elements [begin, end) of all sections in the order of ranks, multiplies by `by`, and writes to each of `to`.
template <class T>
void sum_sections(const std::vector<T*>& sections, const std::vector<T*>& to, int64_t begin, int64_t end, double by) {
  constexpr int64_t kBlock = 2048;
  Sum<T> sum[kBlock];
  const auto f = static_cast<Sum<T>>(by);
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t n = std::min(kBlock, end - at);
    for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<Sum<T>>(sections[0][at + i]);
    for (std::size_t s = 1; s < sections.size(); ++s) {
      const T* x = sections[s] + at;
      for (int64_t i = 0; i < n; ++i) sum[i] += static_cast<Sum<T>>(x[i]);
    }
    for (int64_t i = 0; i < n; ++i) sum[i] *= f;
    for (T* y : to)
      for (int64_t i = 0; i < n; ++i) y[at + i] = T(sum[i]);
  }
}

// Reduces by MPI only; each rank has memory of its own.
class PlainBuffer : public MeanBuffer {
 public:
  PlainBuffer(Transport& transport, RollCall& roll, const MeanOptions& o, int64_t count, Dtype dtype)
      : array_(std::make_shared<Array>(zeros({count}, dtype))),
        roll_(roll),
        sender_(transport, roll, {}, o, count),
        by_(1.0 / transport.size()) {}
  Array& array() override { return *array_; }
  void mean() override {
    roll_.enter("mean");
    if (!array_->size()) return;
    visit<FloatingTypes>(array_->dtype(), "mean", [&]<class T>() {
      sender_.mean(static_cast<T*>(array_->mutable_raw()), 0, array_->size(), by_, array_);
    });
  }
  Array residual() const override { return sender_.residual(); }
  void set_residual(const Array& a) override { sender_.set_residual(a); }

 private:
  std::shared_ptr<Array> array_;
  RollCall& roll_;
  Sender sender_;
  double by_;
};

// Memory of destroyed buffers to which arrays still refer. It is freed after the last of these arrays.
struct Parked {
  std::mutex mutex;
  std::vector<std::pair<std::shared_ptr<HostMemory>, Array>> all;
  void sweep() {
    std::erase_if(all, [](const auto& p) { return p.second.body().refs.value() == 1; });
  }
};
Parked& parked() {
  static auto* p = new Parked;
  return *p;
}

// Reduces in memory shared by the ranks of a host, and between hosts by MPI.
class SharedBuffer : public MeanBuffer {
 public:
  SharedBuffer(HostChannel& channel, std::shared_ptr<HostMemory> memory, int64_t count, Dtype dtype)
      : channel_(channel), memory_(std::move(memory)), count_(count) {
    for (int r = 0; r < channel.intra->size(); ++r) sections_.push_back(memory_->section(r));
    Ref<ArrayBody> body = ArrayBody::without_memory({count}, dtype, {});
    body->data = sections_[static_cast<std::size_t>(channel.intra->rank())];
    array_ = Array(std::move(body));
    if (channel.inter && channel.inter->size() > 1)
      sender_.emplace(*channel.inter, *channel.roll, channel.inter_ranks, channel.options, count);
    const std::lock_guard lock(parked().mutex);
    parked().sweep();
  }
  ~SharedBuffer() override {
    const std::lock_guard lock(parked().mutex);
    parked().all.emplace_back(std::move(memory_), std::move(array_));
    parked().sweep();
  }
  Array& array() override { return array_; }
  Array residual() const override { return sender_ ? sender_->residual() : Array(); }
  void set_residual(const Array& a) override {
    if (sender_) sender_->set_residual(a);
  }
  void mean() override {
    channel_.roll->enter("mean");
    visit<FloatingTypes>(array_.dtype(), "mean", [&]<class T>() { mean_of<T>(); });
  }

 private:
  template <class T>
  void mean_of() {
    std::vector<T*> all;
    for (char* s : sections_) all.push_back(reinterpret_cast<T*>(s));
    const int n = channel_.intra->size(), mine = channel_.intra->rank();
    const auto bound = [&](int r) { return count_ * r / n; };
    const int64_t begin = bound(mine), end = bound(mine + 1);
    const double by = 1.0 / channel_.ranks;
    (void)array_.mutable_raw();  // runs deferred reads of the last means before they are overwritten
    memory_->barrier("mean");
    switch (channel_.between) {
      case HostChannel::Between::nothing: sum_sections<T>(all, all, begin, end, by); break;
      case HostChannel::Between::slices:  // each rank reduces its slice over all hosts
        sum_sections<T>(all, {all[static_cast<std::size_t>(mine)]}, begin, end, 1);
        if (end > begin) sender_->mean(all[static_cast<std::size_t>(mine)], begin, end, by, memory_);
        for (int r = 0; r < n; ++r)
          if (r != mine)
            std::copy(all[static_cast<std::size_t>(mine)] + begin, all[static_cast<std::size_t>(mine)] + end,
                      all[static_cast<std::size_t>(r)] + begin);
        break;
      case HostChannel::Between::leaders:  // the first rank of each host reduces all elements
        sum_sections<T>(all, {all[0]}, begin, end, 1);
        memory_->barrier("mean");
        if (mine == 0 && sender_ && count_ > 0) sender_->mean(all[0], 0, count_, by, memory_);
        memory_->barrier("mean");
        if (mine != 0) std::copy(all[0], all[0] + count_, all[static_cast<std::size_t>(mine)]);
        break;
    }
    memory_->barrier("mean");
  }
  HostChannel& channel_;
  std::shared_ptr<HostMemory> memory_;
  int64_t count_;
  std::vector<char*> sections_;
  Array array_;
  std::optional<Sender> sender_;
};

}  // namespace

PlainChannel::PlainChannel(CommunicatorBase& comm, const MeanOptions& o)
    : options(o), transport(comm.duplicate_transport()), roll(comm.another_roll_call(comm.name() + " (gradients)")) {}
std::unique_ptr<MeanBuffer> PlainChannel::make(int64_t count, Dtype dtype) {
  expect_floating(dtype);
  return std::make_unique<PlainBuffer>(*transport, *roll, options, count, dtype);
}

HostChannel::HostChannel(CommunicatorBase& comm, const MeanOptions& o, bool slices)
    : options(o),
      ranks(comm.size()),
      intra(comm.intra_transport()),
      inter(comm.inter_transport()),
      roll(comm.another_roll_call(comm.name() + " (gradients)")),
      plain(comm, o) {
  // Slices require the same number of ranks on each host.
  auto even = std::make_shared<int32_t>(comm.intra_size() * comm.inter_size() == comm.size());
  roll->wait(*comm.transport().allreduce(even.get(), 1, int32, Reduce::min, even), "mean");
  between = comm.inter_size() == 1 ? Between::nothing : slices && *even ? Between::slices : Between::leaders;
  std::vector<std::string> seen;
  for (int r = 0; r < comm.size(); ++r) {
    const int place = static_cast<int>(std::count(seen.begin(), seen.end(), comm.host(r)));
    seen.push_back(comm.host(r));
    if (place == comm.intra_rank() && r != comm.rank()) inter_ranks.push_back(r);
  }
  for (int r = 0; r < comm.size(); ++r)
    if (comm.host(r) == comm.host(comm.rank())) host_ranks.push_back(r);
}

std::unique_ptr<MeanBuffer> HostChannel::make(int64_t count, Dtype dtype) {
  expect_floating(dtype);
  std::unique_ptr<HostMemory> memory =
      HostMemory::make(*intra, *roll, host_ranks, static_cast<std::size_t>(count * item_size(dtype)));
  // If one host has no shared memory, all ranks use MPI only.
  auto fine = std::make_shared<int32_t>(memory != nullptr);
  roll->wait(*plain.transport->allreduce(fine.get(), 1, int32, Reduce::min, fine), "mean");
  if (!*fine) return plain.make(count, dtype);
  return std::make_unique<SharedBuffer>(*this, std::move(memory), count, dtype);
}

}  // namespace chainer::mn
