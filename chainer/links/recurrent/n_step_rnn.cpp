// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>

#include "chainer/functions/array.h"
#include "chainer/functions/rnn/packed.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/n_step_rnn.h"
#include "chainer/routines/creation.h"

namespace chainer::links {
namespace {

// The weights of one layer in one direction.
struct Weights : Link {
  std::vector<chainer::Parameter> w, b;
  void visit(MemberVisitor& v) override {
    for (std::size_t i = 0; i < w.size(); ++i) v.param("b" + std::to_string(i), b[i]);
    for (std::size_t i = 0; i < w.size(); ++i) v.param("w" + std::to_string(i), w[i]);
    visit_added(v);
  }
  std::shared_ptr<Link> clone(CopyMode mode) const override {
    const LinkCopier copier(mode);
    auto out = std::make_shared<Weights>(*this);
    copier.finish(*out);
    return out;
  }
};

}  // namespace

NStepRNNBase::NStepRNNBase(Kind kind, bool bidirectional, int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout_ratio)
    : dropout(dropout_ratio),
      kind_(kind),
      bidirectional_(bidirectional),
      n_layers_(n_layers),
      in_size_(in_size),
      out_size_(out_size) {
  if (n_layers < 1 || in_size < 1 || out_size < 1)
    throw ValueError("NStepRNNBase: n_layers, in_size and out_size must be at least 1, not ", n_layers, ", ", in_size,
                     " and ", out_size);
  const int directions = bidirectional ? 2 : 1, count = functions::weight_count(static_cast<functions::RnnKind>(kind));
  for (int64_t i = 0; i < n_layers * directions; ++i) {
    Weights layer;
    for (int k = 0; k < count; ++k) {
      const int64_t columns = k >= count / 2 ? out_size : i < directions ? in_size : out_size * directions;
      const double deviation = std::sqrt(1.0 / static_cast<double>(columns));
      layer.w.emplace_back(initializers::Normal(deviation), Shape{out_size, columns});
      layer.b.emplace_back(0.0, Shape{out_size});
    }
    append(std::move(layer));
  }
}

std::vector<Variables> NStepRNNBase::weights(char which) const {
  std::vector<Variables> out;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto& layer = static_cast<const Weights&>((*this)[static_cast<int64_t>(i)]);
    Variables& list = out.emplace_back();
    for (const chainer::Parameter& p : which == 'w' ? layer.w : layer.b) list.push_back(p);
  }
  return out;
}

Variable NStepRNNBase::init_hx(const Variables& xs) const {
  const Dtype dtype = xs.empty() ? ws()[0][0].dtype() : xs[0].dtype();
  const int64_t rows = n_layers_ * (bidirectional_ ? 2 : 1);
  return Variable(zeros({rows, static_cast<int64_t>(xs.size()), out_size_}, dtype), false);
}

