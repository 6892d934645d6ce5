// static_graph(): replays are define-by-run, bit for bit.
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

namespace {

struct Mlp : Chain {
  L::Linear l1{12, 16}, l2{16, 5};
  CHAINER_MEMBERS(Mlp, l1, l2);
  int runs = 0;
  Variable forward(const Variable& x) {
    ++runs;
    return l2(F::relu(l1(x)));
  }
};

bool same(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && a.to_vector<double>() == b.to_vector<double>();
}

}  // namespace

TEST(a_link_is_recorded_once_and_replayed) {
  random::seed(3);
  Mlp plain;
  Mlp twin = plain.copy(CopyMode::copy);
  auto chain = static_graph(twin);
  auto a = optimizers::Adam().setup(plain), b = optimizers::Adam().setup(chain);
  for (int i = 0; i < 6; ++i) {
    const Array x = random::uniform(-1, 1, {7, 12}, float32), t = random::randint(0, 5, {7}).astype(int32);
    Variable u = F::softmax_cross_entropy(plain(x), t), v = F::softmax_cross_entropy(chain(x), t);
    EXPECT(same(u.array(), v.array()));
    plain.cleargrads(), chain.cleargrads();
    u.backward(), v.backward();
    a.update(), b.update();
    EXPECT(same(plain.l1.W.array(), twin.l1.W.array()));
    EXPECT(same(plain.l2.b->array(), twin.l2.b->array()));
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(twin.runs, 1);
}
