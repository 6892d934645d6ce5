// SPDX-License-Identifier: MIT
// Batch normalization links compared with release 5.4.0 (conformance/make_normalization.py).
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

template <class Link>
void compare(const serializers::NpzFile& f, const std::string& name, Link link) {
  const testing::AllcloseOptions close{.atol = 2e-5, .rtol = 2e-5};
  const auto expected = [&](const std::string& key) { return f.array(name + "/" + key); };
  for (int i = 0; i < 2; ++i) {
    Variable x(f.array(text("x", i)));
    link.cleargrads();
    Variable y = link(x);
    y.set_grad(f.array("gy"));
    y.backward();
    testing::assert_allclose(y.array(), expected(text("y", i)), close);
    testing::assert_allclose(x.grad(), expected(text("gx", i)), close);
  }
  for (const auto& [path, p] : link.namedparams())
    testing::assert_allclose(p.grad(), f.array(name + path + "_grad"), close);
  {
    const UsingConfig test_mode(&Config::train, false);
    testing::assert_allclose(link(f.array("x2")).array(), expected("test"), close);
  }
  link.start_finetuning();
  testing::assert_allclose(link(f.array("x2"), true).array(), expected("tuned"), close);
  testing::assert_allclose(link.avg_mean, expected("avg_mean"), close);
  testing::assert_allclose(link.avg_var, expected("avg_var"), close);
  EXPECT_EQ(link.N, expected("N").template item<int64_t>());
}

}  // namespace

TEST(batch_normalization_links_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/normalization.npz");
  compare(f, "plain", L::BatchNormalization(4));
  compare(f, "options",
          L::BatchNormalization(4, {.decay = 0.6,
                                    .eps = 0.1,
                                    .initial_gamma = 2,
                                    .initial_beta = -1,
                                    .initial_avg_mean = 3,
                                    .initial_avg_var = 0.5}));
  compare(f, "no_gamma", L::BatchNormalization(4, {.use_gamma = false}));
  compare(f, "no_beta", L::BatchNormalization(4, {.use_beta = false}));
  compare(f, "wide", L::BatchNormalization(Shape{4, 2, 3}));
  compare(f, "axis", L::BatchNormalization(std::nullopt, {.axis = {0, 3}}));
  compare(f, "renormalization", L::BatchRenormalization(4, {.rmax = 1.5, .dmax = 0.25, .decay = 0.7}));
}

TEST(batch_normalization_in_its_modes) {
  const Array x = array({{1.f, 2.f}, {3.f, 8.f}, {5.f, 5.f}});
  L::BatchNormalization bn(2, {.decay = 0.5});
  const Array trained = bn(x).array();
  EXPECT_CLOSE(trained, F::batch_normalization(x, ones({2}), zeros({2})).array());
  EXPECT_CLOSE(bn.avg_mean, array({1.5f, 2.5f}));
  EXPECT_CLOSE(bn.avg_var, array({2.5f, 5.f}));
  {
    const UsingConfig test_mode(&Config::train, false);
    EXPECT_CLOSE(bn(x).array(),
                 F::fixed_batch_normalization(x, ones({2}), zeros({2}), bn.avg_mean, bn.avg_var).array());
  }
  {
    const UsingConfig again(&Config::in_recomputing, true);
    (void)bn(x);
    EXPECT_CLOSE(bn.avg_mean, array({1.5f, 2.5f}));
  }
  // Fine-tuning: the statistics are means over the batches.
  bn.start_finetuning();
  (void)bn(x, true);
  (void)bn(x * 3, true);
  EXPECT_EQ(bn.N, 2);
  EXPECT_CLOSE(bn.avg_mean, array({6.f, 10.f}));

  L::BatchNormalization plain(2, {.use_gamma = false, .use_beta = false});
  EXPECT(plain.params().empty());
  EXPECT_CLOSE(plain(x).array(), trained);

  L::BatchNormalization wide(Shape{2, 3}), later(std::nullopt, {.axis = {0, 2}});
  EXPECT_EQ(wide(ones({4, 2, 3, 5})).shape(), (Shape{4, 2, 3, 5}));
  EXPECT(!later.avg_mean);
  (void)later(ones({4, 2, 3, 5}));
  EXPECT_EQ(later.avg_mean.shape(), (Shape{2, 5}));
  L::BatchNormalization neither(std::nullopt, {});
  EXPECT_THROW(RuntimeError, "size or axis is required", neither(x));
  L::BatchNormalization half(2, {.dtype = float16, .initial_gamma = 3, .initial_avg_var = 0.25});
  EXPECT(half.gamma->dtype() == float16 && half.avg_mean.dtype() == float16);
  EXPECT_CLOSE(half.gamma->array(), array({3.f, 3.f}).astype(float16));
  EXPECT_CLOSE(half.avg_var, array({0.25f, 0.25f}).astype(float16));

  L::BatchRenormalization renormalized(2, {.rmax = 2, .dmax = 1, .decay = 0.5});
  EXPECT_EQ(renormalized(x).shape(), x.shape());
  EXPECT_CLOSE(renormalized.avg_mean, array({1.5f, 2.5f}));
}

