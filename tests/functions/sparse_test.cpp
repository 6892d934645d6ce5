// SPDX-License-Identifier: MIT
// Sparse matrices, and the array routines used by functions of this kind.
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

TEST(coo_from_dense) {
  const auto m = utils::to_coo(array({{0.f, 2.f, 0.f}, {-1.f, 0.f, 0.f}}));
  EXPECT_CLOSE(m.data.array(), array({2.f, -1.f}), {});
  EXPECT_CLOSE(m.row, array({0, 1}), {});
  EXPECT_CLOSE(m.col, array({1, 0}), {});
  EXPECT_EQ(m.shape, Shape({2, 3}));
  EXPECT_EQ(m.order, std::string("C"));
  EXPECT_EQ(m.row.dtype(), int32);
  EXPECT(!m.data.requires_grad());
  const auto longer = utils::to_coo(array({{0.f, 2.f}}), 3, true);
  EXPECT_CLOSE(longer.data.array(), array({2.f, 0.f, 0.f}), {});
  EXPECT_CLOSE(longer.row, array({0, -1, -1}), {});
  EXPECT(longer.data.requires_grad());
  EXPECT_CLOSE(longer.to_dense(), array({{0.f, 2.f}}), {});
  const Array batch = array({{{0.f, 2.f}, {3.f, 4.f}}, {{0.f, 0.f}, {5.f, 0.f}}});
  const auto several = utils::to_coo(batch);
  EXPECT_EQ(several.data.shape(), Shape({2, 3}));
  EXPECT_CLOSE(several.to_dense(), batch, {});
  EXPECT_CLOSE(utils::to_coo(zeros({2, 2})).to_dense(), zeros({2, 2}), {});
  EXPECT_THROW(ValueError, "2 or 3 axes", utils::to_coo(zeros({3})));
}

TEST(coo_orders) {
  EXPECT_EQ(utils::get_order(array({0, 0, 1}), array({0, 2, 1})), std::string("C"));
  EXPECT_EQ(utils::get_order(array({0, 1, 0}), array({0, 1, 2})), std::string("F"));
  EXPECT_EQ(utils::get_order(array({1, 0, 1}), array({2, 1, 0})), std::string("other"));
  EXPECT_EQ(utils::get_order(array({{0, 1}, {0, -1}}), array({{1, 0}, {1, -1}})), std::string("C"));
  EXPECT_THROW(ValueError, "get_order", utils::get_order(array({0}), array({0, 1})));
  // Entries at the same position are added up.
  const utils::CooMatrix twice(array({1.f, 2.f}), array({0, 0}), array({1, 1}), {1, 2});
  EXPECT_CLOSE(twice.to_dense(), array({{0.f, 3.f}}), {});
  EXPECT_CLOSE(F::sparse_matmul(twice, array({{5.f}, {7.f}})).array(), array({{21.f}}), {});
}

// Bits do not depend on the number of threads; values agree with the dense product.
TEST(large_sparse_products) {
  random::RandomState r(3);
  const Array dense = r.randn({120, 300}) * (r.rand({120, 300}) > 0.9).astype(float64), b = r.randn({300, 100});
  const auto sparse = utils::to_coo(dense);
  const Array y = F::sparse_matmul(sparse, b).array();
  EXPECT_CLOSE(y, matmul(dense, b), {.atol = 1e-11});
  EXPECT_CLOSE(F::sparse_matmul(b, sparse, {.transa = true, .transb = true}).array(), matmul(b.T(), dense.T()),
               {.atol = 1e-11});
}

TEST(sizes_of_convolutions) {
  using namespace utils;
  EXPECT_EQ(get_conv_outsize(10, 3, 2, 1), 5);
  EXPECT_EQ(get_conv_outsize(10, 3, 2, 1, true), 6);
  EXPECT_EQ(get_conv_outsize(10, 3, 1, 0, false, 2), 6);
  // The window does not fit: the release divides rounding towards minus infinity.
  EXPECT_EQ(get_conv_outsize(3, 5, 2, 0), 0);
  EXPECT_EQ(get_conv_outsize(3, 7, 2, 0), -1);
  EXPECT_EQ(get_conv_outsize(2, 7, 1, 0), -4);
  EXPECT_EQ(get_conv_outsize(1, 4, 3, 0), 0);
  EXPECT_EQ(get_conv_outsize(1, 7, 3, 0, true), -1);
  EXPECT_EQ(get_conv_outsize(1, 5, 2, 0, true, 2), -3);
  EXPECT_EQ(get_deconv_outsize(5, 3, 2, 1), 9);
  EXPECT_EQ(get_deconv_outsize(6, 3, 2, 1, true), 10);
  EXPECT_EQ(get_deconv_outsize(6, 3, 1, 0, false, 2), 10);
}

TEST(stacks_of_matrices) {
  random::RandomState r(1);
  const Array a = r.randn({2, 3, 40, 40});
  EXPECT_CLOSE(matmul(a, inv(a)), zeros({2, 3, 40, 40}, float64) + eye(40, {}, 0, float64), {.atol = 1e-9});
  EXPECT_CLOSE(det(a) * det(inv(a)), ones({2, 3}, float64), {.atol = 1e-9});
  EXPECT_EQ(det(zeros({3, 0, 0})).shape(), Shape({3}));
  EXPECT_CLOSE(det(zeros({0, 0})), array(1.f), {});
  EXPECT_EQ(inv(zeros({0, 2, 2})).shape(), Shape({0, 2, 2}));
  EXPECT_CLOSE(det(array({{2, 0}, {0, 3}})), array(6.0), {});  // integers become float64
}

TEST(contractions_choose_their_order) {
  random::RandomState r(2);
  const Array a = r.randn({30, 2}), b = r.randn({2, 40}), c = r.randn({40, 3}), d = r.randn({3, 30});
  const Array chain = matmul(matmul(a, b), matmul(c, d));
  EXPECT_CLOSE(F::einsum("ij,jk,kl,lm->im", {a, b, c, d}).array(), chain, {.atol = 1e-10});
  EXPECT_CLOSE(F::einsum("ij,jk,kl,li", {a, b, c, d}).array(), sum(chain * eye(30, {}, 0, float64)), {.atol = 1e-9});
  EXPECT_CLOSE(F::einsum(" i j , j k -> k i ", {a, b}).array(), matmul(a, b).T(), {.atol = 1e-12});
  EXPECT_EQ(F::einsum("ij,jk", {zeros({2, 0}), zeros({0, 3})}).shape(), Shape({2, 3}));
}

// The indices are checked once, so they must not change with an array of the caller.
TEST(a_sparse_matrix_has_indices_of_its_own) {
  Array row = array({0, 1}).astype(int32), col = array({1, 0}).astype(int32);
  const utils::CooMatrix m(array({2.f, 3.f}), row, col, {2, 2});
  row.fill(50000000), col.fill(-50000000);
  EXPECT_CLOSE(m.to_dense(), array({{0.f, 2.f}, {3.f, 0.f}}), {.atol = 0, .rtol = 0});
}