functions::NStepLstmResult NStepRNNBase::run(const Variable& hx, const Variable& cx, const Variables& xs) {
  const std::string name = class_name();
  const auto count = static_cast<int64_t>(xs.size());
  std::vector<int64_t> order(xs.size()), starts, ends;
  int64_t total = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].ndim() != 2 || xs[i].shape()[1] != in_size_)
      throw ValueError(name, ": a sequence must have shape (length, ", in_size_, "); number ", i, " has ",
                       xs[i].shape());
    starts.push_back(total);
    ends.push_back(total += len(xs[i]));
  }
  // Longest first; sequences of equal length keep their order.
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return len(xs[static_cast<std::size_t>(a)]) > len(xs[static_cast<std::size_t>(b)]);
  });
  const bool sorted = std::is_sorted(order.begin(), order.end());
  // Row k of the packed sequences is row from[k] of the concatenated ones; `back` is the inverse.
  functions::PackedSequences packed;
  std::vector<int64_t> from, back(static_cast<std::size_t>(total));
  const int64_t longest = xs.empty() ? 0 : len(xs[static_cast<std::size_t>(order[0])]);
  for (int64_t t = 0; t < longest; ++t) {
    int64_t batch = 0;
    for (const int64_t i : order) {
      const auto k = static_cast<std::size_t>(i);
      if (ends[k] - starts[k] <= t) break;
      back[static_cast<std::size_t>(starts[k] + t)] = static_cast<int64_t>(from.size());
      from.push_back(starts[k] + t);
      ++batch;
    }
    packed.batch_sizes.push_back(batch);
  }
  const bool in_place = std::is_sorted(from.begin(), from.end());
  if (!xs.empty()) {
    packed.x = xs.size() == 1 ? xs[0] : functions::concat(xs, 0);
    if (!in_place) packed.x = functions::get_item(packed.x, {array(from)});
  }
  const Shape state{static_cast<int64_t>(size()), count, out_size_};
  const auto arrange = [&](const Variable& v, const char* which) {
    if (v && v.shape() != state) throw ValueError(name, ": ", which, " must have shape ", state, ", not ", v.shape());
    return !v || sorted ? v : functions::permutate(v, array(order), 1);
  };
  const auto restore = [&](const Variable& v) {
    return !v || sorted ? v : functions::permutate(v, array(order), 1, {.inv = true});
  };
  const std::vector<Variables> w = ws(), b = bs();
  const functions::RnnResult r =
      functions::apply_rnn({name, static_cast<functions::RnnKind>(kind_), bidirectional_, n_layers_, dropout, w, b},
                           arrange(hx, "hx"), arrange(cx, "cx"), packed, count);
  functions::NStepLstmResult out{restore(r.hy), restore(r.cy), {}};
  if (xs.empty()) return out;
  const Variable y = in_place ? r.y : functions::get_item(r.y, {array(back)});
  ends.pop_back();
  out.ys = functions::split_axis(y, ends, 0);
  return out;
}

NStepRNNBase::BatchResult NStepRNNBase::forward_batch(const Variable& x, const Variable& hx, const Variable& cx) {
  const std::string name = class_name();
  if (x.ndim() != 3 || x.shape()[2] != in_size_)
    throw ValueError(name, ": x must have shape (sequences, length, ", in_size_, "), not ", x.shape());
  if (cx && kind_ != Kind::lstm) throw ValueError(name, ": cx is given, but only LSTMs have cells");
  const int64_t count = x.shape()[0], length = x.shape()[1], columns = out_size_ * (bidirectional_ ? 2 : 1);
  const Shape state{static_cast<int64_t>(size()), count, out_size_};
  for (const Variable* v : {&hx, &cx})
    if (*v && v->shape() != state)
      throw ValueError(name, ": ", v == &hx ? "hx" : "cx", " must have shape ", state, ", not ", v->shape());
  const functions::PackedSequences by_time{
      functions::reshape(functions::transpose(x, {1, 0, 2}), {length * count, in_size_}),
      std::vector<int64_t>(count ? static_cast<std::size_t>(length) : 0, count)};
  const std::vector<Variables> w = ws(), b = bs();
  const functions::RnnResult r = functions::apply_rnn(
      {name, static_cast<functions::RnnKind>(kind_), bidirectional_, n_layers_, dropout, w, b}, hx, cx, by_time, count);
  return {r.hy, r.cy, functions::transpose(functions::reshape(r.y, {length, count, columns}), {1, 0, 2})};
}

CHAINER_DEFINE_LINK(NStepLSTM)
CHAINER_DEFINE_LINK(NStepBiLSTM)
CHAINER_DEFINE_LINK(NStepGRU)
CHAINER_DEFINE_LINK(NStepBiGRU)
CHAINER_DEFINE_LINK(NStepRNNTanh)
CHAINER_DEFINE_LINK(NStepBiRNNTanh)
CHAINER_DEFINE_LINK(NStepRNNReLU)
CHAINER_DEFINE_LINK(NStepBiRNNReLU)

}  // namespace chainer::links
