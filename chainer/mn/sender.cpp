// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "chainer/mn/mean_channels.h"
#include "chainer/mn/roll_call.h"
#include "chainer/routines/creation.h"

namespace chainer::mn {
namespace {

constexpr int kTag = 1;

// Splits memory into messages of at most kLargestMessage bytes.
template <class Byte, class Post>
void in_pieces(Byte* data, std::size_t bytes, std::vector<Pending>& operations, Post&& post) {
  for (std::size_t at = 0; at < bytes; at += kLargestMessage)
    operations.push_back(post(data + at, std::min(kLargestMessage, bytes - at)));
}

}  // namespace

Sender::Sender(Transport& transport, const RollCall& roll, std::vector<int> ranks, const MeanOptions& options,
               int64_t count)
    : transport_(transport), roll_(roll), ranks_(std::move(ranks)), options_(options) {
  if (options_.compression == Compression::none) return;
  const Dtype narrow = options_.compression == Compression::float16 ? float16 : bfloat16;
  narrow_ = std::make_shared<Array>(Shape{count}, narrow);
  const int64_t others = transport.size() - 1, slice = (count + others) / (others + 1);
  received_ = std::make_shared<Array>(Shape{others * slice}, narrow);
  if (options_.error_feedback) residual_ = zeros({2, count});
}

void Sender::wait_for_all(std::vector<Pending>& operations) {
  for (Pending& o : operations) roll_.wait(*o, "mean", ranks_);
  operations.clear();
}

template <class T>
void Sender::mean(T* x, int64_t begin, int64_t end, double by, const Transport::Keep& keep) {
  if (!narrow_ || sizeof(T) == 2) {
    roll_.wait(*transport_.allreduce(x + begin, end - begin, dtype_of<T>(), Reduce::sum, keep), "mean", ranks_);
    const auto factor = static_cast<Sum<T>>(by);
    for (int64_t i = begin; i < end; ++i) x[i] = T(static_cast<Sum<T>>(x[i]) * factor);
  } else if (options_.compression == Compression::float16) {
    mean_narrow<Float16>(x, begin, end, by);
  } else {
    mean_narrow<BFloat16>(x, begin, end, by);
  }
}
template void Sender::mean(float*, int64_t, int64_t, double, const Transport::Keep&);
template void Sender::mean(double*, int64_t, int64_t, double, const Transport::Keep&);
template void Sender::mean(Float16*, int64_t, int64_t, double, const Transport::Keep&);
template void Sender::mean(BFloat16*, int64_t, int64_t, double, const Transport::Keep&);

template <class N, class T>
void Sender::mean_narrow(T* x, int64_t begin, int64_t end, double by) {
  N* y = narrow_->mutable_data<N>() + begin;
  float* rest = residual_ ? residual_.mutable_data<float>() + begin : nullptr;
  x += begin;
  const int64_t n = end - begin;
  // Scales before the sum over ranks, so that it does not overflow.
  for (int64_t i = 0; i < n; ++i) {
    const float v = static_cast<float>(static_cast<double>(x[i]) * by) + (rest ? rest[i] : 0.0f);
    y[i] = N(v);
    if (rest) rest[i] = v - static_cast<float>(y[i]);
  }
  sum_narrow(y, n, rest ? rest + residual_.shape(1) : nullptr);
  for (int64_t i = 0; i < n; ++i) x[i] = T(static_cast<float>(y[i]));
}

template <class N>
void Sender::sum_narrow(N* y, int64_t n, float* rest) {
  const int size = transport_.size(), me = transport_.rank();
  const auto first = [&](int rank) { return n * rank / size; };
  const auto bytes = [&](int rank) { return static_cast<std::size_t>(first(rank + 1) - first(rank)) * sizeof(N); };
  const auto send = [&](const N* from, std::size_t count, int to, std::vector<Pending>& operations) {
    in_pieces(reinterpret_cast<const char*>(from), count, operations,
              [&](const char* p, std::size_t m) { return transport_.send(p, m, to, kTag, narrow_); });
  };
  const auto receive = [&](N* to, std::size_t count, int from, std::vector<Pending>& operations,
                           const Transport::Keep& keep) {
    in_pieces(reinterpret_cast<char*>(to), count, operations,
              [&](char* p, std::size_t m) { return transport_.receive(p, m, from, kTag, keep); });
  };
  // In step k, each rank sends to rank + k and receives from rank - k (modulo size).
  const int64_t mine = first(me + 1) - first(me);
  N* others = received_->mutable_data<N>();
  std::vector<Pending> operations;
  for (int k = 1; k < size; ++k) {
    const int to = (me + k) % size, from = (me - k + size) % size;
    receive(others + (k - 1) * mine, bytes(me), from, operations, received_);
    send(y + first(to), bytes(to), to, operations);
  }
  wait_for_all(operations);
  N* sums = y + first(me);
  if (rest) rest += first(me);
  std::vector<const N*> addends;  // in the order of ranks
  for (int r = 0; r < size; ++r) addends.push_back(r == me ? sums : others + ((me - r + size) % size - 1) * mine);
  for (int64_t i = 0; i < mine; ++i) {
    float sum = rest ? rest[i] : 0.0f;
    for (const N* a : addends) sum += static_cast<float>(a[i]);
    sums[i] = N(sum);
    if (rest) rest[i] = sum - static_cast<float>(sums[i]);
  }
  for (int k = 1; k < size; ++k) {
    const int to = (me + k) % size, from = (me - k + size) % size;
    receive(y + first(from), bytes(from), from, operations, narrow_);
    send(sums, bytes(me), to, operations);
  }
  wait_for_all(operations);
}

}  // namespace chainer::mn
