// SPDX-License-Identifier: MIT
#include "ranks.h"

using namespace chainer;
using chainermn::Object;
using chainermn::ObjectList;

TEST(communicator_names) {
  EXPECT_THROW(ValueError, "no communicator named 'fast'", chainermn::create_communicator("fast"));
  EXPECT_EQ(chainermn::create_communicator("pure_nccl", {.allreduce_grad_dtype = float16})->name(), "pure_nccl");
  EXPECT_THROW(ValueError, "allreduce_grad_dtype",
               chainermn::create_communicator("flat", {.allreduce_grad_dtype = float16}));
  if (world()->inter_size() > 1)
    EXPECT_THROW(ValueError, "single_node requires one host, not 2", chainermn::create_communicator("single_node"));
  for (const auto& c : communicators()) {
    EXPECT(c->rank() >= 0 && c->rank() < c->size());
    EXPECT(c->intra_rank() < c->intra_size() && c->inter_rank() < c->inter_size());
    EXPECT(c->mpi_comm() != nullptr);
  }
}

TEST(communicator_arrays) {
  for (const auto& c : communicators()) {
    const int n = c->size(), r = c->rank(), next = (r + 1) % n, last = (r + n - 1) % n;
    for (const Dtype d : {int32, int64, float32, float64, float16, uint8}) {
      const Array mine = full({2, 3}, r + 1, d);
      EXPECT_CLOSE(c->allreduce(mine), full({2, 3}, n * (n + 1) / 2, d));
      EXPECT_CLOSE(c->bcast(r == n - 1 ? mine : Array(), {}, n - 1), full({2, 3}, n, d));
    }
    // Views and empty arrays.
    const Array wide = arange(12).reshape({3, 4}).T();
    EXPECT_CLOSE(c->bcast(wide, 5), wide);
    EXPECT_EQ(c->allreduce(zeros({0, 2})).size(), 0);
    // Shapes may differ if arrays are not added.
    const Array own = full({r + 1, 2}, r, float32);
    const Arrays all = c->allgather(own);
    EXPECT_EQ(all.size(), static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) EXPECT_CLOSE(all[static_cast<std::size_t>(k)], full({k + 1, 2}, k, float32));
    const Arrays gathered = c->gather(own, n - 1);
    EXPECT_EQ(gathered.size(), r == n - 1 ? static_cast<std::size_t>(n) : 0u);
    Arrays out;
    for (int k = 0; k < n; ++k) out.push_back(full({r + k + 1}, 10 * r + k, float32));
    const Arrays in = c->alltoall(out);
    for (int k = 0; k < n; ++k) EXPECT_CLOSE(in[static_cast<std::size_t>(k)], full({r + k + 1}, 10 * k + r, float32));
    EXPECT_CLOSE(c->scatter(r == 0 ? out : Arrays(), 0), full({r + 1}, r, float32));
    EXPECT_CLOSE(c->scatter(arange(2 * n).reshape({n, 2}), 0), array({2 * r, 2 * r + 1}));
    EXPECT_THROW(ValueError, "1 arrays for", c->scatter(Arrays{own}, 0));
    EXPECT_THROW(ValueError, "1 arrays for", c->alltoall(Arrays{own}));
    // Around the ring, also more than one message.
    const Array big = full({300000}, r, float32);
    if (r == 0) {
      c->send(big, next, 3);
      EXPECT_CLOSE(c->recv(last, 3), full({300000}, last, float32));
    } else {
      EXPECT_CLOSE(c->recv(last, 3), full({300000}, last, float32));
      c->send(big, next, 3);
    }
    if (r == 0) {
      c->send(Arrays{array({1.f}), array({2, 3})}, 1);
      c->send(Arrays{array({1.f}), array({2, 3})}, 1);
    } else if (r == 1) {
      EXPECT_THROW(ValueError, "sent a tuple of 2 arrays", c->recv(0));
      EXPECT_EQ(c->recv_tuple(0)[1].dtype(), int32);
    }
    EXPECT_THROW(ValueError, "this rank itself", c->send(own, r));
    EXPECT_THROW(ValueError, "rank 99 is out of range", c->recv(99));
    EXPECT_THROW(ValueError, "root 99 is out of range", c->gather(own, 99));
    EXPECT_THROW(TypeError, "the array is none", c->allreduce(Array()));
    EXPECT_THROW(DtypeError, "sums of bool are not supported", c->allreduce(array({true})));
  }
}