// Statistics that are loaded before the first call are kept.
TEST(batch_normalization_is_saved_with_its_statistics) {
  const Array x = array({{1.f, 2.f}, {3.f, 8.f}, {5.f, 5.f}});
  L::BatchNormalization bn(2), fresh(2), unsized(std::nullopt, {.axis = 0});
  (void)bn(x);
  bn.N = 7;
  const std::string path = test::folder / "batch_normalization.npz";
  serializers::save_npz(path, bn);
  const serializers::NpzFile file(path);
  for (const char* key : {"N", "avg_mean", "avg_var", "beta", "gamma"}) EXPECT(file.contains(key));
  serializers::load_npz(path, fresh);
  serializers::load_npz(path, unsized);
  for (L::BatchNormalization* l : {&fresh, &unsized}) {
    EXPECT_EQ(l->N, 7);
    EXPECT_CLOSE(l->avg_mean, bn.avg_mean);
    EXPECT_CLOSE(l->avg_var, bn.avg_var);
    const UsingConfig test_mode(&Config::train, false);
    const Array before = l->avg_mean.copy();
    EXPECT_EQ((*l)(x).shape(), x.shape());
    EXPECT_CLOSE(l->avg_mean, before);
  }
  L::BatchNormalization empty(std::nullopt, {.axis = 0}), also(std::nullopt, {.axis = 0});
  serializers::save_npz(path, empty);
  EXPECT(!serializers::NpzFile(path).contains("avg_mean"));
  serializers::load_npz(path, also);
  EXPECT(!also.avg_mean);
  std::filesystem::remove(path);
}

TEST(decorrelated_batch_normalization_in_its_modes) {
  random::seed(3);
  const Array mixing = random::normal(0, 1, {6, 6}, float32);
  const auto batch = [&] {
    return matmul(random::normal(0, 1, {500, 6}, float32), mixing) + arange(6).astype(float32);
  };
  const Array x = batch();
  L::DecorrelatedBatchNormalization norm(6, {.groups = 2, .decay = 0.5});
  EXPECT_EQ(norm.avg_projection.shape(), (Shape{2, 3, 3}));
  {
    const UsingConfig test_mode(&Config::train, false);
    EXPECT_CLOSE(norm(x).array(), x, {.atol = 0, .rtol = 0});  // zero and the identity
  }
  const Array y = norm(x).array();
  const auto covariance = [](const Array& rows, int64_t first) {
    const Array c = (rows - mean(rows, 0))[{Slice(), Slice(first, first + 3)}];
    return matmul(c.T(), c) / static_cast<double>(rows.shape()[0]);
  };
  EXPECT_CLOSE(mean(y, 0), zeros({6}), {.atol = 1e-5});
  for (const int64_t first : {0, 3}) EXPECT_CLOSE(covariance(y, first), eye(3), {.atol = 1e-3});
  EXPECT_CLOSE(norm.avg_mean, mean(x, 0).reshape({2, 3}) * 0.5, {.atol = 1e-5});
  const Array before = norm.avg_mean.copy();
  config().in_recomputing = true;
  (void)norm(x);
  config().in_recomputing = false;
  EXPECT_CLOSE(norm.avg_mean, before, {.atol = 0, .rtol = 0});
  // Statistics of all batches since start_finetuning().
  for (int i = 0; i < 20; ++i) (void)norm(batch(), true);
  EXPECT_EQ(norm.N, 20);
  const UsingConfig test_mode(&Config::train, false);
  const Array z = norm(batch()).array();
  for (const int64_t first : {0, 3}) EXPECT_CLOSE(covariance(z, first), eye(3), {.atol = 0.3});
  norm.start_finetuning();
  EXPECT_EQ(norm.N, 0);
}

