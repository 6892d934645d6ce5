// SPDX-License-Identifier: MIT
// The cost of communication: bench_mn_collectives [LARGEST_BYTES], under mpiexec. For each size in float32 the time of
// a mean of gradients by each communicator and of allreduce, bcast and allgather, in microseconds: the minimum of
// several.
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace chainer;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The minimum over repetitions of the time of the slowest rank.
template <class F>
double time_of(const chainermn::Communicator& c, int64_t bytes, F&& f) {
  const int n = bytes < (1 << 16) ? 50 : bytes < (1 << 23) ? 10 : 3;
  double least = 1e9;
  for (int i = -1; i < n; ++i) {
    c->barrier();
    const double start = now();
    f();
    const double took = now() - start;
    double slowest = 0;
    for (const auto& o : c->allgather_obj(chainermn::Object(took))) slowest = std::max(slowest, o.to_number());
    if (i >= 0) least = std::min(least, slowest);
  }
  return least * 1e6;
}

void measure(int64_t largest) {
  std::vector<chainermn::Communicator> all;
  for (const char* name : {"flat", "hierarchical", "two_dimensional"})
    all.push_back(chainermn::create_communicator(name));
  const auto& c = all[0];
  if (c->rank() == 0) {
    std::printf("%d ranks on %d hosts; microseconds\n%12s", c->size(), c->inter_size(), "bytes");
    for (const auto& x : all) std::printf(" %16s", ("mean " + x->name()).c_str());
    std::printf(" %12s %12s %12s\n", "allreduce", "bcast", "allgather");
  }
  std::vector<std::unique_ptr<chainermn::MeanChannel>> channels;
  for (const auto& x : all) channels.push_back(x->make_mean_channel({}));
  for (int64_t bytes = 4; bytes <= largest; bytes *= 4) {
    const int64_t count = bytes / 4;
    if (c->rank() == 0) std::printf("%12lld", static_cast<long long>(bytes));
    for (auto& channel : channels) {
      const auto buffer = channel->make(count, float32);
      buffer->array().fill(1);
      const double us = time_of(c, bytes, [&] { buffer->mean(); });
      if (c->rank() == 0) std::printf(" %16.1f", us);
    }
    const Array a = ones({count});
    const double reduce = time_of(c, bytes, [&] { (void)c->allreduce(a); });
    const double bcast = time_of(c, bytes, [&] { (void)c->bcast(a); });
    const double gather = bytes > (int64_t(64) << 20) ? 0 : time_of(c, bytes, [&] { (void)c->allgather(a); });
    if (c->rank() == 0) std::printf(" %12.1f %12.1f %12.1f\n", reduce, bcast, gather), std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("bench_mn_collectives", [&] { measure(argc > 1 ? std::atoll(argv[1]) : int64_t(256) << 20); });
}