TEST(communicator_objects) {
  const auto& c = communicators()[1];
  const int n = c->size(), r = c->rank();
  EXPECT(c->allreduce_obj(Object(r)) == Object(n * (n - 1) / 2));
  EXPECT(c->allreduce_obj(Object(ObjectList{Object(r)})).to_list().size() == static_cast<std::size_t>(n));
  EXPECT(c->bcast_obj(Object(std::string(100000, static_cast<char>('a' + r))), {.max_buf_len = 999, .root = n - 1}) ==
         Object(std::string(100000, static_cast<char>('a' + n - 1))));
  EXPECT_THROW(ValueError, "max_buf_len", c->bcast_obj(Object(1), {.max_buf_len = 2147483647}));
  const ObjectList all = c->gather_obj(Object(r), 0);
  if (r == 0)
    for (int k = 0; k < n; ++k) EXPECT(all[static_cast<std::size_t>(k)] == Object(k));
  // Values of very different lengths.
  const ObjectList texts = c->allgather_obj(Object(std::string(static_cast<std::size_t>(r * 1000), 'x')));
  for (int k = 0; k < n; ++k) EXPECT_EQ(texts[static_cast<std::size_t>(k)].to_text().size(), std::size_t(k) * 1000);
  if (r == 0) c->send_obj(Object("hello"), 1);
  if (r == 1) EXPECT(c->recv_obj(0) == Object("hello"));
  c->barrier();
}

TEST(communicator_split) {
  for (const auto& c : communicators()) {
    const auto part = c->split(c->rank() % 2, -c->rank());
    EXPECT_EQ(part->name(), c->name());
    EXPECT_EQ(part->size(), (c->size() + (c->rank() % 2 ? 0 : 1)) / 2);
    EXPECT_EQ(part->rank(), part->size() - 1 - c->rank() / 2);
    EXPECT(part->allreduce_obj(Object(c->rank())) ==
           Object(c->rank() % 2 ? (c->size() / 2) * (c->size() / 2) : (part->size() - 1) * part->size()));
  }
  EXPECT_THROW(ValueError, "color must be 0 or more, not -1", communicators()[0]->split(-1, 0));
}

TEST(communicator_of_another) {
  const auto& c = world();
  const auto part = c->split(0, c->rank());
  const auto again = chainermn::create_communicator("flat", {.mpi_comm = part->mpi_comm()});
  EXPECT_EQ(again->size(), c->size());
  again->barrier();
}

TEST(communicator_gradients) {
  for (const auto& c : communicators()) {
    L::Linear model(3, 2);
    for (auto& p : model.params()) p.set_grad(full(p.shape(), c->rank() + 1, p.dtype()));
    c->bcast_data(model);
    const Array w = model.W.array();
    for (const Array& other : c->allgather(w)) EXPECT_CLOSE(other, w);
    for (int i = 0; i < 3; ++i) {
      for (auto& p : model.params()) p.set_grad(full(p.shape(), c->rank() + 1 + i, p.dtype()));
      c->allreduce_grad(model);
      for (auto& p : model.params()) EXPECT_CLOSE(p.grad(), full(p.shape(), (c->size() + 1) / 2.0 + i, p.dtype()));
    }
    // Missing gradients count as zero.
    model.cleargrads();
    if (c->rank() == 0) model.W.set_grad(full(model.W.shape(), c->size(), float32));
    c->allreduce_grad(model);
    EXPECT_CLOSE(model.W.grad(), ones(model.W.shape()));
  }
}

// Models that follow each other, often at one address, as in cross validation, and parameters that are replaced, even
// on one rank only.
TEST(communicator_gradients_of_other_parameters) {
  for (const auto& c : communicators()) {
    const auto expect_mean = [&](L::Linear& model) {
      for (auto& p : model.params()) p.set_grad(full(p.shape(), c->rank() + 1, p.dtype()));
      c->allreduce_grad(model);
      for (auto& p : model.params()) EXPECT_CLOSE(p.grad(), full(p.shape(), (c->size() + 1) / 2.0, p.dtype()));
    };
    std::optional<L::Linear> model;
    for (int fold = 0; fold < 3; ++fold) {
      model.emplace(3, 2 + fold);
      c->bcast_data(*model);
      expect_mean(*model);
      expect_mean(*model);
    }
    for (int changed = 0; changed < c->size(); ++changed) {
      if (c->rank() == changed) model->W = Parameter(zeros({4, 3}));
      expect_mean(*model);
    }
    // The new model at the old address has no gradients yet.
    model.emplace(3, 4);
    model->cleargrads();
    c->allreduce_grad(*model);
    EXPECT(!model->W.grad() && !model->b->grad());
  }
}

