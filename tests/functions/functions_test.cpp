// Runs the table: forward in every floating dtype and layout, backward and double backward in float64 against finite
// differences, graphs cut where no gradient is wanted; then what does not fit a table.
#include <chainer/chainer.h>

#include "op_table.h"
#include "test.h"

using namespace chainer;
using testing::assert_allclose;

namespace {

Arrays forward(const table::Row& row, const Arrays& inputs) {
  Variables xs;
  for (const Array& a : inputs) xs.push_back(a);
  Arrays out;
  for (const Variable& y : row.function(xs)) out.push_back(y.array());
  return out;
}

// The same elements behind other strides.
Array strided(const Array& a, int kind) {
  if (kind == 0) return a;
  if (kind == 1) return a.T().copy().T();
  Shape wide = a.shape();
  if (wide.empty()) return a;
  wide[0] *= 2;
  Array padded(wide, a.dtype());
  padded.fill(-77);
  padded.set(Slice(std::nullopt, std::nullopt, 2), a);
  return padded[Slice(std::nullopt, std::nullopt, 2)];
}

template <class F>
void for_rows(F&& f) {
  for (const table::Row& row : table::rows()) {
    try {
      f(row);
    } catch (const std::exception& e) {
      test::fail(row.name.c_str(), static_cast<int>(row.inputs[0].size()), e.what());
    }
  }
}

}  // namespace

TEST(forward_in_all_dtypes_and_layouts) {
  for_rows([](const table::Row& row) {
    const Arrays expected = row.reference ? row.reference(row.inputs) : forward(row, row.inputs);
    for (Dtype d : {float64, float32, float16}) {
      for (int kind = 0; kind < 3; ++kind) {
        Arrays in;
        for (const Array& a : row.inputs) in.push_back(strided(a.astype(d), kind));
        const Arrays out = forward(row, in);
        EXPECT_EQ(out.size(), expected.size());
        const double tolerance = d == float64 ? 1e-11 : d == float32 ? 1e-5 : row.half_tolerance;
        for (std::size_t i = 0; i < out.size(); ++i) {
          EXPECT_EQ(out[i].dtype(), d);
          assert_allclose(out[i], expected[i], {.atol = tolerance, .rtol = tolerance});
        }
      }
    }
  });
}

TEST(backward_agrees_with_finite_differences) {
  random::seed(0);
  for_rows([](const table::Row& row) {
    Arrays gy;
    for (const Array& y : forward(row, row.inputs)) gy.push_back(random::randn(y.shape()));
    for (int kind = 0; kind < 3; ++kind) {
      Arrays in;
      for (const Array& a : row.inputs) in.push_back(strided(a, kind));
      gradient_check::check_backward(row.function, in, gy, {.eps = 1e-4, .atol = 1e-7, .rtol = 1e-6});
    }
  });
}

TEST(double_backward_agrees_with_finite_differences) {
  random::seed(1);
  for_rows([](const table::Row& row) {
    if (!row.second_order) return;
    Arrays gy, ggx;
    for (const Array& y : forward(row, row.inputs)) gy.push_back(random::randn(y.shape()));
    for (const Array& x : row.inputs) ggx.push_back(random::randn(x.shape()));
    gradient_check::check_double_backward(row.function, row.inputs, gy, ggx, {.eps = 1e-4, .atol = 1e-6, .rtol = 1e-5});
  });
}

TEST(gradients_in_half_precision_have_its_dtype) {
  for_rows([](const table::Row& row) {
    Variables xs;
    for (const Array& a : row.inputs) xs.push_back(Variable(a.astype(float16)));
    Variables ys = F::identity(row.function(xs));
    for (Variable& y : ys) y.set_grad(ones_like(y.array()));
    ys[0].backward();
    for (const Variable& x : xs)
      if (x.grad()) EXPECT_EQ(x.grad().dtype(), float16);
  });
}

TEST(graphs_are_cut_where_no_gradient_is_wanted) {
  for_rows([](const table::Row& row) {
    Variables xs;
    for (const Array& a : row.inputs) xs.push_back(a);
    for (const Variable& y : row.function(xs)) EXPECT(!y.creator());
  });
}

TEST(losses_do_not_overflow) {
  const Array x = array({{1e4, -1e4, 0.}, {-1e4, 1e4, 1e4}});
  EXPECT_CLOSE(F::softmax_cross_entropy(x, array({0, 1})).array(), array(0.34657359), {.atol = 1e-7});
  EXPECT_CLOSE(F::log_softmax(x).array(), array({{0., -2e4, -1e4}, {-20000.69314718, -0.69314718, -0.69314718}}),
               {.atol = 1e-7});
  EXPECT_CLOSE(F::sigmoid_cross_entropy(array({{1e4, -1e4}}), array({{1, 1}})).array(), array(5000.));
  Variable z(array({1e3, -1e3}));
  const Variable g = grad({F::softplus(z)}, {z}, {.enable_double_backprop = true})[0];
  EXPECT_CLOSE(grad({g}, {z})[0].array(), array({0., 0.}), {.atol = 1e-12});
}

