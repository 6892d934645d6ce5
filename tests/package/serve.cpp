// The smallest useful program: predicts with a perceptron from an NPZ file. serve --save FILE makes one.
#include <chainer/chainer.h>

#include <cstdio>
#include <cstring>

using namespace chainer;

struct MLP : Chain {
  L::Linear l1, l2, l3;
  MLP() : l1(100), l2(100), l3(10) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};

int main(int argc, char** argv) {
  MLP model;
  const NoBackpropMode no_graph;
  const Array x = ones({1, 784});
  if (argc == 3 && std::strcmp(argv[1], "--save") == 0) {
    (void)model.forward(x);
    serializers::save_npz(argv[2], model, false);  // not packed: read without unpacking
    return 0;
  }
  serializers::load_npz(argv[1], model);
  std::printf("%lld\n", static_cast<long long>(argmax(model.forward(x).array(), 1).item<int64_t>()));
}