// Values that differ are not touched; shapes that only one rank knows are.
TEST(communicator_gradients_of_different_values) {
  const auto& c = world();
  random::seed(static_cast<uint32_t>(c->rank()));
  L::Linear model(3, 2);
  const Array own = model.W.array().copy();
  for (auto& p : model.params()) p.set_grad(full(p.shape(), c->rank() + 1, p.dtype()));
  c->allreduce_grad(model);
  EXPECT_CLOSE(model.W.grad(), full({2, 3}, (c->size() + 1) / 2.0, float32));
  EXPECT_CLOSE(model.W.array(), own);
  L::Linear lazy(2);
  if (c->rank() == 0) lazy.W.initialize({2, 3});
  lazy.cleargrads();
  if (c->rank() == 0) lazy.W.set_grad(full({2, 3}, c->size(), float32));
  c->allreduce_grad(lazy);
  EXPECT_CLOSE(lazy.W.grad(), ones({2, 3}));
  EXPECT_CLOSE(c->bcast(lazy.W.array()), lazy.W.array());
  L::Linear wide(c->rank() == 0 ? 4 : 3, 2);
  EXPECT_THROW(ValueError, "the ranks have different models", c->allreduce_grad(wide));
}

// Different dtypes, shapes, roots and operations are detected before data are exchanged.
TEST(communicator_compares_new_calls) {
  for (const std::string name : {"naive", "hierarchical"}) {
    const auto c = chainermn::create_communicator(name);
    EXPECT(!c->debug());
    const bool last = c->rank() == c->size() - 1;
    EXPECT_THROW(RuntimeError, "calls allreduce of int32 (3,)", c->allreduce(ones({3}, last ? int32 : float32)));
    EXPECT_THROW(RuntimeError, "calls allreduce of float32 (4,)", c->allreduce(ones({last ? 4 : 3})));
    EXPECT_THROW(RuntimeError, "calls bcast from root 0", c->bcast(ones({2}), {}, last ? c->size() - 1 : 0));
    if (last)
      EXPECT_THROW(RuntimeError, "calls gather", c->gather(ones({1})));
    else
      EXPECT_THROW(RuntimeError, "calls gather", c->allreduce_obj(Object(1)));
    const auto n = static_cast<float>(c->size());
    EXPECT_CLOSE(c->allreduce(ones({3})), full({3}, n));
    EXPECT_CLOSE(c->allreduce(ones({3}, int32)), full({3}, n, int32));
    c->barrier();
    // Both calls are known and trusted, so a later call detects the difference.
    (void)c->allreduce(ones({3}, last ? int32 : float32));
    EXPECT_THROW(RuntimeError, "different calls before this one", c->barrier());
    c->barrier();  // the ranks are still together
    (void)c->allreduce(ones({3}, last ? int32 : float32));
    EXPECT_THROW(RuntimeError, "different calls before this one", c->allreduce(ones({5})));
    (void)c->allreduce(ones({3}, last ? int32 : float32));
    int64_t trusted = 0;
    std::string found;
    try {
      for (; trusted < 1000; ++trusted) (void)c->allreduce(ones({3}));
    } catch (const RuntimeError& e) { found = e.what(); }
    EXPECT(trusted < 100 && found.find("different calls before this one") != found.npos);
    EXPECT_CLOSE(c->allreduce(ones({3})), full({3}, n));
  }
}

TEST(communicator_debug) {
  ::setenv("CHAINERMN_DEBUG", "1", 1);
  const auto c = chainermn::create_communicator("flat");
  ::unsetenv("CHAINERMN_DEBUG");
  EXPECT(c->debug());
  const int last = c->size() - 1;
  EXPECT_CLOSE(c->allreduce(array({1.f})), array({static_cast<float>(c->size())}));
  EXPECT_THROW(RuntimeError, "calls allreduce of float32 (2,)", c->allreduce(ones({c->rank() == last ? 3 : 2})));
  EXPECT_THROW(RuntimeError, "calls allreduce of float64 (2,)",
               c->allreduce(ones({2}, c->rank() == last ? float64 : float32)));
  EXPECT_THROW(RuntimeError, "calls bcast from root 0", c->bcast(ones({2}), {}, c->rank() == last ? last : 0));
  if (c->rank() == last)
    EXPECT_THROW(RuntimeError, "calls barrier", c->barrier());
  else
    EXPECT_THROW(RuntimeError, "calls barrier", c->allreduce_obj(Object(1)));
  c->barrier();  // the ranks are still together
}
