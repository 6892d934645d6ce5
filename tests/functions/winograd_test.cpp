// Filters of 3x3 by Winograd's algorithm, where the library takes it, against float64 by patches and products.
#include <chainer/chainer.h>

#include "chainer/backend/cpu/onednn/onednn.h"
#include "test.h"

using namespace chainer;

namespace {

struct Case {
  Shape x, W;
  int64_t pad;
  bool winograd;  // whether these lengths are worth it
};

// The largest difference, in parts of the largest element.
double distance(const Array& a, const Array& exact) {
  return (max(abs(a.astype(float64) - exact)) / max(abs(exact))).item<double>();
}

}  // namespace

TEST(winograd_agrees_with_float64) {
  const Case cases[] = {{{8, 32, 16, 16}, {48, 32, 3, 3}, 1, true},  {{3, 64, 31, 27}, {32, 64, 3, 3}, 1, true},
                        {{9, 32, 18, 14}, {32, 32, 3, 3}, 0, true},  {{64, 64, 4, 4}, {64, 64, 3, 3}, 1, true},
                        {{2, 32, 16, 16}, {32, 32, 3, 3}, 1, false}, {{64, 32, 5, 5}, {32, 32, 3, 3}, 1, false},
                        {{8, 24, 16, 16}, {48, 24, 3, 3}, 1, false}, {{8, 32, 16, 16}, {48, 32, 3, 3}, 2, false}};
  random::RandomState draw(3);
  for (const Case& c : cases) {
    const Array x = draw.normal(0, 1, c.x, float32), W = draw.normal(0, 0.1, c.W, float32),
                b = draw.normal(0, 1, {c.W[0]}, float32);
    const auto run = [&](Dtype d) {
      Variable vx(x.astype(d)), vW(W.astype(d)), vb(b.astype(d));
      const Variable y = F::convolution_2d(vx, vW, vb, {.pad = c.pad});
      const Array g = random::RandomState(4).normal(0, 1, y.shape(), float32).astype(d);
      // W and x are used twice, so that gradients are added to what is there.
      F::sum(y * g + F::convolution_2d(vx, vW, {}, {.pad = c.pad}) * g).backward();
      return Arrays{y.array(), vx.grad(), vW.grad(), vb.grad()};
    };
    const Arrays ours = run(float32), exact = run(float64);
    const ConvolutionPlan plan{{1, 1}, {c.pad, c.pad}, {1, 1}};
    if (runtime_info().find("oneDNN: not") == std::string::npos && !std::getenv("CHAINER_MATMUL") &&
        !std::getenv("CHAINER_CONVOLUTION"))
      EXPECT_EQ(cpu::onednn::suits_winograd(plan, c.W.begin(), ours[0].shape().begin(), 4), c.winograd);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double off = distance(ours[i], exact[i]);
      ++test::expectations;
      if (!(off < 1e-5)) test::fail(__FILE__, __LINE__, text("x ", c.x, ", array ", i, " is off by ", off));
    }
  }
}