TEST(accuracies) {
  const Array y = array({{0.f, 1.f}, {1.f, 0.f}, {0.f, 1.f}, {3.f, 1.f}});
  EXPECT_EQ(F::accuracy(y, array({1, 1, 1, 0})).item<float>(), 0.75f);
  EXPECT_CLOSE(F::accuracy(y, array({1, 1, -1, 0}), {.ignore_label = -1}).array(), array(2.f / 3));
  EXPECT_EQ(F::accuracy(y, array({-1, -1, -1, -1}), {.ignore_label = -1}).item<float>(), 0.f);
  EXPECT_CLOSE(F::binary_accuracy(array({0.5f, -1.f, 2.f, 0.f}), array({1, 1, -1, 1})).array(), array(2.f / 3));
  EXPECT_THROW(InvalidType, "", F::accuracy(y, array({1, 1})));
}

TEST(bad_labels_and_arguments_are_named) {
  const Array x = zeros({2, 3});
  EXPECT_THROW(IndexError, "softmax_cross_entropy: label 3 at position 1 is not in 0 ... 2",
               F::softmax_cross_entropy(x, array({0, 3})));
  EXPECT_THROW(IndexError, "label -2", F::softmax_cross_entropy(x, array({-2, 0})));
  EXPECT_THROW(InvalidType, "t.dtype.kind == i", F::softmax_cross_entropy(x, zeros({2})));
  EXPECT_THROW(IndexError, "embed_id: id 5", F::embed_id(array({0, 5}), zeros({5, 2})));
  EXPECT_THROW(IndexError, "embed_id: id -1", F::embed_id(array({-1}), zeros({5, 2})));
  EXPECT_THROW(ValueError, "ratio must be in [0, 1)", F::dropout(x, 1.0));
  EXPECT_THROW(ValueError, "2 sections do not divide", F::split_axis(x, 2, 1));
  EXPECT_THROW(InvalidType, "", F::reshape(x, {4, -1}));
  EXPECT_THROW(InvalidType, "", F::concat({x, zeros({3, 3})}));
  EXPECT_THROW(InvalidType, "axis", F::softmax(x, 2));
  EXPECT_THROW(ValueError, "x_min", F::clip(x, 1, 0));
  EXPECT_THROW(DimensionError, "class_weight",
               F::softmax_cross_entropy(x, array({0, 1}), {.class_weight = zeros({2})}));
  EXPECT_THROW(InvalidType, "broadcast", Variable(x, false) + Variable(zeros({2, 2}), false));
  EXPECT_THROW(ValueError, "'mean', 'sum' or 'no'", parse_reduction("average"));
}

TEST(dropout_in_training_and_test) {
  random::seed(0);
  const Variable x(ones({200, 100}));
  Array mask;
  const Variable y = F::dropout(x, 0.25, {.return_mask = &mask});
  EXPECT(std::abs(mean(y.array()).item<double>() - 1) < 0.02);
  EXPECT_CLOSE(max(y.array()), array(4.f / 3));
  EXPECT_CLOSE(mask, y.array());
  const UsingConfig test_mode(&Config::train, false);
  EXPECT(F::dropout(x, 0.25).array().is(x.array()));
}

TEST(integers_pass_through_array_functions) {
  const Array i = array({{1, 2}, {3, 4}});
  EXPECT_EQ(F::concat({i, i}).dtype(), int32);
  EXPECT_EQ(F::broadcast_to(i[0], {3, 2}).dtype(), int32);
  EXPECT_EQ(F::reshape(i, {4}).dtype(), int32);
  EXPECT_EQ(Variable(i, false)[{Slice(), newaxis}].shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(F::split_axis(i, 1, 0).size(), std::size_t(1));
}

TEST(a_number_never_widens_a_variable) {
  const Variable h(zeros({2}, float16), false);
  EXPECT_EQ((h + 0.1).dtype(), float16);
  EXPECT_EQ((1e-3 * h + array({1., 2.})).dtype(), float16);
  EXPECT_THROW(ValueError, "does not broadcast", h + zeros({3, 2}));
  EXPECT_EQ(floor_divide(Variable(array({-7.f}), false), 2).item<float>(), -4.f);
}
