// SPDX-License-Identifier: MIT
#include "chainer/links/summary.h"

#include <chainer/chainer.h>

#include <memory>
#include <string_view>

#include "test.h"

using namespace chainer;

namespace {

struct SummaryNet : Chain {
  L::Convolution2D conv;
  L::Linear first, out;
  SummaryNet() : conv(4, 3), first(5), out(5, 2) {}
  CHAINER_MEMBERS(SummaryNet, conv, first, out);
  Variable forward(const Variable& x) { return out(F::relu(first(F::max_pooling_2d(F::relu(conv(x)), 2)))); }
};
const SummaryRow& row(const ModelSummary& s, std::string_view path) {
  for (const SummaryRow& r : s.rows)
    if (r.path == path) return r;
  throw KeyError("no row ", path);
}
struct SummaryRecurrent : Chain {
  L::LSTM lstm;
  SummaryRecurrent() : lstm(3, 4) {}
  CHAINER_MEMBERS(SummaryRecurrent, lstm);
  Variable forward(const Variable& x) {
    (void)lstm(x);
    return lstm(x);
  }
};
// Uses parameters of links that it does not call, like onnx::Model.
struct SummaryParts : Chain {
  L::Linear used, idle;
  SummaryParts() : used(3, 2), idle(1, 1) {}
  CHAINER_MEMBERS(SummaryParts, used, idle);
  Variable forward(const Variable& x) { return F::linear(x, used.W, *used.b); }
};
struct SummaryOwner : Chain {
  std::unique_ptr<L::Linear> one = std::make_unique<L::Linear>(3, 2);
  CHAINER_MEMBERS(SummaryOwner, one);
  Variable forward(const Variable& x) { return (*one)(x); }
};
struct SummaryProducts : Chain {
  L::NStepLSTM rnn{1, 3, 4, 0};
  CHAINER_MEMBERS(SummaryProducts, rnn);
  Variable forward(const Variable& x) {
    const Variable y = F::concat(rnn.forward(Variable(), Variable(), {x, x}).ys, 0);  // (10, 4)
    return F::matmul(y, y, {.transa = true});                                         // (4, 4)
  }
};

}  // namespace

TEST(a_summary_counts_what_links_have_and_do) {
  SummaryNet net;
  random::seed(3);
  const Array expected = random::uniform(0, 1, {4});
  random::seed(3);
  const ModelSummary s = summary(net, {Variable(zeros({2, 1, 8, 8}))});
  EXPECT_CLOSE(random::uniform(0, 1, {4}), expected, {.atol = 0, .rtol = 0});  // no random numbers were drawn
  EXPECT(!net.first.W.is_initialized());
  EXPECT_EQ(s.rows.size(), 4u);
  EXPECT_EQ(s.rows[0].path, std::string("/"));
  EXPECT_EQ(s.rows[0].outputs.at(0), Shape({2, 2}));
  const SummaryRow &conv = row(s, "/conv"), &first = row(s, "/first");
  EXPECT_EQ(conv.type, std::string("Convolution2D"));
  EXPECT_EQ(conv.outputs.at(0), Shape({2, 4, 6, 6}));
  EXPECT_EQ(conv.parameters, 4 * 9 + 4);
  EXPECT_EQ(conv.multiply_adds, 2 * 4 * 36 * 9);
  EXPECT_EQ(conv.activation_bytes, 2 * 4 * 36 * 4);
  EXPECT_EQ(first.parameters, 36 * 5 + 5);
  EXPECT_EQ(first.multiply_adds, 2 * 36 * 5);
  EXPECT_EQ(row(s, "/out").multiply_adds, 2 * 5 * 2);
  EXPECT_EQ(s.parameters, 40 + 185 + 12);
  EXPECT_EQ(s.multiply_adds, 2592 + 360 + 20);
}

TEST(a_summary_marks_frozen_shared_and_idle_parameters) {
  SummaryNet net;
  auto optimizer = std::make_shared<optimizers::SGD>();
  optimizer->setup(net);
  net.out.disable_update();
  net.add_link("tied", std::make_shared<L::Linear>(net.out.copy()));
  ModelSummary s = summary(net, {Variable(zeros({1, 1, 8, 8}))});
  EXPECT_EQ(s.frozen, 12);
  EXPECT(to_string(s).find("frozen") != std::string::npos);
  EXPECT(row(s, "/tied").outputs.empty());
  EXPECT(to_string(s).find("not called") != std::string::npos);
  Sequential model(L::Linear(3, 3), L::Linear(3, 3));
  dynamic_cast<L::Linear&>(*model.links()[2]).W = dynamic_cast<L::Linear&>(*model.links()[1]).W;
  s = summary(model, {Variable(zeros({1, 3}))});
  EXPECT_EQ(row(s, "/1").shared, 9);
  EXPECT_EQ(s.parameters, 9 + 3 + 3);
  EXPECT(to_string(s).find("9 shared with a row above") != std::string::npos);
}

TEST(a_summary_leaves_states_alone_and_counts_calls) {
  SummaryRecurrent net;
  const ModelSummary s = summary(net, {Variable(zeros({2, 3}))});
  EXPECT(!net.lstm.h);
  EXPECT_EQ(row(s, "/lstm").calls, 2);
  EXPECT_EQ(s.parameters, 3 * 16 + 4 * 16 + 16);
  // The state is multiplied by weights from the second call on.
  EXPECT_EQ(s.multiply_adds, 2 * 2 * 3 * 16 + 2 * 4 * 16);
}

TEST(a_summary_gives_functions_to_the_owner_of_their_parameters) {
  SummaryParts net;
  const ModelSummary s = summary(net, {Variable(zeros({5, 3}))});
  EXPECT_EQ(row(s, "/used").type, std::string("LinearFunction"));
  EXPECT_EQ(row(s, "/used").multiply_adds, 5 * 3 * 2);
  EXPECT_EQ(row(s, "/used").outputs.at(0), Shape({5, 2}));
  EXPECT_EQ(row(s, "/idle").calls, 0);
  EXPECT_EQ(row(s, "/idle").parameters, 2);
}

TEST(a_summary_of_what_cannot_be_copied_calls_it) {
  const SummaryOwner net;
  EXPECT_EQ(summary(net, {Variable(zeros({1, 3}))}).parameters, 8);
  SummaryNet wrong;
  EXPECT_THROW(Error, "", summary(wrong, {Variable(zeros({2}))}));
  EXPECT(get_link_hooks().empty() && get_function_hooks().empty());
}

TEST(products_of_matrices_and_recurrent_layers_are_counted) {
  SummaryProducts net;
  const ModelSummary s = summary(net, {Variable(zeros({5, 3}))});
  EXPECT_EQ(s.multiply_adds, 10 * (3 * 16 + 4 * 16) + 4 * 10 * 4);
}
