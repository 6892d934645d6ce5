// How training scales: bench_mn_scale WORKLOAD [BATCH [SECONDS]], alone or under mpiexec, one thread a rank:
//   OMP_NUM_THREADS=1 mpiexec -n 2 bench_mn_scale mnist_mlp 400
// WORKLOAD is mnist_mlp (784-1000-1000-10, Adam) or lenet5 (Adam). Prints examples a second of all ranks together, and
// the part of a step that is not the computation of one rank.
//
// Options by environment: MN_COMMUNICATOR, MN_OVERLAP=0, MN_DOUBLE_BUFFERING=1, MN_COMPRESSION=float16 or bfloat16,
// MN_BUCKET (bytes).
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace chainer;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

template <class Net>
double train(Optimizer& optimizer, Net& net, const Shape& shape, int64_t batch, double seconds, int64_t* steps) {
  const Array x = random::RandomState(1).uniform(0, 1, shape, float32);
  const Array t = random::RandomState(2).randint(0, 10, {batch}, int32);
  const auto step = [&] { optimizer.update([&] { return F::softmax_cross_entropy(net(x), t); }); };
  for (int i = 0; i < 5; ++i) step();
  // The median of steps: a rank that the system stops for a while does not count.
  std::vector<double> took;
  const double start = now();
  while (now() - start < seconds || took.size() < 5) {
    const double begin = now();
    step();
    took.push_back(now() - begin);
    if (steps && static_cast<int64_t>(took.size()) == *steps) break;
  }
  if (steps && *steps == 0) *steps = static_cast<int64_t>(took.size());
  std::nth_element(took.begin(), took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2), took.end());
  return took[took.size() / 2];
}

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
  // Rank 0 alone, while the others wait.
  double alone = 0;
  int64_t steps = 0;
  if (comm->rank() == 0) {
    Net net;
    auto optimizer = optimizers::Adam().setup(net);
    alone = train(optimizer, net, shape, batch, seconds, &steps);
  }
  comm->barrier();
  steps = comm->bcast_obj(chainermn::Object(steps)).to_int();
  Net net;
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), comm, o).setup(net);
  const double together = train(optimizer, net, shape, batch, 1e9, &steps);
  comm->barrier();
  if (comm->rank() != 0) return;
  std::printf("%s, batch %lld a rank: one rank %.3f ms a step, %d ranks %.3f ms: %.2f times the examples a second\n",
              name, static_cast<long long>(batch), alone * 1e3, comm->size(), together * 1e3,
              alone / together * comm->size());
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
