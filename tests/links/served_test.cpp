// SPDX-License-Identifier: MIT
// Every kind of link without state between calls, called by four threads at once in test mode, gives the results of one
// thread. The thread sanitizer checks that the calls only read.
#include <chainer/chainer.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "chainer/array/external.h"
#include "test.h"

using namespace chainer;

namespace {

struct Call {
  std::string name;
  std::shared_ptr<Link> link;
  std::function<Variables()> call;
};
template <class L, class... A>
Call called(const char* name, L&& link, A... arguments) {
  auto kept = std::make_shared<L>(std::forward<L>(link));
  return {name, kept, [kept, arguments...] {
            Variables out;
            detail::collect_variables(out, (*kept)(arguments...));
            return out;
          }};
}

std::vector<Call> served_links() {
  const Array x = random::normal(0, 1, {4, 6}, float32), image = random::normal(0, 1, {2, 4, 6, 6}, float32),
              line = random::normal(0, 1, {2, 4, 6}, float32), words = array({0, 2, 1, 2});
  const Variable h(random::normal(0, 1, {4, 6}, float32), false), cell(random::normal(0, 1, {4, 6}, float32), false),
      input(x, false);
  const Variables sequences{random::normal(0, 1, {3, 6}, float32), random::normal(0, 1, {2, 6}, float32)};
  std::vector<Call> v;
  v.push_back(called("Linear", L::Linear(6, 3), x));
  v.push_back(called("EmbedID", L::EmbedID(3, 5), words));
  v.push_back(called("Bias", L::Bias(1, Shape{6}), x));
  v.push_back(called("Scale", L::Scale(1, Shape{6}, {.bias_term = true}), x));
  v.push_back(called("Bilinear", L::Bilinear(6, 6, 3), x, h));
  v.push_back(called("Highway", L::Highway(6), x));
  v.push_back(called("RMSNormalization", L::RMSNormalization(6), x));
  v.push_back(called("LowRank", L::LowRank(L::Linear(6, 3), 2), x));
  v.push_back(called("MultiHeadAttention", L::MultiHeadAttention(6, 3, {.kv_heads = 1, .rotary = true}), line));
  v.push_back(called("TransformerEncoderLayer", L::TransformerEncoderLayer(6, 2), line));
  v.push_back(called("TransformerDecoderLayer", L::TransformerDecoderLayer(6, 2), line, Variable(line, false)));
  v.push_back(called("TransformerEncoder", L::TransformerEncoder(2, 6, 2, {.norm_first = true}), line));
  v.push_back(called("TransformerDecoder", L::TransformerDecoder(2, 6, 2), line, Variable(line, false)));
  v.push_back(called("Maxout", L::Maxout(6, 3, 2), x));
  v.push_back(called("PReLU", L::PReLU(), x));
  v.push_back(called("Swish", L::Swish(Shape{6}), x));
  v.push_back(called("Convolution1D", L::Convolution1D(4, 3, 3), line));
  v.push_back(called("Convolution2D", L::Convolution2D(4, 3, 3, {.pad = 1}), image));
  v.push_back(called("Convolution2D, large",  // another form of the filters is kept
                     L::Convolution2D(64, 64, 3, {.pad = 1}), random::normal(0, 1, {2, 64, 8, 8}, float32)));
  v.push_back(called("Deconvolution1D", L::Deconvolution1D(4, 3, 3), line));
  v.push_back(called("Deconvolution2D", L::Deconvolution2D(4, 3, 3), image));
  v.push_back(called("DilatedConvolution2D", L::DilatedConvolution2D(4, 3, 2, {.dilate = 2}), image));
  v.push_back(called("DepthwiseConvolution2D", L::DepthwiseConvolution2D(4, 2, 3), image));
  v.push_back(called("LocalConvolution2D", L::LocalConvolution2D(4, 2, 6, 3), image));
  v.push_back(called("DeformableConvolution2D", L::DeformableConvolution2D(4, 2, 3), image));
  v.push_back(called("MLPConvolution2D", L::MLPConvolution2D(4, {3, 2}, 3), image));
  v.push_back(called("Inception", L::Inception(4, 2, 3, 2, 3, 2, 1), image));
  v.push_back(called("InceptionBN", L::InceptionBN(4, 2, 3, 2, 3, 2, L::PoolType::avg, {.proj_pool = 1}), image));
  v.push_back(called("BatchNormalization", L::BatchNormalization(4), image));
  v.push_back(called("BatchRenormalization", L::BatchRenormalization(6), x));
  v.push_back(called("DecorrelatedBatchNormalization", L::DecorrelatedBatchNormalization(6, {.groups = 2}), x));
  v.push_back(called("GroupNormalization", L::GroupNormalization(2, 4), image));
  v.push_back(called("LayerNormalization", L::LayerNormalization(6), x));
  v.push_back(called("SimplifiedDropconnect", L::SimplifiedDropconnect(6, 3), x, false));
  v.push_back(called("StatelessLSTM", L::StatelessLSTM(6, 6), cell, h, input));
  v.push_back(called("StatelessGRU", L::StatelessGRU(6, 6), h, x));
  v.push_back(called("StatelessMGU", L::StatelessMGU(6, 6), h, x));
  v.push_back(called("ChildSumTreeLSTM", L::ChildSumTreeLSTM(6, 6), cell, cell, h, h, input));
  v.push_back(called("NaryTreeLSTM", L::NaryTreeLSTM(6, 6), cell, cell, h, h, input));
  v.push_back(called("BinaryHierarchicalSoftmax",
                     L::BinaryHierarchicalSoftmax(
                         6, L::BinaryHierarchicalSoftmax::create_huffman_tree({{0, 1.0}, {1, 2.0}, {2, 4.0}})),
                     x, words));
  v.push_back(called("Parameter", L::Parameter(x)));
  const auto lstm = std::make_shared<L::NStepLSTM>(2, 6, 4, 0.5);
  v.push_back({"NStepLSTM", lstm, [=] { return (*lstm)(Variable(), Variable(), sequences).ys; }});
  const auto gru = std::make_shared<L::NStepBiGRU>(1, 6, 4, 0.5);
  v.push_back({"NStepBiGRU", gru, [=] { return (*gru)(Variable(), sequences).ys; }});
  const auto crf = std::make_shared<L::CRF1d>(6);
  v.push_back({"CRF1d", crf, [=] { return Variables{(*crf)(sequences, Variables{array({0, 1, 2}), array({3, 4})})}; }});
  return v;
}

bool same_answers(const Variables& a, const Variables& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Array x = a[i].array().contiguous(), y = b[i].array().contiguous();
    if (x.shape() != y.shape() || std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) != 0)
      return false;
  }
  return true;
}

}  // namespace

