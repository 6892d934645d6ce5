// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <map>

#include "chainer/iterators/position.h"
#include "chainer/iterators/worker_pool.h"
#include "chainer/iterators/workers.h"

namespace chainer::iterators {
namespace {

class Threads : public Workers {
 public:
  Threads(AnyDataset dataset, int n) : dataset_(std::move(dataset)), pool_(n) {}
  void submit(int64_t job, const std::vector<int64_t>& indices, int64_t visit) override {
    for (const int64_t index : indices) {
      results_[job++] = pool_.submit([d = dataset_, index, visit] { return read_examples(d, {index}, visit); });
      ++visit;
    }
  }
  Example take(int64_t job, const Patience& patience) override {
    std::future<Examples> result = std::move(results_.at(job));
    results_.erase(job);
    const std::chrono::duration<double> period(std::min(patience.warn_after, 1e6));
    while (result.wait_for(period) != std::future_status::ready)
      warn(text("an example has taken more than ", patience.warn_after, " s to read"));
    return std::move(result.get()[0]);
  }

 private:
  AnyDataset dataset_;
  WorkerPool pool_;
  std::map<int64_t, std::future<Examples>> results_;
};

}  // namespace

std::unique_ptr<Workers> thread_workers(const AnyDataset& dataset, int n) {
  return std::make_unique<Threads>(dataset, n);
}

}  // namespace chainer::iterators
