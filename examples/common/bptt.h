// SPDX-License-Identifier: MIT
// Backpropagation through time over one long sequence: an iterator and an updater (manual: "RNN Language Models").
#pragma once
#include <chainer/chainer.h>

#include <algorithm>

namespace examples {

/// Makes batches from batch_size equidistant positions of a sequence: an example is the word at a position and the next
/// word. The positions advance by one word per batch. An epoch ends when every word has been visited.
class ParallelSequentialIterator : public chainer::Iterator {
 public:
  ParallelSequentialIterator(const chainer::Array& words, int64_t batch_size, bool repeat = true)
      : words_(words.to_vector<int32_t>()), batch_size_(batch_size), repeat_(repeat) {
    if (words_.size() < 2)
      throw chainer::ValueError("ParallelSequentialIterator: the sequence must have at least two words");
  }
  std::optional<chainer::Examples> try_next() override {
    const int64_t length = size();
    if (!repeat_ && iteration_ * batch_size_ >= length) return std::nullopt;
    previous_epoch_detail_ = epoch_detail();
    chainer::Examples batch;
    for (int64_t i = 0; i < batch_size_; ++i) {
      const int64_t at = i * length / batch_size_ + iteration_;
      batch.push_back({chainer::array(word(at)), chainer::array(word(at + 1))});
    }
    ++iteration_;
    const int64_t epoch = iteration_ * batch_size_ / length;
    is_new_epoch_ = epoch_ < epoch;
    epoch_ = std::max(epoch_, epoch);
    return batch;
  }
  void reset() override {
    iteration_ = epoch_ = 0;
    is_new_epoch_ = false;
    previous_epoch_detail_ = -1;
  }
  void serialize(chainer::Serializer& s) override {
    s("iteration", iteration_);
    s("epoch", epoch_);
    s("previous_epoch_detail", previous_epoch_detail_);
  }
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return epoch_; }
  double epoch_detail() const override {
    return static_cast<double>(iteration_ * batch_size_) / static_cast<double>(size());
  }
  std::optional<double> previous_epoch_detail() const override {
    if (previous_epoch_detail_ < 0) return std::nullopt;
    return previous_epoch_detail_;
  }
  bool is_new_epoch() const override { return is_new_epoch_; }
  bool repeat() const override { return repeat_; }

 private:
  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  int32_t word(int64_t at) const { return words_[static_cast<std::size_t>(at % size())]; }
  std::vector<int32_t> words_;
  int64_t batch_size_;
  bool repeat_;
  int64_t iteration_ = 0, epoch_ = 0;
  bool is_new_epoch_ = false;
  double previous_epoch_detail_ = -1;
};

/// Sums the losses of bprop_len batches, differentiates the sum, and cuts the graph, so that the next iteration
/// continues from the state without its history.
class BPTTUpdater : public chainer::training::StandardUpdater {
 public:
  BPTTUpdater(chainer::training::NamedKept<chainer::Iterator> iterator,
              chainer::training::NamedKept<chainer::Optimizer> optimizer, int64_t bprop_len,
              std::optional<chainer::Device> device = {})
      : StandardUpdater(std::move(iterator), std::move(optimizer), {.device = device}), bprop_len_(bprop_len) {}
  void update_core() override {
    chainer::Optimizer& optimizer = get_optimizer("main");
    chainer::Link& target = optimizer.target();
    chainer::Variable loss;
    for (int64_t i = 0; i < bprop_len_; ++i) {
      const chainer::Variable step = chainer::training::call_link(target, convert(next_batch()));
      loss = loss ? loss + step : step;
    }
    target.cleargrads();
    loss.backward();
    loss.unchain_backward();
    optimizer.update();
  }

 private:
  int64_t bprop_len_;
};

}  // namespace examples