TEST(links_that_four_threads_call) {
  const UsingConfig test_mode(&Config::train, false);
  for (const Call& s : served_links()) {
    for (const bool graph : {false, true}) {
      Variables expected;
      {
        const UsingConfig mode(&Config::enable_backprop, graph);
        expected = s.call();
      }
      std::atomic<int> ready{0}, wrong{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          const UsingConfig own_test_mode(&Config::train, false), own_graph(&Config::enable_backprop, graph);
          ++ready;
          while (ready < 4) std::this_thread::yield();
          try {
            for (int i = 0; i < 3; ++i) wrong += !same_answers(s.call(), expected);
          } catch (const Error& e) { test::fail(s.name.c_str(), 0, e.what()); }
        });
      for (std::thread& t : threads) t.join();
      ++test::expectations;
      if (wrong) test::fail(s.name.c_str(), 0, text(wrong.load(), " calls gave something else than one thread"));
    }
  }
}

// Statistics in external memory are updated in place, and read in test mode.
TEST(running_statistics_on_memory_outside) {
  const Array x = random::normal(0, 1, {8, 3}, float32);
  std::vector<float> memory(6, 1.f);
  L::BatchNormalization plain(3), outside(3);
  outside.avg_mean = external_array(memory.data(), {3}, float32, [] {});
  outside.avg_var = external_array(memory.data() + 3, {3}, float32, [] {});
  plain.avg_mean.fill(1), plain.avg_var.fill(1);
  for (int i = 0; i < 2; ++i) EXPECT_CLOSE(outside(x).array(), plain(x).array(), {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(outside.avg_mean, plain.avg_mean, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(outside.avg_var, plain.avg_var, {.atol = 0, .rtol = 0});
  const UsingConfig test_mode(&Config::train, false);
  const std::vector<float> before = memory;
  EXPECT_CLOSE(outside(x).array(), plain(x).array(), {.atol = 0, .rtol = 0});
  EXPECT(memory == before);
  outside.avg_mean = external_array(memory.data(), {3}, float32, [] {}, {.writable = false});
  EXPECT_CLOSE(outside(x).array(), plain(x).array(), {.atol = 0, .rtol = 0});
}