TEST(decorrelated_batch_normalization_is_saved) {
  const test::Folder folder;
  L::DecorrelatedBatchNormalization norm(4, {.groups = std::nullopt, .group_size = 2}), other(4, {.groups = 2});
  (void)norm(random::normal(0, 1, {5, 4, 3}, float32), true);
  serializers::save_npz(folder.path / "norm", norm);
  const serializers::NpzFile file(folder.path / "norm");
  EXPECT_EQ(file.array("avg_mean").shape(), (Shape{2, 2}));
  serializers::load_npz(folder.path / "norm", other);
  EXPECT_CLOSE(other.avg_projection, norm.avg_projection, {.atol = 0, .rtol = 0});
  EXPECT_EQ(other.N, 1);
}

TEST(decorrelated_batch_normalization_errors) {
  EXPECT_THROW(ValueError, "the size 6 is not groups 4 times group_size 1",
               L::DecorrelatedBatchNormalization(6, {.groups = 4}));
  EXPECT_THROW(ValueError, "the size 6 is not groups 16 times group_size 3",
               L::DecorrelatedBatchNormalization(6, {.group_size = 3}));
  const Array x = ones({2, 6});
  EXPECT_THROW(ValueError, "groups must be positive and divide the 6 channels of x, not 16",
               F::decorrelated_batch_normalization(x));
  EXPECT_THROW(ValueError, "divide the 6 channels of x, not 0",
               F::fixed_decorrelated_batch_normalization(x, ones({1, 6}), ones({1, 6, 6}), {.groups = 0}));
  EXPECT_THROW(DimensionError, "running_mean must have the shape (2, 3), not (6,)",
               F::decorrelated_batch_normalization(x, {.groups = 2, .running_mean = ones({6})}));
  EXPECT_THROW(DimensionError, "projection must have the shape (2, 3, 3), not (3, 3)",
               F::fixed_decorrelated_batch_normalization(x, ones({2, 3}), eye(3), {.groups = 2}));
  EXPECT_THROW(InvalidType, "x.ndim() >= 2", F::decorrelated_batch_normalization(ones({4}), {.groups = 1}));
  // A NaN affects its group only.
  const Array part = array({{NAN, 1.f}, {1.f, 2.f}});
  const Array y = F::decorrelated_batch_normalization(part, {.groups = 2}).array();
  EXPECT(std::isnan(y[{0, 0}].item<float>()) && !std::isnan(y[{0, 1}].item<float>()));
  EXPECT_EQ(F::decorrelated_batch_normalization(ones({0, 4}), {.groups = 2}).shape(), (Shape{0, 4}));
}

TEST(forgotten_calls_repeat_the_statistics_of_batch_renormalization) {
  const Array x = random::RandomState(1).normal(1, 2, {8, 3}, float64);
  // One of the calls may be within another forgotten function; both are made before the gradients are computed.
  const auto gradients = [&](bool forget, bool nested, double decay) {
    L::BatchRenormalization bn(3, {.rmax = 2, .dmax = 1, .decay = decay, .dtype = float64});
    (void)bn(x * 0.5);
    const Variable in(x), other(x * x - 3.0);
    bn.cleargrads();
    const auto once = [&](const Variable& v) {
      return forget ? F::forget([&](const Variable& a) { return bn(a); }, v) : bn(v);
    };
    const auto twice = [&](const Variable& v) { return bn(once(v) * v); };
    const Variable first = nested && forget ? F::forget(twice, in)
                           : nested         ? twice(in)
                                            : once(in),
                   second = once(other);
    const Variable weights(arange(24).astype(float64).reshape({8, 3}), false);
    F::sum((F::square(first) + F::square(second) * 0.3) * weights).backward();
    return concatenate(
        {in.grad().ravel(), other.grad().ravel(), bn.gamma->grad().ravel(), bn.avg_mean.ravel(), bn.avg_var.ravel()});
  };
  for (const bool nested : {false, true})
    for (const double decay : {0.9, 0.0})
      EXPECT_CLOSE(gradients(true, nested, decay), gradients(false, nested, decay), {.atol = 1e-9, .rtol = 1e-9});
}
