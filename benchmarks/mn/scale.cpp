// SPDX-License-Identifier: MIT
// Scaling of training: bench_mn_scale WORKLOAD [BATCH [SECONDS]], alone or under mpiexec, one thread per rank:
//   OMP_NUM_THREADS=1 mpiexec -n 2 bench_mn_scale mnist_mlp 400
// WORKLOAD is mnist_mlp (784-1000-1000-10, Adam) or lenet5 (Adam). Prints the examples per second of all ranks relative
// to one rank, and two upper bounds: all ranks without communication, and with a barrier only.
//
// Options by environment variables: MN_COMMUNICATOR, MN_OVERLAP=0, MN_DOUBLE_BUFFERING=1, MN_COMPRESSION=float16 or
// bfloat16, MN_BUCKET (bytes).
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace chainer;

namespace {

constexpr int kRounds = 9;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double middle(std::vector<double> v) {
  const auto at = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), at, v.end());
  return *at;
}
std::string variable(const char* name, const char* otherwise) {
  const char* v = std::getenv(name);
  return v && *v ? v : otherwise;
}

struct Mlp : Chain {
  L::Linear l1{784, 1000}, l2{1000, 1000}, l3{1000, 10};
  CHAINER_MEMBERS(Mlp, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};
struct LeNet5 : Chain {
  L::Convolution2D conv1{1, 6, 5}, conv2{6, 16, 5}, conv3{16, 120, 4};
  L::Linear fc4{120, 84}, fc5{84, 10};
  CHAINER_MEMBERS(LeNet5, conv1, conv2, conv3, fc4, fc5);
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::sigmoid(conv1(x)), 2);
    h = F::max_pooling_2d(F::sigmoid(conv2(h)), 2);
    return fc5(F::sigmoid(fc4(F::sigmoid(conv3(h)))));
  }
};

// The training of one rank; the optimizer may be a multi-node optimizer.
template <class Net, class Rule>
class Training {
 public:
  Training(Rule optimizer, const Shape& shape)
      : optimizer_(std::move(optimizer)),
        x_(random::RandomState(1).uniform(0, 1, shape, float32)),
        t_(random::RandomState(2).randint(0, 10, {shape[0]}, int32)) {
    optimizer_.setup(net_);
  }
  /// Returns the median milliseconds of some steps, each including `after`; the median ignores steps during which the
  /// system stops a rank.
  double median(
      int64_t steps, const std::function<void()>& after = [] {}) {
    std::vector<double> took;
    for (int64_t i = 0; i < steps; ++i) {
      const double begin = now();
      optimizer_.update([&] { return F::softmax_cross_entropy(net_(x_), t_); });
      after();
      took.push_back((now() - begin) * 1e3);
    }
    return middle(took);
  }

 private:
  Net net_;
  Rule optimizer_;
  Array x_, t_;
};

template <class Net>
void measure(const char* name, Shape shape, int64_t batch, double seconds) {
  shape[0] = batch;
  const auto comm = chainermn::create_communicator(variable("MN_COMMUNICATOR", "hierarchical"));
  chainermn::MultiNodeOptimizerOptions o;
  o.overlap = variable("MN_OVERLAP", "1") != "0";
  o.double_buffering = variable("MN_DOUBLE_BUFFERING", "0") == "1";
  const std::string how = variable("MN_COMPRESSION", "none");
  if (how == "float16") o.compression = chainermn::Compression::float16;
  if (how == "bfloat16") o.compression = chainermn::Compression::bfloat16;
  o.bucket_bytes = std::atoll(variable("MN_BUCKET", "26214400").c_str());
  random::seed(1);
  Training<Net, optimizers::Adam> own(optimizers::Adam(), shape);
  Training<Net, chainermn::MultiNodeOptimizer> shared(
      chainermn::create_multi_node_optimizer(optimizers::Adam(), comm, o), shape);
  own.median(5), shared.median(5);
  const auto steps_of = [&](double ms) {
    return std::max<int64_t>(3, static_cast<int64_t>(1e3 * seconds / kRounds / ms));
  };
  const int64_t steps = comm->bcast_obj(chainermn::Object(steps_of(own.median(5)))).to_int();
  // Alternates, because the speed of machines varies: rank 0 alone while the others sleep, all ranks without
  // communication, all ranks with a barrier after each step (as in any data-parallel training), and training together.
  std::vector<double> alone, apart, together, bound, waiting, gain;
  for (int i = 0; i < kRounds; ++i) {
    alone.push_back(comm->rank() == 0 ? own.median(steps) : 0);
    comm->barrier();
    apart.push_back(own.median(steps));
    comm->barrier();
    waiting.push_back(comm->size() * alone.back() / own.median(steps, [&] { comm->barrier(); }));
    together.push_back(shared.median(steps));
    comm->barrier();
    bound.push_back(comm->size() * alone.back() / apart.back());
    gain.push_back(comm->size() * alone.back() / together.back());
  }
  if (comm->rank() != 0) return;
  std::printf(
      "%s, batch %lld per rank, ms per step: one rank %.2f, %d ranks apart %.2f, together %.2f\n"
      "examples per second relative to one rank: %.2f times (%.2f to %.2f over %d rounds), without communication %.2f, "
      "waiting only %.2f\n",
      name, static_cast<long long>(batch), middle(alone), comm->size(), middle(apart), middle(together), middle(gain),
      *std::min_element(gain.begin(), gain.end()), *std::max_element(gain.begin(), gain.end()), kRounds, middle(bound),
      middle(waiting));
}

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("bench_mn_scale", [&] {
    const std::string workload = argc > 1 ? argv[1] : "mnist_mlp";
    const int64_t batch = argc > 2 ? std::atoll(argv[2]) : 400;
    const double seconds = argc > 3 ? std::atof(argv[3]) : 5;
    if (workload == "mnist_mlp")
      measure<Mlp>("mnist_mlp", {1, 784}, batch, seconds);
    else if (workload == "lenet5")
      measure<LeNet5>("lenet5", {1, 1, 28, 28}, batch, seconds);
    else
      throw ValueError("the workloads are mnist_mlp and lenet5, not '", workload, "'");
  });
}
